package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// TestFaultyTools: one that is none is left out and named, and the others stay.
func TestFaultyTools(t *testing.T) {
	t.Parallel()
	for name, faulty := range map[string]string{
		"no schema":        `{"name":"bad"}`,
		"null":             `{"name":"bad","inputSchema":null}`,
		"empty schema":     `{"name":"bad","inputSchema":{}}`,
		"no type":          `{"name":"bad","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}}`,
		"string":           `{"name":"bad","inputSchema":{"type":"string"}}`,
		"list of types":    `{"name":"bad","inputSchema":{"type":["object"]}}`,
		"no object":        `{"name":"bad","inputSchema":"object"}`,
		"bad properties":   `{"name":"bad","inputSchema":{"type":"object","properties":[]}}`,
		"bad required":     `{"name":"bad","inputSchema":{"type":"object","required":"a"}}`,
		"bad output":       `{"name":"bad","inputSchema":{"type":"object"},"outputSchema":5}`,
		"bad annotations":  `{"name":"bad","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`,
		"bad title":        `{"name":"bad","title":5,"inputSchema":{"type":"object"}}`,
		"a member twice":   `{"name":"bad","inputSchema":{"type":"object","properties":{"a":{},"a":{}}}}`,
		"the name twice":   `{"name":"bad","name":"worse","inputSchema":{"type":"object"}}`,
		"a task":           `{"name":"bad","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`,
		"no name":          `{"inputSchema":{"type":"object"}}`,
		"a name that is 5": `{"name":5,"inputSchema":{"type":"object"}}`,
		"no tool":          `"bad"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := legacyServer(t, "s")
			f.has("tools", toolsOf("first")[0], faulty, toolsOf("last")[0])
			c := legacy(t, f)
			if got := c.tools(); !slices.Equal(got, []string{"s.first", "s.last"}) {
				t.Errorf("the tools are %q", got)
			}
			if about := c.about(); !strings.Contains(about, "bad") && !strings.Contains(about, "number 2") {
				t.Errorf("it is not named:\n%s", about)
			}
			c.refused("tools/call", callParams("s.bad", ""), -32602)
			c.wantText("s.last", "s:last")
		})
	}
}

// TestReferences in schemas stay where they are. Nothing is fetched.
func TestReferences(t *testing.T) {
	t.Parallel()
	var fetched atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched.Add(1) }))
	t.Cleanup(elsewhere.Close)
	tools := []string{
		`{"name":"defs","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}},` +
			`"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/m"}},"$defs":{"m":{"type":"number"}}}}`,
		`{"name":"dangling","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/gone"}}}}`,
		`{"name":"elsewhere","inputSchema":{"type":"object","properties":{"a":{"$ref":"` + elsewhere.URL + `/schema.json"}}}}`,
	}
	f := legacyServer(t, "s")
	f.has("tools", tools...)
	c := legacy(t, f)
	list := c.result("tools/list", `{}`).Get("tools").Array()
	slices.SortFunc(tools, strings.Compare)
	for i, tool := range tools {
		if got, want := list[i].Raw, strings.Replace(tool, `"name":"`, `"name":"s.`, 1); got != want {
			t.Errorf("a tool has become\n%s, want\n%s", got, want)
		}
	}
	for _, name := range []string{"defs", "dangling", "elsewhere"} {
		c.wantText("s."+name, "s:"+name)
	}
	if fetched.Load() > 0 {
		t.Error("a schema was fetched")
	}
}

// TestUnionsAtTheRoot stay as they are.
func TestUnionsAtTheRoot(t *testing.T) {
	t.Parallel()
	for _, union := range []string{"oneOf", "anyOf", "allOf"} {
		tool := `{"name":"x","inputSchema":{"type":"object","` + union + `":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"string"},"b":{"type":"string"}}}}`
		f := legacyServer(t, "s")
		f.has("tools", tool)
		c := legacy(t, f)
		if got, want := c.result("tools/list", `{}`).Get("tools.0").Raw, strings.Replace(tool, `"x"`, `"s.x"`, 1); got != want {
			t.Errorf("the tool has become\n%s, want\n%s", got, want)
		}
		c.wantText("s.x", "s:x")
		c.close()
	}
}
