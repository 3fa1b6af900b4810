package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcpserver/core"
)

func completion(ref, argument, more string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":` + ref + `,"argument":` + argument + more + `}}`
}

// completing is an aspect with a prompt and a template that complete.
func completing() *core.Aspect {
	served := aspect()
	served.Prompts = []core.Prompt{{
		Name: "p",
		Arguments: []core.PromptArgument{
			{Name: "plain"},
			{Name: "city", Complete: func(_ context.Context, call *core.Call) (core.Result, error) {
				asked := call.Completion()
				if country, given := asked.Chosen("country"); given {
					return &core.Completion{Values: []string{country + " " + asked.Value + " " + asked.Prompt}}, nil
				}
				return core.Suggest(asked.Value, "Paris", "parma", "Lyon"), nil
			}},
			{Name: "many", Complete: func(context.Context, *core.Call) (core.Result, error) {
				many := &core.Completion{}
				for i := range 150 {
					many.Values = append(many.Values, fmt.Sprint(i))
				}
				return many, nil
			}},
			{Name: "endless", Complete: func(context.Context, *core.Call) (core.Result, error) {
				return &core.Completion{Values: []string{"1"}, HasMore: true}, nil
			}},
			{Name: "counted", Complete: func(context.Context, *core.Call) (core.Result, error) {
				return &core.Completion{Values: []string{"1"}, Total: 7}, nil
			}},
			{Name: "broken", Complete: func(context.Context, *core.Call) (core.Result, error) { panic("completer") }},
		},
		Handler: fast("").Handler,
	}}
	served.Templates = []core.Template{{URITemplate: "a:{x}", Name: "t", Complete: map[string]core.Handler{
		"x": func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.Suggest(call.Completion().Value, call.Completion().URITemplate), nil
		},
	}}}
	served.Resources = []core.Resource{textAt("a:b", "")}
	return served
}

func TestCompletion(t *testing.T) {
	const prompt = `{"type":"ref/prompt","name":"p"}`
	c := ready(t, completing(), nil)
	for _, test := range []struct{ ref, argument, more, want string }{
		{prompt, `{"name":"city","value":"pa"}`, ``, `{"values":["Paris","parma"],"total":2,"hasMore":false}`},
		{prompt, `{"name":"city","value":""}`, ``, `{"values":["Paris","parma","Lyon"],"total":3,"hasMore":false}`},
		{prompt, `{"name":"city","value":"x"}`, ``, `{"values":[],"total":0,"hasMore":false}`},
		{prompt, `{"name":"city","value":"v"}`, `,"context":{"arguments":{"country":"FR"}}`, `{"values":["FR v p"],"total":1,"hasMore":false}`},
		{prompt, `{"name":"plain","value":"v"}`, `,"context":{}`, `{"values":[],"total":0,"hasMore":false}`},
		{prompt, `{"name":"endless","value":""}`, ``, `{"values":["1"],"hasMore":true}`},
		{prompt, `{"name":"counted","value":""}`, ``, `{"values":["1"],"total":7,"hasMore":true}`},
		{`{"type":"ref/resource","uri":"a:{x}"}`, `{"name":"x","value":"a"}`, ``, `{"values":["a:{x}"],"total":1,"hasMore":false}`},
		{`{"type":"ref/resource","uri":"a:{x}"}`, `{"name":"other","value":"a"}`, ``, `{"values":[],"total":0,"hasMore":false}`},
		{`{"type":"ref/resource","uri":"a:b"}`, `{"name":"x","value":"a"}`, ``, `{"values":[],"total":0,"hasMore":false}`},
	} {
		request := completion(test.ref, test.argument, test.more)
		c.send(request)
		if got := c.next(); got.Get("result.completion").Raw != test.want {
			t.Errorf("%s\ngave %s\nwant %s", request, got.Raw, test.want)
		}
	}
	c.send(completion(prompt, `{"name":"many","value":""}`, ""))
	got := c.next().Get("result.completion")
	if values := got.Get("values").Array(); len(values) != 100 || got.Get("total").Raw != "150" || got.Get("hasMore").Raw != "true" {
		t.Errorf("of 150 suggestions %d came, total %s, hasMore %s", len(values), got.Get("total").Raw, got.Get("hasMore").Raw)
	}
	c.wantEnd()
}

