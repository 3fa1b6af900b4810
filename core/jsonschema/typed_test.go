package jsonschema_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"mcpserver/core"
	"mcpserver/core/jsonschema"
)

type base struct {
	ID string `json:"id"`
}

type order struct {
	base
	Names    []string         `json:"names" jsonschema:"Who it is for"`
	Urgent   *bool            `json:"urgent"`
	Counts   map[string]int64 `json:"counts,omitempty"`
	Extra    json.RawMessage  `json:"extra,omitempty"`
	When     time.Time        `json:"when,omitzero"`
	Tables   [][]string       `json:"tables,omitempty"`
	Anything []any            `json:"anything,omitempty"`
	Small    int8             `json:"small,omitempty"`
	Data     []byte           `json:"data,omitempty"`
	Pair     [2]float64       `json:"pair,omitempty"`
	Skipped  chan int         `json:"-"`
}

// tree contains itself.
type tree struct {
	Label    string  `json:"label"`
	Children []*tree `json:"children,omitempty"`
}

// twice uses one struct in two places.
type twice struct {
	From base `json:"from"`
	To   base `json:"to"`
}

func listed(schema core.Schema) string { return string(schema.AppendJSON(nil)) }

// What clients are shown of arguments are plain types, since unions keep some
// models from giving them, and an array always says what it holds.
func TestInputSchemas(t *testing.T) {
	for _, test := range []struct {
		schema core.Schema
		want   string
	}{
		{jsonschema.NewInput[struct{}](), `{"type":"object","properties":{},"additionalProperties":false}`},
		{jsonschema.NewInput[map[string]int64](), `{"type":"object","additionalProperties":{"type":"integer"},"properties":{}}`},
		{jsonschema.NewInput[*base](), `{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}`},
		{jsonschema.NewInput[order](), `{"type":"object","properties":{` +
			`"id":{"type":"string"},` +
			`"names":{"type":"array","description":"Who it is for","items":{"type":"string"}},` +
			`"urgent":{"type":"boolean"},` +
			`"counts":{"type":"object","additionalProperties":{"type":"integer"}},` +
			`"extra":{},` +
			`"when":{"type":"string","format":"date-time"},` +
			`"tables":{"type":"array","items":{"type":"array","items":{"type":"string"}}},` +
			`"anything":{"type":"array","items":{}},` +
			`"small":{"type":"integer","minimum":-128,"maximum":127},` +
			`"data":{"type":"string","contentEncoding":"base64"},` +
			`"pair":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}` +
			`},"required":["id","names"],"additionalProperties":false}`},
		{jsonschema.NewInput[twice](), `{"type":"object","properties":{` +
			`"from":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false},` +
			`"to":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false}` +
			`},"required":["from","to"],"additionalProperties":false}`},
	} {
		if err := test.schema.Validate(); err != nil {
			t.Error(err)
		}
		if got := listed(test.schema); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// A type that contains itself is written once and referred to.
func TestRecursiveTypes(t *testing.T) {
	schema := jsonschema.NewInput[tree]()
	if got := listed(schema); !strings.Contains(got, `"$defs"`) || !strings.Contains(got, `"$ref":"#/$defs/tree"`) {
		t.Errorf("got %s", got)
	}
	if got := check(t, schema, `{"label":"a","children":[{"label":"b","children":null},{"label":1}]}`); got != "children[1].label: must be a string, got a number" {
		t.Errorf("got %s", got)
	}
	out := jsonschema.NewOutput[tree]()
	if got := check(t, out, `{"label":"a","children":[{"label":"b"},null]}`); got != "" {
		t.Errorf("a pointer that is null: %s", got)
	}
}

// Types that have no JSON are told with the type and the field, before anything
// is served.
func TestTypesWithoutSchema(t *testing.T) {
	type channel struct {
		Inner struct{ C chan int }
	}
	type keyword struct {
		A string `jsonschema:"minLength=3"`
	}
	type reader struct{ R interface{ Read() } }
	type keys struct{ M map[struct{}]int }
	type loop *loop
	for _, test := range []struct {
		schema core.Schema
		wants  []string
	}{
		{jsonschema.NewInput[channel](), []string{"channel", "field Inner", "field C", "chan int has no JSON"}},
		{jsonschema.NewInput[keyword](), []string{"field A", "has a keyword"}},
		{jsonschema.NewInput[reader](), []string{"field R", "interface with methods"}},
		{jsonschema.NewInput[keys](), []string{"field M", "keys"}},
		{jsonschema.NewInput[loop](), []string{"pointer to a pointer"}},
		{jsonschema.NewInput[string](), []string{"string", "no object"}},
		{jsonschema.NewInput[[]int](), []string{"no object"}},
		{jsonschema.NewInput[any](), []string{"no object"}},
		{jsonschema.NewOutput[int](), []string{"no object"}},
		{jsonschema.NewOutput[func()](), []string{"has no JSON"}},
	} {
		err := test.schema.Validate()
		for _, want := range test.wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Validate gave %v, want an error with %q", err, want)
			}
		}
		if got := listed(test.schema); !json.Valid([]byte(got)) {
			t.Errorf("%v: listed as %s", err, got)
		}
		if _, violations := test.schema.Check(`{}`, nil); len(violations) == 0 {
			t.Errorf("%v: Check took arguments", err)
		}
	}
}

