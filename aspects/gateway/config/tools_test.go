package config

import "testing"

func TestAllows(t *testing.T) {
	for _, test := range []struct {
		allow, deny []string
		tool        string
		want        bool
	}{
		{nil, nil, "a", true},
		{[]string{}, nil, "a", false},
		{[]string{"a"}, nil, "a", true},
		{[]string{"a"}, nil, "A", false},
		{[]string{"a"}, nil, "ab", false},
		{[]string{"b", "a*"}, nil, "ab", true},
		{[]string{"?[x-z]"}, nil, "ay", true},
		{[]string{`\*`}, nil, "a", false},
		{[]string{`\*`}, nil, "*", true},
		{[]string{"a/*"}, nil, "a/b", true},
		{[]string{"a/b"}, nil, "a/b", true},
		{[]string{"a/b"}, nil, "a-b", false},
		{nil, []string{"*"}, "a/b", false},
		{nil, []string{"a", "b*"}, "bc", false},
		{nil, []string{"a", "b*"}, "c", true},
		{[]string{"*"}, []string{"a"}, "a", false},
		{[]string{"*"}, []string{}, "a", true},
	} {
		entry := Entry{Allow: test.allow, Deny: test.deny}
		if got := entry.Allows(test.tool); got != test.want {
			t.Errorf("with %q allowed and %q denied, %q gave %t", test.allow, test.deny, test.tool, got)
		}
	}
}
