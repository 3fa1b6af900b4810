package gateway_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// started serves a configuration with one server, "s", whose entry has these
// members, and gives its process.
func started(t *testing.T, entry string, flags ...string) (*fake, *link) {
	t.Helper()
	f := legacyServer(t, "s", "x")
	f.entry = entry
	c := legacyWith(t, settings{flags: flags}, `{}`, f)
	c.wantText("s.x", "s:x")
	return f, f.link(0)
}

func (g greeting) variable(name string) (value string, found bool) {
	for _, variable := range g.Environment {
		if value, found = strings.CutPrefix(variable, name+"="); found {
			return value, true
		}
	}
	return "", false
}

// TestEnvironment: a server gets a base set, what its entry has, and what
// --inherit names.
func TestEnvironment(t *testing.T) {
	t.Setenv("GATEWAY_SECRET", "s3cret")
	t.Setenv("GATEWAY_OTHER", "other")
	home := map[bool]string{true: "USERPROFILE", false: "HOME"}[runtime.GOOS == "windows"]
	for _, test := range []struct {
		flags []string
		want  map[string]string // "" is not there
	}{
		{nil, map[string]string{"PATH": os.Getenv("PATH"), home: os.Getenv(home), "OWN": "a b", "EMPTY": "", "GATEWAY_SECRET": "", "GATEWAY_OTHER": ""}},
		{[]string{"--inherit=GATEWAY_OTHER"}, map[string]string{"PATH": os.Getenv("PATH"), "GATEWAY_SECRET": "", "GATEWAY_OTHER": "other"}},
		{[]string{"--inherit=*"}, map[string]string{"PATH": os.Getenv("PATH"), "GATEWAY_SECRET": "s3cret", "GATEWAY_OTHER": "other", "OWN": "a b"}},
	} {
		_, l := started(t, `"env":{`+childVariables+`,"OWN":"a b","EMPTY":""}`, test.flags...)
		for name, want := range test.want {
			if got, found := l.greeting.variable(name); got != want || found != (want != "" || name == "EMPTY") {
				t.Errorf("%q: %s is %q, there: %t; want %q", test.flags, name, got, found, want)
			}
		}
	}
	_, l := started(t, `"env":{`+childVariables+`,"GATEWAY_OTHER":null,"`+home+`":null}`, "--inherit=*")
	for _, name := range []string{"GATEWAY_OTHER", home} {
		if value, found := l.greeting.variable(name); found {
			t.Errorf("%s is %q, although its entry takes it away", name, value)
		}
	}
}

// TestEntriesAreWhole: all that an entry says of a server reaches it, when it
// is first started and again after its death.
func TestEntriesAreWhole(t *testing.T) {
	t.Parallel()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := legacyServer(t, "s", "x")
	f.options = []string{"an argument", `with "quotes"`, "", "$$HOME", "*"}
	f.entry = `"env":{` + childVariables + `,"OWN":"1"},"cwd":` + quoted(folder)
	c := legacy(t, f)
	f.link(0).exit(1)
	f.link(1)
	c.awaitTools(func(names []string) bool { return len(names) == 1 && f.starts() == 2 })
	for run := range 2 {
		l := f.link(run)
		if got, want := l.greeting.Arguments[2:], []string{"an argument", `with "quotes"`, "", "$HOME", "*"}; !slices.Equal(got, want) {
			t.Errorf("run %d: the arguments are %q, want %q", run, got, want)
		}
		if value, _ := l.greeting.variable("OWN"); value != "1" || l.greeting.Directory != folder {
			t.Errorf("run %d: OWN is %q, and the directory is %s, want %s", run, value, l.greeting.Directory, folder)
		}
	}
}

