//go:build npmserver && unix && !aix

package gateway

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// peer is one of those that the gateway joins.
type peer struct {
	name    string // in mcp.json
	kind    string // servers of a kind get the same calls
	command []string
	env     map[string]string
	era     era // that is spoken with it
	// rooted says that it asks for the client's roots as soon as it can.
	rooted bool
}

// fleet is all that a gateway joins, and what belongs to it.
type fleet struct {
	root    string // the folder that servers of files may use
	servers []peer
	config  string // the mcp.json
}

// npm gives the program of a server of npm.
func npm(t testing.TB, name string) string {
	t.Helper()
	script, err := filepath.Abs("node_modules/@modelcontextprotocol/" + name + "/dist/index.js")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("the servers of npm are not there, which \"run\" fetches: %v", err)
	}
	return script
}

// newFleet gives all servers. They share a folder of files, but nothing else:
// each fleet has a state of its own.
func newFleet(t testing.TB) *fleet {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	noon, err := filepath.Abs("testdata/noon.mjs")
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{root: root, config: filepath.Join(t.TempDir(), "mcp.json")}
	f.fill(t)
	node := func(script string, arguments ...string) []string {
		return append([]string{"node", "--import", noon, npm(t, script)}, arguments...)
	}
	f.servers = []peer{
		{name: "npm-everything", kind: "npm-everything", command: node("server-everything"), rooted: true},
		{name: "npm-filesystem", kind: "npm-filesystem", command: node("server-filesystem", root), rooted: true},
		{name: "npm-memory", kind: "npm-memory", command: node("server-memory")},
		{name: "npm-thinking", kind: "npm-thinking", command: node("server-sequential-thinking"), env: map[string]string{"DISABLE_THOUGHT_LOGGING": "true"}},
	}
	for _, aspect := range []string{"everything", "filesystem", "helloWorld", "setReminder", "wordArt"} {
		for _, b := range []build{clamped, unclamped} {
			own := peer{name: aspect, kind: aspect, command: []string{b.binary(aspect)}, era: legacy}
			if b == unclamped {
				own.name, own.era = aspect+"-2026", modern
			}
			if aspect == "filesystem" {
				own.command = append(own.command, root)
			}
			f.servers = append(f.servers, own)
		}
	}
	for i := range f.servers {
		if f.servers[i].era == "" {
			f.servers[i].era = legacy
		}
	}
	f.write(t)
	return f
}

// server gives one of them.
func (f *fleet) server(t testing.TB, name string) peer {
	t.Helper()
	for _, s := range f.servers {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("there is no server %s", name)
	return peer{}
}

// write writes the configuration.
func (f *fleet) write(t testing.TB) {
	t.Helper()
	var entries []string // in this order, which decides who has a URI
	for _, s := range f.servers {
		entry, err := json.Marshal(map[string]any{"command": s.command[0], "args": s.command[1:], "env": f.own(t, s)})
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, fmt.Sprintf("%q: %s", s.name, entry))
	}
	text := "{\"mcpServers\": {\n" + strings.Join(entries, ",\n") + "\n}}\n"
	if err := os.WriteFile(f.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// greeting is a variable that each server gets. In mcp.json, a dollar is written
// as two.
const greeting = `good morning, "${HOME}"`

// own gives the environment variables that a server's entry sets. Each process
// of a server keeps its state in a place of its own.
func (f *fleet) own(t testing.TB, s peer) map[string]string {
	t.Helper()
	own := map[string]string{"GREETING": strings.ReplaceAll(greeting, "$", "$$")}
	for name, value := range s.env {
		own[name] = value
	}
	if s.kind == "npm-memory" {
		own["MEMORY_FILE_PATH"] = filepath.Join(t.TempDir(), "memory.jsonl")
	}
	return own
}

// variables are those of the environment that the gateway runs in, and its
// servers get; "SECRET" is one that they do not get.
func (f *fleet) variables() map[string]string {
	return map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Dir(f.config), "TMPDIR": filepath.Dir(f.config), "LANG": "C.UTF-8",
	}
}

// arguments are the gateway's: its lists are whole, however long that takes.
func (f *fleet) arguments() []string {
	return []string{"--config=" + f.config, "--list-wait=2m", "--connect-timeout=2m"}
}

// gateway starts the gateway in front of all servers.
func (f *fleet) gateway(t testing.TB, b build, era era, arguments ...string) *client {
	t.Helper()
	command := exec.Command(b.binary("gateway"), append(f.arguments(), arguments...)...)
	command.Env = append(f.environment(nil), "SECRET=of the gateway")
	c := launch(t, era, f.root, command, newRecording(t, string(b)+"-"+string(era)))
	c.isGateway = true
	c.greet()
	return c
}

// direct starts a server of its own, in the very way in which the gateway does.
func (f *fleet) direct(t testing.TB, s peer) *client {
	t.Helper()
	command := exec.Command(s.command[0], s.command[1:]...)
	own := f.own(t, s)
	own["GREETING"] = greeting
	command.Env = f.environment(own)
	c := launch(t, s.era, f.root, command, nil)
	c.greet()
	c.awaitRoots(s)
	return c
}

// environment gives the variables and a server's own, in the order of their
// names.
func (f *fleet) environment(own map[string]string) (list []string) {
	all := f.variables()
	for name, value := range own {
		all[name] = value
	}
	for name, value := range all {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// fill makes the files anew that calls change.
func (f *fleet) fill(t testing.TB) {
	t.Helper()
	work := filepath.Join(f.root, "work")
	if err := os.RemoveAll(work); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(work, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"work/a.txt": "one\ntwo\nthree\n", "work/sub/b.txt": "b \u2028 \"quoted\" \\ \t \x00\n", "work/picture.png": "\x89PNG\r\n", "still.txt": "never written again\n",
	} {
		path := filepath.Join(f.root, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
