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
		{`{"name":"p","arguments":{"need":"x","n\u0065ed":"y"}}`, "the member need occurs twice in arguments"},
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

// What prompts/get cannot be answered with, getPrompt cannot either; and a block
// is what the revision knows of it.
func TestPromptToolsRenderAsPromptsGet(t *testing.T) {
	served := aspect()
	says := func(result core.Result) core.Handler {
		return func(context.Context, *core.Call) (core.Result, error) { return result, nil }
	}
	served.Prompts = []core.Prompt{
		{Name: "text", Handler: says(core.Text("x"))},
		{Name: "none", Handler: says(core.RawResult(`{"x":1}`))},
		{Name: "empty", Handler: says(core.RawResult(`{"messages":[{"role":"user"}]}`))},
		{Name: "several", Handler: says(core.RawResult(`{"messages":[{"role":"user","content":[]}]}`))},
		{Name: "twice", Handler: says(core.RawResult(`{"messages":[],"messages":[]}`))},
		{Name: "no block", Handler: says(&core.PromptResult{Messages: []core.Message{{Role: "user"}}})},
		{Name: "nil block", Handler: says(&core.PromptResult{Messages: []core.Message{{Role: "user", Content: []core.Block{nil}}}})},
	}
	broken := len(served.Prompts)
	const marked = `"annotations":{"priority":1,"lastModified":"2025-01-12T15:00:58Z"},"_meta":{"k":1}`
	priority := 1.0
	annotations := &core.Annotations{Priority: &priority, LastModified: "2025-01-12T15:00:58Z"}
	served.Prompts = append(served.Prompts,
		core.Prompt{Name: "raw", Handler: says(core.RawResult(`{"messages":[{"role":"user","content":{"type":"text","text":"hi",` + marked + `}},{"role":"assistant","content":{"type":"audio","data":"eA==","mimeType":"audio/wav"}}],"_meta":{"m":1}}`))},
		core.Prompt{Name: "typed", Handler: says(&core.PromptResult{Meta: []byte(`{"m":1}`), Messages: []core.Message{
			{Role: "user", Content: []core.Block{core.TextBlock{Text: "hi", Annotations: annotations, Meta: []byte(`{"k":1}`)}}},
			{Role: "assistant", Content: []core.Block{core.AudioBlock{Data: []byte("x"), MIMEType: "audio/wav"}}},
		}})})
	for revision, want := range map[string]string{
		"2025-11-25": `[{"type":"text","text":"user: hi",` + marked + `},{"type":"text","text":"assistant:"},{"type":"audio","data":"eA==","mimeType":"audio/wav"}]`,
		"2024-11-05": `[{"type":"text","text":"user: hi","annotations":{"priority":1}},{"type":"text","text":"assistant: [audio audio/wav]"}]`,
	} {
		c := connect(t, served, nil)
		c.send(strings.Replace(initialize, "2025-11-25", revision, 1), initialized)
		c.wantIDs(`"init"`)
		for _, prompt := range served.Prompts[:broken] {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + prompt.Name + `"}}`)
			failure := c.next().Get("error")
			if failure.Get("code").Int() != -32603 {
				t.Errorf("%s: prompts/get gave %s, want the error -32603", prompt.Name, failure.Raw)
			}
			c.send(callTool("getPrompt", `{"name":"`+prompt.Name+`"}`))
			words := strings.TrimSuffix(strings.TrimPrefix(failure.Get("message").Str, "Internal Error ["), "]")
			c.wantToolError("1", words)
		}
		for _, prompt := range served.Prompts[broken:] {
			c.send(callTool("getPrompt", `{"name":"`+prompt.Name+`"}`))
			got := c.next().Get("result")
			if got.Get("content").Raw != want || got.Get("_meta").Raw != `{"m":1}` {
				t.Errorf("%s under %s: getPrompt gave %s, want the content %s", prompt.Name, revision, got.Raw, want)
			}
		}
		c.wantEnd()
	}
}

// The tool getPrompt gives a prompt of another server, also one whose _meta is
// none.
func TestForwardedPromptAsTool(t *testing.T) {
	for _, meta := range []string{``, `,"_meta":null`, `,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"other"}}`} {
		c := ready(t, forwarding(`{"messages":[{"role":"user","content":{"type":"text","text":"hello","own":1.0}}]`+meta+`}`), nil)
		c.send(callTool("getPrompt", `{"name":"p"}`))
		if got := c.next().Get("result.content").Raw; got != `[{"type":"text","text":"user: hello","own":1.0}]` {
			t.Errorf("with %q the content is %s", meta, got)
		}
		c.wantEnd()
	}
}
