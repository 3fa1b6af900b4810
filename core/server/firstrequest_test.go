package server_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// meeting is an aspect that keeps account of first requests and of its tool
// "fast". The hook does whatever else it is given.
func meeting(then func()) (served *core.Aspect, did *journal) {
	did = new(journal)
	served = aspect(core.Tool{Name: "fast", Handler: func(context.Context, *core.Call) (core.Result, error) {
		did.add("fast")
		return core.Text("fast"), nil
	}})
	served.OnFirstRequest = func(_ context.Context, call *core.Call) {
		did.add("first " + call.Method())
		then()
	}
	return served, did
}

func noMore() {}

// The hook sees the first request that is served, once, before that is.
func TestOnFirstRequest(t *testing.T) {
	for name, test := range map[string]struct {
		messages []string
		want     string // what the aspect's code did
	}{
		"a call":                        {[]string{call(1, "fast"), call(2, "fast")}, "first tools/call, fast, fast"},
		"a list":                        {[]string{list(1), call(2, "fast")}, "first tools/list, fast"},
		"pings alone":                   {[]string{ping(1), ping(2)}, ""},
		"a ping before":                 {[]string{ping(1), call(2, "fast")}, "first tools/call, fast"},
		"a handshake":                   {[]string{initialize, initialized, call(2, "fast"), list(3)}, "fast"},
		"a ping before a handshake":     {[]string{ping(1), initialize, call(2, "fast")}, "fast"},
		"a late handshake":              {[]string{list(1), initialize, call(2, "fast")}, "first tools/list, fast"},
		"notifications":                 {[]string{initialized, cancellation(7), `{"jsonrpc":"2.0","method":"notifications/own"}`, call(1, "fast")}, "first tools/call, fast"},
		"a method that is not there":    {[]string{`{"jsonrpc":"2.0","id":1,"method":"own/method"}`, call(2, "fast")}, "first tools/call, fast"},
		"a malformed request":           {[]string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":5}`, `{"id":1}`, call(2, "fast")}, "first tools/call, fast"},
		"a tool that is not there":      {[]string{call(1, "none"), call(2, "fast")}, "first tools/call, fast"},
		"a handshake that is none":      {[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, call(2, "fast")}, "first tools/call, fast"},
		"a handshake after one that is": {[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, initialize, call(2, "fast")}, "fast"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served, did := meeting(noMore)
				c := connect(t, served, nil)
				c.send(test.messages...)
				c.wantEnd()
				var want []string
				if test.want != "" {
					want = strings.Split(test.want, ", ")
				}
				did.want(t, want...)
			})
		})
	}
}

// A method that the aspect serves itself is served, too.
func TestFirstRequestOfAnOwnMethod(t *testing.T) {
	served, did := meeting(noMore)
	served.OnMethod = func(context.Context, *core.Call) (core.Result, error) {
		did.add("method")
		return core.RawResult(`{}`), nil
	}
	c := connect(t, served, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"own/method"}`)
	c.wantIDs("1")
	c.wantEnd()
	did.want(t, "first own/method", "method")
}

// A client that the aspect has refused is known to it already.
func TestNoFirstRequestAfterARefusedHandshake(t *testing.T) {
	served, did := meeting(noMore)
	served.OnInitialize = func(context.Context, *core.Initialize) error { return errors.New("not you") }
	c := connect(t, served, nil)
	c.send(initialize, call(1, "fast"))
	c.wantError(`"init"`, -32603, "not you")
	c.wantText("1", "fast")
	c.wantEnd()
	did.want(t, "fast")
}

// The hook sees what the request says of its client, and its context is that of
// serving, not that of the request.
func TestFirstRequestTellsOfTheClient(t *testing.T) {
	served := aspect()
	contexts := make(chan context.Context, 1)
	served.OnFirstRequest = func(ctx context.Context, call *core.Call) {
		contexts <- ctx
		if call.Stateless() || call.ProtocolVersion() != "2025-11-25" || call.Params().Get("own").Raw != "1.0" || call.Meta().Get("b").Raw != "2" {
			t.Errorf("the hook sees version %s, params %s", call.ProtocolVersion(), call.Params().Raw)
		}
	}
	c := connect(t, served, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"own":1.0,"_meta":{"b":2}}}`)
	c.wantIDs("1")
	ctx := <-contexts
	if ctx.Err() != nil {
		t.Errorf("the context has ended with the request: %v", ctx.Err())
	}
	c.wantEnd()
	if ctx.Err() == nil {
		t.Error("the context has not ended with serving")
	}
}

// The hook runs beside the aspect's other code, so that it need not wait for it.
func TestFirstRequestRunsBesideOtherCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served, did := meeting(noMore)
		hosts := hosted(served)
		c := connect(t, served, nil)
		g := newGate(t)
		if err := (<-hosts).PostAction(core.Action{Run: func(context.Context) { g.pass(); did.add("action") }}); err != nil {
			t.Fatal(err)
		}
		<-g.reached
		c.send(list(1))
		c.wantIDs("1")
		did.want(t, "first tools/list")
		g.open()
		c.wantEnd()
		did.want(t, "first tools/list", "action")
	})
}

// Code that fails there costs nothing: the request is served, and so are others.
func TestFirstRequestFails(t *testing.T) {
	for name, fail := range map[string]func(){"panics": func() { panic("no") }, "ends its goroutine": runtime.Goexit} {
		for _, asynchronous := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, asynchronous=%t", name, asynchronous), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					served, did := meeting(fail)
					served.Asynchronous = asynchronous
					c := connect(t, served, nil)
					c.send(call(1, "fast"))
					c.wantText("1", "fast")
					c.send(call(2, "fast"))
					c.wantText("2", "fast")
					c.wantTraced("OnFirstRequest")
					c.wantEnd()
					did.want(t, "first tools/call", "fast", "fast")
				})
			})
		}
	}
}

// wantTraced makes sure that the trace has these words.
func (c *client) wantTraced(words string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"trace","method":"tools/call","params":{"name":"readTrace"}}`)
	if got := c.next(); got.Get("id").Str != "trace" || !strings.Contains(got.Get("result.content.0.text").Str, words) {
		c.t.Errorf("the trace is %s, want it to have %q", got.Raw, words)
	}
}
