package form

import (
	"fmt"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *Form {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return f
}

// Each value of a property p by itself.
func TestValues(t *testing.T) {
	for _, test := range []struct {
		property  string
		good, bad []string
		words     string
	}{
		{`{"type":"string"}`, []string{`""`, `"x"`, `"\u00e9"`}, []string{`1`, `true`, `[]`, `{}`}, "string"},
		{`{"type":"string","minLength":2}`, []string{`"ab"`, `"éé"`, `"\ud83d\ude42x"`}, []string{`"a"`, `"é"`, `"\ud83d\ude42"`}, "at least 2"},
		{`{"type":"string","maxLength":2}`, []string{`""`, `"ab"`}, []string{`"abc"`}, "at most 2"},
		{`{"type":"string","pattern":"^[a-c]+$"}`, []string{`"abc"`}, []string{`""`, `"abd"`, `"ab\n"`}, "pattern"},
		{`{"type":"string","pattern":"b"}`, []string{`"abc"`}, []string{`"ac"`}, "pattern"},
		{
			`{"type":"string","format":"email"}`,
			[]string{`"eric@example.com"`, `"eric.m+x@localhost"`, `"o'b_r-1@a-b.example"`, `"érika@exämple.com"`},
			[]string{
				`""`, `"@"`, `"eric@"`, `"eric@a@b"`, `"eric@.com"`, `"eric@com."`, `"eric@-a.com"`, `"eric@a-.com"`, `"eric@a_b.com"`, `"er ic@a.com"`, `"eric@` + strings.Repeat("a", 64) + `.com"`, `"eric"`, `"@example.com"`, `"Eric <eric@example.com>"`, `"<eric@example.com>"`, `" eric@example.com"`, `"a@b, c@d"`, `"eric@example.com\n"`, `"` + strings.Repeat("e", 250) + `@example.com"`,
			},
			"email",
		},
		{
			`{"type":"string","format":"uri"}`,
			[]string{`"https://example.com/a?b#c"`, `"mailto:eric@example.com"`, `"urn:isbn:1"`, `"file:///tmp"`, `"https://example.com/é"`},
			[]string{`""`, `"example.com"`, `"/a"`, `"//example.com/a"`, `"http:"`, `"http://"`, `"http://a b"`, `"http://example.com/a b"`, `"http://example.com/%zz"`, `"1a:b"`, `"http://a\n"`, `"http://a/<b>"`},
			"URI",
		},
		{
			`{"type":"string","format":"date"}`,
			[]string{`"2024-02-29"`, `"0001-01-01"`},
			[]string{`""`, `"2023-02-29"`, `"2024-2-9"`, `"29.02.2024"`, `"2024-02-29T00:00:00Z"`, `"2024-13-01"`},
			"date",
		},
		{
			`{"type":"string","format":"date-time"}`,
			[]string{`"2024-02-29T12:30:00Z"`, `"2024-02-29t12:30:00.123456789z"`, `"2024-02-29T12:30:00+02:00"`},
			[]string{`""`, `"2024-02-29"`, `"2024-02-29T12:30:00"`, `"2024-02-29 12:30:00Z"`, `"2024-02-29T24:00:00Z"`, `"2024-02-29T1:30:00Z"`, `"2024-02-29T12:30:00,5Z"`, `"2024-02-29T12:30:00+25:00"`},
			"date",
		},
		{`{"type":"number"}`, []string{`1`, `-1.5e3`, `1e400`}, []string{`"1"`, `true`}, "number"},
		{`{"type":"number","minimum":0.1}`, []string{`0.1`, `0.10`, `1e400`}, []string{`0.09999999999999999999999`, `-1`}, "at least 0.1"},
		{`{"type":"number","maximum":0.1}`, []string{`0.1`, `-1e400`}, []string{`0.1000000000000000000001`, `1e400`}, "at most 0.1"},
		{`{"type":"integer"}`, []string{`1`, `1.0`, `1e2`, `9007199254740993`, `123456789012345678901234567890`}, []string{`1.5`, `1e-1`, `"1"`}, "integer"},
		{`{"type":"integer","maximum":9007199254740992}`, []string{`9007199254740992`}, []string{`9007199254740993`}, "at most"},
		{`{"type":"boolean"}`, []string{`true`, `false`}, []string{`"true"`, `1`, `0`}, "boolean"},
		{`{"type":"string","enum":["a","b\n"]}`, []string{`"a"`, `"\u0061"`, `"b\n"`}, []string{`"b"`, `"A"`, `""`, `["a"]`}, "p:"},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"}]}`, []string{`"a"`}, []string{`"A"`, `{"const":"a"}`}, "p:"},
		{`{"type":"string","enum":["a"],"enumNames":["A"]}`, []string{`"a"`}, []string{`"A"`}, "one of"},
		{
			`{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"maxItems":2}`,
			[]string{`["a"]`, `[ "c" , "a" ]`},
			[]string{`[]`, `["a","b","c"]`, `["d"]`, `["a",1]`, `[["a"]]`, `"a"`, `{}`},
			"p",
		},
		{`{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`, []string{`[]`, `["a"]`}, []string{`["A"]`}, "p[0]"},
		// What does not compile is not enforced.
		{`{"type":"string","pattern":"(?=a)"}`, []string{`"b"`}, nil, ""},
	} {
		for _, closing := range []string{"}", `,"required":["p"]}`} {
			f := parse(t, `{"type":"object","properties":{"p":`+test.property+`}`+closing)
			for _, value := range test.good {
				content := ` { "p" : ` + value + ` } `
				if got, err := f.Complete(content); err != nil || got != content {
					t.Errorf("%s: Complete(%s) = %q, %v, want it unchanged", test.property, content, got, err)
				}
			}
			for _, value := range test.bad {
				wantFault(t, f, `{"p":`+value+`}`, "p", test.words)
			}
		}
	}
}

func wantFault(t *testing.T, f *Form, content string, words ...string) {
	t.Helper()
	got, err := f.Complete(content)
	if err == nil {
		t.Errorf("%s: Complete(%.200s) = %.200s, want an error with %q", f.JSON(), content, got, words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s: Complete(%.200s): %q, want %q in it", f.JSON(), content, err, word)
		}
	}
}

func TestMembers(t *testing.T) {
	open := parse(t, object(`"a":{"type":"string"},"b":{"type":"integer","minimum":1},"c":{"type":"boolean"}`, `"required":["a","b"]`))
	closed := parse(t, object(`"a":{"type":"string"}`, `"additionalProperties":false`))
	wantFault(t, open, `{}`, "a: is required", "b: is required")
	wantFault(t, open, `{"b":0,"c":1}`, "a: is required", "b: must be at least 1, got 0", "c: must be a boolean")
	wantFault(t, open, `{"a":"x","b":1,"\u0061":"y"}`, "a: is given twice")
	wantFault(t, open, `{"a":null,"b":1}`, "a: must be a string, got null")
	wantFault(t, closed, `{"d":1}`, `"d": is not in the form`)
	wantFault(t, open, `{"a":"`+strings.Repeat("x", maxContent)+`","b":1}`, "over the limit")
	for _, content := range []string{`{"d":{"e":[]},"a":"","b":1}`, `{"a":"","b":1,"c":null}`, `{"a":"","b":1,"d":1,"d":2}`} {
		if got, err := open.Complete(content); err != nil || got != content {
			t.Errorf("Complete(%s) = %q, %v, want it unchanged", content, got, err)
		}
	}
}

// However much is wrong, the error stays short.
func TestFaultsAreBounded(t *testing.T) {
	var properties, content strings.Builder
	for i := range maxProperties {
		fmt.Fprintf(&properties, `,"p%d":{"type":"string","format":"date"}`, i)
		fmt.Fprintf(&content, `,"p%d":"%s"`, i, strings.Repeat("x", 1000))
	}
	for i := range 10_000 {
		fmt.Fprintf(&content, `,"q%d%s":1`, i, strings.Repeat("x", 50))
	}
	f := parse(t, object(properties.String()[1:], `"additionalProperties":false`))
	_, err := f.Complete(`{` + content.String()[1:] + `}`)
	if err == nil || len(err.Error()) > 100*maxFaults {
		t.Errorf("Complete gave %.300v, want an error of at most %d bytes", err, 100*maxFaults)
	}
}

func TestDefaults(t *testing.T) {
	suite := parse(t, suiteDefaults)
	required := parse(t, object(`"a":{"type":"number","default":1.50},"b":{"type":"string"}`, `"required":["a"]`))
	several := parse(t, object(`"é":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":[ "y" ]}`))
	for _, test := range []struct {
		form          *Form
		content, want string
	}{
		{suite, `{}`, `{"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}`},
		{
			suite, `{"verified":false,"age":1.0e1, "other" : [1, 2] }`,
			`{"verified":false,"age":1.0e1,"other":[1, 2],"name":"John Doe","score":95.5,"status":"active"}`,
		},
		{suite, `{"age":null,"name":""}`, `{"age":30,"name":"","score":95.5,"status":"active","verified":true}`},
		{
			suite, ` { "verified":true,"status":"pending","score":1,"age":2,"name":"\u0045ric" } `,
			` { "verified":true,"status":"pending","score":1,"age":2,"name":"\u0045ric" } `,
		},
		{required, `{"b":"x"}`, `{"b":"x","a":1.50}`},
		{several, `{}`, `{"é":["y"]}`},
	} {
		if got, err := test.form.Complete(test.content); err != nil || got != test.want {
			t.Errorf("Complete(%s) = %q, %v, want %s", test.content, got, err, test.want)
		}
	}
	wantFault(t, required, `{"a":null}`, "a: must be a number, got null")
	// A fault is told of whatever could be filled in.
	wantFault(t, suite, `{"status":"gone"}`, "status")
}

func TestUnenforced(t *testing.T) {
	f := parse(t, object(`"a":{"type":"string","pattern":"(?=a)"},"b":{"type":"string","pattern":"b"}`))
	if got := f.Unenforced(); len(got) != 1 || !strings.Contains(got[0], `"a"`) {
		t.Errorf("Unenforced() = %q, want one sentence, about a", got)
	}
}
