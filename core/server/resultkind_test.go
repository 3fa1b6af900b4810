package server_test

import (
	"context"
	"strings"
	"testing"

	"mcpserver/core"
)

// A result that is none of the method's is an error that says so.
func TestResultsOfTheWrongKind(t *testing.T) {
	const (
		prompt     = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}`
		resource   = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`
		completing = `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}}`
	)
	typed := &core.PromptResult{Messages: []core.Message{core.UserText("x")}}
	for _, test := range []struct {
		request string
		result  core.Result
		words   string // of the error, or
		want    string // the result
	}{
		{request: prompt, result: core.Text("x"), words: "prompts/get was answered with"},
		{request: prompt, result: core.ToolError("x"), words: "prompts/get was answered with"},
		{request: prompt, result: core.ResourceResult{{URI: "a:b"}}, words: "prompts/get was answered with"},
		{request: prompt, result: core.RawResult(`{}`), words: "no array of messages"},
		{request: prompt, result: core.RawResult(`{"messages":{}}`), words: "no array of messages"},
		{request: prompt, result: core.RawResult(`{"messages":[{"role":"system","content":{"type":"text","text":""}}]}`), words: "messages[0] has a role"},
		{request: prompt, result: core.RawResult(`{"messages":[{"role":"user"}]}`), words: "messages[0] has no content"},
		{request: prompt, result: core.RawResult(`{"messages":[{"role":"user","content":{}}]}`), words: "messages[0] has no content"},
		{request: prompt, result: core.RawResult(`{"messages":[],"_meta":5}`), words: "_meta is no object"},
		{request: prompt, result: core.RawResult(`[]`), words: "no JSON object"},
		{request: prompt, result: core.RawResult(`{"messages":[],"own":1.0}`), want: `{"messages":[],"own":1.0}`},
		{request: resource, result: core.Text("x"), words: "resources/read was answered with"},
		{request: resource, result: typed, words: "resources/read was answered with"},
		{request: resource, result: core.RawResult(`{"contents":[]}`), words: "no contents"},
		{request: resource, result: core.RawResult(`{"contents":5}`), words: "no contents"},
		{request: resource, result: core.RawResult(`{"contents":[{"text":""}]}`), words: "no contents"},
		{request: resource, result: core.RawResult(`{"contents":[{}],"contents":[]}`), words: `the member "contents" occurs twice`},
		{request: resource, result: core.RawResult(`{"contents":[{"uri":"a:b","text":""}]}`), want: `{"contents":[{"uri":"a:b","text":""}]}`},
		{request: completing, result: core.Text("x"), words: "completion/complete was answered with"},
		{request: completing, result: typed, words: "completion/complete was answered with"},
		{request: completing, result: core.RawResult(`{"completion":{}}`), words: "no completion"},
		{request: completing, result: core.RawResult(`{"completion":{"values":[1]}}`), words: "no completion"},
		{request: completing, result: core.RawResult(`{"completion":{"values":[` + strings.Repeat(`"",`, 100) + `""]}}`), words: "more than the 100 values"},
		{request: completing, result: core.RawResult(`{"completion":{"values":["x"]}}`), want: `{"completion":{"values":["x"]}}`},
	} {
		says := func(context.Context, *core.Call) (core.Result, error) { return test.result, nil }
		served := aspect()
		served.Prompts = []core.Prompt{{Name: "p", Handler: says}}
		served.Resources = []core.Resource{{URI: "a:b", Name: "n", Read: says}}
		served.OnComplete = says
		c := ready(t, served, nil)
		c.send(test.request)
		if test.want == "" {
			c.wantError("1", -32603, test.words)
		} else if got := c.next().Get("result").Raw; got != test.want {
			t.Errorf("%s was answered with %s, want %s", test.request, got, test.want)
		}
		c.wantEnd()
	}
}

