package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const wholeText = `{"servers": {
	"program": {
		"type": "stdio", "command": "${TOKEN}/x", "args": ["${TOKEN}", "y"], "cwd": "d/${TOKEN}", "envFile": "${TOKEN}.env",
		"env": {"B": "${TOKEN}", "A": "$$", "U": null}, "disabled": true, "timeout": 90, "allow": ["a"], "deny": ["${TOKEN}"],
	},
	"address": {
		"type": "sse", "url": "https://example.com/${TOKEN}", "headers": {"B": "${TOKEN}", "A": "x"},
		"disabled": true, "timeout": 90, "allow": ["a"], "deny": ["${TOKEN}"],
	},
}}`

// TestResolveKeepsEverything: each setting of an entry gets through, whichever
// way the file was read, and however often.
func TestResolveKeepsEverything(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "t0ken.env"), "F='${TOKEN}'\nA=file\nU=file\nB=file\n")
	path := filepath.Join(folder, "mcp.json")
	write(t, path, wholeText)
	variables := testVariables()
	variables.WorkingDirectory = folder
	common := Entry{Disabled: true, Timeout: 90 * time.Second, Allow: []string{"a"}, Deny: []string{"${TOKEN}"}}
	program, address := common, common
	program.Name, program.Line, program.Column = "program", 2, 2
	program.Type, program.Command, program.Args, program.Dir = Stdio, "t0ken/x", []string{"t0ken", "y"}, filepath.Join(folder, "d/t0ken")
	program.EnvFile = filepath.Join(folder, "t0ken.env")
	program.Env = []EnvironmentVariable{{Name: "F", Value: "${TOKEN}"}, {Name: "B", Value: "t0ken"}, {Name: "A", Value: "$"}, {Name: "U", Unset: true}}
	address.Name, address.Line, address.Column = "address", 6, 2
	address.Type, address.URL, address.Headers = SSE, "https://example.com/t0ken", []Header{{"B", "t0ken"}, {"A", "x"}}
	for i := range reflect.TypeFor[Entry]().NumField() {
		if reflect.ValueOf(program).Field(i).IsZero() && reflect.ValueOf(address).Field(i).IsZero() {
			t.Errorf("the test has nothing for %s", reflect.TypeFor[Entry]().Field(i).Name)
		}
	}
	again, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []*File{parse(t, wholeText), again} {
		wantProblems(t, file)
		before := parse(t, wholeText).Entries
		for range 2 {
			for i, want := range []Entry{program, address} {
				got, err := file.Resolve(file.Entries[i], variables)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
				}
				scribble(got)
			}
		}
		if !reflect.DeepEqual(file.Entries, before) {
			t.Errorf("resolving has changed the file: %+v", file.Entries)
		}
	}
}

