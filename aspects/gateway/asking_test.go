package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// question is something that a server asks a client, and how the client answers.
type question struct{ method, params, answer string }

var questions = []question{
	{
		"sampling/createMessage",
		`{"messages":[{"role":"user","content":{"type":"text","text":"hi\u0021"}}],"maxTokens":10,"x-new":{"a":1.0}}`,
		`{"role":"assistant","model":"m","content":{"type":"text","text":"ho"},"x-new":[1.0]}`,
	},
	{
		"elicitation/create",
		`{"message":"who?","requestedSchema":{"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}}`,
		`{"action":"accept","content":{"n":"me","extra":1.0}}`,
	},
	{"elicitation/create", `{"mode":"url","message":"go","url":"https://example.com/","elicitationId":"e1"}`, `{"action":"decline"}`},
	{"roots/list", `{}`, `{"roots":[{"uri":"file:///a","name":"n","x-new":1.0}]}`},
}

// asksLegacy has a server of the legacy era ask inside of each call. The result
// of the call is the client's response, as the server gets it.
func asksLegacy(f *fake, q question) *fake {
	calls := map[string]string{}
	f.on("tools/call", func(l *link, a arrival) string {
		id := fmt.Sprintf(`"q%d"`, len(calls))
		calls[id] = a.id
		l.ask(id, q.method, q.params)
		return ""
	})
	f.on("", func(l *link, a arrival) string {
		l.result(calls[a.id], textResult(strings.TrimPrefix(a.body.Raw, `{"jsonrpc":"2.0","id":`+a.id+`,`)))
		return ""
	})
	return f
}

// asksModern has a server of the modern era ask inside of each call. The result is
// the client's response, as the server gets it.
func asksModern(f *fake, q question) *fake {
	return f.on("tools/call", func(_ *link, a arrival) string {
		if answers := a.params.Get("inputResponses"); answers.Exists() {
			return textResult(`"result":` + answers.Get("k").Raw + "} " + a.params.Get("requestState").Raw)
		}
		return `{"resultType":"input_required","inputRequests":{"k":{"method":"` + q.method + `","params":` + q.params + `}},"requestState":"st\u0061te"}`
	})
}

// TestAskedInACall: what a server asks in a call goes to the client as it is,
// and so does the answer.
func TestAskedInACall(t *testing.T) {
	t.Parallel()
	for _, q := range questions {
		for _, f := range []*fake{asksLegacy(legacyServer(t, "s", "x"), q), asksModern(modernServer(t, "s", "x"), q)} {
			c := legacy(t, f)
			id := c.request("tools/call", callParams("s.x", ""))
			asked := c.message(q.method)
			if got := asked.Get("params").Raw; got != q.params {
				t.Errorf("%s: the client is asked %s, want %s", q.method, got, q.params)
			}
			c.reply(asked, q.answer)
			got := c.answer(id).Get("result.content.0.text").Str
			want := `"result":` + q.answer + "}"
			if len(f.sent("server/discover")) == 1 && len(f.sent("initialize")) == 0 {
				want += ` "st\u0061te"`
			}
			if got != want {
				t.Errorf("%s: the server has got %s, want %s", q.method, got, want)
			}
			c.close()
		}
	}
}

// TestAskedOutsideOfCalls: it goes to the client that has made the handshake.
func TestAskedOutsideOfCalls(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s")
	c := legacy(t, f)
	for i, q := range questions {
		id := fmt.Sprintf(`"q%d"`, i)
		f.link(0).ask(id, q.method, q.params)
		c.reply(c.message(q.method), q.answer)
		if got := f.response(id).Get("result").Raw; got != q.answer {
			t.Errorf("%s: the server has got %s, want %s", q.method, got, q.answer)
		}
	}
	f.link(0).ask(`"other"`, "tasks/list", `{}`)
	if got := f.response(`"other"`); got.Get("error.code").Int() != -32601 {
		t.Errorf("what the gateway does not know is answered with %s", got.Raw)
	}
	f.link(0).ask(`7`, "ping", `{}`)
	if got := f.response(`7`).Get("result").Raw; got != `{}` {
		t.Errorf("a ping is answered with %s", got)
	}
}

