package config

import (
	"reflect"
	"strings"
	"testing"
)

// dotenvs are texts and the variables that they have, as NAME=value.
var dotenvs = []struct {
	name, text string
	want       []string
}{
	{"nothing", "", nil},
	{"lines without variables", "\n\r\n  \t\n# a=b\n  # c=d", nil},
	{"variables", "A=1\nB=2\n", []string{"A=1", "B=2"}},
	{"no line break at the end", "A=1\nB=2", []string{"A=1", "B=2"}},
	{"CRLF", "A=1\r\nB='2'\r\nC=\"3\"\r\n", []string{"A=1", "B=2", "C=3"}},
	{"a byte order mark", "\ufeffA=1", []string{"A=1"}},
	{"spaces", "  A \t= 1 2 \t\n\tB=2", []string{"A=1 2", "B=2"}},
	{"export", "export A=1\nexport\tB = 2\nexport=3\nexported=4", []string{"A=1", "B=2", "export=3", "exported=4"}},
	{"nothing in it", "A=\nB= \nC=''\nD=\"\"", []string{"A=", "B=", "C=", "D="}},
	{"comments", "A=1 # x\nB=1#x\nC=#x\nD='1 # y' # x\nE=\"1\"#x\nF=1\t# x", []string{"A=1", "B=1#x", "C=", "D=1 # y", "E=1", "F=1"}},
	{"=", "A=b=c==\nB='='", []string{"A=b=c==", "B=="}},
	{"quotes within", "A=it's \"b\"\nB='\"'\nC=\"'\"", []string{`A=it's "b"`, `B="`, `C='`}},
	{"single quotes", `A='\n\\ $B ${C} \'`, []string{`A=\n\\ $B ${C} \`}},
	{"double quotes", `A="a\nb\r\t\"\\n\$\x ${C}"`, []string{"A=a\nb\r\t\"\\n\\$\\x ${C}"}},
	{"no references", "A=$B ${C} $$", []string{"A=$B ${C} $$"}},
	{"backslashes without quotes", `A=C:\new\x`, []string{`A=C:\new\x`}},
	{"several lines", "A='1\n2'\nB=\"3\n\n4\" # x\nC=5", []string{"A=1\n2", "B=3\n\n4", "C=5"}},
	{"the last holds", "A=1\nB=2\nA=3", []string{"A=3", "B=2"}},
	{"names", "_a.B-9=1\n9=2", []string{"_a.B-9=1", "9=2"}},
	{"wide characters", "A=é🙂", []string{"A=é🙂"}},
}

func TestDotenv(t *testing.T) {
	for _, test := range dotenvs {
		t.Run(test.name, func(t *testing.T) {
			variables, err := parseDotenv([]byte(test.text))
			var got []string
			for _, variable := range variables {
				got = append(got, variable.Name+"="+variable.Value)
			}
			if err != nil || !reflect.DeepEqual(got, test.want) {
				t.Errorf("parseDotenv(%q) = %q, %v; want %q", test.text, got, err, test.want)
			}
		})
	}
}

func TestDotenvErrors(t *testing.T) {
	const name = "expected a name of letters, digits, _, . and - before the ="
	for _, test := range []struct{ text, want string }{
		{"A=1\n\nsecret", "line 3: expected NAME=value"},
		{"export A", "line 1: expected NAME=value"},
		{"A: secret", "line 1: expected NAME=value"},
		{"=secret", "line 1: " + name},
		{"A B=secret", "line 1: " + name},
		{"é=secret", "line 1: " + name},
		{"export =secret", ""},
		{"exp ort A=secret", "line 1: " + name},
		{"A[0]=secret", "line 1: " + name},
		{strings.Repeat("A", 129) + "=secret", "line 1: " + name},
		{"# é\r\nA='secret\nB=2\n", "line 2: the quote that the value begins with is not closed"},
		{`A="secret\"`, "line 1: the quote that the value begins with is not closed"},
		{"A='1\n2' secret", "line 1: expected the end of the line, or a comment, after the value in quotes"},
		{"A='1\n2'\nB='3'secret", "line 3: expected the end of the line, or a comment, after the value in quotes"},
		{"A='it''s'", "line 1: expected the end of the line, or a comment, after the value in quotes"},
		{"A=1\nB=\xff", "line 2: expected UTF-8 without NUL characters; save the file as UTF-8"},
		{"A=1\n\nB=\x00", "line 3: expected UTF-8 without NUL characters; save the file as UTF-8"},
		{"\xff\xfeA\x00", "line 1: expected UTF-8 without NUL characters; save the file as UTF-8"},
	} {
		_, err := parseDotenv([]byte(test.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("parseDotenv(%q) gave %q, want %q", test.text, got, test.want)
		}
	}
}
