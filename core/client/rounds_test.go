package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

func parsed(body []byte) gjson.Result { return gjson.ParseBytes(body) }

// asking is a modern server's tool that asks so often before it answers.
func asking(rounds int) func(l *fakeLink, a arrival) string {
	return func(_ *fakeLink, a arrival) string {
		round := int(a.params.Get("inputResponses.k.round").Int())
		if round < rounds {
			return fmt.Sprintf(`{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{"round":%d}}},"requestState":"s\u00e4%d"}`, round, round)
		}
		return `{"resultType":"complete","content":[]}`
	}
}

// count answers a question with the number of its round.
func count(_ context.Context, request ServerRequest) (json.RawMessage, error) {
	return fmt.Appendf(nil, `{"round":%d,"key":%q,"tag":%q}`, gjson.GetBytes(request.Params, "round").Int()+1, request.Key, fmt.Sprint(request.Tag)), nil
}

// TestRounds: the answers and the state go back with the params of the first
// round, under new ids, and the state is not touched.
func TestRounds(t *testing.T) {
	c, server := connectModern(t, Options{Handlers: map[string]Handler{"roots/list": count}}, actions{"tools/call": asking(2)})
	_, err := c.Do(t.Context(), &Request{Method: "tools/call", Params: []byte(`{"name":"t","arguments":{"a":1.0}}`), Tag: "x"})
	if err != nil {
		t.Fatal(err)
	}
	link, _ := server.link()
	calls := link.sent("tools/call")
	if len(calls) != 3 || calls[0].id == calls[1].id || calls[1].id == calls[2].id {
		t.Fatalf("the calls are %v, want 3 with different ids", calls)
	}
	for i, want := range []string{``, `{"k":{"round":1,"key":"k","tag":"x"}}`, `{"k":{"round":2,"key":"k","tag":"x"}}`} {
		if got := calls[i].params.Get("inputResponses").Raw; got != want {
			t.Errorf("call %d has the answers %s, want %s", i+1, got, want)
		}
		if got := calls[i].params.Get("arguments").Raw; got != `{"a":1.0}` {
			t.Errorf("call %d has the arguments %s", i+1, got)
		}
	}
	if got := calls[2].params.Get("requestState").Raw; got != `"s\u00e41"` {
		t.Errorf("the last state is sent back as %s", got)
	}
	if calls[0].params.Get("requestState").Exists() {
		t.Error("the first call has a state")
	}
}

func TestRoundsThatFail(t *testing.T) {
	for _, test := range []struct {
		name    string
		handler Handler
		answer  func(l *fakeLink, a arrival) string
		want    string
	}{
		{"endless", count, asking(1000), "asked 10 times"},
		{"no handler", nil, asking(1), "Method Not Found [roots/list]"},
		{"refused", func(context.Context, ServerRequest) (json.RawMessage, error) { return nil, errors.New("never") }, asking(1), "never"},
		{"nothing asked", count, constant(`{"resultType":"input_required"}`), "does not say which"},
		{"no object", count, constant(`{"resultType":"input_required","inputRequests":7}`), "inputRequests"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := connectModern(t, Options{Handlers: map[string]Handler{"roots/list": test.handler}}, actions{"tools/call": test.answer})
			_, err := c.CallTool(t.Context(), "t", nil)
			mustContain(t, err, test.want)
		})
	}
}

// TestStateAlone: the call is made again at once.
func TestStateAlone(t *testing.T) {
	c, _ := connectModern(t, Options{}, actions{"prompts/get": func(_ *fakeLink, a arrival) string {
		if a.params.Get("requestState").Str == "go" && !a.params.Get("inputResponses").Exists() {
			return `{"messages":[]}`
		}
		return `{"resultType":"input_required","requestState":"go"}`
	}})
	if got, err := c.GetPrompt(t.Context(), "p", map[string]string{"b": "1", "a": "ü"}); err != nil || string(got) != `{"messages":[]}` {
		t.Errorf("GetPrompt gives %s, %v", got, err)
	}
}

// TestUnanswered: a gateway asks for the questions as they are and sends the
// next round itself.
func TestUnanswered(t *testing.T) {
	c, _ := connectModern(t, Options{}, actions{"tools/call": asking(1)})
	first, err := c.Do(t.Context(), &Request{Method: "tools/call", Params: []byte(`{"name":"t"}`), Unanswered: true})
	if err != nil || gjson.GetBytes(first, "requestState").Raw != `"s\u00e40"` {
		t.Fatalf("the first round gives %s, %v", first, err)
	}
	second, err := c.Do(t.Context(), &Request{
		Method: "tools/call", Params: []byte(`{"name":"t","inputResponses":{"k":{"round":1}},"requestState":"s\u00e40"}`), Unanswered: true,
	})
	if err != nil || gjson.GetBytes(second, "resultType").Str != "complete" {
		t.Errorf("the second round gives %s, %v", second, err)
	}
}

// TestHandlersErrorIsNotTheServers: who asks for the server's errors by their
// type is not given one that a handler has made.
func TestHandlersErrorIsNotTheServers(t *testing.T) {
	own := errors.New("nobody is there")
	for _, failure := range []error{own, &core.Error{Code: -1, Message: "not a chance"}, fmt.Errorf("a wrapped %w", core.InternalError("x"))} {
		handler := func(context.Context, ServerRequest) (json.RawMessage, error) { return nil, failure }
		c, _ := connectModern(t, Options{Handlers: map[string]Handler{"roots/list": handler}}, actions{"tools/call": asking(1)})
		_, err := c.CallTool(t.Context(), "t", nil)
		mustContain(t, err, "the server asked for roots/list", failure.Error())
		if errors.As(err, new(*core.Error)) {
			t.Errorf("%v passes for an error of the server", err)
		}
		if errors.Is(err, own) != (failure == own) {
			t.Errorf("%v is %v: %t", err, own, errors.Is(err, own))
		}
	}
}