// TestAskedBeforeTheClientIsReady: a server may ask as soon as it is told that it
// can. Then the client may not be so far.
func TestAskedBeforeTheClientIsReady(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("notifications/initialized", func(l *link, _ arrival) string { l.ask(`"q"`, "roots/list", `{}`); return "" })
	c := connect(t, settings{}, f)
	c.result("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+fullClient+`,"clientInfo":{"name":"test","version":"1"}}`)
	f.awaitSent("notifications/initialized", 1)
	c.settle()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.reply(c.message("roots/list"), `{"roots":[]}`)
	if got := f.response(`"q"`); got.Get("result").Raw != `{"roots":[]}` {
		t.Errorf("the server has got %s", got.Raw)
	}
}

// TestAskedSeveralAtOnce: each answer goes to its own question.
func TestAskedSeveralAtOnce(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a", "x"), legacyServer(t, "b", "x")
	a.on("tools/call", silent)
	c := legacy(t, a, b)
	call := c.request("tools/call", callParams("a.x", ""))
	a.awaitSent("tools/call", 1)
	// The same ids at both servers, inside a call and outside.
	for i := range 3 {
		for _, f := range []*fake{a, b} {
			f.link(0).ask(fmt.Sprint(i), "roots/list", fmt.Sprintf(`{"n":"%s%d"}`, f.name, i))
		}
	}
	var asked []gjson.Result
	for range 6 {
		asked = append(asked, c.message("roots/list"))
	}
	for i := range asked {
		q := asked[len(asked)-1-i]
		c.reply(q, `{"roots":[],"for":`+q.Get("params.n").Raw+`}`)
	}
	for i := range 3 {
		for _, f := range []*fake{a, b} {
			if got, want := f.response(fmt.Sprint(i)).Get("result.for").Str, fmt.Sprint(f.name, i); got != want {
				t.Errorf("question %d of %s has the answer of %q", i, f.name, got)
			}
		}
	}
	a.link(0).result(a.sent("tools/call")[0].id, textResult("done"))
	c.answer(call)
}

// TestAnsweredWithAnError: the server gets the client's error as it is, and its
// call goes on.
func TestAnsweredWithAnError(t *testing.T) {
	t.Parallel()
	q := questions[1]
	f := asksLegacy(legacyServer(t, "s", "x"), q)
	m := asksModern(modernServer(t, "m", "x"), q)
	c := legacy(t, f, m)
	id := c.request("tools/call", callParams("s.x", ""))
	const failure = `{"code":-1,"message":"not \u0061 chance","data":{"n":1.0}}`
	c.send(`{"jsonrpc":"2.0","id":` + c.message(q.method).Get("id").Raw + `,"error":` + failure + `}`)
	got := gjson.Parse("{" + c.answer(id).Get("result.content.0.text").Str)
	if got.Get("error.code").Int() != -1 || got.Get("error.message").Str != "not a chance" || got.Get("error.data").Raw != `{"n":1.0}` {
		t.Errorf("the server has got %s, want %s", got.Raw, failure)
	}
	// In the modern era an error is no answer, so the call has failed.
	id = c.request("tools/call", callParams("m.x", ""))
	c.send(`{"jsonrpc":"2.0","id":` + c.message(q.method).Get("id").Raw + `,"error":` + failure + `}`)
	answer := c.answer(id)
	if !answer.Get("result.isError").Bool() || !strings.Contains(answer.Raw, "not a chance") {
		t.Errorf("the call has become %s", answer.Raw)
	}
	if got := len(m.sent("tools/call")); got != 1 {
		t.Errorf("the modern server was called %d times", got)
	}
}

// TestClientsThatCannotBeAsked: the server is told what the client can do, and
// asked nothing else of it.
func TestClientsThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for _, capabilities := range []string{
		`{}`, `{"roots":{"listChanged":true}}`, `{"sampling":{"x-new":{}},"experimental":{"e":{}},"tasks":{}}`, `{"elicitation":{}}`,
		`{"elicitation":{"form":{}}}`, `{"elicitation":{"url":{}}}`, `{"roots":null,"sampling":true,"elicitation":[]}`, fullClient,
	} {
		f, m := legacyServer(t, "s", "x"), modernServer(t, "m", "x")
		c := legacyWith(t, settings{}, capabilities, f, m)
		declared := f.sent("initialize")[0].params.Get("capabilities").Raw
		want := strings.ReplaceAll(capabilities, `,"experimental":{"e":{}},"tasks":{}`, "")
		if strings.Contains(capabilities, "null") {
			want = `{}`
		}
		if declared != want {
			t.Errorf("the client declares %s, and the gateway %s", capabilities, declared)
		}
		for i, q := range questions {
			able := canAnswer(gjson.Parse(capabilities), q)
			id := fmt.Sprintf(`"q%d"`, i)
			f.link(0).ask(id, q.method, q.params)
			asksModern(m, q)
			call := c.request("tools/call", callParams("m.x", ""))
			if able {
				c.reply(c.message(q.method), q.answer)
				c.reply(c.message(q.method), q.answer)
			}
			if got := f.response(id); (got.Get("error.code").Int() == -32601) == able {
				t.Errorf("client with %s: %s is answered with %s", capabilities, q.method, got.Raw)
			}
			if got := c.answer(call); got.Get("result.isError").Bool() == able {
				t.Errorf("client with %s: the call that asks %s gives %s", capabilities, q.method, got.Raw)
			}
			if got := c.came(q.method); len(got) > 0 {
				t.Errorf("client with %s was asked %s", capabilities, got[0].Raw)
			}
		}
		if got := m.sent("tools/call")[0].params.Get(`_meta.io\.modelcontextprotocol/clientCapabilities`).Raw; got != want {
			t.Errorf("the client declares %s, and the gateway declares %s to a modern server", capabilities, got)
		}
		c.close()
	}
}