// TestCommands are looked for where the server's own PATH says, and the error
// says where that was.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		entry string
		want  []string
	}{
		{`{"command":"no-such-command"}`, []string{`"no-such-command"`, "PATH"}},
		{`{"command":"no-such-command","env":{"PATH":"/only/here"}}`, []string{`"no-such-command"`, "/only/here"}},
		{`{"command":"sh","env":{"PATH":"/only/here"}}`, []string{`"sh"`, "/only/here"}},
		{`{"command":"/nowhere/server"}`, []string{`"/nowhere/server"`}},
		{`{"command":"bin/server","cwd":` + quoted(t.TempDir()) + `}`, []string{`"bin/server"`}},
		{`{"command":"~nobody/server"}`, []string{"~nobody"}},
		{`{"command":"x","cwd":"/no/such/directory"}`, []string{"/no/such/directory"}},
	} {
		c := connect(t, settings{config: writeConfig(t, `{"mcpServers":{"s":`+test.entry+`}}`)})
		c.initialize(`{}`)
		c.settle()
		about := c.about()
		for _, want := range append(test.want, "Server s: not connected: ") {
			if !strings.Contains(about, want) {
				t.Errorf("%s: about_tsar-mcp has no %q:\n%s", test.entry, want, about)
			}
		}
		c.close()
	}
}

// TestVariables in an entry stand for their values, and one without a value
// is an error that names entry and variable.
func TestVariables(t *testing.T) {
	t.Setenv("GATEWAY_TOKEN", "t0ken")
	t.Setenv("MCP_INPUT_FROM_ENV", "input of the environment")
	f := legacyServer(t, "s", "x")
	f.options = []string{"${GATEWAY_TOKEN}", "${env:GATEWAY_TOKEN}", "${GATEWAY_UNSET:-none}", "$${GATEWAY_TOKEN}", "${input:given}", "${input:from env}", "${input:fallback}"}
	f.entry = `"env":{` + childVariables + `,"OWN":"<${GATEWAY_TOKEN}>"}`
	entries := fmt.Sprintf(`"s":%s,"unset":{"command":"x","args":["${GATEWAY_UNSET}"]},"asks":{"command":"x","env":{"A":"${input:nobody knows}"}}`, f.configuration())
	config := writeConfig(t, `{"inputs":[{"id":"given"},{"id":"from env"},{"id":"fallback","default":"by default"},{"id":"nobody knows"}],"servers":{`+entries+`}}`)
	c := connect(t, settings{config: config, flags: []string{"--input=given=a=b"}}, f)
	c.initialize(`{}`)
	c.settle()
	l := f.link(0)
	want := []string{"t0ken", "t0ken", "none", "${GATEWAY_TOKEN}", "a=b", "input of the environment", "by default"}
	if got := l.greeting.Arguments[2:]; !slices.Equal(got, want) {
		t.Errorf("the arguments are %q, want %q", got, want)
	}
	if value, _ := l.greeting.variable("OWN"); value != "<t0ken>" {
		t.Errorf("OWN is %q", value)
	}
	about := c.about()
	for _, want := range []string{"Server unset: not served: ", "GATEWAY_UNSET", "Server asks: not served: ", "nobody knows"} {
		if !strings.Contains(about, want) {
			t.Errorf("about_tsar-mcp has no %q:\n%s", want, about)
		}
	}
	if strings.Contains(about, "t0ken") {
		t.Errorf("a value is shown:\n%s", about)
	}
}

// TestBadEntries do not take the others down, and are named with their place.
func TestBadEntries(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	config := writeConfig(t, "{ // a comment\n \"mcpServers\": {\n  \"bad\": {\"command\": 5},\n  \"s\": "+f.configuration()+",\n  \"s\": {\"command\": \"again\"},\n }\n}\n")
	c := connect(t, settings{config: config}, f)
	c.initialize(`{}`)
	c.settle()
	c.wantText("s.x", "s:x")
	about := c.about()
	for _, want := range []string{"Configuration: ", `mcp.json: line 3, column `, `server "bad"`, `line 5, column 3: server "s"`} {
		if !strings.Contains(about, want) {
			t.Errorf("about_tsar-mcp has no %q:\n%s", want, about)
		}
	}
}