func TestInputCheck(t *testing.T) {
	schema := jsonschema.NewInput[order]()
	for _, test := range []struct{ object, want string }{
		{`{"id":"a","names":[]}`, ``},
		{`{"id":"a","names":[],"urgent":null,"counts":null,"when":null,"small":null}`, ``},
		{`{"names":[]}`, `missing id`},
		{`{"id":null,"names":[]}`, `id: must be a string, got null`},
		{`{"ID":"a","id":"a","names":[]}`, `ID: is not expected (known: anything, counts, data, extra, id, names, pair, small, tables, urgent, when)`},
		{`{"id":"a","names":[],"small":128}`, `small: must be at most 127, got 128`},
		{`{"id":"a","names":[],"counts":{"a":9223372036854775808}}`, `counts.a: must be at most 9223372036854775807, got 9223372036854775808`},
		{`{"id":"a","names":[],"pair":[1]}`, `pair: must have at least 2 items, got 1`},
		{`{"id":"a","names":"a"}`, `names: must be an array, got a string`},
	} {
		if got := check(t, schema, test.object); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.object, got, test.want)
		}
	}
}

// called calls a tool made of types as the runner does: it checks the arguments
// and then runs the handler.
func called(t *testing.T, tool core.Tool, arguments string) (core.Result, error) {
	t.Helper()
	if got := check(t, tool.Input, arguments); got != "" {
		t.Fatalf("%s: %s", arguments, got)
	}
	call := core.NewCall(nil, tool.Name, arguments, nil)
	return tool.Handler(t.Context(), &call)
}

func TestHandlersGetWhatFits(t *testing.T) {
	var got order
	tool := jsonschema.Tool(core.Tool{Name: "order"}, func(_ context.Context, _ *core.Call, in order) (order, error) {
		got = in
		return in, nil
	})
	_, err := called(t, tool, `{"id":"a","names":["b"],"urgent":true,"counts":{"x":3.0,"y":1e2,"z":9007199254740993},"when":"2026-07-28T12:00:00Z",`+
		`"anything":[1.0,null],"small":-128,"data":"aGk=","pair":[1,2.5],"extra":{"n":1.0}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "a" || !*got.Urgent || got.Counts["x"] != 3 || got.Counts["y"] != 100 || got.Counts["z"] != 9007199254740993 ||
		got.When.Unix() != 1785240000 || got.Small != -128 || string(got.Data) != "hi" || got.Pair[1] != 2.5 || string(got.Extra) != `{"n":1.0}` {
		t.Errorf("the handler got %+v", got)
	}
	if _, err := called(t, tool, `{"id":"a","names":[],"urgent":null,"counts":null}`); err != nil || got.Urgent != nil || got.Counts != nil {
		t.Errorf("null became %+v, %v", got, err)
	}
}

type report struct {
	Lines  []string          `json:"lines"`
	Notes  map[string]string `json:"notes"`
	Parent *base             `json:"parent"`
	Ratio  float64           `json:"ratio"`
	Any    any               `json:"any,omitempty"`
	Bytes  []byte            `json:"bytes"`
}

// A result always fits what clients were told of it: nil slices and maps are
// empty, and a pointer may be null.
func TestResultsFitTheirSchema(t *testing.T) {
	tool := jsonschema.Tool(core.Tool{Name: "report"}, func(_ context.Context, _ *core.Call, in struct {
		Ratio float64 `json:"ratio"`
	},
	) (report, error) {
		r := report{Ratio: in.Ratio, Any: map[string]any{"a": nil}}
		if in.Ratio < 0 {
			r.Ratio = math.NaN()
		}
		return r, nil
	})
	result, err := called(t, tool, `{"ratio":0.5}`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"lines":[],"notes":{},"parent":null,"ratio":0.5,"any":{"a":null},"bytes":""}`
	if got := string(result.(*core.ToolResult).Structured.(json.RawMessage)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := core.CheckOutput(tool.Output, result); err != nil {
		t.Error(err)
	}
	if _, err := called(t, tool, `{"ratio":-1}`); err == nil || !strings.Contains(err.Error(), "cannot be written as JSON") {
		t.Errorf("NaN gave %v", err)
	}
	if got := listed(tool.Output); !strings.Contains(got, `"parent":{"type":["object","null"]`) || strings.Contains(got, "additionalProperties\":false") {
		t.Errorf("the output schema is %s", got)
	}
}

func TestHandlersWithResultsOfTheirOwn(t *testing.T) {
	tool := jsonschema.Tool(core.Tool{Name: "free"}, func(_ context.Context, _ *core.Call, in base) (core.Result, error) {
		if in.ID == "" {
			return nil, nil
		}
		return core.Text(in.ID), nil
	})
	if tool.Output != nil {
		t.Error("the tool has an output schema")
	}
	if _, err := called(t, tool, `{"id":"a"}`); err != nil {
		t.Error(err)
	}
	if _, err := called(t, tool, `{"id":""}`); err == nil || !strings.Contains(err.Error(), "gave no result") {
		t.Errorf("no result gave %v", err)
	}
}

// What is wrong with a tool is told with its name when the aspect is checked.
func TestToolMistakes(t *testing.T) {
	handler := func(context.Context, *core.Call, base) (base, error) { return base{}, nil }
	for _, tool := range []core.Tool{
		jsonschema.Tool(core.Tool{Name: "mistaken", Input: core.Object()}, handler),
		jsonschema.Tool(core.Tool{Name: "mistaken", Output: core.Object()}, handler),
		jsonschema.Tool(core.Tool{Name: "mistaken"}, func(context.Context, *core.Call, struct{ C chan int }) (base, error) { return base{}, nil }),
		jsonschema.Tool(core.Tool{Name: "mistaken"}, func(context.Context, *core.Call, base) (string, error) { return "", nil }),
		jsonschema.Tool[base, base](core.Tool{Name: "mistaken"}, nil),
	} {
		err := core.Validate(&core.Aspect{Name: "MCPServer_test", Version: "1", Tools: []core.Tool{tool}})
		if err == nil || !strings.Contains(err.Error(), "mistaken") {
			t.Errorf("Validate gave %v", err)
		}
	}
}
