package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
)

func itoa(n int) string { return strconv.Itoa(n) }

func sayNothing(context.Context, ServerRequest) (json.RawMessage, error) {
	return json.RawMessage(`{"role":"assistant","model":"m","content":{"type":"text","text":"hm"}}`), nil
}

// ask sends a request of the server and gives the client's answer.
func (l *fakeLink) ask(id, method, params string) arrival {
	before := len(l.sent(""))
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		count := 0
		for _, message := range l.got {
			if message.Method == "" {
				if count++; count > before {
					return arrival{body: parsed(message.Body)}
				}
			}
		}
		l.arrived.Wait()
	}
}

func TestServerAsks(t *testing.T) {
	handlers := map[string]Handler{
		"sampling/createMessage": sayNothing,
		"roots/list": func(_ context.Context, request ServerRequest) (json.RawMessage, error) {
			return json.RawMessage("{\n\"roots\":[]," + `"got":` + string(request.Params) + "}"), nil
		},
		"elicitation/create": func(context.Context, ServerRequest) (json.RawMessage, error) {
			return nil, &core.Error{Code: -1, Message: "User rejected", Data: json.RawMessage(`{"a": 1}`)}
		},
		"x/error":  func(context.Context, ServerRequest) (json.RawMessage, error) { return nil, errors.New("broken") },
		"x/panic":  func(context.Context, ServerRequest) (json.RawMessage, error) { panic("secret") },
		"x/none":   func(context.Context, ServerRequest) (json.RawMessage, error) { return nil, nil },
		"x/scalar": func(context.Context, ServerRequest) (json.RawMessage, error) { return json.RawMessage(`7`), nil },
	}
	_, server := connectLegacy(t, Options{Handlers: handlers})
	link, _ := server.link()
	for _, test := range []struct{ id, method, want string }{
		{`"a"`, "ping", `"result":{}`},
		{`7`, "roots/list", `"result":{"roots":[],"got":{"p":1}}`},
		{`9007199254740993`, "sampling/createMessage", `"result":{"role":"assistant","model":"m","content":{"type":"text","text":"hm"}}`},
		{`1`, "elicitation/create", `"error":{"code":-1,"message":"User rejected","data":{"a":1}}`},
		{`2`, "x/error", `"error":{"code":-32603,"message":"broken"}`},
		{`3`, "x/panic", `"error":{"code":-32603,"message":"Internal Error [the client's handler failed]"}`},
		{`4`, "x/unknown", `"error":{"code":-32601,"message":"Method Not Found [x/unknown]"}`},
		{`5`, "x/none", `"error":{"code":-32603,"message":"the handler of x/none gave no result`},
		{`6`, "x/scalar", `"error":{"code":-32603,"message":"the handler of x/scalar gave no result`},
	} {
		got := link.ask(test.id, test.method, `{"p":1}`).body.Raw
		if want := `{"jsonrpc":"2.0","id":` + test.id + `,` + test.want; !strings.HasPrefix(got, want) {
			t.Errorf("%s is answered with\n%s, want\n%s", test.method, got, want)
		}
	}
	if got, want := link.sent("initialize")[0].params.Get("capabilities").Raw, `{"elicitation":{"form":{}},"roots":{"listChanged":true},"sampling":{}}`; got != want {
		t.Errorf("the client declares %s, want %s", got, want)
	}
}

// TestNothingIsOffered: without handlers everything is refused, and nothing is
// declared.
func TestNothingIsOffered(t *testing.T) {
	_, server := connectLegacy(t, Options{})
	link, _ := server.link()
	for _, method := range []string{"sampling/createMessage", "elicitation/create", "roots/list"} {
		if got := link.ask(`1`, method, `{}`).body.Get("error.code").Int(); got != -32601 {
			t.Errorf("%s is answered with code %d, want -32601", method, got)
		}
	}
	if got := link.sent("initialize")[0].params.Get("capabilities").Raw; got != `{}` {
		t.Errorf("the client declares %s, want {}", got)
	}
}

// TestFormsOfASampledMessage: one block or several, as the revision has it.
func TestFormsOfASampledMessage(t *testing.T) {
	const text, use = `{"type":"text","text":"a"}`, `{"type":"tool_use","id":"1","name":"n","input":{}}`
	for _, test := range []struct{ version, content, want string }{
		{"2025-11-25", text, text},
		{"2025-11-25", `[` + text + `,` + use + `]`, `[` + text + `,` + use + `]`},
		{"2025-11-25", `[]`, `[]`},
		{"2025-11-25", `[{"type":"hologram"}]`, `[{"type":"hologram"}]`},
		{"2025-06-18", text, text},
		{"2025-06-18", `[` + text + `]`, text},
		{"2025-06-18", `[` + text + `,` + text + `]`, "2 blocks"},
		{"2025-06-18", `[]`, "0 blocks"},
		{"2025-11-25", `[` + text + `,7]`, "content[1] is no block"},
		{"2025-11-25", `{}`, "content[0] is no block"},
		{"2025-11-25", `"a"`, "neither a block nor an array"},
	} {
		server := &fake{serve: serveWith(legacyServer(test.version))}
		connect(t, server, Options{Era: EraLegacy, Handlers: map[string]Handler{
			"sampling/createMessage": func(context.Context, ServerRequest) (json.RawMessage, error) {
				return json.RawMessage(`{"role":"assistant","model":"m","content":` + test.content + `}`), nil
			},
		}})
		link, _ := server.link()
		got := link.ask("1", "sampling/createMessage", `{}`).body
		if content := got.Get("result.content").Raw; content != test.want && !strings.Contains(got.Get("error.message").Str, test.want) {
			t.Errorf("under %s the content %s is sent as %s, want %s", test.version, test.content, got.Raw, test.want)
		}
	}
}

