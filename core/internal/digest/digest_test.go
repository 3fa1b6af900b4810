package digest

import (
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

func TestPlainNumber(t *testing.T) {
	for _, same := range [][]string{
		{"1", "1.0", "10e-1", "1e0", "0.1E+1", "1.000"},
		{"0", "-0", "0.0", "0e7", "-0.00e-3"},
		{"-1200", "-1.2e3", "-12E2"},
		{"0.05", "5e-2", "50e-3"},
	} {
		for _, text := range same {
			if got, want := plainNumber(text), plainNumber(same[0]); got != want {
				t.Errorf("plainNumber(%s) = %s, but %s gives %s", text, got, same[0], want)
			}
		}
	}
	seen := make(map[string]string)
	for _, text := range []string{"1", "-1", "10", "0.1", "9007199254740993", "9007199254740992", "1e99999999999999999999", "0"} {
		plain := plainNumber(text)
		if other, taken := seen[plain]; taken {
			t.Errorf("%s and %s are both %s", text, other, plain)
		}
		seen[plain] = text
	}
}

func FuzzOf(f *testing.F) {
	f.Add(`{"a":1,"b":[true,null,"x"]}`, "a")
	f.Add(`{"a":{"b":1,"b":2}}`, "b")
	f.Add(`{"\ud800":"\udfff"}`, "x")
	f.Fuzz(func(t *testing.T, arguments, name string) {
		if !gjson.Valid(arguments) || !gjson.Parse(arguments).IsObject() {
			return
		}
		one := Of(arguments)
		if spaced := Of(" \t" + arguments + " "); spaced != one {
			t.Errorf("with white space around it, %q has another digest", arguments)
		}
		changed, err := sjson.Set(arguments, "never before", name)
		if err == nil && Of(changed) == one {
			t.Errorf("%q and %q have one digest", arguments, changed)
		}
	})
}
