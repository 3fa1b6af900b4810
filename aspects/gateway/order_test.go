package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestOrderOfCalls: a thousand calls that come at once reach their server in
// their order, also when it is only being started.
func TestOrderOfCalls(t *testing.T) {
	t.Parallel()
	const calls = 1_000
	for _, early := range []bool{false, true} {
		t.Run(fmt.Sprintf("early %t", early), func(t *testing.T) {
			t.Parallel()
			a, b := legacyServer(t, "a", "x"), modernServer(t, "b", "x")
			b.on("tools/call", silent)
			c := connect(t, settings{}, a, b)
			c.initialize(`{}`)
			if !early {
				c.settle()
			}
			var lines, ids []string
			for i := range calls {
				id, line := c.line("tools/call", callParams("a.x", fmt.Sprintf(`{"n":%d}`, i)))
				ids, lines = append(ids, id), append(lines, line)
				if i%3 == 0 {
					// One that is never answered, of another server, is in nobody's way.
					_, line := c.line("tools/call", callParams("b.x", fmt.Sprintf(`{"n":%d}`, i)))
					lines = append(lines, line)
				}
			}
			c.send(lines...)
			for _, id := range ids {
				if got := c.answer(id); got.Get("result.content.0.text").Str != "a:x" {
					t.Fatalf("a call gives %s", got.Raw)
				}
			}
			wantCounted(t, a, calls, 1)
			b.awaitSent("tools/call", calls/3+1)
			wantCounted(t, b, calls/3+1, 3)
			if early && a.starts()+b.starts() != 2 {
				t.Errorf("the servers were started %d and %d times", a.starts(), b.starts())
			}
		})
	}
}

// wantCounted demands that a server has been called in order.
func wantCounted(t *testing.T, f *fake, calls, step int) {
	t.Helper()
	all := f.sent("tools/call")
	if len(all) != calls {
		t.Fatalf("server %s was called %d times, want %d", f.name, len(all), calls)
	}
	for i, a := range all {
		if got := a.params.Get("arguments.n").Int(); got != int64(i*step) {
			t.Fatalf("call %d of server %s is number %d", i, f.name, got)
		}
	}
}

// TestOrderWithCancelledCalls: a call that was cancelled while it waited for its
// turn lets nobody overtake.
func TestOrderWithCancelledCalls(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	release := make(chan struct{})
	f.on("tools/list", func(l *link, a arrival) string { <-release; return listing("tools")(l, a) })
	c := connect(t, settings{}, f)
	c.initialize(`{}`)
	var sent []string
	for i := range 30 {
		id := c.request("tools/call", callParams("s.x", fmt.Sprintf(`{"n":%d}`, i)))
		if i%2 == 1 {
			c.cancel(id)
		} else {
			sent = append(sent, id)
		}
	}
	c.fence()
	close(release)
	for _, id := range sent {
		c.answer(id)
	}
	wantCounted(t, f, len(sent), 2)
	if cancelled := f.sent("notifications/cancelled"); len(cancelled) > 0 {
		t.Errorf("calls were cancelled that the server does not know of: %v", cancelled)
	}
}

// TestOrderOfMethods: what is said about a server reaches it in order, whatever
// it is.
func TestOrderOfMethods(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.has("prompts", promptOf("p"))
	f.has("resources", resourceOf("r://1"))
	c := legacy(t, f)
	before := len(f.sent("*"))
	var lines []string
	add := func(method, params string) {
		_, line := c.line(method, params)
		lines = append(lines, line)
	}
	for range 50 {
		add("tools/call", callParams("s.x", ""))
		add("prompts/get", `{"name":"s.p"}`)
		add("resources/read", `{"uri":"r://1"}`)
		add("completion/complete", `{"ref":{"type":"ref/prompt","name":"s.p"},"argument":{"name":"a","value":"b"}}`)
	}
	c.send(lines...)
	f.awaitSent("completion/complete", 50)
	want := strings.Repeat("tools/call prompts/get resources/read completion/complete ", 50)
	got := ""
	for _, a := range f.sent("*")[before:] {
		got += a.method + " "
	}
	if got != want {
		t.Errorf("they came as %s", got)
	}
}