// TestQuestionsBelongToCalls: to the only call that is open, or else to the
// newest.
func TestQuestionsBelongToCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var asked []string
		c, server := connectLegacy(t, Options{Handlers: map[string]Handler{
			"roots/list": func(_ context.Context, request ServerRequest) (json.RawMessage, error) {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, fmt.Sprintf("%v %t", request.Tag, request.Exact))
				return json.RawMessage(`{"roots":[]}`), nil
			},
		}}, actions{"tools/call": constant(""), "prompts/list": constant("")})
		link, _ := server.link()
		ask := func(id string) {
			link.ask(id, "roots/list", `{}`)
			synctest.Wait()
		}
		call := func(method, tag string) {
			go c.Do(t.Context(), &Request{Method: method, Params: []byte(`{"name":"t"}`), Tag: tag})
			synctest.Wait()
		}
		ask("1")
		call("tools/call", "first")
		call("prompts/list", "a list asks nothing")
		ask("2")
		call("tools/call", "second")
		ask("3")
		if got, want := strings.Join(asked, "; "), "<nil> false; first true; second false"; got != want {
			t.Errorf("the questions belong to %s, want %s", got, want)
		}
		c.Interrupt()
	})
}

// TestWaitingForUsIsNoSilence: a call does not time out while the server waits
// for our own answer.
func TestWaitingForUsIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := connectLegacy(t, Options{CallTimeout: time.Second, Handlers: map[string]Handler{
			"elicitation/create": func(context.Context, ServerRequest) (json.RawMessage, error) {
				time.Sleep(time.Minute)
				return json.RawMessage(`{"action":"accept"}`), nil
			},
		}}, actions{
			"tools/call": func(l *fakeLink, a arrival) string {
				go func() {
					l.ask(`"q"`, "elicitation/create", `{}`)
					l.result(a.id, `{"content":[]}`)
				}()
				return ""
			},
		})
		if _, err := c.CallTool(t.Context(), "t", nil); err != nil {
			t.Errorf("the call gives %v", err)
		}
	})
}

// TestQuestionIsWithdrawn: its handler's context ends, and it is not answered.
func TestQuestionIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		_, server := connectLegacy(t, Options{Handlers: map[string]Handler{
			"roots/list": func(ctx context.Context, _ ServerRequest) (json.RawMessage, error) {
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			},
		}})
		link, _ := server.link()
		link.say(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
		synctest.Wait()
		link.notify("notifications/cancelled", `{"requestId":"other"}`)
		link.notify("notifications/cancelled", `{"requestId":{}}`)
		link.notify("notifications/cancelled", `null`)
		link.notify("notifications/cancelled", `{"requestId":"q"}`)
		<-ended
		synctest.Wait()
		if got := link.sent(""); len(got) > 0 {
			t.Errorf("the withdrawn question is answered with %v", got)
		}
	})
}

// TestQuestionsAreBounded in number, and an id that is open is not taken twice.
func TestQuestionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, server := connectLegacy(t, Options{Handlers: map[string]Handler{
			"roots/list": func(ctx context.Context, _ ServerRequest) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
		}})
		link, _ := server.link()
		for i := range maxQuestions {
			link.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, i))
		}
		if got := link.ask("64", "roots/list", `{}`).body.Get("error.code").Int(); got != -32603 {
			t.Errorf("one question too many is answered with code %d, want -32603", got)
		}
		if got := link.ask("3", "roots/list", `{}`).body.Get("error.code").Int(); got != -32600 {
			t.Errorf("an open id is answered with code %d, want -32600", got)
		}
	})
}

// TestEarlyQuestions: before the handshake is over only ping is answered.
func TestEarlyQuestions(t *testing.T) {
	var roots, ping arrival
	server := &fake{serve: serveWith(legacyServer("2025-11-25"), actions{"initialize": func(l *fakeLink, a arrival) string {
		roots, ping = l.ask("1", "roots/list", `{}`), l.ask("2", "ping", `{}`)
		l.notify("notifications/tools/list_changed", `{}`)
		l.notify("notifications/message", `{}`)
		return legacyServer("2025-11-25")["initialize"](l, a)
	}})}
	connect(t, server, Options{Era: EraLegacy, Handlers: map[string]Handler{"roots/list": sayNothing}})
	if roots.body.Get("error.code").Int() != -32600 || ping.body.Get("result").Raw != `{}` {
		t.Errorf("before the handshake roots/list is answered with %s and ping with %s", roots.body.Raw, ping.body.Raw)
	}
}

// TestModernServerMustNotAsk: its requests are not answered at all.
func TestModernServerMustNotAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := connectModern(t, Options{Handlers: map[string]Handler{"roots/list": sayNothing}})
		link, _ := server.link()
		link.say(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		link.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		synctest.Wait()
		if got := link.sent(""); len(got) > 0 || c.Strays() != 2 {
			t.Errorf("the requests are answered with %v, and %d are stray", got, c.Strays())
		}
	})
}
