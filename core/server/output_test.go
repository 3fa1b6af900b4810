package server_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"mcpserver/core"
)

// A tool with an output schema always answers with structured content that
// fits, and the same JSON as a text; or with an error, which is not checked.
func TestOutputSchema(t *testing.T) {
	structured := func(value any) func() (core.Result, error) {
		return func() (core.Result, error) { return &core.ToolResult{Structured: value}, nil }
	}
	for _, test := range []struct {
		name   string
		result func() (core.Result, error)
		want   string // the structured content, or
		words  string // of the tool error
	}{
		{"fits", structured(map[string]any{"n": 5}), `{"n":5}`, ""},
		{"raw fits", func() (core.Result, error) {
			return core.RawResult(`{"content":[],"structuredContent":{"n":5.0}}`), nil
		}, `{"n":5.0}`, ""},
		{"wrong type", structured(map[string]any{"n": "5"}), "", "does not fit its output schema"},
		{"missing", structured(map[string]any{}), "", "n is missing"},
		{"no object", structured([]int{5}), "", "no JSON object"},
		{"a nil map", structured(map[string]any(nil)), "", "no JSON object"},
		{"NaN", structured(map[string]any{"n": math.NaN()}), "", "structured content"},
		{"none", func() (core.Result, error) { return core.Text("x"), nil }, "", "no structured content"},
		{"raw none", func() (core.Result, error) { return core.RawResult(`{"content":[]}`), nil }, "", "no structured content"},
		{"an error", func() (core.Result, error) { return nil, errors.New("own words") }, "", "own words"},
		{"a tool error", func() (core.Result, error) { return core.ToolError("own words"), nil }, "", "own words"},
		{"a raw error", func() (core.Result, error) {
			return core.RawResult(`{"isError":true,"content":[{"type":"text","text":"own words"}]}`), nil
		}, "", "own words"},
		{"a panic", func() (core.Result, error) { panic("x") }, "", "failed unexpectedly"},
	} {
		for _, later := range []bool{false, true} {
			if later && test.name == "a panic" {
				continue
			}
			served := aspect(core.Tool{
				Name: "t", Output: core.Object(core.Integer("n", "").Required()),
				Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
					if !later {
						return test.result()
					}
					deferred := call.Defer()
					go func() { deferred.Complete(test.result()) }()
					return core.Pending, nil
				},
			})
			c := ready(t, served, nil)
			c.send(call(1, "t"))
			got := c.next().Get("result")
			if test.words != "" {
				if !got.Get("isError").Bool() || got.Get("structuredContent").Exists() || !strings.Contains(got.Get("content.0.text").Str, test.words) {
					t.Errorf("%s: the result is %s, want an error with %q and nothing structured", test.name, got.Raw, test.words)
				}
			} else if got.Get("structuredContent").Raw != test.want || got.Get("isError").Exists() {
				t.Errorf("%s: the result is %s, want %s structured", test.name, got.Raw, test.want)
			}
			c.wantEnd()
		}
	}
}

// The schema is listed where the revision has it, and the text stands for the
// structured content where it does not.
func TestOutputSchemaByRevision(t *testing.T) {
	for revision, known := range map[string]bool{"2025-11-25": true, "2025-06-18": true, "2025-03-26": false, "2024-11-05": false} {
		served := aspect(core.Tool{
			Name: "t", Output: core.Object(core.Integer("n", "")),
			Handler: func(context.Context, *core.Call) (core.Result, error) {
				return &core.ToolResult{Structured: map[string]int{"n": 1}}, nil
			},
		})
		c := connect(t, served, nil)
		c.send(strings.Replace(initialize, "2025-11-25", revision, 1), initialized)
		c.wantIDs(`"init"`)
		c.send(list(1))
		if got := c.next().Get("result.tools.0"); got.Get("outputSchema").Exists() != known {
			t.Errorf("under %s the tool is %s", revision, got.Raw)
		}
		c.send(call(2, "t"))
		if got := c.next().Get("result"); got.Get("structuredContent").Exists() != known || got.Get("content.0.text").Str != `{"n":1}` {
			t.Errorf("under %s the result is %s", revision, got.Raw)
		}
		c.wantEnd()
	}
}
