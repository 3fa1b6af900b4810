package uritemplate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpserver/core/uritemplate"
)

// show writes variables in the order of their names.
func show(variables map[string][]string) string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(variables)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%q", name, variables[name])
	}
	return b.String()
}

const none = "no match"

var matches = []struct{ template, uri, want string }{
	{"notes:///all", "notes:///all", ``},
	{"notes:///all", "notes:///al", none},
	{"notes:///all", "notes:///all/", none},
	{"notes:///a%2fb", "notes:///a%2Fb", ``},
	{"notes:///a%2fb", "notes:///a/b", none},
	{"notes:///ä", "notes:///ä", ``},
	{"notes:///ä", "notes:///%c3%A4", ``},
	{"a.b", "axb", none},

	// One value.
	{"x:{a}", "x:1", `a=["1"]`},
	{"x:{a}", "x:", `a=[""]`},
	{"x:{a}", "x:1/2", none},
	{"x:{a}", "x:1=2", none},
	{"x:{a}", "x:%20%2Fb", `a=[" /b"]`},
	{"x:{a}", "x:%c3%a4ü", `a=["äü"]`},
	{"x:{a}", "x:..%2F..", `a=["../.."]`},
	{"x:{a}", "x:%FF", none},
	{"x:{a}", "x:\xff", none},
	{"x:{a}", "x:%2", none},
	{"x:{a}", "x:%zz", none},
	{"x:{a}", "x: ", none},
	{"x:{a}", "x:1\n", none},
	{"x:{a}.{b}", "x:1.2", `a=["1"] b=["2"]`},
	{"x:{a}-{b}", "x:1-2-3", `a=["1-2"] b=["3"]`},
	{"x:/{user}/{repository}", "x:/me/core", `repository=["core"] user=["me"]`},
	{"x:{a.b}", "x:1", `a.b=["1"]`},
	{"x:{a%20b}", "x:1", `a%20b=["1"]`},

	// Lists and associative arrays.
	{"x:{a}", "x:1,2,3", `a=["1" "2" "3"]`},
	{"x:{a}", "x:1,,3", `a=["1" "" "3"]`},
	{"x:{a}", "x:1%2C2,3", `a=["1,2" "3"]`},
	{"x:{a*}", "x:1,2", `a=["1" "2"]`},
	{"x:{a*}", "x:", ``},
	{"x:{a*}", "x:k=1,l=2", `a=["k=1" "l=2"]`},
	{"x:{/a*}", "x:/1/2", `a=["1" "2"]`},
	{"x:{/a*}", "x:/", `a=[""]`},
	{"x:{/a*}", "x:", ``},
	{"x:{/a*}", "x:/1//2", `a=["1" "" "2"]`},
	{"x:{/a}", "x:/1,2", `a=["1" "2"]`},
	{"x:{/a}", "x:/1/2", none},
	{"x:{.a*}", "x:.1.2", `a=["1" "2"]`},
	{"x:{.a}", "x:.1.2", `a=["1.2"]`},
	{"x:{?a}", "x:?a=1,2", `a=["1" "2"]`},
	{"x:{?a*}", "x:?a=1&a=2", `a=["1" "2"]`},
	{"x:{?a*}", "x:?a=1", `a=["1"]`},
	{"x:{?a*}", "x:?k=1&l=", `a=["k=1" "l="]`},
	{"x:{?a*}", "x:?k%3D1=%262", `a=["k%3D1=&2"]`},
	{"x:{?a*}", "x:?k", none},
	{"x:{?a*,b}", "x:?a=1&a=2&b=3", `a=["1" "2"] b=["3"]`},
	{"x:{?a*,b}", "x:?b=3", `b=["3"]`},
	{"x:{?a*,b}", "x:?k=1&b=3", `a=["k=1" "b=3"]`},
	{"x:{;a*}", "x:;k=1;l", `a=["k=1" "l="]`},
	{"x:{;a*}", "x:;a=1;a;a=2", `a=["1" "" "2"]`},

	// Several variables, and missing ones.
	{"x:{a,b}", "x:1,2", `a=["1"] b=["2"]`},
	{"x:{a,b}", "x:1", `a=["1"]`},
	{"x:{a,b}", "x:1,2,3", `a=["1"] b=["2" "3"]`},
	{"x:{a,b}", "x:,2", `a=[""] b=["2"]`},
	{"x:{/a,b}", "x:/1/2", `a=["1"] b=["2"]`},
	{"x:{/a,b}", "x:/1", `a=["1"]`},
	{"x:{/a,b}", "x:/1/2/3", none},
	{"x:{/a,b*}", "x:/1/2/3", `a=["1"] b=["2" "3"]`},
	{"x:{.a,b}", "x:.1.2", `a=["1"] b=["2"]`},
	{"x:{?q,r}", "x:?q=1&r=2", `q=["1"] r=["2"]`},
	{"x:{?q,r}", "x:?r=2", `r=["2"]`},
	{"x:{?q,r}", "x:?q=1", `q=["1"]`},
	{"x:{?q,r}", "x:", ``},
	{"x:{?q,r}", "x:?q=", `q=[""]`},
	{"x:{?q,r}", "x:?", none},
	{"x:{?q,r}", "x:?q", none},
	{"x:{?q,r}", "x:?r=2&q=1", none},
	{"x:{?q,r}", "x:?&r=1", none},
	{"x:{?q,r}", "x:?q=1r=2", none},
	{"x:{?q,r}", "x:?q=1&s=2", none},
	{"x:?f=1{&q}", "x:?f=1&q=2", `q=["2"]`},
	{"x:?f=1{&q}", "x:?f=1", ``},
	{"x:{?q}{&r}", "x:?q=1&r=2", `q=["1"] r=["2"]`},
	{"x:{;q,r}", "x:;q;r=2", `q=[""] r=["2"]`},
	{"x:{;q,r}", "x:;q=", none},
	{"x:{?a.b}", "x:?axb=1", none},

	// Reserved characters.
	{"x:{+a}", "x:1/2?3=4#5", `a=["1/2?3=4#5"]`},
	{"x:{+a}", "x:1,2", `a=["1,2"]`},
	{"x:{+a*}", "x:1,2", `a=["1" "2"]`},
	{"x:{+a,b}", "x:1/2,3,4", `a=["1/2"] b=["3,4"]`},
	{"x:{+a}", "x:a%2fb/%20%25%41", `a=["a%2Fb/ %25A"]`},
	{"x:{+a}", "x:", `a=[""]`},
	{"x:{+a}/end", "x:1/2/end", `a=["1/2"]`},
	{"x:{#a}", "x:#1/2", `a=["1/2"]`},
	{"x:{#a}", "x:#", `a=[""]`},
	{"x:{#a}", "x:", ``},

	// Prefixes, and variables that occur twice.
	{"x:{a:3}{b}", "x:123456", `a=["123"] b=["456"]`},
	{"x:{a:1}/{a}", "x:c/cat", `a=["cat"]`},
	{"x:{a:1}/{a}", "x:c/dog", none},
	{"x:{a:1}{a:2}", "x:cca", `a=["ca"]`},
	{"x:{a:1}{a:2}", "x:cda", none},
	{"x:{a:2}", "x:%C3%A4%c3%b6", `a=["äö"]`},
	{"x:{a:2}", "x:%C3%A4%c3%b6ü", none},
	{"x:{a:40}", "x:" + strings.Repeat("a", 40), `a=["` + strings.Repeat("a", 40) + `"]`},
	{"x:{a:40}", "x:" + strings.Repeat("a", 41), none},
	{"x:{?a:2}", "x:?a=12", `a=["12"]`},
	{"x:{?a:2}", "x:?a=123", none},
	{"x:{a}/{a}", "x:1/1", `a=["1"]`},
	{"x:{a}/{a}", "x:1/2", none},
	{"x:{a}{?a}", "x:1?a=%31", `a=["1"]`},
	{"x:{/a,a}", "x:/", none},
	{"x:{?a}{&a}", "x:?a=1", none},
	{"x:{?a}{&a}", "x:?a=1&a=1", `a=["1"]`},
	{"x:{?a}{&a}", "x:", ``},
	{"x:{a}{b}", "x:12", `a=["12"] b=[""]`},
}