func canAnswer(capabilities gjson.Result, q question) bool {
	switch {
	case strings.Contains(q.params, `"mode":"url"`):
		return capabilities.Get("elicitation.url").IsObject()
	case q.method == "elicitation/create":
		return capabilities.Get("elicitation.form").IsObject() || capabilities.Get("elicitation").Raw == `{}`
	case q.method == "roots/list":
		return capabilities.Get("roots").IsObject()
	}
	return capabilities.Get("sampling").IsObject()
}

// TestQuestionsEnd with what they belong to: the server takes them back, their
// call is cancelled, or the server is gone. The client is told.
func TestQuestionsEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  func(c *talk, f *fake, call string)
	}{
		{"taken back", func(_ *talk, f *fake, _ string) {
			f.link(0).notify("notifications/cancelled", `{"requestId":"q0"}`)
			f.link(0).result(f.sent("tools/call")[0].id, textResult("done"))
		}},
		{"call cancelled", func(c *talk, _ *fake, call string) { c.cancel(call) }},
		{"server gone", func(_ *talk, f *fake, _ string) { f.link(0).exit(3) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := asksLegacy(legacyServer(t, "s", "x"), questions[1])
			c := legacy(t, f)
			call := c.request("tools/call", callParams("s.x", ""))
			asked := c.message("elicitation/create")
			test.end(c, f, call)
			withdrawn := c.message("notifications/cancelled")
			if got := withdrawn.Get("params.requestId").Raw; got != asked.Get("id").Raw {
				t.Errorf("%s was withdrawn, want %s", got, asked.Get("id").Raw)
			}
			// An answer that comes too late is nobody's.
			c.reply(asked, `{"action":"cancel"}`)
			c.fence()
			if got := f.sent(""); len(got) > 0 && got[0].body.Get("result").Exists() {
				t.Errorf("the server has got %s", got[0].body.Raw)
			}
		})
	}
}

// TestRootsChanged: the servers that know of roots are told.
func TestRootsChanged(t *testing.T) {
	t.Parallel()
	f, m := legacyServer(t, "s", "x"), modernServer(t, "m", "x")
	c := legacy(t, f, m)
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	f.awaitSent("notifications/roots/list_changed", 1)
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"_meta":{"a":1.0}}}`)
	if got := f.awaitSent("notifications/roots/list_changed", 2).params.Raw; got != `{"_meta":{"a":1.0}}` {
		t.Errorf("the params have become %s", got)
	}
	c.wantText("m.x", "m:x")
	if len(m.sent("notifications/roots/list_changed")) > 0 {
		t.Error("a modern server was told")
	}
}

// TestElicitationComplete goes to the client.
func TestElicitationComplete(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", silent)
	c := legacy(t, f)
	id := c.request("tools/call", callParams("s.x", ""))
	there := f.awaitSent("tools/call", 1)
	f.link(0).notify("notifications/elicitation/complete", `{"elicitationId":"e1","x":1.0}`)
	f.link(0).result(there.id, textResult("done"))
	c.answer(id)
	if got := c.message("notifications/elicitation/complete").Get("params").Raw; got != `{"elicitationId":"e1","x":1.0}` {
		t.Errorf("the params have become %s", got)
	}
}