// A tool's result has content, and what is checked is what is sent.
func TestRawToolResults(t *testing.T) {
	for _, test := range []struct {
		result core.Result
		output bool
		words  string // of the tool's error, or
		want   string // the result
	}{
		{result: core.RawResult(`{}`), want: `{"content":[]}`},
		{result: core.RawResult(`{"own":1.0}`), want: `{"content":[],"own":1.0}`},
		{result: core.RawResult(`{"structuredContent":{"n": "é\""}}`), want: `{"content":[{"type":"text","text":"{\"n\":\"é\\\"\"}"}],"structuredContent":{"n":"é\""}}`},
		{result: core.RawResult(`{"content":[],"structuredContent":{"n":1}}`), want: `{"content":[],"structuredContent":{"n":1}}`},
		{result: core.RawResult(`{"structuredContent":{"n":1}}`), output: true, want: `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
		{result: core.RawResult(`{"content":{}}`), words: "content is no array"},
		{result: core.RawResult(`{"content":[],"a":1,"\u0061":1}`), words: `the member "a" occurs twice`},
		{result: core.RawResult(`{"content":[],"structuredContent":{"n":1},"structuredContent":{"n":"x"}}`), output: true, words: `"structuredContent" occurs twice`},
		{result: core.RawResult(`{"content":[],"structuredContent":{"n":1,"n":"x"}}`), output: true, words: `"n" twice`},
		{result: core.RawResult(`{"content":[],"structuredContent":{"n":1,"deep":[{"a":1,"a":2}]}}`), output: true, words: `"a" twice`},
		{result: core.RawResult(`{"content":[],"isError":"true","structuredContent":{"n":"x"}}`), words: "isError is not true or false"},
		{result: core.RawResult(`{"content":[],"isError":false,"structuredContent":{"n":"x"}}`), output: true, words: "does not fit"},
		{result: core.RawResult(`{"content":["text"]}`), words: "content is no array of objects with a type"},
		{result: &core.PromptResult{}, words: "tools/call was answered with"},
		{result: &core.PromptResult{}, output: true, words: "tools/call was answered with"},
	} {
		tool := core.Tool{Name: "t", Handler: func(context.Context, *core.Call) (core.Result, error) { return test.result, nil }}
		if test.output {
			tool.Output = core.Object(core.Integer("n", ""))
		}
		c := ready(t, aspect(tool), nil)
		c.send(call(1, "t"))
		if test.want == "" {
			c.wantToolError("1", test.words)
		} else if got := c.next().Get("result").Raw; got != test.want {
			t.Errorf("%v: the result is %s, want %s", test.result, got, test.want)
		}
		c.wantEnd()
	}
}

// What a hook answers in the place of a built-in tool is the tool's result.
func TestHookAnswersForBuiltInTools(t *testing.T) {
	for _, tool := range []string{"getPrompt", "listPrompts", "about_tsar-mcp"} {
		served := aspect()
		served.Prompts = []core.Prompt{textPrompt("p", "")}
		served.OnToolsCall = func(context.Context, *core.Call) (core.Result, error) { return core.ToolError("not allowed"), nil }
		c := ready(t, served, nil)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"name":"p"}}}`)
		c.wantToolError("1", "not allowed")
		c.wantEnd()
	}
}

// The members of a method of the aspect's own are its own, too.
func TestOwnMethodsKeepTheirMembers(t *testing.T) {
	const result = `{"ttlMs":60000,"cacheScope":"x","resultType":"task","content":{"type":"resource_link","icons":[]},"messages":[{"content":{"type":"audio"}}]}`
	for _, revision := range []string{"2024-11-05", "2025-11-25"} {
		served := aspect()
		served.OnMethod = func(context.Context, *core.Call) (core.Result, error) { return core.RawResult(result), nil }
		c := connect(t, served, nil)
		c.send(strings.Replace(initialize, "2025-11-25", revision, 1), initialized)
		c.next()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`)
		if got := c.next().Get("result").Raw; got != result {
			t.Errorf("under %s the result is %s, want %s", revision, got, result)
		}
		c.wantEnd()
	}
}

// An output schema that is not an object's is for clients of 2026-07-28 alone.
func TestOutputSchemaOfAnotherKind(t *testing.T) {
	tool := fast("t")
	tool.Raw = []byte(`{"inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`)
	tool.Description, tool.Input = "", nil
	c := ready(t, aspect(tool), nil)
	c.send(list(1))
	if got := c.next(); !got.Get("result.tools.0").Exists() || got.Get("result.tools.0.outputSchema").Exists() {
		t.Errorf("a client of 2025-11-25 is shown %s", got.Raw)
	}
	c.wantEnd()
}
