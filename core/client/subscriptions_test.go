package client

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// updates keeps the resources that a client was told of.
type updates struct {
	mu   sync.Mutex
	uris []string
}

func (u *updates) note(n Notification) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.uris = append(u.uris, n.Method+" "+parsed(n.Params).Get("uri").Str)
}

func (u *updates) all() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.uris)
}

func TestLegacySubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told updates
		c, server := connectLegacy(t, Options{OnNotification: told.note, Reconnect: Backoff{First: time.Second}},
			actions{"resources/subscribe": constant(`{}`), "resources/unsubscribe": constant(`{}`)})
		for _, uri := range []string{"a:1", "a:2"} {
			if err := c.Subscribe(t.Context(), uri); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Unsubscribe(t.Context(), "a:1"); err != nil {
			t.Fatal(err)
		}
		link, _ := server.link()
		link.notify("notifications/resources/updated", `{"uri":"a:2"}`)
		synctest.Wait()
		if got := told.all(); !slices.Equal(got, []string{"notifications/resources/updated a:2"}) {
			t.Errorf("the client was told %q", got)
		}
		link.die(errors.New("killed"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		link, links := server.link()
		if got := link.sent("resources/subscribe"); links != 2 || len(got) != 1 || got[0].params.Get("uri").Str != "a:2" {
			t.Errorf("on link %d the client has subscribed %v, want a:2 again", links, got)
		}
		disconnect(t, c)
	})
}

// TestModernSubscriptions: one stream has all that is wanted; it is replaced, new
// before old, when that changes, and opened again when it breaks.
func TestModernSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told updates
		c, server := connectModern(t, Options{OnNotification: told.note})
		synctest.Wait()
		link, _ := server.link()
		expect := func(n int, filter string) arrival {
			t.Helper()
			synctest.Wait()
			all := link.sent("subscriptions/listen")
			if len(all) != n || all[n-1].params.Get("notifications").Raw != filter {
				t.Fatalf("the client has listened %d times, last to %s; want %d times, to %s",
					len(all), all[len(all)-1].params.Get("notifications").Raw, n, filter)
			}
			return all[n-1]
		}
		const lists = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true`
		first := expect(1, lists+`}`)
		if err := c.Subscribe(t.Context(), "a:1"); err != nil {
			t.Fatal(err)
		}
		second := expect(2, lists+`,"resourceSubscriptions":["a:1"]}`)
		if got := link.sent("notifications/cancelled"); len(got) != 1 || got[0].params.Get("requestId").Raw != first.id {
			t.Errorf("the cancellations are %v, want that of the first stream", got)
		}
		link.notify("notifications/resources/updated", `{"uri":"a:1","_meta":{"io.modelcontextprotocol/subscriptionId":`+second.id+`}}`)
		synctest.Wait()
		if got := told.all(); !slices.Equal(got, []string{"notifications/resources/updated a:1"}) {
			t.Errorf("the client was told %q", got)
		}
		link.result(second.id, `{"resultType":"complete"}`)
		time.Sleep(time.Second)
		third := expect(3, lists+`,"resourceSubscriptions":["a:1"]}`)
		link.notify("notifications/cancelled", `{"requestId":`+third.id+`}`)
		time.Sleep(time.Second)
		expect(4, lists+`,"resourceSubscriptions":["a:1"]}`)
		if err := c.Unsubscribe(t.Context(), "a:1"); err != nil {
			t.Fatal(err)
		}
		expect(5, lists+`}`)
		disconnect(t, c)
	})
}

// TestSubscriptionThatIsNotHonoured is an error, and is not remembered.
func TestSubscriptionThatIsNotHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := connectModern(t, Options{}, actions{"subscriptions/listen": func(l *fakeLink, a arrival) string {
			l.notify("notifications/subscriptions/acknowledged",
				fmt.Sprintf(`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{}}`, a.id))
			return ""
		}})
		mustContain(t, c.Subscribe(t.Context(), "a:1"), "not accepted it", `"a:1"`)
		synctest.Wait()
		link, _ := server.link()
		all := link.sent("subscriptions/listen")
		if all[len(all)-1].params.Get("notifications.resourceSubscriptions").Exists() {
			t.Error("the refused resource is still asked for")
		}
		disconnect(t, c)
	})
}

// TestListeningThatIsRefused is tried again ever more rarely.
// TestSubscriptionThatIsNeverAccepted costs itself alone: the next one is tried.
func TestSubscriptionThatIsNeverAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heed atomic.Bool
		accept := modernServer()["subscriptions/listen"]
		c, _ := connectModern(t, Options{}, actions{"subscriptions/listen": func(l *fakeLink, a arrival) string {
			if !heed.Load() {
				return ""
			}
			return accept(l, a)
		}})
		mustContain(t, c.Subscribe(t.Context(), "a:1"), "accepted")
		heed.Store(true)
		if err := c.Subscribe(t.Context(), "a:2"); err != nil {
			t.Errorf("later Subscribe gives %v", err)
		}
		disconnect(t, c)
	})
}

func TestListeningThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := connectModern(t, Options{HealthInterval: -1}, actions{"subscriptions/listen": func(l *fakeLink, a arrival) string {
			l.fail(a.id, -32601, "no")
			return ""
		}})
		time.Sleep(10 * time.Minute)
		link, _ := server.link()
		if got := len(link.sent("subscriptions/listen")); got < 5 || got > 60 {
			t.Errorf("in ten minutes the client has tried to listen %d times", got)
		}
		disconnect(t, c)
	})
}
