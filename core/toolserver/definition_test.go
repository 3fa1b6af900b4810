package toolserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

const soundDefinition = `{
  "name": "read_file",
  "title": "Read a file",
  "description": "Reads a file.\nAll of it.",
  "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
  "outputSchema": {"type": "object"},
  "annotations": {"title": "T", "idempotentHint": true},
  "icons": [{"src": "data:,x", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"}],
  "_meta": {"a": 1}
}`

func TestLoadDefinition(t *testing.T) {
	path := filepath.Join(t.TempDir(), "read_file.json")
	if err := os.WriteFile(path, []byte("\ufeff"+soundDefinition), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := toolserver.LoadDefinition(path)
	if err != nil {
		t.Fatal(err)
	}
	input := string(got.Input.AppendJSON(nil))
	if want := `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`; input != want {
		t.Errorf("the input schema is %s, want %s", input, want)
	}
	got.Input = nil
	want := toolserver.Definition{
		Name: "read_file", Title: "Read a file", Description: "Reads a file.\nAll of it.",
		Output: json.RawMessage(`{"type": "object"}`), Meta: json.RawMessage(`{"a": 1}`),
		Icons:       []core.Icon{{Source: "data:,x", MIMEType: "image/png", Sizes: []string{"any"}, Theme: "dark"}},
		Annotations: &core.ToolAnnotations{Title: "T", IdempotentHint: core.Hint(true)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("LoadDefinition gave %+v, want %+v", got, want)
	}
	embedded, err := toolserver.LoadDefinitionFS(fstest.MapFS{"tools/x.json": {Data: []byte(soundDefinition)}}, "tools/x.json")
	if err != nil || embedded.Name != "read_file" {
		t.Errorf("LoadDefinitionFS gave %+v, %v", embedded, err)
	}
}

func TestParseDefinitionSaysWhere(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "line 1, column 1: the text ends too early"},
		{"{\n  \"name\": \"x\"\n  \"title\": \"y\"\n}", "line 3, column 3: "},
		{"{\"name\":\"x\",}", "line 1, column 13: "},
		{"{}{}", "line 1, column 3: "},
		{"[]", "the definition is no JSON object"},
		{"{\"name\":\n\"\xff\"}", "line 2, column 2: "},
		{strings.Repeat(`{"a":`, 600), "nested deeper than 512 levels"},
		{"{\"name\": \"x\",\n \"description\": 12,\n \"inputSchema\": {\"type\":\"object\"}}", "line 2, column 18: description is a number"},
		{`{"name":"x","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`, "annotations.readOnlyHint is a string"},
		{`{"name":"x","inputShema":{"type":"object"}}`, `unknown field "inputShema"`},
		{`{"name":"x"}`, "it has no inputSchema"},
		{`{"inputSchema":{"type":"object"}}`, "the name is not"},
		{`{"name":"x","inputSchema":{"type":"array"}}`, `the input schema: it has no "type":"object"`},
		{`{"name":"x","inputSchema":null}`, "the input schema: it is no JSON object"},
		{`{"name":"x","inputSchema":{"type":"object"},"outputSchema":[]}`, "the output schema: it is no JSON object"},
		{`{"name":"x","inputSchema":{"type":"object"},"icons":[{}]}`, "icon 1 has no source"},
		{strings.Repeat(" ", 1<<20+1), "longer than 1 MiB"},
	} {
		got, err := toolserver.ParseDefinition([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("ParseDefinition(%.60q) = %+v, %v, want an error with %q", test.text, got, err, test.want)
		}
	}
}

func TestLoadDefinitionNamesThePath(t *testing.T) {
	folder := t.TempDir()
	broken, missing := filepath.Join(folder, "broken.json"), filepath.Join(folder, "missing.json")
	if err := os.WriteFile(broken, []byte("{\n]"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		broken:  "tool definition: " + broken + ": line 2, column 1: ",
		missing: missing,
		folder:  folder + " is no file",
	} {
		if _, err := toolserver.LoadDefinition(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("LoadDefinition(%q) gave %v, want an error with %q", path, err, want)
		}
	}
	if runtime.GOOS == "linux" {
		if _, err := toolserver.LoadDefinition("/dev/zero"); err == nil || !strings.Contains(err.Error(), "/dev/zero is no file") {
			t.Errorf("LoadDefinition of an endless device gave %v", err)
		}
	}
	endless := fstest.MapFS{"big.json": {Data: []byte(strings.Repeat(" ", 2<<20))}}
	if _, err := toolserver.LoadDefinitionFS(endless, "big.json"); err == nil || !strings.Contains(err.Error(), "big.json: the definition is longer than 1 MiB") {
		t.Errorf("LoadDefinitionFS of a long file gave %v", err)
	}
	if _, err := toolserver.LoadDefinitionFS(endless, "no.json"); err == nil || !strings.Contains(err.Error(), "no.json") {
		t.Errorf("LoadDefinitionFS of no file gave %v", err)
	}
}

func FuzzParseDefinition(f *testing.F) {
	f.Add([]byte(soundDefinition))
	f.Add([]byte("{\n]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		definition, err := toolserver.ParseDefinition(text)
		if err != nil {
			return
		}
		server := base(t, toolserver.Tool{Definition: definition, Execute: echo})
		if list := server.ListTools(); !json.Valid([]byte(list)) {
			t.Errorf("ParseDefinition(%q) is listed as %s", text, list)
		}
	})
}
