//go:build !nopolyfill

package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mcpserver/core"
)

func callTool(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// The prompt tools are there when the aspect has prompts.
func TestPromptToolsAreListed(t *testing.T) {
	for _, test := range []struct {
		served *core.Aspect
		want   string
	}{
		{aspect(), "about_tsar-mcp readTrace"},
		{hookedPrompts(), "about_tsar-mcp readTrace listPrompts getPrompt"},
	} {
		c := ready(t, test.served, nil)
		c.send(list(1))
		if got := strings.Join(names(c.next()), " "); got != test.want {
			t.Errorf("the tools are %s, want %s", got, test.want)
		}
		c.wantEnd()
	}
}

func TestPromptTools(t *testing.T) {
	c := ready(t, hookedPrompts(), nil)
	c.send(callTool("listPrompts", `{}`))
	c.wantText("1", `[{"name":"p","arguments":[{"name":"need","required":true}]}]`)
	c.send(callTool("getPrompt", `{"name":"hooked","arguments":{"who":"you"}}`))
	content := c.next().Get("result.content")
	if got := content.Get("#.type").String(); got != `["text","text","image"]` {
		t.Errorf("the blocks are %s, want all messages", content.Raw)
	}
	if got := content.Get("0.text").Str; got != "user: hello you by prompts/get hooked" {
		t.Errorf("the first message is %q", got)
	}
	if got := content.Get("1.text").Str; got != "assistant:" {
		t.Errorf("the second message begins %q", got)
	}
	c.send(callTool("getPrompt", `{"name":"p","arguments":{"need":"x"}}`))
	c.wantText("1", "user: from the table")
	for _, test := range []struct{ arguments, words string }{
		{`{}`, "Missing parameter: name"},
		{`{"name":"nope"}`, "Unknown prompt: nope"},
		{`{"name":"nope","arguments":null}`, "Unknown prompt: nope"},
		{`{"name":"p"}`, "Missing parameter: need"},
		{`{"name":"p","arguments":{"need":5}}`, "need is not a string"},
		{`{"name":"fails"}`, "no such luck"},
	} {
		c.send(callTool("getPrompt", test.arguments))
		c.wantError("1", -32602, test.words)
	}
	c.send(callTool("getPrompt", `{"name":"breaks"}`))
	c.wantToolError("1", "broken")
	c.send(callTool("getPrompt", `{"name":"p","arguments":[]}`))
	c.wantToolError("1", "arguments")
	c.wantEnd()
}

// A prompt that is answered later, or in JSON verbatim, is rendered, too.
func TestPromptToolsRenderWhatComesLater(t *testing.T) {
	served := aspect()
	raw := core.RawResult(`{"messages":[{"role":"user","content":{"type":"text","text":"raw"}},{"role":"assistant","content":{"type":"x-new","a":1.0}}]}`)
	served.Prompts = []core.Prompt{
		{Name: "later", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			deferred := call.Defer()
			go deferred.Complete(raw, nil)
			return core.Pending, nil
		}},
		{Name: "fails", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			deferred := call.Defer()
			go deferred.Complete(nil, errors.New("too late"))
			return core.Pending, nil
		}},
	}
	c := ready(t, served, nil)
	c.send(callTool("getPrompt", `{"name":"later"}`))
	want := `[{"type":"text","text":"user: raw"},{"type":"text","text":"assistant:"},{"type":"x-new","a":1.0}]`
	if got := c.next().Get("result.content").Raw; got != want {
		t.Errorf("the content is %s, want %s", got, want)
	}
	c.send(callTool("getPrompt", `{"name":"fails"}`))
	c.wantToolError("1", "too late")
	c.wantEnd()
}

// A prompt's questions to the client go through the tool.
func TestPromptToolsAsk(t *testing.T) {
	served := aspect()
	served.Prompts = []core.Prompt{{Name: "asks", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		answer, given := call.Input("roots")
		if !given {
			return call.RequireInput(core.Inputs{"roots": core.Roots{}}, []byte("kept"))
		}
		return &core.PromptResult{Messages: []core.Message{core.UserText(answer.Roots()[0].URI + " " + string(call.State()))}}, nil
	}}}
	c := connect(t, served, nil)
	c.send(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":{"roots":{}}`, 1), initialized)
	c.wantIDs(`"init"`)
	c.send(callTool("getPrompt", `{"name":"asks"}`))
	question := c.wantMethod("roots/list")
	c.send(`{"jsonrpc":"2.0","id":` + question.Get("id").Raw + `,"result":{"roots":[{"uri":"file:///r"}]}}`)
	c.wantText("1", "user: file:///r kept")
	c.wantEnd()
}
