package gateway_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestServerThatDies: what is open there fails at once, with the reason; its
// tools are withdrawn; it is started again; and no call is repeated.
func TestServerThatDies(t *testing.T) {
	t.Parallel()
	for _, server := range []func(*testing.T, string, ...string) *fake{legacyServer, modernServer} {
		f, other := server(t, "s", "x"), legacyServer(t, "other", "x")
		f.has("prompts", promptOf("p")).has("resources", resourceOf("r://1"))
		f.on("tools/call", silent).on("prompts/get", silent).on("resources/read", silent)
		c := legacy(t, f, other)
		call := c.request("tools/call", callParams("s.x", ""))
		prompt := c.request("prompts/get", `{"name":"s.p"}`)
		read := c.request("resources/read", `{"uri":"r://1"}`)
		f.awaitSent("tools/call", 1)
		f.awaitSent("prompts/get", 1)
		f.awaitSent("resources/read", 1)
		f.link(0).complain("panic: oops\n")
		f.link(0).exit(3)
		result := c.answer(call)
		for _, words := range []string{`server \"s\"`, "exit status 3", "panic: oops"} {
			if !result.Get("result.isError").Bool() || !strings.Contains(result.Raw, words) {
				t.Errorf("the call gives %s, want an error with %s", result.Raw, words)
			}
			for _, id := range []string{prompt, read} {
				if words == "panic: oops" {
					if got := c.answer(id); got.Get("error.code").Int() != -32603 || !strings.Contains(got.Raw, words) {
						t.Errorf("another request gives %s", got.Raw)
					}
				}
			}
		}
		c.state("s", "not connected", "exit status 3", "panic: oops", "next attempt")
		c.message("notifications/tools/list_changed")
		if got := c.tools(); !slices.Equal(got, []string{"other.x"}) && f.starts() == 1 {
			t.Errorf("without the server, the tools are %q", got)
		}
		if f.starts() == 1 {
			c.wantToolError("s.x", `server "s" is not connected`, "exit status 3", "panic: oops")
		}
		c.wantText("other.x", "other:x")
		f.link(1)
		c.state("s", "connected, ", " era, ")
		c.awaitTools(func(names []string) bool { return len(names) == 2 })
		if got := len(f.sent("tools/call")); got != 1 {
			t.Errorf("the server was called %d times", got)
		}
		f.on("tools/call", constant(textResult("again")))
		c.wantText("s.x", "again")
		if about := c.about(); !strings.Contains(about, "Server s: connected") {
			t.Errorf("about_tsar-mcp says\n%s", about)
		}
		c.close()
	}
}

// TestKilledWhenIdle is noticed without anybody calling.
func TestKilledWhenIdle(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := legacy(t, f)
	kill(t, f.link(0).greeting.PID)
	c.state("s", "not connected", "killed")
	c.message("notifications/tools/list_changed")
	f.link(1)
	c.awaitTools(func(names []string) bool { return len(names) == 1 })
	c.wantText("s.x", "s:x")
}

// TestCrashLoop: a server that dies again and again is started ever more
// rarely, and its state is told as often.
func TestCrashLoop(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	crashes := 0
	f.live = func(l *link) {
		if crashes++; crashes <= 6 {
			l.complain("no licence\n")
			l.exit(7)
			return
		}
		l.serve()
	}
	c := connect(t, settings{flags: []string{"--list-wait=0"}}, f)
	begun := time.Now()
	c.initialize(`{}`)
	told := c.state("s", "not connected", "exit status 7", "no licence")
	if !strings.Contains(told.Raw, "next attempt within") {
		t.Errorf("it is not said when it is tried again: %s", told.Raw)
	}
	about := c.about()
	for _, want := range []string{"Server s: not connected: ", "exit status 7; the end of its stderr: no licence", "; next attempt within "} {
		if !strings.Contains(about, want) {
			t.Errorf("about_tsar-mcp has no %q:\n%s", want, about)
		}
	}
	c.awaitTools(func(names []string) bool { return len(names) == 1 })
	// An attempt starts it twice: it may have died of the other era's question. The
	// waits are at least half of 500 ms, 1 s and 2 s, on the fastest machine.
	if passed := time.Since(begun); passed < 1750*time.Millisecond {
		t.Errorf("three attempts took %v", passed)
	}
	c.wantText("s.x", "s:x")
}

