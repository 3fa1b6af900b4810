package gateway_test

import (
	"slices"
	"strings"
	"testing"
)

// TestSubscriptions reach the server that has the resource, under its own URI; and
// its updates the client, under the one that it knows.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), modernServer(t, "b")
	for _, f := range []*fake{a, b} {
		f.has("resources", resourceOf("cfg://info"), resourceOf("only://"+f.name))
	}
	c := legacy(t, a, b)
	for _, uri := range []string{"cfg://info", "b+cfg://info", "only://b"} {
		c.result("resources/subscribe", `{"uri":"`+uri+`"}`)
	}
	if got := a.awaitSent("resources/subscribe", 1).params.Raw; got != `{"uri":"cfg://info"}` {
		t.Errorf("the legacy server is asked for %s", got)
	}
	b.awaitStream(`["cfg://info","only://b"]`)
	a.updated("cfg://info")
	if got := c.message("notifications/resources/updated").Get("params").Raw; got != `{"uri":"cfg://info"}` {
		t.Errorf("an update of a is told as %s", got)
	}
	b.updated("cfg://info")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "b+cfg://info" {
		t.Errorf("an update of b is told of %s", got)
	}
	b.updated("only://b")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "only://b" {
		t.Errorf("an update of b is told of %s", got)
	}
	// What nobody has subscribed to, and what nobody wants any more.
	c.result("resources/unsubscribe", `{"uri":"b+cfg://info"}`)
	c.result("resources/unsubscribe", `{"uri":"cfg://info"}`)
	a.awaitSent("resources/unsubscribe", 1)
	b.awaitStream(`["only://b"]`)
	a.updated("cfg://info")
	a.updated("only://a")
	b.updated("cfg://info")
	b.updated("only://b")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "only://b" {
		t.Errorf("an update is told of %s, want only://b", got)
	}
	a.link(0).ask(`"fence"`, "ping", `{}`)
	a.response(`"fence"`)
	c.fence()
	if got := c.came("notifications/resources/updated"); len(got) > 0 {
		t.Errorf("the client is told of %v", got)
	}
}

// updated has the server tell of an update.
func (f *fake) updated(uri string) {
	meta := ""
	if streams := f.sent("subscriptions/listen"); len(streams) > 0 {
		meta = `"_meta":{"io.modelcontextprotocol/subscriptionId":` + streams[len(streams)-1].id + `},`
	}
	f.link(f.starts()-1).notify("notifications/resources/updated", `{`+meta+`"uri":`+quoted(uri)+`}`)
}

// awaitStream waits until the newest stream of a modern server is for these
// resources.
func (f *fake) awaitStream(uris string) {
	f.t.Helper()
	f.await("a stream for "+uris, func() bool {
		streams := f.sentLocked("subscriptions/listen")
		return len(streams) > 0 && streams[len(streams)-1].params.Get("notifications.resourceSubscriptions").Raw == uris
	})
}

// TestSubscriptionUnderTwoNames: a resource can be read under its server's name,
// too, and so it can be watched.
func TestSubscriptionUnderTwoNames(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "a")
	f.has("resources", resourceOf("cfg://info"))
	c := legacy(t, f)
	c.result("resources/subscribe", `{"uri":"cfg://info"}`)
	c.result("resources/subscribe", `{"uri":"a+cfg://info"}`)
	f.awaitSent("resources/subscribe", 1)
	f.updated("cfg://info")
	got := []string{c.message("notifications/resources/updated").Get("params.uri").Str, c.message("notifications/resources/updated").Get("params.uri").Str}
	slices.Sort(got)
	if !slices.Equal(got, []string{"a+cfg://info", "cfg://info"}) {
		t.Errorf("the update is told of %q", got)
	}
	c.result("resources/unsubscribe", `{"uri":"a+cfg://info"}`)
	c.fence()
	c.result("resources/read", `{"uri":"cfg://info"}`)
	if got := f.sent("resources/unsubscribe"); len(got) > 0 {
		t.Errorf("the server was told %s while the client still watches", got[0].body.Raw)
	}
	f.updated("cfg://info")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "cfg://info" {
		t.Errorf("the update is told of %q", got)
	}
	c.result("resources/unsubscribe", `{"uri":"cfg://info"}`)
	f.awaitSent("resources/unsubscribe", 1)
}

