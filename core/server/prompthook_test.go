package server_test

import (
	"context"
	"fmt"
	"testing"

	"mcpserver/core"
)

// hookedPrompts serves the prompt "hooked" by the hook and "p" by the table.
func hookedPrompts() *core.Aspect {
	served := aspect()
	table := textPrompt("p", "from the table")
	table.Arguments = []core.PromptArgument{{Name: "need", Required: true}}
	served.Prompts = []core.Prompt{table}
	served.OnPromptsGet = func(_ context.Context, call *core.Call) (core.Result, error) {
		switch call.Name() {
		case "hooked":
			who := call.Arguments().Get("who").Str
			return &core.PromptResult{Messages: []core.Message{
				core.UserText("hello " + who + " by " + call.Method() + " " + call.Params().Get("name").Str),
				{Role: "assistant", Content: []core.Block{core.ImageBlock{Data: []byte("x"), MIMEType: "image/png"}}},
			}}, nil
		case "fails":
			return nil, core.InvalidParams("no such luck")
		case "breaks":
			return nil, fmt.Errorf("broken")
		}
		return nil, nil
	}
	return served
}

func getPrompt(name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":%q,"arguments":%s}}`, name, arguments)
}

// The hook sees every prompts/get first and may decline.
func TestPromptsHook(t *testing.T) {
	c := ready(t, hookedPrompts(), nil)
	c.send(getPrompt("hooked", `{"who":"you"}`))
	if got := c.next().Get("result.messages.0.content.text").Str; got != "hello you by prompts/get hooked" {
		t.Errorf("the hook's prompt says %q", got)
	}
	c.send(getPrompt("p", `{"need":""}`))
	if got := c.next().Get("result.messages.0.content.text").Str; got != "from the table" {
		t.Errorf("the table's prompt says %q", got)
	}
	for _, test := range []struct {
		name, arguments string
		code            int
		words           string
	}{
		{"p", `{}`, -32602, "Missing parameter: need"},
		{"p", `{"need":5}`, -32602, "need is not a string"},
		{"hooked", `{"who":5}`, -32602, "who is not a string"},
		{"nope", `{}`, -32602, "Unknown prompt: nope"},
		{"fails", `{}`, -32602, "no such luck"},
		{"breaks", `{}`, -32603, "broken"},
	} {
		c.send(getPrompt(test.name, test.arguments))
		c.wantError("1", test.code, test.words)
	}
	c.wantEnd()
}
