//go:build mcp20260728

package server

import (
	"context"
	"testing"

	"mcpserver/core"
)

// A tool with an output schema can ask the client; what it asks is no output.
func TestModernToolWithOutputAsks(t *testing.T) {
	tool := core.Tool{Name: "step", Output: core.Object(core.String("who", "").Required()), Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		answer, given := call.Input("who")
		if !given {
			return call.RequireInput(core.Inputs{"who": sampling("who?")}, nil)
		}
		return &core.ToolResult{Structured: map[string]string{"who": answer.Text()}}, nil
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		request := modernCall("1", "step", "")
		asked := p.ask(request)
		wantAsked(t, request, asked, "who")
		got := p.ask(modernCall("2", "step", retry(asked, `{"who":`+sampled("me")+`}`)))
		if structured := got.Get("result.structuredContent").Raw; structured != `{"who":"me"}` {
			t.Errorf("the answer is %s, want the output", got.Raw)
		}
	})
}
