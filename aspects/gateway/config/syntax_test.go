package config

import (
	"errors"
	"strings"
	"testing"
)

// syntaxErrors are texts that are no JSON with comments, and what is said of
// them.
var syntaxErrors = []struct{ name, text, want string }{
	{"nothing", "", `line 1, column 1: expected an object such as {"servers": {...}}, but the file is empty`},
	{"comments alone", "// a\n  /* b */ ", `line 2, column 11: expected an object such as {"servers": {...}}, but the file is empty`},
	{"an array", "[1]", `line 1, column 1: expected an object such as {"servers": {...}}, found an array`},
	{"a string", ` "a"`, `line 1, column 2: expected an object such as {"servers": {...}}, found a string`},
	{"null", "null", `line 1, column 1: expected an object such as {"servers": {...}}, found null`},
	{"no comma", "{\n  \"a\": 1\n  \"b\": 2\n}", `line 3, column 3: expected a comma or }, found '"'`},
	{"no comma, CRLF", "{\r\n  \"a\": 1\r\n  \"b\": 2\r\n}", `line 3, column 3: expected a comma or }, found '"'`},
	{"no comma after tabs", "{\n\t\t\"a\": 1 \"b\": 2\n}", `line 2, column 10: expected a comma or }, found '"'`},
	{"no comma after wide characters", `{"ключ": "名前🙂" "b": 2}`, `line 1, column 16: expected a comma or }, found '"'`},
	{"no comma after a comment", "{\"a\": 1 /* é\nü */ \"b\": 2}", `line 2, column 6: expected a comma or }, found '"'`},
	{"no comma after a byte order mark", "\ufeff{\"a\": 1 \"b\": 2}", `line 1, column 9: expected a comma or }, found '"'`},
	{"two byte order marks", "\ufeff\ufeff{}", `line 1, column 1: expected a value, found the character U+FEFF`},
	{"no comma in an array", `{"a": [1 2]}`, `line 1, column 10: expected a comma or ], found '2'`},
	{"two commas", `{"a": 1,, "b": 2}`, `line 1, column 9: expected a name in double quotes, found ','`},
	{"two commas at the end", `{"a": [1,,]}`, `line 1, column 11: expected a value, found ']'`},
	{"no colon", `{"a" 1}`, `line 1, column 6: expected a colon after the name, found '1'`},
	{"an equals sign", `{"a" = 1}`, `line 1, column 6: expected a colon after the name, found '='`},
	{"no value", `{"a": }`, `line 1, column 7: expected a value, found '}'`},
	{"a name without quotes", `{a: 1}`, `line 1, column 2: expected a name in double quotes or }, found 'a'`},
	{"a second name without quotes", `{"a": 1, b: 1}`, `line 1, column 10: expected a name in double quotes, found 'b'`},
	{"a name in single quotes", `{'a': 1}`, `line 1, column 2: expected a name in double quotes or }, found '\''`},
	{"a value in single quotes", `{"a": 'secret'}`, `line 1, column 7: expected a value, found '\''; a string stands in double quotes`},
	{"a value without quotes", `{"a": secret}`, `line 1, column 7: expected a value, found 's'; a string stands in double quotes`},
	{"a value of another language", `{"a": True}`, `line 1, column 7: expected a value, found 'T'; a string stands in double quotes`},
	{"no brace", "{\n  \"a\": {\"b\": 1\n", `line 3, column 1: expected a comma or }, but the file ends; the { at line 2, column 8 is not closed`},
	{"no bracket", "{\"é\": [\r\n1", `line 2, column 2: expected a comma or ], but the file ends; the [ at line 1, column 7 is not closed`},
	{"the wrong bracket", `{"a": [1}`, `line 1, column 9: expected a comma or ], found '}'`},
	{"a brace too many", "{}\n}", `line 2, column 1: expected the end of the file, found '}'`},
	{"a second value", `{} {}`, `line 1, column 4: expected the end of the file, found '{'`},
	{"a string without end", "{\"a\": \"secret\n}", `line 1, column 7: expected " before the end of the line: the string that begins here is not closed`},
	{"a string without end, CRLF", "{\"a\": \"secret\r\n}", `line 1, column 7: expected " before the end of the line: the string that begins here is not closed`},
	{"a string up to the end", `{"a": "secret`, `line 1, column 7: expected " before the end of the line: the string that begins here is not closed`},
	{"a tab in a string", "{\"a\": \"é\tb\"}", `line 1, column 9: expected no tab in a string; write \t`},
	{"a control character in a string", "{\"a\": \"\x01\"}", `line 1, column 8: expected no control character in a string; write \u0001`},
	{"a Windows path", `{"a": "C:\Users"}`, `line 1, column 10: expected one of " \ / b f n r t u after a backslash; a backslash itself is written \\`},
	{"a Windows path with u", `{"a": "C:\users"}`, `line 1, column 10: expected four hexadecimal digits after \u; a backslash itself is written \\`},
	{"a sign among hexadecimal digits", `{"a": "\u+123"}`, `line 1, column 8: expected four hexadecimal digits after \u; a backslash itself is written \\`},
	{"an escape in a name", `{"a\q": 1}`, `line 1, column 4: expected one of " \ / b f n r t u after a backslash; a backslash itself is written \\`},
	{"a backslash at the end", `{"a": "\`, `line 1, column 8: expected one of " \ / b f n r t u after a backslash; a backslash itself is written \\`},
	{"a zero too many", `{"a": 01}`, `line 1, column 7: expected a number such as 10, -1 or 2.5`},
	{"no digit", `{"a": 1.}`, `line 1, column 7: expected a number such as 10, -1 or 2.5`},
	{"a plus", `{"a": +1}`, `line 1, column 7: expected a value, found '+'`},
	{"a comment without end", "{\"a\": 1,\n /* never\n}", `line 2, column 2: expected */: the comment that begins here is not closed`},
	{"a comment of the shell", "{\n # a\n}", `line 2, column 2: expected a name in double quotes or }, found '#'; a comment begins with // or /*`},
	{"half a comment", "{\"a\": /1}", `line 1, column 7: expected a value, found '/'; a comment begins with // or /*`},
	{"a control character", "{\"a\": \x00}", `line 1, column 7: expected a value, found the character U+0000`},
	{"Latin-1", "{\n\"a\": \"\xe9\"}", `line 2, column 7: expected UTF-8, found the byte 0xe9; save the file as UTF-8`},
	{"UTF-16", "\xff\xfe{\x00}\x00", `line 1, column 1: expected UTF-8, found UTF-16; save the file as UTF-8`},
	{"UTF-16, the other way round", "\xfe\xff\x00{\x00}", `line 1, column 1: expected UTF-8, found UTF-16; save the file as UTF-8`},
	{
		"too deep", `{"a": ` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}",
		`line 1, column 70: expected no more than 64 objects and arrays within each other`,
	},
}

