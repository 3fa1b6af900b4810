package gateway_test

import (
	"testing"
	"time"

	"mcpserver/core/server"
)

// TestCancellation reaches the one server that has the request, with the id
// that the request has there.
func TestCancellation(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ method, params string }{
		{"tools/call", callParams("b.x", "")},
		{"prompts/get", `{"name":"b.p"}`},
		{"resources/read", `{"uri":"r://b"}`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"b.p"},"argument":{"name":"a","value":"b"}}`},
	} {
		t.Run(test.method, func(t *testing.T) {
			t.Parallel()
			a, b, m := legacyServer(t, "a", "x"), legacyServer(t, "b", "x"), modernServer(t, "m", "x")
			b.on(test.method, silent)
			a.on("tools/call", silent)
			m.on("tools/call", silent)
			b.has("prompts", promptOf("p"))
			b.has("resources", resourceOf("r://b"))
			c := legacy(t, a, b, m)
			// Others are under way, there and elsewhere.
			others := c.request("tools/call", callParams("a.x", ""))
			modern := c.request("tools/call", callParams("m.x", ""))
			id := c.request(test.method, test.params)
			second := c.request(test.method, test.params)
			there := b.awaitSent(test.method, 1)
			c.cancel(id)
			cancelled := b.awaitSent("notifications/cancelled", 1)
			if got := cancelled.params.Get("requestId").Raw; got != there.id {
				t.Errorf("the server was told to cancel %s, want %s", got, there.id)
			}
			// What a server answers all the same is nobody's.
			b.link(0).result(there.id, textResult("too late"))
			b.link(0).result(b.awaitSent(test.method, 2).id, textResult("in time"))
			c.answer(second)
			a.link(0).result(a.awaitSent("tools/call", 1).id, textResult("a"))
			c.answer(others)
			c.cancel(modern)
			if got, want := m.awaitSent("notifications/cancelled", 1).params.Get("requestId").Raw, m.sent("tools/call")[0].id; got != want {
				t.Errorf("the modern server was told to cancel %s, want %s", got, want)
			}
			c.fence()
			if len(a.sent("notifications/cancelled")) > 0 || len(b.sent("notifications/cancelled")) != 1 {
				t.Error("something else was cancelled, too")
			}
			if _, answered, _, _ := c.find(isAnswerTo(id)); answered {
				t.Error("a request that was cancelled was answered")
			}
		})
	}
}

// TestClientThatLeaves: what it had under way is cancelled, before the server
// is ended.
func TestClientThatLeaves(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"end of input", "context"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			f := legacyServer(t, "s", "x")
			f.on("tools/call", silent)
			c := legacyWith(t, settings{options: quick}, `{}`, f)
			id := c.request("tools/call", callParams("s.x", ""))
			there := f.awaitSent("tools/call", 1)
			if way == "context" {
				c.end()
			} else {
				c.in.Close()
			}
			if got := c.answer(id); !got.Get("result.isError").Bool() && !got.Get("error").Exists() {
				t.Errorf("a request that could not be finished was answered with %s", got.Raw)
			}
			c.wait()
			cancelled := f.sent("notifications/cancelled")
			if len(cancelled) != 1 || cancelled[0].params.Get("requestId").Raw != there.id {
				t.Errorf("the server was told to cancel %v, want %s", cancelled, there.id)
			}
		})
	}
}

// TestCancelledWhileItsServerStarts: it never gets there.
func TestCancelledWhileItsServerStarts(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	release := f.heldBack()
	c := connect(t, settings{}, f)
	c.initialize(`{}`)
	id := c.request("tools/call", callParams("s.x", ""))
	c.cancel(id)
	c.fence()
	close(release)
	c.wantText("s.x", "s:x")
	if got := len(f.sent("tools/call")); got != 1 {
		t.Errorf("the server was called %d times, want once", got)
	}
}

// TestTimeLimitOfCalls: a call that the gateway's own limit ends is cancelled at
// the server.
func TestTimeLimitOfCalls(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", silent)
	c := legacyWith(t, settings{options: &server.Options{CallTimeout: 2 * time.Second}}, `{}`, f)
	c.wantToolError("s.x", "")
	if got, want := f.awaitSent("notifications/cancelled", 1).params.Get("requestId").Raw, f.sent("tools/call")[0].id; got != want {
		t.Errorf("%s was cancelled, want %s", got, want)
	}
}
