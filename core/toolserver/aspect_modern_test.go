//go:build mcp20260728

package toolserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core/toolserver"
)

// modernMeta is the _meta of a client that can show forms.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":` + forms + `}`

func (c *client) modernCall(tool, arguments, more string) gjson.Result {
	c.t.Helper()
	c.send(callOf(1, tool, arguments, ","+modernMeta+more))
	return resultOf(c.next("1"))
}

// answers gives the members of params with which a client comes back: the same
// answer to all questions of a result, and its state.
func answers(t *testing.T, asked gjson.Result, answer string) string {
	t.Helper()
	var responses []string
	for key := range asked.Get("inputRequests").Map() {
		responses = append(responses, `"`+key+`":`+answer)
	}
	if asked.Get("resultType").Str != "input_required" || len(responses) == 0 {
		t.Fatalf("the server gave %s, want questions", asked.Raw)
	}
	return `,"inputResponses":{` + strings.Join(responses, ",") + `},"requestState":` + asked.Get("requestState").Raw
}

func TestAspectAsksModernClients(t *testing.T) {
	c := connect(t, toolserver.Aspect(base(t, named("touch", approving), named("name", naming)), nil))
	yes := `{"action":"accept","content":{"approve":true}}`
	first := c.modernCall("touch", `{}`, "")
	firstAnswer := answers(t, first, yes)
	second := c.modernCall("touch", `{}`, firstAnswer)
	if got := c.modernCall("touch", `{}`, answers(t, second, yes)); got.Get("content.0.text").Str != "touched" {
		t.Errorf("two yes gave %s, want it touched", got.Raw)
	}
	if got := c.modernCall("touch", `{}`, answers(t, second, `{"action":"decline"}`)); got.Get("content.0.text").Str != "touching: the person did not allow it: b" || !got.Get("isError").Bool() {
		t.Errorf("yes and no gave %s, want it refused", got.Raw)
	}
	both := c.modernCall("name", `{}`, "")
	if got := len(both.Get("inputRequests").Map()); got != 2 {
		t.Errorf("there are %d questions at once, want 2: %s", got, both.Raw)
	}
	if got := c.modernCall("name", `{}`, answers(t, both, `{"action":"accept","content":{"name":"Ada"}}`)); got.Get("content.0.text").Str != "[accept Ada][accept Ada]" {
		t.Errorf("two names gave %s", got.Raw)
	}
}

// TestUnaskedAnswersOpenNothing: an answer counts with the state of the call
// that asked, for the same arguments, and for the question that was asked.
func TestUnaskedAnswersOpenNothing(t *testing.T) {
	touch := requiring("touch", toolserver.Write, func(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
		path := pathOf(arguments)
		return toolserver.Text("touched " + path), toolserver.Approve(ctx, path, "May it touch it?")
	})
	c := connect(t, toolserver.Aspect(base(t, touch), nil))
	yes := `{"action":"accept","content":{"approve":true}}`
	asked := c.modernCall("touch", `{"path":"a"}`, "")
	honest := answers(t, asked, yes)
	other := c.modernCall("touch", `{"path":"b"}`, "")
	responses, _, _ := strings.Cut(honest, `,"requestState"`)
	for name, test := range map[string]struct{ arguments, more string }{
		"no state":         {`{"path":"a"}`, responses},
		"other arguments":  {`{"path":"b"}`, honest},
		"other call's key": {`{"path":"b"}`, responses + `,"requestState":` + other.Get("requestState").Raw},
	} {
		if got := c.modernCall("touch", test.arguments, test.more); strings.Contains(got.Raw, "touched") {
			t.Errorf("%s: the server gave %s, want nothing touched", name, got.Raw)
		}
	}
	if got := c.modernCall("touch", `{"path":"a"}`, honest); got.Get("content.0.text").Str != "touched a" {
		t.Errorf("the honest answer gave %s, want it touched", got.Raw)
	}
}

func TestAspectServesModernClients(t *testing.T) {
	own := base(t, anchoredOn(pathOf, requiring("x", toolserver.Read, echo)))
	c := connect(t, toolserver.Aspect(own, nil))
	if got := c.modernCall("x", `{"path":"a"}`, ""); got.Get("content.0.text").Str != `{"path":"a"}` || strings.Contains(got.Raw, "directive") {
		t.Errorf("the tool gave %s", got.Raw)
	}
	if got := c.modernCall("x", `{}`, ""); got.Get("code").Int() != -32602 {
		t.Errorf("a missing argument gave %s, want -32602", got.Raw)
	}
	if err := own.RegisterTool(named("later", gives("late"))); err != nil {
		t.Fatal(err)
	}
	if got := c.modernCall("later", `{}`, ""); got.Get("content.0.text").Str != "late" {
		t.Errorf("a later tool gave %s", got.Raw)
	}
}

// TestUnaskedAnswersAreNotCarriedOn: an answer that came too early is none in
// the next round either.
func TestUnaskedAnswersAreNotCarriedOn(t *testing.T) {
	c := connect(t, toolserver.Aspect(base(t, named("touch", approving)), nil))
	yes := `{"action":"accept","content":{"approve":true}}`
	asked := c.modernCall("touch", `{}`, "")
	responses, _, _ := strings.Cut(answers(t, asked, yes), `,"requestState"`)
	early := c.modernCall("touch", `{}`, responses)
	later := c.modernCall("touch", `{}`, `,"requestState":`+early.Get("requestState").Raw)
	if later.Get("resultType").Str != "input_required" || !strings.Contains(later.Raw, "May it touch a?") {
		t.Errorf("after an unasked answer the server gave %s, want the question again", later.Raw)
	}
}