// TestPartsOfASubscribedResource: a server may tell of a part of what was
// subscribed to.
func TestPartsOfASubscribedResource(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), legacyServer(t, "b")
	for _, f := range []*fake{a, b} {
		f.has("resources", resourceOf("file:///dir"))
	}
	c := legacy(t, a, b)
	c.result("resources/subscribe", `{"uri":"file:///dir"}`)
	c.result("resources/subscribe", `{"uri":"b+file:///dir"}`)
	a.awaitSent("resources/subscribe", 1)
	b.awaitSent("resources/subscribe", 1)
	a.updated("file:///dir/one.txt")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "file:///dir/one.txt" {
		t.Errorf("an update of a part of a's is told of %q", got)
	}
	b.updated("file:///dir/one.txt")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "b+file:///dir/one.txt" {
		t.Errorf("an update of a part of b's is told of %q", got)
	}
	a.updated("file:///directory")
	a.updated("file:///dir")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "file:///dir" {
		t.Errorf("an update is told of %q", got)
	}
}

// TestSubscriptionsOutliveConnections: a server that comes up late, or comes
// back, is asked then.
func TestSubscriptionsOutliveConnections(t *testing.T) {
	t.Parallel()
	for _, server := range []func(*testing.T, string, ...string) *fake{legacyServer, modernServer} {
		f := server(t, "a", "x")
		f.has("resources", resourceOf("r://1"), resourceOf("r://2"), resourceOf("r://3"))
		subscribed := func(run int, uri string) {
			t.Helper()
			f.await("a subscription to "+uri, func() bool {
				if len(f.links) <= run {
					return false
				}
				for _, a := range f.links[run].got {
					if a.method == "resources/subscribe" && a.params.Get("uri").Str == uri ||
						a.method == "subscriptions/listen" && strings.Contains(a.params.Get("notifications.resourceSubscriptions").Raw, `"`+uri+`"`) {
						return true
					}
				}
				return false
			})
		}
		c := connect(t, settings{}, f)
		c.initialize(`{}`)
		early := c.request("resources/subscribe", `{"uri":"r://1"}`)
		c.answer(early)
		subscribed(0, "r://1")
		c.settle()
		c.result("resources/subscribe", `{"uri":"r://2"}`)
		subscribed(0, "r://2")
		f.link(0).exit(1)
		c.state("a", "not connected")
		// While it is away.
		c.result("resources/subscribe", `{"uri":"r://3"}`)
		c.result("resources/unsubscribe", `{"uri":"r://2"}`)
		subscribed(1, "r://1")
		subscribed(1, "r://3")
		for _, a := range f.link(1).got {
			if a.method == "resources/subscribe" && a.params.Get("uri").Str == "r://2" {
				t.Error("what nobody wants any more was subscribed to again")
			}
		}
		f.updated("r://3")
		if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "r://3" {
			t.Errorf("an update is told of %q", got)
		}
		c.close()
	}
}

// TestReadAfterSubscribing: what is read then is read when the server knows of
// the subscription, so that no change is missed.
func TestReadAfterSubscribing(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "a")
	f.has("resources", resourceOf("r://1"))
	c := legacy(t, f)
	for range 20 {
		_, subscribing := c.line("resources/subscribe", `{"uri":"r://1"}`)
		read, reading := c.line("resources/read", `{"uri":"r://1"}`)
		_, unsubscribing := c.line("resources/unsubscribe", `{"uri":"r://1"}`)
		c.send(subscribing, reading, unsubscribing)
		c.answer(read)
	}
	subscribed := 0
	for _, a := range f.sent("*") {
		switch a.method {
		case "resources/subscribe":
			subscribed++
		case "resources/read":
			if subscribed == 0 {
				t.Fatal("the server was read before it knew of the subscription")
			}
			subscribed--
		}
	}
}

