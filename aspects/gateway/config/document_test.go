package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func names(file *File) []string {
	var all []string
	for _, entry := range file.Entries {
		all = append(all, entry.Name)
	}
	return all
}

func TestDocuments(t *testing.T) {
	const server = `{"command": "x"}`
	for _, test := range []struct {
		name, text string
		names      []string
		inputs     int
		problems   []string
	}{
		{"VS Code", `{"inputs": [{"id": "i"}], "servers": {"b": ` + server + `, "a": ` + server + `}}`, []string{"b", "a"}, 1, nil},
		{"VS Code, the other way round", `{"servers": {"a": ` + server + `}, "inputs": [{"id": "i"}]}`, []string{"a"}, 1, nil},
		{"settings.json", `{"editor.x": {"servers": 1}, "mcp": {"inputs": [{"id": "i"}], "servers": {"a": ` + server + `}}}`, []string{"a"}, 1, nil},
		{"Claude", `{"mcpServers": {"a": ` + server + `}, "numStartups": 1}`, []string{"a"}, 0, nil},
		{"Gemini", `{"mcp": {"allowed": ["a"]}, "mcpServers": {"a": ` + server + `}}`, []string{"a"}, 0, nil},
		{"Gemini, the other way round", `{"mcpServers": {"a": ` + server + `}, "mcp": {"allowed": ["a"]}}`, []string{"a"}, 0, nil},
		{
			"both, and a name in both", `{"servers": {"a": ` + server + `, "b": ` + server + `}, "mcpServers": {"b": ` + server + `, "c": ` + server + `}}`,
			[]string{"a", "b", "c"},
			0,
			[]string{`line 1, column 76: server "b": the name is that of the server at line 1, column 37; this one is left out`},
		},
		{
			"a name twice", "{\"servers\": {\"é\": " + server + ",\n \"é\": " + server + ",\n \"b\": " + server + "}}",
			[]string{"é", "b"},
			0,
			[]string{`line 2, column 2: server "é": the name is that of the server at line 1, column 14; this one is left out`},
		},
		{
			"a name twice, first with a problem", `{"servers": {"a": {}, "a": ` + server + `}}`, nil, 0,
			[]string{
				`line 1, column 14: server "a": it has neither "command", to start it, nor "url", to reach it`,
				`line 1, column 23: server "a": the name is that of the server at line 1, column 14; this one is left out`,
			},
		},
		{
			"a section twice", `{"servers": {"a": ` + server + `}, "servers": {"b": ` + server + `}}`,
			[]string{"a"},
			0,
			[]string{`line 1, column 38: "servers" occurs twice; only the first is read`},
		},
		{"servers are null", `{"servers": null}`, nil, 0, nil},
		{
			"servers of a kind", `{"servers": [], "mcpServers": {"a": ` + server + `}}`,
			[]string{"a"},
			0,
			[]string{`line 1, column 13: "servers" must be an object that has the servers by their names, not an array`},
		},
		{
			"mcpServers of a kind", `{"mcpServers": "x"}`, nil, 0,
			[]string{`line 1, column 16: "mcpServers" must be an object that has the servers by their names, not a string`},
		},
		{
			"no servers", "\n {\"a\": " + server + "}", nil, 0,
			[]string{`line 2, column 2: there is neither "servers" (VS Code) nor "mcpServers" (Claude, Cursor), so there are no servers`},
		},
		{
			"mcp within mcp", `{"mcp": {"mcp": {"servers": {"a": ` + server + `}}}}`, nil, 0,
			[]string{`line 1, column 1: there is neither "servers" (VS Code) nor "mcpServers" (Claude, Cursor), so there are no servers`},
		},
		{"an empty name", `{"servers": {"": ` + server + `}}`, nil, 0, []string{`line 1, column 14: the server's name is empty`}},
		{
			"a name that cannot be shown", `{"servers": {"a\u001b[31m": ` + server + `}}`, nil, 0,
			[]string{`line 1, column 14: server "a\x1b[31m": the server's name has the character U+001B, which cannot be shown`},
		},
		{"a name of 128 characters", `{"servers": {"` + strings.Repeat("é", 128) + `": ` + server + `}}`, []string{strings.Repeat("é", 128)}, 0, nil},
		{
			"a name of 129 characters", `{"servers": {"` + strings.Repeat("é", 129) + `": ` + server + `}}`, nil, 0,
			[]string{`line 1, column 14: server "` + strings.Repeat("é", 128) + `…": the server's name is longer than 128 characters`},
		},
		{
			"an empty entry with an overlong name has both its problems", `{"servers": {"` + strings.Repeat("a", 129) + `": 1}}`, nil, 0,
			[]string{
				`line 1, column 14: server "` + strings.Repeat("a", 128) + `…": the server's name is longer than 128 characters`,
				`line 1, column 147: server "` + strings.Repeat("a", 128) + `…": a server must be an object, not a number`,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := parse(t, test.text)
			wantProblems(t, file, test.problems...)
			if got := names(file); !slices.Equal(got, test.names) {
				t.Errorf("the entries are %q, want %q", got, test.names)
			}
			if len(file.Inputs) != test.inputs {
				t.Errorf("the inputs are %v, want %d", file.Inputs, test.inputs)
			}
		})
	}
}

func TestServersAreAtMost256(t *testing.T) {
	file := parse(t, "{\"servers\":\n"+many(256, `{"url": "http://x"}`)+`, "mcpServers": {"a": {}, "b": {}}}`)
	if len(file.Entries) != 256 {
		t.Errorf("there are %d entries, want 256", len(file.Entries))
	}
	wantProblems(t, file, "line 2, column 7332: there are more than 256 servers; this one and those after it are left out")
}

func TestProblemsAreAtMost257(t *testing.T) {
	for name, text := range map[string]string{
		"servers":        `{"servers": ` + many(256, `{"command": 1, "args": 1}`) + `}`,
		"variables":      `{"servers": {"a": {"env": ` + many(5000, `{}`) + `}}}`,
		"the same names": `{"servers": {"a": {` + strings.Repeat(`"x": 1,`, 100_000) + `}}}`,
		"names":          `{"servers": {` + strings.Repeat(`"x": {},`, 100_000) + `}}`,
		"inputs":         `{"inputs": [` + strings.Repeat(`{},`, 100_000) + `], "servers": null}`,
	} {
		file := parse(t, text)
		if len(file.Problems) != 257 {
			t.Errorf("%s: there are %d problems, want 257", name, len(file.Problems))
		}
		if last := file.Problems[len(file.Problems)-1]; last.Sentence != "there are more problems, which are not listed" || last.Server != "" {
			t.Errorf("%s: the last problem is %q", name, last)
		}
	}
}

// TestPlacesOfManyOnOneLine: they are found one from the other.
func TestPlacesOfManyOnOneLine(t *testing.T) {
	padding := strings.Repeat("é", 4<<10)
	var servers strings.Builder
	for i := range 256 {
		fmt.Fprintf(&servers, "%q: {%q: 1, \"command\": 1},", fmt.Sprint("n", i), padding)
	}
	text := `{"servers": {` + servers.String()
	want := utf8.RuneCountInString(text) - len("},")
	if last := parse(t, text+`}}`).Problems[255]; last.Line != 1 || last.Column != want {
		t.Errorf("the last problem is at %d, %d; want 1, %d", last.Line, last.Column, want)
	}
}