// scribble writes into all that a resolved entry might share with the file.
func scribble(entry Entry) {
	for _, texts := range [][]string{entry.Args, entry.Allow, entry.Deny} {
		for i := range texts {
			texts[i] = "scribbled"
		}
	}
	for i := range entry.Env {
		entry.Env[i].Value = "scribbled"
	}
	for i := range entry.Headers {
		entry.Headers[i].Value = "scribbled"
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTheCommandStaysAName: where it is looked for is settled by what starts it.
func TestTheCommandStaysAName(t *testing.T) {
	for _, command := range []string{"npx", "./x", "~/bin/x", "/bin/x", `C:\x.exe`} {
		got, err := new(File).Resolve(Entry{Name: "s", Type: Stdio, Command: command}, testVariables())
		if err != nil || got.Command != command {
			t.Errorf("%q became %q, %v", command, got.Command, err)
		}
	}
}

// TestResolveErrors: all that is missing is told at once, and nothing of what is
// there.
func TestResolveErrors(t *testing.T) {
	entry := Entry{
		Name: "s\n", Type: Stdio, Command: "${A}", Args: []string{"${SECRET}", "${B}"}, Dir: "${C}",
		Env: []EnvironmentVariable{{Name: "X", Value: "${SECRET}${D"}, {Name: "Y", Unset: true}, {Name: "Z", Value: "${NUL}"}},
	}
	variables := testVariables()
	lookup := variables.LookupEnv
	variables.LookupEnv = func(name string) (string, bool) {
		if name == "NUL" {
			return "s3cret\x00", true
		}
		return lookup(name)
	}
	notSet := func(name string) string {
		return "the environment variable " + name + " is not set; set it, or write a default: ${" + name + ":-default}"
	}
	_, err := new(File).Resolve(entry, variables)
	want := strings.Join([]string{
		`server "s\n": command: ` + notSet("A"),
		`server "s\n": args[1]: ` + notSet("B"),
		`server "s\n": cwd: ` + notSet("C"),
		`server "s\n": env.X: a ${ is not closed; close it with }, or write $$ for a dollar`,
		`server "s\n": env.Z: it has a NUL character, which cannot be passed on`,
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestResolveErrorsOfAddresses(t *testing.T) {
	for _, test := range []struct {
		entry Entry
		want  string
	}{
		{Entry{URL: "${SECRET}"}, "url: it must be that of an HTTP server, such as https://example.com/mcp"},
		{Entry{URL: "http://${SECRET}:x/"}, "url: it must be that of an HTTP server, such as https://example.com/mcp"},
		{Entry{URL: "${EMPTY}"}, "url: it must be that of an HTTP server, such as https://example.com/mcp"},
		{Entry{URL: "${UNSET}"}, "url: the environment variable UNSET is not set; set it, or write a default: ${UNSET:-default}"},
		{
			Entry{URL: "http://x", Headers: []Header{{"A", "${SECRET}${ZEILE}"}}},
			"headers.A: it has a line break or another control character, which no header can have",
		},
		{Entry{Type: Stdio, Command: "${EMPTY}"}, "command: it is empty; name a program"},
	} {
		test.entry.Name = "s"
		_, err := new(File).Resolve(test.entry, testVariables())
		if want := `server "s": ` + test.want; err == nil || err.Error() != want {
			t.Errorf("%+v gave %v, want %s", test.entry, err, want)
		}
	}
}

func TestResolveErrorsAreFew(t *testing.T) {
	entry := Entry{Name: "s", Type: Stdio, Command: "x", Args: slices.Repeat([]string{"${A}"}, 1000)}
	_, err := new(File).Resolve(entry, testVariables())
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != `server "s": there are more problems, which are not listed` {
		t.Errorf("there are %d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
}

// TestOneEntryFailsAlone: what one lacks does not keep the others.
func TestOneEntryFailsAlone(t *testing.T) {
	file := parse(t, `{"mcpServers": {"a": {"command": "${UNSET}"}, "b": {"command": "${TOKEN}"}}}`)
	variables := testVariables()
	if got, err := file.Resolve(file.Entries[0], variables); err == nil || !reflect.DeepEqual(got, Entry{}) {
		t.Errorf("a gave %+v, %v", got, err)
	}
	if got, err := file.Resolve(file.Entries[1], variables); err != nil || got.Command != "t0ken" {
		t.Errorf("b gave %+v, %v", got, err)
	}
}

func TestEnvFileErrors(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "bad.env"), "A=1\ns3cret\n")
	for _, test := range []struct{ envFile, want string }{
		{"none.env", "there is no file " + filepath.Join(folder, "none.env") + "; check the path, or create the file"},
		{".", folder + " is a directory; name a file in it"},
		{"bad.env", filepath.Join(folder, "bad.env") + ", line 2: expected NAME=value"},
		{"${UNSET}", "the environment variable UNSET is not set; set it, or write a default: ${UNSET:-default}"},
	} {
		variables := testVariables()
		variables.WorkingDirectory = folder
		_, err := new(File).Resolve(Entry{Name: "s", Type: Stdio, Command: "x", EnvFile: test.envFile}, variables)
		if want := `server "s": envFile: ` + test.want; err == nil || err.Error() != want {
			t.Errorf("%s gave %v, want %s", test.envFile, err, want)
		}
	}
}
