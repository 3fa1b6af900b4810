package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// testVariables are those of a process that has few.
func testVariables() *Variables {
	environment := map[string]string{
		"TOKEN": "t0ken", "EMPTY": "", "DOLLAR": "${TOKEN} $$ ${", "ProgramFiles(x86)": `C:\Program Files (x86)`,
		"with-dash": "dashed", "MCP_INPUT_FROM_ENV": "from the environment", "ZEILE": "two\nlines", "SECRET": "s3cret",
	}
	return &Variables{
		LookupEnv:        func(name string) (string, bool) { value, ok := environment[name]; return value, ok },
		Inputs:           map[string]string{"given": "from the command line", "empty": "", "from-env": "wins"},
		UserHome:         filepath.FromSlash("/home/me"),
		WorkingDirectory: filepath.FromSlash("/src"),
	}
}

// resolveText resolves a text as the first argument of a program.
func resolveText(t *testing.T, file *File, text string, variables *Variables) (string, error) {
	t.Helper()
	entry, err := file.Resolve(Entry{Name: "s", Type: Stdio, Command: "x", Args: []string{text}}, variables)
	if err != nil {
		return "", err
	}
	return entry.Args[0], nil
}

// expansions are texts and what they become.
var expansions = []struct{ text, want string }{
	{"", ""},
	{"plain", "plain"},
	{"${TOKEN}", "t0ken"},
	{"${env:TOKEN}", "t0ken"},
	{"a${TOKEN}b${env:TOKEN}c", "at0kenbt0kenc"},
	{"${EMPTY}", ""},
	{"${EMPTY:-x}", "x"},
	{"${env:EMPTY:-x}", "x"},
	{"${UNSET:-x}", "x"},
	{"${env:UNSET:-x}", "x"},
	{"${UNSET:-}", ""},
	{"${UNSET:-a:-b}", "a:-b"},
	{"${UNSET:-é {}", "é {"},
	{`${UNSET:-{"a":1}}`, `{"a":1}`},
	{"${UNSET:-$$x}", "$x"},
	{"${UNSET:-$${}", "${"},
	{"${TOKEN:-x}", "t0ken"},
	{"${TOKEN:-${UNSET}}", "t0ken"},
	{"${UNSET:-${TOKEN}}", "t0ken"},
	{"${UNSET:-<${EMPTY:-${env:TOKEN}}>}!", "<t0ken>!"},
	{"${DOLLAR}", "${TOKEN} $$ ${"},
	{"${UNSET:-${DOLLAR}}", "${TOKEN} $$ ${"},
	{"$", "$"},
	{"$$", "$"},
	{"$$$", "$$"},
	{"$$$$", "$$"},
	{"$TOKEN", "$TOKEN"},
	{"$ {TOKEN}", "$ {TOKEN}"},
	{"5$", "5$"},
	{"$$TOKEN", "$TOKEN"},
	{"$${TOKEN}", "${TOKEN}"},
	{"$$${TOKEN}", "$t0ken"},
	{"}{", "}{"},
	{"${ProgramFiles(x86)}", `C:\Program Files (x86)`},
	{"${with-dash}", "dashed"},
	{"${workspaceFolder}/x", filepath.FromSlash("/src") + "/x"},
	{"${workspaceFolderBasename}", "src"},
	{"${cwd}", filepath.FromSlash("/src")},
	{"${userHome}", filepath.FromSlash("/home/me")},
	{"${userHome:-x}", filepath.FromSlash("/home/me")},
	{"a${pathSeparator}b${/}c", "a" + string(filepath.Separator) + "b" + string(filepath.Separator) + "c"},
	{"${input:given}", "from the command line"},
	{"${input:empty}", ""},
	{"${input:empty:-x}", "x"},
	{"${input:none:-x}", "x"},
	{strings.Repeat("${UNSET:-", 10) + "x" + strings.Repeat("}", 10), "x"},
}

func TestExpansion(t *testing.T) {
	for _, test := range expansions {
		got, err := resolveText(t, &File{}, test.text, testVariables())
		if err != nil || got != test.want {
			t.Errorf("%q became %q, %v; want %q", test.text, got, err, test.want)
		}
	}
}

const nothingKnown = "; there is ${NAME}, ${env:NAME}, ${NAME:-default}, ${input:id}, ${workspaceFolder}, ${userHome}, ${cwd} and ${pathSeparator}, and $$ for a dollar"

func TestExpansionErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"${UNSET}", "the environment variable UNSET is not set; set it, or write a default: ${UNSET:-default}"},
		{"${env:UNSET}", "the environment variable UNSET is not set; set it, or write a default: ${env:UNSET:-default}"},
		{"${UNSET:-${ALSO}}", "the environment variable ALSO is not set; set it, or write a default: ${ALSO:-default}"},
		{"a ${TOKEN", "a ${ is not closed; close it with }, or write $$ for a dollar"},
		{"${", "a ${ is not closed; close it with }, or write $$ for a dollar"},
		{"${UNSET:-${TOKEN}", "a ${ is not closed; close it with }, or write $$ for a dollar"},
		{"${UNSET:-$$}", ""}, // the escaped dollar is no reference
		{"${}", "nothing is known by ${}" + nothingKnown},
		{"${:-x}", "nothing is known by ${}" + nothingKnown},
		{"${env:}", "nothing is known by ${env…}" + nothingKnown},
		{"${command:x.y}", "nothing is known by ${command…}" + nothingKnown},
		{"${config:x:-default}", "nothing is known by ${config…}" + nothingKnown},
		{"${TOKEN:=s3cret}", "nothing is known by ${TOKEN…}" + nothingKnown},
		{"${TOKEN=s3cret}", "nothing is known by ${TOKEN…}" + nothingKnown},
		{"${UNSET-s3cret}", "nothing is known by ${UNSET…}" + nothingKnown},
		{"${UNSET s3cret}", "nothing is known by ${UNSET…}" + nothingKnown},
		{"${${TOKEN}}", "nothing is known by ${…}" + nothingKnown},
		{"${" + strings.Repeat("A", 200) + "}", "nothing is known by ${" + strings.Repeat("A", 128) + "…}" + nothingKnown},
		{"${input:none}", `the input "none" has no value: the file has no such input that can be used; give it with --input none=value, or set MCP_INPUT_NONE`},
		{"${input:api-key}", `the input "api-key" has no value: the file has no such input that can be used; give it with --input api-key=value, or set MCP_INPUT_API_KEY`},
		{"${input:a=s3cret}", `the input "a…" has no value: the file has no such input that can be used; give it with --input a…=value, or set MCP_INPUT_A_`},
		{strings.Repeat("${UNSET:-", 11) + "x" + strings.Repeat("}", 11), "defaults stand more than 10 deep in each other"},
	} {
		_, err := resolveText(t, &File{}, test.text, testVariables())
		got, want := "", ""
		if err != nil {
			got = err.Error()
		}
		if test.want != "" {
			want = `server "s": args[0]: ` + test.want
		}
		if got != want {
			t.Errorf("%q gave the error %s\nwant %s", test.text, got, want)
		}
		if strings.Contains(got, "s3cret") || strings.Contains(got, "t0ken") {
			t.Errorf("%q gave an error with a secret: %s", test.text, got)
		}
	}
}

func TestExpansionIsBounded(t *testing.T) {
	variables := testVariables()
	big := strings.Repeat("x", 1<<18)
	variables.LookupEnv = func(string) (string, bool) { return big, true }
	entry := Entry{Name: "s", Type: Stdio, Command: "x", Args: []string{"${A}${A}", "${A}", strings.Repeat("y", 1<<18-1)}}
	if _, err := new(File).Resolve(entry, variables); err != nil {
		t.Errorf("1 MiB gave %v", err)
	}
	entry.Args = append(entry.Args, "$")
	_, err := new(File).Resolve(entry, variables)
	if want := `server "s": args[3]: the values of the server become longer than 1 MiB together`; err == nil || err.Error() != want {
		t.Errorf("more than 1 MiB gave %.200v, want %s", err, want)
	}
}

// TestUnknownFoldersAreErrors: they never become an empty text.
func TestUnknownFoldersAreErrors(t *testing.T) {
	for text, want := range map[string]string{
		"${userHome}":                "the home directory is not known",
		"${cwd}":                     "the working directory is not known",
		"${workspaceFolder}":         "the working directory is not known",
		"${workspaceFolderBasename}": "the working directory is not known",
		"${TOKEN}":                   "the environment variable TOKEN is not set; set it, or write a default: ${TOKEN:-default}",
	} {
		for _, variables := range []*Variables{nil, {}} {
			_, err := resolveText(t, &File{}, text, variables)
			if err == nil || err.Error() != `server "s": args[0]: `+want {
				t.Errorf("%s gave %v, want %s", text, err, want)
			}
		}
		if got, err := resolveText(t, &File{}, strings.Replace(text, "}", ":-x}", 1), nil); got != "x" {
			t.Errorf("%s with a default gave %q, %v", text, got, err)
		}
	}
}
