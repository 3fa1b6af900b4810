//go:build mcp20260728 && !nopolyfill

package server

import (
	"context"
	"testing"

	"mcpserver/core"
)

// The prompt tools ask the client as the prompt itself would.
func TestModernPromptToolsAsk(t *testing.T) {
	aspect := testAspect()
	aspect.Prompts = []core.Prompt{{Name: "p", Arguments: []core.PromptArgument{{Name: "x"}}, Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		answer, given := call.Input("who")
		if !given {
			return call.RequireInput(core.Inputs{"who": sampling("who?")}, []byte("kept"))
		}
		return &core.PromptResult{Messages: []core.Message{core.UserText(answer.Text() + " " + string(call.State()))}}, nil
	}}}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		params := func(more string) string { return toolParams("getPrompt", `"arguments":{"name":"p"}`+more) }
		request := modern("1", "tools/call", params(""))
		asked := p.ask(request)
		wantAsked(t, request, asked, "who")
		state := asked.Get("result.requestState").Raw
		again := modern("2", "tools/call", params(`,"inputResponses":{"who":`+sampled("me")+`},"requestState":`+state))
		wantTool(t, again, p.ask(again), "user: me kept")
	})
}
