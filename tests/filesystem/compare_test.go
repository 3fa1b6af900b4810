//go:build npmserver && unix && !aix

package filesystem

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestNPMServerDoesTheSame: both servers answer all calls alike and leave the
// same behind, but for the differences that docs/FILESYSTEM.md lists.
func TestNPMServerDoesTheSame(t *testing.T) {
	ours, theirs := pair(t)
	for _, test := range comparisons {
		got, other := ours.run(t, test.tool, test.given), theirs.run(t, test.tool, test.given)
		same := got.result == other.result && got.state == other.state
		switch {
		case !same && test.differs == "":
			t.Errorf("%s %v differs, and no document says so:\nours\n%.2000s\n%s\ntheirs\n%.2000s\n%s", test.tool, test.given, got.raw, got.state, other.raw, other.state)
		case same && test.differs != "":
			t.Errorf("%s %v does the same, while docs/FILESYSTEM.md has a difference %q: %.500s", test.tool, test.given, test.differs, got.raw)
		}
	}
}

// TestNPMDifferencesAreListed: the document has exactly the differences that
// there are.
func TestNPMDifferencesAreListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/FILESYSTEM.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Differences\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| ") && len(cells) == 4 {
			listed = append(listed, strings.TrimPrefix(cells[0], "| "))
		}
	}
	if len(listed) < 2 {
		t.Fatal("docs/FILESYSTEM.md lists no differences")
	}
	listed = listed[2:] // the table's head
	shown := slices.Clone(untold)
	for _, test := range comparisons {
		if test.differs != "" {
			shown = append(shown, test.differs)
		}
	}
	for _, difference := range shown {
		if !slices.Contains(listed, difference) {
			t.Errorf("docs/FILESYSTEM.md does not list the difference %q", difference)
		}
	}
	for _, difference := range listed {
		if !slices.Contains(shown, difference) {
			t.Errorf("docs/FILESYSTEM.md lists the difference %q, which no call shows", difference)
		}
	}
}

// TestNPMToolsAreTaken: every tool of the npm server is here, with every
// argument, so that configurations and prompts go on working.
func TestNPMToolsAreTaken(t *testing.T) {
	ours, theirs := pair(t)
	list := func(s side) map[string]string {
		s.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
		described := make(map[string]string)
		for _, tool := range s.next(`"list"`).Get("result.tools").Array() {
			properties := tool.Get("inputSchema.properties").Map()
			var parts []string
			for name, property := range properties {
				kind := property.Get("type").Str
				if kind == "integer" {
					kind = "number"
				}
				parts = append(parts, name+" "+kind)
			}
			for _, required := range tool.Get("inputSchema.required").Array() {
				parts = append(parts, "needs "+required.Str)
			}
			slices.Sort(parts)
			for _, hint := range []string{"readOnlyHint", "openWorldHint"} {
				parts = append(parts, hint+" "+tool.Get("annotations."+hint).Raw)
			}
			described[tool.Get("name").Str] = tool.Get("title").Str + ": " + strings.Join(parts, ", ")
		}
		return described
	}
	got := list(ours)
	for name, want := range list(theirs) {
		described := strings.Replace(got[name], "replaceAll boolean, ", "", 1) // an addition
		if described != want {
			t.Errorf("%s is %s, theirs is %s", name, described, want)
		}
	}
}
