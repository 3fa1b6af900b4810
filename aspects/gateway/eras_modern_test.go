//go:build mcp20260728

package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// pageFor is a page to visit in the legacy era, and page in the modern one.
const pageFor = `{"mode":"url","message":"Look","elicitationId":"the server's","url":"https://example.com/"}`

// withoutHandshake begins a conversation of a client of the modern era with these
// capabilities.
func withoutHandshake(t *testing.T, capabilities string, servers ...*fake) *talk {
	t.Helper()
	c := connect(t, settings{}, servers...)
	c.meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` +
		capabilities + `,"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}`
	c.settle()
	return c
}

// onlyQuestion gives the key and the question of an answer that asks one.
func onlyQuestion(t *testing.T, answer gjson.Result) (key string, question gjson.Result) {
	t.Helper()
	asked := answer.Get("result.inputRequests")
	if len(asked.Map()) != 1 || answer.Get("result.resultType").Str != "input_required" {
		t.Fatalf("got %s, want one question", answer.Raw)
	}
	asked.ForEach(func(k, q gjson.Result) bool { key, question = k.Str, q; return true })
	return key, question
}

// again gives the params of a call for the round after an answer.
func again(tool string, answer gjson.Result, key, reply string) string {
	return fmt.Sprintf(`{"name":%q,"inputResponses":{%q:%s},"requestState":%s}`, tool, key, reply, answer.Get("result.requestState").Raw)
}

// TestModernClientIsSentToPagesOfLegacyServers: a request to visit a page has no
// id there.
func TestModernClientIsSentToPagesOfLegacyServers(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "visit").on("tools/call", func(l *link, a arrival) string {
		l.ask(`"q"`, "elicitation/create", pageFor)
		go func() { l.result(a.id, textResult(l.fake.response(`"q"`).Get("result").Raw)) }()
		return ""
	})
	c := withoutHandshake(t, fullClient, f)
	answer := c.ask("tools/call", callParams("s.visit", `{}`))
	key, question := onlyQuestion(t, answer)
	if question.Get("params").Raw != page {
		t.Errorf("the client is asked %s", question.Raw)
	}
	result := c.result("tools/call", again("s.visit", answer, key, `{"action":"decline"}`))
	if got := result.Get("content.0.text").Str; got != `{"action":"decline"}` {
		t.Errorf("the server was answered %s", got)
	}
}

// TestModernClientVisitsWhatLegacyServersDemand: the legacy era's error that
// demands visits becomes questions, and when the user has agreed, the call is
// made again, as it was.
func TestModernClientVisitsWhatLegacyServersDemand(t *testing.T) {
	t.Parallel()
	calls := 0
	f := legacyServer(t, "s", "visit").on("tools/call", func(l *link, a arrival) string {
		if calls++; calls%2 == 0 {
			return textResult(a.params.Raw)
		}
		l.say(`{"jsonrpc":"2.0","id":` + a.id + `,"error":{"code":-32042,"message":"First log in","data":{"elicitations":[` + pageFor + `]}}}`)
		return ""
	})
	c := withoutHandshake(t, fullClient, f)
	answer := c.ask("tools/call", callParams("s.visit", `{"x":1.0}`))
	key, question := onlyQuestion(t, answer)
	if question.Get("method").Str != "elicitation/create" || question.Get("params").Raw != page {
		t.Errorf("the client is asked %s", question.Raw)
	}
	next := again("s.visit", answer, key, `{"action":"accept"}`)
	next = strings.Replace(next, `{"name"`, `{"arguments":{"x":1.0},"name"`, 1)
	result := c.result("tools/call", next)
	if got := result.Get("content.0.text").Str; got != `{"arguments":{"x":1.0},"name":"visit"}` {
		t.Errorf("the server was then called with %s", got)
	}

	answer = c.ask("tools/call", callParams("s.visit", `{}`))
	key, _ = onlyQuestion(t, answer)
	result = c.result("tools/call", again("s.visit", answer, key, `{"action":"cancel"}`))
	if !result.Get("isError").Bool() || !strings.Contains(result.Raw, "visit a page") {
		t.Errorf("after a refusal, the client gets %s", result.Raw)
	}
	if got := len(f.sent("tools/call")); got != 3 {
		t.Errorf("the server was called %d times, want 3", got)
	}
}

// TestModernClientGetsDemandsThatItCannotMeet as they are.
func TestModernClientGetsDemandsThatItCannotMeet(t *testing.T) {
	t.Parallel()
	demands := []string{
		`{"elicitations":[` + pageFor + `]}`, `{"elicitations":[{"mode":"form"}]}`, `{"elicitations":[]}`, `{"elicitations":7}`, `[]`, `null`,
	}
	number := 0
	f := legacyServer(t, "s", "visit").on("tools/call", func(l *link, a arrival) string {
		l.say(`{"jsonrpc":"2.0","id":` + a.id + `,"error":{"code":-32042,"message":"First log in","data":` + demands[number] + `}}`)
		number++
		return ""
	})
	c := withoutHandshake(t, `{"elicitation":{"form":{}}}`, f)
	for _, data := range demands {
		failure := c.refused("tools/call", callParams("s.visit", `{}`), -32042, "First log in")
		if got := failure.Get("data").Raw; got != data && data != "null" {
			t.Errorf("the client gets the data %s, want %s", got, data)
		}
		if data == demands[0] {
			c.meta = strings.Replace(c.meta, `{"elicitation":{"form":{}}}`, fullClient, 1)
		}
	}
}
