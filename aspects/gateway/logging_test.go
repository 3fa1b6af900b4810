package gateway_test

import (
	"slices"
	"testing"
)

// TestLogMessages come with the name of their server, where they have no
// logger, and as they are otherwise; and in the order of their call.
func TestLogMessages(t *testing.T) {
	t.Parallel()
	for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
		f.on("tools/call", func(l *link, _ arrival) string {
			l.notify("notifications/message", `{"level":"warning","data":{"n":1.0},"x-new":1}`)
			l.notify("notifications/message", `{"level":"error","logger":"own","data":"two"}`)
			l.notify("notifications/message", `{"level":"debug","data":"too low"}`)
			l.notify("notifications/message", `{"level":"none","data":"no level"}`)
			return textResult("done")
		})
		c := legacy(t, f)
		c.call("s.x", "")
		var got []string
		for _, m := range c.came("notifications/message") {
			got = append(got, m.Get("params").Raw)
		}
		want := []string{`{"logger":"s","level":"warning","data":{"n":1.0},"x-new":1}`, `{"level":"error","logger":"own","data":"two"}`}
		if !slices.Equal(got, want) {
			t.Errorf("the messages are\n%q, want\n%q", got, want)
		}
		c.close()
	}
}

// TestLogMessagesOutsideOfCalls come to a client that has made the handshake.
func TestLogMessagesOutsideOfCalls(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := legacy(t, f)
	f.link(0).notify("notifications/message", `{"level":"info","data":"by itself"}`)
	if got := c.message("notifications/message").Get("params").Raw; got != `{"logger":"s","level":"info","data":"by itself"}` {
		t.Errorf("the message is %s", got)
	}
}

// TestLogLevel: the servers know the client's before any request that comes after
// it, also those that come up later, or come back.
func TestLogLevel(t *testing.T) {
	t.Parallel()
	a, m, mute := legacyServer(t, "a", "x"), modernServer(t, "m", "x"), legacyServer(t, "mute", "x")
	mute.on("initialize", constant(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`))
	c := connect(t, settings{}, a, m, mute)
	c.initialize(`{}`)
	c.settle()
	if len(a.sent("logging/setLevel")) > 0 {
		t.Error("a level was set that nobody has asked for")
	}
	for number, level := range []string{"error", "debug", "critical"} {
		_, set := c.line("logging/setLevel", `{"level":"`+level+`"}`)
		call, calling := c.line("tools/call", callParams("a.x", ""))
		other, callingOther := c.line("tools/call", callParams("m.x", ""))
		last, callingLast := c.line("tools/call", callParams("mute.x", ""))
		c.send(set, calling, callingOther, callingLast)
		c.answer(call)
		c.answer(other)
		c.answer(last)
		var order []string
		for _, arrived := range a.sent("*") {
			if arrived.method == "logging/setLevel" {
				order = append(order, arrived.params.Get("level").Str)
			}
			if arrived.method == "tools/call" {
				order = append(order, "call")
			}
		}
		if len(order) != 2*number+2 || order[2*number] != level || order[2*number+1] != "call" {
			t.Errorf("the legacy server has got %q", order)
		}
		calls := m.sent("tools/call")
		if got := calls[len(calls)-1].params.Get(`_meta.io\.modelcontextprotocol/logLevel`).Str; got != level {
			t.Errorf("the modern server was asked for the level %q, want %q", got, level)
		}
	}
	if len(mute.sent("logging/setLevel")) > 0 {
		t.Error("a server that does not log was given a level")
	}
	a.link(0).exit(1)
	c.message("notifications/tools/list_changed")
	c.awaitTools(func(names []string) bool { return len(names) == 3 })
	c.call("a.x", "")
	if all := a.sent("logging/setLevel"); len(all) != 4 || all[3].params.Get("level").Str != "critical" {
		t.Errorf("after a restart the levels are %v", all)
	}
	c.refused("logging/setLevel", `{"level":"loud"}`, -32602)
	if len(a.sent("logging/setLevel")) != 4 {
		t.Error("a level that is none was handed on")
	}
}

// TestLogLevelBeforeTheServerIsThere holds for it as soon as it is.
func TestLogLevelBeforeTheServerIsThere(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	release := f.heldBack()
	c := connect(t, settings{}, f)
	c.initialize(`{}`)
	c.result("logging/setLevel", `{"level":"alert"}`)
	c.fence()
	close(release)
	c.call("s.x", "")
	var order []string
	for _, a := range f.sent("*") {
		if a.method == "logging/setLevel" || a.method == "tools/call" {
			order = append(order, a.method+a.params.Get("level").Str)
		}
	}
	if !slices.Equal(order, []string{"logging/setLevelalert", "tools/call"}) {
		t.Errorf("the server has got %q", order)
	}
}