func TestSyntaxErrors(t *testing.T) {
	for _, test := range syntaxErrors {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || err.Error() != test.want {
				t.Errorf("Parse(%q) gave %v\nwant %s", test.text, err, test.want)
			}
		})
	}
}

// accepted are texts with all that JSON with comments may have.
var accepted = []string{
	`{"servers": {}}`,
	"\ufeff{\"servers\": {}}",
	"\r\n{\"servers\":\r\n{}\r\n}\r\n",
	"// before\n{\"servers\": {/* within */}, // after\n}\n// at the end, without a line break",
	`{"servers": {"a": {"command": "x", "args": ["b", "c",],},},}`,
	`{"servers": {}, "x": [1, -2.5e+3, true, false, null, "\u00e9\n\"\\\/", {"y": []}]}`,
	"{\"servers\": {} /* bytes of no UTF-8: \xff */}",
	`{"x": ` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `, "servers": {}}`,
}

func TestCommentsAndTrailingCommasAreAccepted(t *testing.T) {
	for _, text := range accepted {
		file, err := Parse([]byte(text))
		if err != nil || len(file.Problems) > 0 {
			t.Errorf("Parse(%q) gave %v, %v", text, file, err)
		}
	}
}

// TestNestingWithoutEndIsRefused: what is nested as deep as a file can be is no
// danger to the stack.
func TestNestingWithoutEndIsRefused(t *testing.T) {
	for _, bracket := range []string{"[", `{"a":`} {
		_, err := Parse([]byte(strings.Repeat(bracket, maxFile/len(bracket))))
		if err == nil || !strings.Contains(err.Error(), "expected no more than 64 objects and arrays within each other") {
			t.Errorf("%q without end gave %v", bracket, err)
		}
	}
}

func TestTextsAreAtMostAsLongAsAFile(t *testing.T) {
	text := []byte(`{"servers": {}}` + strings.Repeat(" ", maxFile))
	if _, err := Parse(text[:maxFile]); err != nil {
		t.Error(err)
	}
	want := "the configuration is larger than 4 MiB; keep in it nothing but the servers and their inputs"
	if _, err := Parse(text[:maxFile+1]); err == nil || err.Error() != want {
		t.Errorf("Parse gave %v, want %s", err, want)
	}
}

func TestLocatorGoesBack(t *testing.T) {
	where := newLocator([]byte("é\r\n\tü!\n"))
	for _, test := range []struct {
		offset int
		want   place
	}{
		{0, place{1, 1}},
		{7, place{2, 3}},
		{2, place{1, 2}},
		{7, place{2, 3}},
		{8, place{2, 4}},
		{9, place{3, 1}},
		{5, place{2, 2}},
	} {
		if got := where.locate(test.offset); got != test.want {
			t.Errorf("locate(%d) = %v, want %v", test.offset, got, test.want)
		}
	}
}