func TestCompletionRefuses(t *testing.T) {
	const prompt, argument = `{"type":"ref/prompt","name":"p"}`, `{"name":"city","value":"v"}`
	c := ready(t, completing(), nil)
	for _, test := range []struct {
		ref, argument, more string
		code                int
		words               string
	}{
		{`5`, argument, ``, -32602, "ref is not an object"},
		{`{}`, argument, ``, -32602, "ref.type"},
		{`{"type":"ref/tool","name":"p"}`, argument, ``, -32602, "ref.type"},
		{`{"type":"ref/prompt"}`, argument, ``, -32602, "ref.name"},
		{`{"type":"ref/resource","uri":5}`, argument, ``, -32602, "ref.uri"},
		{`{"type":"ref/prompt","name":""}`, argument, ``, -32602, "ref.name is empty"},
		{`{"type":"ref/prompt","name":"nope"}`, argument, ``, -32602, "Unknown prompt: nope"},
		{`{"type":"ref/resource","uri":"z:z"}`, argument, ``, -32602, "Unknown resource template: z:z"},
		{prompt, `[]`, ``, -32602, "argument.name"},
		{prompt, `{"name":"nope","value":""}`, ``, -32602, "no argument nope"},
		{prompt, `{"name":"city"}`, ``, -32602, "argument.value"},
		{prompt, argument, `,"context":5`, -32602, "context is not an object"},
		{prompt, argument, `,"context":{"arguments":[]}`, -32602, "context.arguments"},
		{prompt, `{"name":"broken","value":""}`, ``, -32603, "failed unexpectedly"},
	} {
		c.send(completion(test.ref, test.argument, test.more))
		c.wantError("1", test.code, test.words)
	}
	for params, missing := range map[string]string{`{}`: "ref", `{"ref":` + prompt + `}`: "argument"} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":` + params + `}`)
		c.wantError("1", -32602, "Missing parameter: "+missing)
	}
	c.wantEnd()
}

// The hook sees every completion first and may decline.
func TestCompletionHook(t *testing.T) {
	served := completing()
	served.OnComplete = func(_ context.Context, call *core.Call) (core.Result, error) {
		if asked := call.Completion(); asked.Prompt == "dynamic" {
			return &core.Completion{Values: []string{"hooked"}, Total: 7}, nil
		}
		return nil, nil
	}
	c := ready(t, served, nil)
	for ref, want := range map[string]string{
		`{"type":"ref/prompt","name":"dynamic"}`: `{"values":["hooked"],"total":7,"hasMore":true}`,
		`{"type":"ref/prompt","name":"p"}`:       `{"values":["Lyon"],"total":1,"hasMore":false}`,
	} {
		c.send(completion(ref, `{"name":"city","value":"L"}`, ""))
		if got := c.next().Get("result.completion").Raw; got != want {
			t.Errorf("the completion of %s is %s, want %s", ref, got, want)
		}
	}
	c.send(completion(`{"type":"ref/prompt","name":"nope"}`, `{"name":"city","value":"L"}`, ""))
	c.wantError("1", -32602, "Unknown prompt: nope")
	c.wantEnd()
}

// The capability is there when something completes, in revisions that have it.
func TestCompletionsAreDeclared(t *testing.T) {
	for _, test := range []struct {
		served   *core.Aspect
		revision string
		want     bool
	}{
		{completing(), "2025-11-25", true},
		{completing(), "2025-03-26", true},
		{completing(), "2024-11-05", false},
		{aspect(), "2025-11-25", false},
	} {
		c := connect(t, test.served, nil)
		c.send(strings.Replace(initialize, "2025-11-25", test.revision, 1))
		if got := c.next().Get("result.capabilities.completions").Exists(); got != test.want {
			t.Errorf("under %s completions are declared: %t, want %t", test.revision, got, test.want)
		}
		c.wantEnd()
	}
	c := ready(t, aspect(), nil)
	c.send(completion(`{"type":"ref/prompt","name":"p"}`, `{"name":"x","value":""}`, ""))
	c.wantError("1", -32601, "")
	c.wantEnd()
}