// TestOneChild: a server is started once, however many requests come first.
func TestOneChild(t *testing.T) {
	t.Parallel()
	f, second := legacyServer(t, "s", "x"), modernServer(t, "m", "x")
	c := connect(t, settings{}, f, second)
	c.initialize(`{}`)
	var ids []string
	for range 20 {
		ids = append(ids, c.request("tools/call", callParams("s.x", "")), c.request("tools/call", callParams("m.x", "")))
	}
	for _, id := range ids {
		if answer := c.answer(id); answer.Get("result.isError").Bool() || !answer.Get("result").Exists() {
			t.Errorf("a call gives %s", answer.Raw)
		}
	}
	c.initialize(`{}`)
	c.settle()
	if f.starts() != 1 || second.starts() != 1 {
		t.Errorf("the servers were started %d and %d times", f.starts(), second.starts())
	}
}

// TestIds: the client's ids come back as they were, and stay with their
// requests.
func TestIds(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", func(_ *link, a arrival) string { return textResult(a.params.Get("arguments.id").Str) })
	c := legacy(t, f)
	for _, id := range []string{`"init-7"`, `"1"`, `1`, `""`, `"ü"`, `0`, `-3`, `9007199254740993`, `18446744073709551615`, `1.0`, `1e2`} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":%s}`, id, callParams("s.x", `{"id":`+quoted(id)+`}`)))
		if got := c.answer(id).Get("result.content.0.text").Str; got != id {
			t.Errorf("the answer to %s is that to %s", id, got)
		}
	}
	c.send(`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":` + callParams("s.x", "") + `}`)
	c.take("a refusal", func(m gjson.Result) bool { return m.Get("error.code").Int() == -32600 })
	c.fence()
	if got := len(f.sent("tools/call")); got != 11 {
		t.Errorf("the server was called %d times, want 11", got)
	}
}

// TestIdsOfOurOwn: what the client calls its requests is no business of the
// servers', and the servers' ids none of the client's.
func TestIdsOfOurOwn(t *testing.T) {
	t.Parallel()
	servers := []*fake{legacyServer(t, "a", "x"), legacyServer(t, "b", "x")}
	for _, f := range servers {
		f.on("tools/call", silent)
	}
	c := legacy(t, servers...)
	c.send(`{"jsonrpc":"2.0","id":0,"method":"tools/call","params":`+callParams("a.x", `{"n":1}`)+`}`,
		`{"jsonrpc":"2.0","id":"0","method":"tools/call","params":`+callParams("b.x", `{"n":2}`)+`}`,
		`{"jsonrpc":"2.0","id":"zero","method":"tools/call","params":`+callParams("a.x", `{"n":3}`)+`}`)
	first, second := servers[0].awaitSent("tools/call", 1), servers[1].awaitSent("tools/call", 1)
	third := servers[0].awaitSent("tools/call", 2)
	// A server that answers out of order, and one that answers what was not asked.
	servers[0].link(0).result("0", textResult("nobody"))
	servers[0].link(0).result(`"zero"`, textResult("nobody"))
	servers[0].link(0).result(third.id, textResult("third"))
	servers[0].link(0).result(first.id, textResult("first"))
	servers[0].link(0).result(first.id, textResult("again"))
	servers[1].link(0).result(second.id, textResult("second"))
	for id, want := range map[string]string{`0`: "first", `"0"`: "second", `"zero"`: "third"} {
		if got := c.answer(id).Get("result.content.0.text").Str; got != want {
			t.Errorf("the answer to %s is %q, want %q", id, got, want)
		}
	}
	if first.id == third.id {
		t.Errorf("two requests have the id %s", first.id)
	}
	c.fence()
	for _, id := range []string{`0`, `"0"`, `"zero"`} {
		if _, twice, _, _ := c.find(func(m gjson.Result) bool { return m.Get("id").Raw == id }); twice {
			t.Errorf("%s was answered twice", id)
		}
	}
}

// TestWaitingForOneServerHoldsUpNoOther: a request that may be for several servers
// gives up its place at each as soon as it is known not to be for that.
func TestWaitingForOneServerHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	mute, good := legacyServer(t, "mute"), legacyServer(t, "good", "x")
	mute.on("initialize", silent)
	c := connect(t, settings{flags: []string{"--connect-timeout=5m"}}, mute, good)
	c.initialize(`{}`)
	_, completing := c.line("completion/complete", `{"ref":{"type":"ref/resource","uri":"no://{x}"},"argument":{"name":"x","value":"v"}}`)
	_, reading := c.line("resources/read", `{"uri":"no://1"}`)
	id, calling := c.line("tools/call", callParams("good.x", ""))
	c.send(completing, reading, calling)
	if got := c.answer(id).Get("result.content.0.text").Str; got != "good:x" {
		t.Errorf("the call gives %q", got)
	}
}