// TestSubscribingToWhatNobodyLists asks those that may have it.
func TestSubscribingToWhatNobodyLists(t *testing.T) {
	t.Parallel()
	a, b, none := legacyServer(t, "a"), legacyServer(t, "b"), legacyServer(t, "none")
	a.has("resourceTemplates", templateOf("users://{id}"))
	none.on("initialize", constant(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`))
	c := legacy(t, a, b, none)
	c.result("resources/subscribe", `{"uri":"users://1"}`)
	if got := a.awaitSent("resources/subscribe", 1).params.Get("uri").Str; got != "users://1" {
		t.Errorf("a is asked for %q", got)
	}
	c.result("resources/subscribe", `{"uri":"other://1"}`)
	b.awaitSent("resources/subscribe", 1)
	a.awaitSent("resources/subscribe", 2)
	a.updated("users://1")
	c.message("notifications/resources/updated")
	if len(b.sent("resources/subscribe")) != 1 || len(none.sent("resources/subscribe")) > 0 {
		t.Error("a server was asked for what it cannot have")
	}
	// A server that refuses is in nobody's way.
	b.on("resources/subscribe", func(l *link, got arrival) string { l.fail(got.id, -32002, "not here"); return "" })
	c.result("resources/subscribe", `{"uri":"other://2"}`)
	a.awaitSent("resources/subscribe", 3)
	a.updated("other://2")
	if got := c.message("notifications/resources/updated").Get("params.uri").Str; got != "other://2" {
		t.Errorf("an update is told of %q", got)
	}
}

// TestRefusedSubscription is asked for again when the server has come back, and
// not before.
func TestRefusedSubscription(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.has("resources", resourceOf("r://1"))
	f.on("resources/subscribe", func(l *link, a arrival) string {
		if l.number == 0 {
			l.fail(a.id, -32603, "not now")
			return ""
		}
		return `{}`
	})
	c := legacy(t, f)
	c.result("resources/subscribe", `{"uri":"r://1"}`)
	f.awaitSent("resources/subscribe", 1)
	f.has("resources", resourceOf("r://1"), resourceOf("r://2"))
	f.notifyChanged("resources", 1)
	c.message("notifications/resources/list_changed")
	c.result("resources/read", `{"uri":"r://1"}`)
	if got := len(f.sent("resources/subscribe")); got != 1 {
		t.Errorf("the server was asked %d times", got)
	}
	f.link(0).exit(1)
	f.awaitSent("resources/subscribe", 2)
	f.updated("r://1")
	c.message("notifications/resources/updated")
}

// TestSubscriptionFollowsItsURI: when a server comes up that has the URI, too, and
// has it first, it is that one's resource which the client watches.
func TestSubscriptionFollowsItsURI(t *testing.T) {
	t.Parallel()
	first, second := legacyServer(t, "first"), legacyServer(t, "second")
	release := make(chan struct{})
	first.on("initialize", func(*link, arrival) string {
		<-release
		return `{"protocolVersion":"2025-11-25","capabilities":` + everything + `}`
	})
	for _, f := range []*fake{first, second} {
		f.has("resources", resourceOf("cfg://info"))
	}
	c := connect(t, settings{flags: []string{"--list-wait=0"}}, first, second)
	c.initialize(`{}`)
	for c.names("resources", "uri") == nil {
		c.message("notifications/resources/list_changed")
	}
	c.result("resources/subscribe", `{"uri":"cfg://info"}`)
	second.awaitSent("resources/subscribe", 1)
	close(release)
	first.awaitSent("resources/subscribe", 1)
	second.awaitSent("resources/unsubscribe", 1)
	second.updated("cfg://info")
	second.link(0).ask(`"fence"`, "ping", `{}`)
	second.response(`"fence"`)
	c.drop()
	first.updated("cfg://info")
	c.message("notifications/resources/updated")
}