func TestMatch(t *testing.T) {
	for _, test := range matches {
		pattern := uritemplate.New(test.template)
		if err := pattern.Validate(); err != nil {
			t.Errorf("%s: %v", test.template, err)
			continue
		}
		variables, matched := pattern.Match(test.uri)
		got := show(variables)
		if !matched {
			got = none
		}
		if got != test.want {
			t.Errorf("%s on %q: got %s, want %s", test.template, test.uri, got, test.want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct{ template, want string }{
		{"x:{", `a "{" has no "}"`},
		{"x:{a", `a "{" has no "}"`},
		{"x:}", `'}' cannot stand outside`},
		{"x:{}", "an expression is empty"},
		{"x:{?}", `"" is no name`},
		{"x:{a,}", `"" is no name`},
		{"x:{a b}", `"a b" is no name`},
		{"x:{a-b}", `"a-b" is no name`},
		{"x:{a..b}", `"a..b" is no name`},
		{"x:{.}", `"" is no name`},
		{"x:{a.}", `"a." is no name`},
		{"x:{a%2}", `"a%2" is no name`},
		{"x:{{a}}", `"{a" is no name`},
		{"x:{=a}", `the operator '=' has no meaning`},
		{"x:{|a}", `the operator '|' has no meaning`},
		{"x:{a:0}", `"0" is no number from 1 to 9999`},
		{"x:{a:}", `"" is no number`},
		{"x:{a:01}", `"01" is no number`},
		{"x:{a:10000}", `"10000" is no number`},
		{"x:{a:-1}", `"-1" is no number`},
		{"x:{a*:3}", `"3" is no number`},
		{"x:{a:3*}", `"3*" is no number`},
		{"x:%2", "two hexadecimal digits"},
		{"x:a b", `' ' cannot stand outside`},
		{"x:a\nb", `'\n' cannot stand outside`},
		{"x:<a>", `'<' cannot stand outside`},
		{"x:\xff", "not valid UTF-8"},
		{"x:" + strings.Repeat("a", 9000), "longer than 8192 bytes"},
		{"x:" + strings.Repeat("{a}", 51), "more than 50 expressions"},
		{"x:{" + strings.Repeat("a,", 20) + "a}", "more than 20 variables"},
	} {
		pattern := uritemplate.New(test.template)
		err := pattern.Validate()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: Validate gave %v, want an error with %q", test.template, err, test.want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("%q: the error has %d bytes", test.template, len(err.Error()))
		}
		if _, matched := pattern.Match("x:"); matched {
			t.Errorf("%q matched, though it is invalid", test.template)
		}
		if pattern.String() != test.template {
			t.Errorf("String gave %q, want %q", pattern.String(), test.template)
		}
	}
}

// nasty are templates that cost a backtracking matcher, or one that copies what
// it has found, more than linear time.
func nasty() []string {
	names := "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t"
	return []string{
		"x:{a}{b}{c}{d}{e}{f}{g}{h}",
		"x:" + strings.Repeat("{+a}", 50) + "!",
		"x:" + strings.Repeat("{a*}", 50) + "!",
		"x:{/a*}",
		"x:{a}",
		"x:{a:9999}{b:9999}!",
		"x:" + strings.Repeat("{a:32}", 50) + "!",
		"x:{?" + names + "}",
		"x:{?" + strings.ReplaceAll(names, ",", "*,") + "*}!",
		"x:{;" + strings.ReplaceAll(names, ",", "*,") + "*}!",
		"x:" + strings.Repeat("{?"+names+"}", 50),
	}
}

func TestHostileURIs(t *testing.T) {
	for _, template := range nasty() {
		pattern := uritemplate.New(template)
		if err := pattern.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, piece := range []string{"a", "a,", "/a", "&a=a", ";a", "%41", "%C3%A4", "=,"} {
			for _, size := range []int{4 << 10, 1 << 20} {
				uri := "x:" + strings.Repeat(piece, size/len(piece))
				if _, matched := pattern.Match(uri); matched && size > 16<<10 {
					t.Errorf("%s matched a URI of %d bytes", template, len(uri))
				}
			}
		}
	}
	longest := "x:" + strings.Repeat("/a", (16<<10-2)/2)
	if _, matched := uritemplate.New("x:{/a*}").Match(longest); !matched {
		t.Error("a URI of 16 KiB did not match")
	}
	if _, matched := uritemplate.New("x:{/a*}").Match(longest + "/a"); matched {
		t.Error("a URI of more than 16 KiB matched")
	}
}

func TestMatchFromManyGoroutines(t *testing.T) {
	pattern := uritemplate.New("x:{/a*}{?b}")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if variables, matched := pattern.Match("x:/1/2?b=3"); !matched || show(variables) != `a=["1" "2"] b=["3"]` {
					t.Errorf("got %s, %t", show(variables), matched)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkMatch(b *testing.B) {
	for _, test := range []struct{ name, template, uri string }{
		{"typical", "notes:///{folder}/{name}{?version}", "notes:///work/plan?version=3"},
		{"other", "notes:///{folder}/{name}{?version}", "tasks:///work/plan?version=3"},
		{"list", "x:{/a*}", "x:" + strings.Repeat("/a", 8<<10-2)},
		{"nasty", nasty()[8], "x:?" + strings.Repeat("a=a&", 4<<10-1)},
		{"prefixes", nasty()[6], "x:" + strings.Repeat("a", 16<<10-2)},
	} {
		b.Run(test.name, func(b *testing.B) {
			pattern := uritemplate.New(test.template)
			b.SetBytes(int64(len(test.uri)))
			b.ReportAllocs()
			for b.Loop() {
				pattern.Match(test.uri)
			}
		})
	}
}
