package core_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// What the specification forbids in a definition is refused, and the sentence
// says what it is.
func TestForbiddenDefinitions(t *testing.T) {
	tool := func(raw string) error {
		return core.CheckTool(core.Tool{Name: "t", Raw: json.RawMessage(raw), Handler: nothing})
	}
	prompt := func(raw string) error {
		return core.CheckPrompt(core.Prompt{Name: "p", Raw: json.RawMessage(raw), Handler: nothing})
	}
	resource := func(raw string) error {
		return core.CheckResource(core.Resource{URI: "a:b", Raw: json.RawMessage(raw), Read: nothing})
	}
	template := func(raw string) error {
		return core.CheckTemplate(core.Template{URITemplate: "a:{b}", Raw: json.RawMessage(raw)})
	}
	annotated := func(annotations core.Annotations) error {
		return core.CheckResource(core.Resource{URI: "a:b", Name: "n", Annotations: &annotations, Read: nothing})
	}
	located := func(uri string) error {
		return core.CheckResource(core.Resource{URI: uri, Name: "n", Read: nothing})
	}
	pattern := func(text string) error {
		return core.CheckTemplate(core.Template{URITemplate: text, Name: "n"})
	}
	listed := func(text string) error {
		return core.CheckTool(core.Tool{Name: "t", Input: listedAs(text), Handler: nothing})
	}
	nan, less, more := math.NaN(), -0.1, 7.0
	for _, test := range []struct {
		name string
		err  error
		want string // "" for what is allowed
	}{
		{"tool", tool(`{"title":"T","description":"d","icons":[{"src":"a:b","sizes":["any"],"theme":"dark"}],"_meta":{},"x-new":[],
			"inputSchema":{"type":"object","properties":{"a":{}},"required":["a"]},"outputSchema":{"type":"object"},"annotations":{"title":"T","readOnlyHint":true,"x":1}}`), ""},
		{"tool without schema", tool(`{}`), "no inputSchema"},
		{"tool with other schema", tool(`{"inputSchema":{"type":"string"}}`), "inputSchema"},
		{"tool with properties", tool(`{"inputSchema":{"type":"object","properties":5}}`), "inputSchema"},
		{"tool with required", tool(`{"inputSchema":{"type":"object","required":"x"}}`), "inputSchema"},
		{"tool with required numbers", tool(`{"inputSchema":{"type":"object","required":[1]}}`), "inputSchema"},
		{"tool with output", tool(`{"inputSchema":{"type":"object"},"outputSchema":["string"]}`), "outputSchema"},
		{"tool with output properties", tool(`{"inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"a":true}}}`), "outputSchema"},
		{"tool with output of another kind", tool(`{"inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`), ""},
		{"tool with properties", tool(`{"inputSchema":{"type":"object","properties":{"a":"string"}}}`), "inputSchema is not"},
		{"tool with dialect", tool(`{"inputSchema":{"type":"object","$schema":5}}`), "inputSchema is not"},
		{"resource with half a byte", resource(`{"name":"n","size":1.5}`), "size is not a whole number"},
		{"tool with annotations", tool(`{"inputSchema":{"type":"object"},"annotations":7}`), "annotations"},
		{"tool with hint", tool(`{"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"yes"}}`), "annotations"},
		{"tool with description", tool(`{"inputSchema":{"type":"object"},"description":[1]}`), "description"},
		{"tool with icons", tool(`{"inputSchema":{"type":"object"},"icons":{}}`), "icons"},
		{"tool with repeated name", tool(`{"inputSchema":{"type":"object"},"name":"y","n\u0061me":"z"}`), `"name" twice`},
		{"tool with repeated schema", tool(`{"inputSchema":{"type":"object"},"inputSchema":5}`), `"inputSchema" twice`},
		{"tool with repeated property", tool(`{"inputSchema":{"type":"object","properties":{"a":{},"a":{"type":"string"}}}}`), `"a" twice`},
		{"tool with one name in two objects", tool(`{"inputSchema":{"type":"object","properties":{"type":{"enum":["type","type"]}}}}`), ""},

		{"prompt", prompt(`{"arguments":[{"name":"a","title":"A","required":true}]}`), ""},
		{"prompt with arguments", prompt(`{"arguments":"x"}`), "arguments"},
		{"prompt with nameless argument", prompt(`{"arguments":[{"title":"x"}]}`), "arguments"},
		{"prompt with argument", prompt(`{"arguments":["x"]}`), "arguments"},
		{"prompt with title", prompt(`{"title":4}`), "title"},
		{"prompt with null title", prompt(`{"title":null}`), "title"},

		{"resource", resource(`{"name":"n","size":5,"mimeType":"text/plain","annotations":{"audience":["user","assistant"],"priority":0.5,"lastModified":"2025-01-01"}}`), ""},
		{"resource without name", resource(`{}`), "no name"},
		{"resource with name", resource(`{"name":5}`), "name is not a string"},
		{"resource with size", resource(`{"name":"n","size":"x"}`), "size is not a whole number"},
		{"resource with type", resource(`{"name":"n","mimeType":1}`), "mimeType is not a string"},
		{"resource with annotations", resource(`{"name":"n","annotations":[]}`), "annotations"},
		{"resource with audience", resource(`{"name":"n","annotations":{"audience":"user"}}`), "annotations"},
		{"resource with robots", resource(`{"name":"n","annotations":{"audience":["robot"]}}`), "annotations"},
		{"resource with priority", resource(`{"name":"n","annotations":{"priority":2}}`), "annotations"},
		{"resource with icon", resource(`{"name":"n","icons":[{"src":1}]}`), "icons"},
		{"resource with theme", resource(`{"name":"n","icons":[{"src":"a:b","theme":"purple"}]}`), "icons"},
		{"template", template(`{"name":"n"}`), ""},
		{"template without name", template(`{}`), "no name"},

		{"no priority", annotated(core.Annotations{Priority: &nan}), "priority NaN"},
		{"negative priority", annotated(core.Annotations{Priority: &less}), "priority -0.1"},
		{"great priority", annotated(core.Annotations{Priority: &more}), "priority 7"},
		{"other audience", annotated(core.Annotations{Audience: []string{"user", "robot"}}), `audience "robot"`},
		{"other theme", core.CheckTool(core.Tool{Name: "t", Icons: []core.Icon{{Source: "a:b", Theme: "purple"}}, Handler: nothing}), `theme "purple"`},
		{"template's priority", core.CheckTemplate(core.Template{URITemplate: "a:{b}", Name: "n", Annotations: &core.Annotations{Priority: &more}}), "priority 7"},

		{"URI in bytes", located("a:\xff"), "not valid UTF-8"},
		{"template in bytes", pattern("a:\xff"), "not valid UTF-8"},
		{"prompt in bytes", core.CheckPrompt(core.Prompt{Name: "\xff", Handler: nothing}), "not valid UTF-8"},
		{"argument in bytes", core.CheckPrompt(core.Prompt{Name: "p", Arguments: []core.PromptArgument{{Name: "\xff"}}, Handler: nothing}), "not valid UTF-8"},
		{"path", located("docs/a:b"), "not absolute"},
		{"words", located("not a uri"), "not absolute"},
		{"no scheme", located(":x"), "not absolute"},
		{"number as scheme", located("1:x"), "not absolute"},
		{"scheme", located("x-a+b.1:"), ""},
		{"open brace", pattern("a:{b"), "brace"},
		{"closed brace", pattern("a:b}"), "brace"},
		{"brace in braces", pattern("a:{{b}}"), "brace"},
		{"braces", pattern("a:{b}/{c}"), ""},

		{"listed schema", listed(`{"type":"object"}`), ""},
		{"listed nothing", listed(``), "AppendJSON"},
		{"listed string", listed(`{"type":"string"}`), `no "type":"object"`},
		{"listed half", listed(`{"type":"object"`), "AppendJSON"},
		{"listed lines", listed("{\n\"type\":\"object\"}"), "line break"},
	} {
		switch {
		case test.want == "" && test.err != nil:
			t.Errorf("%s: %v, want no error", test.name, test.err)
		case test.want != "" && (test.err == nil || !strings.Contains(test.err.Error(), test.want)):
			t.Errorf("%s: %v, want an error with %q", test.name, test.err, test.want)
		}
	}
}

// listedAs is a schema with that JSON.
type listedAs string

func (s listedAs) AppendJSON(dst []byte) []byte                 { return append(dst, s...) }
func (listedAs) Check(string, []wire.Member) (string, []string) { return "", nil }
func (listedAs) Validate() error                                { return nil }
