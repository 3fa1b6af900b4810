package core_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/uritemplate"
)

func nothing(context.Context, *core.Call) (core.Result, error) { return core.Text(""), nil }

func sound() *core.Aspect {
	return &core.Aspect{
		Name:    "MCPServer_test",
		Version: "1",
		Tools:   []core.Tool{{Name: "tool", Handler: nothing}},
		SelfTests: []core.SelfTest{
			{Name: "a", Tool: "tool", Arguments: `{"a":1}`, Expect: core.Expect{Values: map[string]any{"x": 1}}},
			{Name: "b", Tool: "about_tsar-mcp"},
			{Name: "c", Method: "ping"},
		},
	}
}

func TestValidateAcceptsWhatIsSound(t *testing.T) {
	if err := core.Validate(sound()); err != nil {
		t.Error(err)
	}
}

func TestValidateNamesTheEntryAtFault(t *testing.T) {
	tool := func(change func(*core.Tool)) func(*core.Aspect) {
		return func(a *core.Aspect) { change(&a.Tools[0]) }
	}
	test := func(change func(*core.SelfTest)) func(*core.Aspect) {
		return func(a *core.Aspect) { change(&a.SelfTests[0]) }
	}
	for _, row := range []struct {
		name   string
		change func(*core.Aspect)
		want   string
	}{
		{"no name", func(a *core.Aspect) { a.Name = "" }, `the aspect's name ""`},
		{"a path as name", func(a *core.Aspect) { a.Name = "../x" }, `"../x"`},
		{"no version", func(a *core.Aspect) { a.Version = "" }, "has no version"},
		{"line break in the credit", func(a *core.Aspect) { a.Credit = "a\nb" }, "credit has a line break"},
		{"experimental", func(a *core.Aspect) { a.Experimental = map[string]json.RawMessage{"x": json.RawMessage("1")} }, `experimental capability "x"`},
		{"levels without logging", func(a *core.Aspect) { a.OnSetLevel = func(context.Context, core.LogLevel) {} }, "has OnSetLevel and does not declare Logging"},
		{"tool without name", tool(func(t *core.Tool) { t.Name = "" }), `tool 1 (""): the name is not`},
		{"tool with a space", tool(func(t *core.Tool) { t.Name = "a b" }), `tool 1 ("a b")`},
		{"tool name too long", tool(func(t *core.Tool) { t.Name = strings.Repeat("x", 129) }), "the name is not 1 to 128"},
		{"built-in name", tool(func(t *core.Tool) { t.Name = "listPrompts" }), `tool 1 ("listPrompts"): the name is taken by a built-in tool`},
		{"name twice", func(a *core.Aspect) { a.Tools = append(a.Tools, a.Tools[0]) }, `tool 2 ("tool"): the name is taken by another tool`},
		{"no handler", tool(func(t *core.Tool) { t.Handler = nil }), `tool 1 ("tool"): it has no handler`},
		{"line break", tool(func(t *core.Tool) { t.Description = "a\nb" }), "line break"},
		{"meta", tool(func(t *core.Tool) { t.Meta = json.RawMessage("[]") }), "its _meta: it is no JSON object"},
		{"icon", tool(func(t *core.Tool) { t.Icons = []core.Icon{{}} }), "icon 1 has no source"},
		{"schema", tool(func(t *core.Tool) { t.Input = core.Object(core.String("x", "").Default("big")) }), `its input schema: property "x": the default is no JSON`},
		{"both mistakes of a schema", tool(func(t *core.Tool) {
			t.Input = core.Object(core.Integer("n", "").Length(1, 2), core.String("s", "").Minimum(1))
		}), `property "s"`},
		{"raw no object", tool(func(t *core.Tool) { t.Raw = json.RawMessage("1") }), "its raw definition: it is no JSON object"},
		{"raw without schema", tool(func(t *core.Tool) { t.Raw = json.RawMessage(`{"inputSchema":{}}`) }), `"type":"object"`},
		{"raw and more", tool(func(t *core.Tool) {
			t.Raw, t.Title = json.RawMessage(`{"inputSchema":{"type":"object"}}`), "x"
		}), "both a raw definition and members"},
		{"prompt without name", func(a *core.Aspect) { a.Prompts = []core.Prompt{{Handler: nothing}} }, `prompt 1 (""): it has no name`},
		{"prompt without handler", func(a *core.Aspect) { a.Prompts = []core.Prompt{{Name: "p"}} }, `prompt 1 ("p"): it has no handler`},
		{"prompt twice", func(a *core.Aspect) {
			a.Prompts = []core.Prompt{{Name: "p", Handler: nothing}, {Name: "p", Handler: nothing}}
		}, `prompt 2 ("p"): another one`},
		{"prompt argument twice", func(a *core.Aspect) {
			a.Prompts = []core.Prompt{{Name: "p", Handler: nothing, Arguments: []core.PromptArgument{{Name: "a"}, {Name: "a"}}}}
		}, `two arguments have the name "a"`},
		{"resource without reader", func(a *core.Aspect) { a.Resources = []core.Resource{{URI: "a:b", Name: "n"}} }, `resource 1 ("a:b"): it has no handler`},
		{"resource without name", func(a *core.Aspect) { a.Resources = []core.Resource{{URI: "a:b", Read: nothing}} }, `resource 1 ("a:b"): it has no name`},
		{"template that nobody reads", func(a *core.Aspect) { a.Templates = []core.Template{{URITemplate: "a:{b}", Name: "n"}} }, `template 1 ("a:{b}"): it has no handler`},
		{"icon of the aspect", func(a *core.Aspect) { a.Icons = []core.Icon{{}} }, "icon 1 has no source"},
		{"test without name", test(func(t *core.SelfTest) { t.Name = "" }), `self-test 1 (""): the name is empty`},
		{"test name twice", test(func(t *core.SelfTest) { t.Name = "b" }), `self-test 2 ("b"): another one has the same name`},
		{"test of nothing", test(func(t *core.SelfTest) { t.Tool = "" }), "it needs either Tool or Method"},
		{"test of a tool with params", test(func(t *core.SelfTest) { t.Params = "{}" }), `self-test 1 ("a"): a Tool goes with Arguments`},
		{"test that answers nothing", test(func(t *core.SelfTest) {
			t.Answers = map[string]json.RawMessage{"elicitation/creat": json.RawMessage("{}")}
		}), `self-test 1 ("a"): it answers elicitation/creat, by which no client is asked`},
		{"template with relative URIs", func(a *core.Aspect) {
			a.Templates = []core.Template{{Name: "t", Pattern: uritemplate.New("items/{a}"), Read: nothing}}
		}, `its URIs are not absolute`},
		{"template that completes what it has not", func(a *core.Aspect) {
			a.Templates = []core.Template{{Name: "t", Pattern: uritemplate.New("a:{b}"), Read: nothing, Complete: map[string]core.Handler{"c": nothing}}}
		}, `it completes "c", which is no variable of its pattern`},
		{"test of an unknown tool", test(func(t *core.SelfTest) { t.Tool = "nope" }), `there is no tool "nope"`},
		{"arguments", test(func(t *core.SelfTest) { t.Arguments = "[1]" }), "its arguments or params: it is no JSON object"},
		{"two errors", test(func(t *core.SelfTest) { t.Expect = core.Expect{ErrorCode: 1, ToolError: true} }), "both an error of the protocol"},
		{"odd value", test(func(t *core.SelfTest) { t.Expect.Values["x"] = []int{1} }), "the value expected at x"},
		{"answer", test(func(t *core.SelfTest) { t.Answers = map[string]json.RawMessage{"m": json.RawMessage("{")} }), "its answer to m"},
		{"notification", test(func(t *core.SelfTest) { t.Notification = &core.ExpectNotification{} }), "a notification without a method"},
	} {
		t.Run(row.name, func(t *testing.T) {
			aspect := sound()
			row.change(aspect)
			err := core.Validate(aspect)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("Validate gave %v, want an error with %q", err, row.want)
			}
		})
	}
	if core.Validate(nil) == nil {
		t.Error("Validate(nil) gave no error")
	}
}
