package toolserver_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"mcpserver/core/toolserver"
)

func exactly(pattern string) toolserver.Rule { return toolserver.Rule{Pattern: pattern} }

func glob(pattern string) toolserver.Rule { return toolserver.Rule{Pattern: pattern, Glob: true} }

func deny(rule toolserver.Rule) toolserver.Rule {
	rule.Deny = true
	return rule
}

func TestPermissions(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules []toolserver.Rule
		path  string // the pattern is custom.write:<path>
		want  toolserver.Decision
	}{
		{"no rules", nil, "a", toolserver.Undecided},
		{"exact", []toolserver.Rule{exactly("custom.write:a")}, "a", toolserver.Allowed},
		{"exact is no prefix", []toolserver.Rule{exactly("custom.write:a")}, "ab", toolserver.Undecided},
		{"exact star stands for itself", []toolserver.Rule{exactly("custom.write:*")}, "a", toolserver.Undecided},
		{"a star that was written", []toolserver.Rule{exactly("custom.write:*")}, "*", toolserver.Allowed},
		{"denied", []toolserver.Rule{deny(exactly("custom.write:a"))}, "a", toolserver.Denied},
		{"deny wins over allow", []toolserver.Rule{exactly("custom.write:a"), deny(exactly("custom.write:a"))}, "a", toolserver.Denied},
		{"deny wins, the other order", []toolserver.Rule{deny(exactly("custom.write:a")), exactly("custom.write:a")}, "a", toolserver.Denied},
		{"denying glob wins over exact", []toolserver.Rule{exactly("custom.write:a"), deny(glob("custom.*"))}, "a", toolserver.Denied},
		{"exact denial wins over glob", []toolserver.Rule{glob("custom.*"), deny(exactly("custom.write:a"))}, "a", toolserver.Denied},
		{"denying glob wins over glob", []toolserver.Rule{glob("*"), deny(glob("*:secret/*"))}, "secret/x", toolserver.Denied},
		{"glob", []toolserver.Rule{glob("custom.write:src/*")}, "src/deep/er", toolserver.Allowed},
		{"glob that is another's", []toolserver.Rule{glob("custom.write:src/*")}, "etc/x", toolserver.Undecided},
		{"question mark", []toolserver.Rule{glob("custom.write:?")}, "é", toolserver.Allowed},
		{"question mark of nothing", []toolserver.Rule{glob("custom.write:?")}, "", toolserver.Undecided},
		{"star of nothing", []toolserver.Rule{glob("*custom.write:**")}, "", toolserver.Allowed},
		{"star tried again", []toolserver.Rule{glob("*a?b")}, "aab/aXb", toolserver.Allowed},
		{"control character", []toolserver.Rule{glob("*:x?y")}, "x\\u0000y", toolserver.Allowed},
		{"end", []toolserver.Rule{glob("*.go")}, "a.go.txt", toolserver.Undecided},
	} {
		t.Run(test.name, func(t *testing.T) {
			var permissions toolserver.Permissions
			if err := permissions.Add(test.rules...); err != nil {
				t.Fatal(err)
			}
			server := &custom{Base: base(t)}
			if got := permissions.Decide(server, "write", `{"path":"`+test.path+`"}`); got != test.want {
				t.Errorf("Decide with %+v for %q is %s, want %s", test.rules, test.path, got, test.want)
			}
		})
	}
}

func TestPermissionsRemember(t *testing.T) {
	server := base(t)
	var permissions toolserver.Permissions
	if err := permissions.Remember(server, "x", "{}", toolserver.Undecided); err == nil {
		t.Error("Remember of nothing gave no error")
	}
	if err := permissions.Remember(server, "x", "{}", toolserver.Allowed); err != nil {
		t.Fatal(err)
	}
	if got := permissions.Decide(server, "x", `{"any":1}`); got != toolserver.Allowed {
		t.Errorf("Decide is %s, want allowed: the default pattern is the tool", got)
	}
	if err := permissions.Remember(server, "x", "{}", toolserver.Denied); err != nil {
		t.Fatal(err)
	}
	if got := permissions.Decide(server, "x", "{}"); got != toolserver.Denied {
		t.Errorf("Decide is %s, want denied", got)
	}
	if !permissions.Remove(deny(exactly("test.x"))) || permissions.Remove(deny(exactly("test.x"))) {
		t.Error("Remove does not tell whether the rule was there")
	}
	if got := permissions.Decide(server, "x", "{}"); got != toolserver.Allowed {
		t.Errorf("Decide after Remove is %s, want allowed again", got)
	}
}

func TestPermissionsRefuse(t *testing.T) {
	var permissions toolserver.Permissions
	for _, pattern := range []string{"", strings.Repeat("x", 64<<10+1)} {
		if err := permissions.Add(glob("*"), glob(pattern)); err == nil {
			t.Errorf("Add of a pattern of %d bytes gave no error", len(pattern))
		}
	}
	if rules := permissions.Rules(); len(rules) != 0 {
		t.Errorf("there are the rules %+v, though their Add failed", rules)
	}
}

func TestRulesSurviveJSON(t *testing.T) {
	var permissions toolserver.Permissions
	rules := []toolserver.Rule{glob("b"), deny(glob("b")), exactly("b"), deny(exactly("b")), exactly("a")}
	if err := permissions.Add(rules...); err != nil {
		t.Fatal(err)
	}
	want := []toolserver.Rule{exactly("a"), deny(exactly("b")), deny(glob("b")), exactly("b"), glob("b")}
	if got := permissions.Rules(); !reflect.DeepEqual(got, want) {
		t.Errorf("Rules gave %+v, want %+v", got, want)
	}
	written, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var read []toolserver.Rule
	if err := json.Unmarshal(written, &read); err != nil || !reflect.DeepEqual(read, want) {
		t.Errorf("the rules come back from %s as %+v, %v", written, read, err)
	}
}

// TestGlobsAreQuick: a pattern made to be slow, on a text of 64 KiB. It would
// not end within the test's time limit if stars were tried again one within
// the other.
func TestGlobsAreQuick(t *testing.T) {
	server := &custom{Base: base(t)}
	var permissions toolserver.Permissions
	if err := permissions.Add(glob(strings.Repeat("*a", 200) + "*b")); err != nil {
		t.Fatal(err)
	}
	if got := permissions.Decide(server, "x", `{"path":"`+strings.Repeat("a", 64<<10)+`"}`); got != toolserver.Undecided {
		t.Errorf("Decide is %s, want undecided", got)
	}
}

func TestPermissionsConcurrently(t *testing.T) {
	server := base(t)
	var permissions toolserver.Permissions
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for range 100 {
				if err := permissions.Remember(server, "x", "", toolserver.Denied); err != nil {
					t.Error(err)
				}
				permissions.Decide(server, "x", "")
				permissions.Rules()
				permissions.Remove(exactly("test.y"))
			}
		})
	}
	working.Wait()
	if got := permissions.Decide(server, "x", ""); got != toolserver.Denied {
		t.Errorf("Decide is %s, want denied", got)
	}
}