// TestOneBadServer: neither one that ends, nor one that says nothing, nor one
// that talks nonsense, holds up the others, and each is named with its reason.
func TestOneBadServer(t *testing.T) {
	t.Parallel()
	good, dead, mute, wrong := legacyServer(t, "good", "x"), legacyServer(t, "dead", "x"), legacyServer(t, "mute", "x"), legacyServer(t, "wrong", "x")
	dead.live = func(l *link) { l.complain("cannot start\n"); l.exit(1) }
	mute.live = func(l *link) {
		for {
			if _, ok := l.next(); !ok {
				return
			}
		}
	}
	wrong.on("initialize", constant(`{"protocolVersion":"1999-01-01","capabilities":{}}`))
	c := connect(t, settings{flags: []string{"--list-wait=0", "--connect-timeout=2s"}}, dead, mute, wrong, good)
	c.initialize(`{}`)
	c.awaitTools(func(names []string) bool { return slices.Equal(names, []string{"good.x"}) })
	c.wantText("good.x", "good:x")
	c.state("dead", "cannot start", "exit status 1")
	c.state("wrong", "1999-01-01")
	c.state("mute", "connecting took too long", "2s")
	about := c.about()
	for _, want := range []string{"Server good: connected, legacy era, 2025-11-25, 1 tools", "Server dead: not connected: ", "cannot start", "Server wrong: not connected: ", "Server mute: not connected: "} {
		if !strings.Contains(about, want) {
			t.Errorf("about_tsar-mcp has no %q:\n%s", want, about)
		}
	}
	c.wantToolError("dead.x", `server "dead" is not connected`, "cannot start")
	c.refused("tools/call", callParams("nobody.x", ""), -32602, "Unknown tool: nobody.x")
}

// TestListsDoNotWaitForEver for a server that is still starting.
func TestListsDoNotWaitForEver(t *testing.T) {
	t.Parallel()
	good, mute := legacyServer(t, "good", "x"), legacyServer(t, "mute", "x")
	release := make(chan struct{})
	mute.on("initialize", func(*link, arrival) string {
		<-release
		return `{"protocolVersion":"2025-11-25","capabilities":` + everything + `}`
	})
	c := connect(t, settings{flags: []string{"--list-wait=100ms"}}, mute, good)
	c.initialize(`{}`)
	// A list that comes at once has what is there after a while; a ping, and a call
	// of the good one, do not wait for the other.
	list := c.request("tools/list", `{}`)
	late := c.request("tools/call", callParams("mute.x", ""))
	c.fence()
	c.wantText("good.x", "good:x")
	c.answer(list)
	c.awaitTools(func(names []string) bool { return slices.Contains(names, "good.x") })
	if about := c.about(); !strings.Contains(about, "Server mute: starting") {
		t.Errorf("about_tsar-mcp says\n%s", about)
	}
	close(release)
	if got := c.answer(late); got.Get("result.content.0.text").Str != "mute:x" {
		t.Errorf("a call that waited gives %s", got.Raw)
	}
	c.awaitTools(func(names []string) bool { return len(names) == 2 })
}

// TestHangingServer: a call that is never answered is the client's to cancel, or
// ends at the entry's time limit, at which the server is told.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x", "y")
	f.entry = `"timeout":"2s"`
	f.on("tools/call", func(_ *link, a arrival) string {
		if a.params.Get("name").Str == "y" {
			return textResult("y")
		}
		return ""
	})
	c := legacy(t, f)
	id := c.request("tools/call", callParams("s.x", ""))
	c.wantText("s.y", "y")
	if got := c.answer(id); !got.Get("result.isError").Bool() || !strings.Contains(got.Raw, "2s") {
		t.Errorf("the call gives %s", got.Raw)
	}
	cancelled := f.awaitSent("notifications/cancelled", 1)
	if got, want := cancelled.params.Get("requestId").Raw, f.sent("tools/call")[0].id; got != want {
		t.Errorf("%s was cancelled, want %s", got, want)
	}
	c.wantText("s.y", "y")
}

// TestStderr: whatever a server writes there, it does not stop it, and the end
// of it is shown when it dies.
func TestStderr(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	spew := func(l *link) {
		for range 16 {
			l.complain(strings.Repeat("0", 64<<10))
		}
		l.complain("\nlast words\n")
	}
	f.live = func(l *link) { spew(l); l.serve() }
	f.on("tools/call", func(l *link, _ arrival) string { spew(l); return textResult("done") })
	c := legacy(t, f)
	c.wantText("s.x", "done")
	f.link(0).exit(9)
	told := c.state("s", "exit status 9", "last words")
	if len(told.Raw) > 8<<10 {
		t.Errorf("the reason has %d bytes", len(told.Raw))
	}
}
