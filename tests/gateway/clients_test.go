//go:build npmserver && unix && !aix

package gateway

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestNPMTypeScriptClients: the official clients get the same through the
// gateway as from each server.
func TestNPMTypeScriptClients(t *testing.T) { runScript(t, "typescript.test.mjs") }

// TestNPMInspector: so does the Inspector's command line.
func TestNPMInspector(t *testing.T) { runScript(t, "inspector.test.mjs") }

// runScript runs tests of Node.js, which find in the file FLEET names how to
// start each server and each gateway, and in CALLS what to ask.
func runScript(t *testing.T, script string) {
	f := newFleet(t)
	type entry struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	entries := make(map[string]entry)
	for _, s := range f.servers {
		own := f.variables()
		for name, value := range f.own(t, s) {
			own[name] = value
		}
		own["GREETING"] = greeting
		entries[s.name] = entry{s.command[0], s.command[1:], own}
	}
	for _, b := range []build{clamped, unclamped} {
		entries[string(b)+" gateway"] = entry{b.binary("gateway"), f.arguments(), f.variables()}
	}
	command := exec.Command("node", "--test", "--test-reporter=spec", script)
	command.Env = append(os.Environ(),
		"FLEET="+writeJSON(t, map[string]any{"mcpServers": entries}),
		"ROOT="+f.root,
		"CALLS="+writeJSON(t, f.namedCalls(t)),
	)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	t.Logf("%s", output)
}

// namedCall is a call for a client, which has to say whom it is for.
type namedCall struct {
	Server string          `json:"server"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// namedCalls are the calls of all servers that have a name, and can be made twice
// with the same answer. The clients have an environment of their own making.
func (f *fleet) namedCalls(t *testing.T) (all []namedCall) {
	t.Helper()
	for _, s := range f.servers {
		for _, call := range calls[s.kind] {
			params := gjson.Parse(call.params)
			hasName := params.Get("name").Exists() || params.Get("ref.name").Exists()
			isAgain := !slices.Contains([]string{"move_file", "edit_file", "get-env"}, params.Get("name").Str)
			isSame := call.volatile == "" || params.Get("name").Str == "visitPage" // which has another id each time
			if hasName && isAgain && isSame && call.reply == "" {
				text := strings.ReplaceAll(call.params, "<root>", f.root)
				all = append(all, namedCall{s.name, call.method, json.RawMessage(text)})
			}
		}
	}
	return all
}

func writeJSON(t *testing.T, value any) (path string) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "file.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
