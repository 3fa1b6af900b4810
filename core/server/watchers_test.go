package server_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// watched is an aspect that notes what it is told of subscribers.
func watched() (*core.Aspect, <-chan string) {
	told := make(chan string, 100)
	served := aspect()
	served.ResourceUpdates = true
	served.OnResourcesRead = func(context.Context, *core.Call) (core.Result, error) { return nil, nil }
	served.OnSubscribe = func(_ context.Context, uri string) {
		told <- "first " + uri
		if uri == "panic:" {
			panic("subscriber")
		}
	}
	served.OnUnsubscribe = func(_ context.Context, uri string) { told <- "last " + uri }
	return served, told
}

func wantTold(t *testing.T, told <-chan string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if got := <-told; got != want {
			t.Errorf("the aspect was told %q, want %q", got, want)
		}
	}
	select {
	case got := <-told:
		t.Errorf("the aspect was told %q, want no more", got)
	default:
	}
}

func subscription(method, uri string) string { return subscriptionAs(1, method, uri) }

func subscriptionAs(id int, method, uri string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/%s","params":{"uri":%q}}`, id, method, uri)
}

// The aspect is told of the first subscriber and of the last, once each, in
// their order.
func TestAspectIsToldOfSubscribers(t *testing.T) {
	served, told := watched()
	c := ready(t, served, nil)
	for _, request := range []string{
		subscription("subscribe", "a:"), subscription("subscribe", "a:"), subscription("subscribe", "panic:"),
		subscription("unsubscribe", "b:"), subscription("unsubscribe", "a:"), subscription("unsubscribe", "a:"), subscription("subscribe", "a:"),
	} {
		c.send(request)
		if got := c.next(); got.Get("result").Raw != "{}" {
			t.Errorf("%s gave %s", request, got.Raw)
		}
	}
	wantTold(t, told, "first a:", "first panic:", "last a:", "first a:")
	c.wantEnd()
}

// Handlers that run side by side do not turn around what the aspect is told.
func TestAspectIsToldOfSubscribersInOrder(t *testing.T) {
	const rounds = 2000
	served := aspect()
	served.Asynchronous = true
	served.ResourceUpdates = true
	served.OnResourcesRead = func(context.Context, *core.Call) (core.Result, error) { return nil, nil }
	told := make(chan bool, 2*rounds)
	tell := func(came bool) {
		told <- came
		if len(told)%100 == 0 {
			runtime.Goexit()
		}
	}
	served.OnSubscribe = func(context.Context, string) { tell(true) }
	served.OnUnsubscribe = func(context.Context, string) { tell(false) }
	c := ready(t, served, nil)
	for round := range rounds {
		c.send(subscriptionAs(2*round, "subscribe", "a:"), subscriptionAs(2*round+1, "unsubscribe", "a:"))
		c.next()
		c.next()
	}
	for round := range rounds {
		if came, went := <-told, !<-told; !came || !went {
			t.Fatalf("round %d: the aspect was told that one came: %t, and then that one went: %t", round, came, went)
		}
	}
	c.wantEnd()
}

// A subscription that the aspect cannot be told of is refused, and may come
// again later.
func TestSubscriptionIsRefusedWhenTooMuchWaits(t *testing.T) {
	served, told := watched()
	g := newGate(t)
	served.Tools = []core.Tool{held("hold", g)}
	c := ready(t, served, &server.Options{QueueLimit: 1 << 10})
	c.send(call(7, "hold"))
	const rounds = 100
	for round := range rounds {
		c.send(subscriptionAs(100+2*round, "subscribe", "a:"), subscriptionAs(101+2*round, "unsubscribe", "a:"))
	}
	g.open()
	refused := false
	for range 2*rounds + 1 { // and the call
		refused = c.next().Get("error").Exists() || refused
	}
	if !refused {
		t.Error("all subscriptions were taken, however much waits")
	}
	for refused = true; refused; { // until what waits has run
		c.send(subscription("subscribe", "b:"))
		refused = c.next().Get("error").Exists()
	}
	for got := range told {
		if got == "first b:" {
			break
		}
	}
	c.wantEnd()
}

// A client that reads a resource right after it has subscribed misses no change:
// the aspect is told first.
func TestSubscriberIsAnsweredAfterTheAspectIsTold(t *testing.T) {
	served := aspect()
	served.Asynchronous = true
	served.ResourceUpdates = true
	served.OnResourcesRead = func(context.Context, *core.Call) (core.Result, error) { return nil, nil }
	g := newGate(t)
	served.OnSubscribe = func(context.Context, string) { g.pass() }
	c := ready(t, served, nil)
	c.send(subscription("subscribe", "a:"), ping(2))
	if got := c.next().Get("id").Raw; got != "2" {
		t.Errorf("request %s was answered first: the subscriber was answered while OnSubscribe ran", got)
	}
	g.open()
	if got := c.next(); got.Get("id").Raw != "1" || got.Get("result").Raw != "{}" {
		t.Errorf("the subscriber was answered %s", got.Raw)
	}
	c.wantEnd()
}

// What an aspect is yet to be told is bounded, also when it is told only of those
// who go, and when it is slow.
func TestNewsOfSubscribersIsBounded(t *testing.T) {
	for _, test := range []struct{ asynchronous, came bool }{{true, true}, {true, false}, {false, true}, {false, false}} {
		served := aspect()
		served.Asynchronous = test.asynchronous
		served.ResourceUpdates = true
		served.OnResourcesRead = func(context.Context, *core.Call) (core.Result, error) { return nil, nil }
		g := newGate(t)
		hook := func(context.Context, string) { g.pass() }
		served.OnUnsubscribe = hook
		if test.came {
			served.OnSubscribe = hook
		}
		c := ready(t, served, &server.Options{QueueLimit: 1 << 20})
		long := strings.Repeat("x", 100_000)
		const rounds = 50
		for round := range rounds {
			uri := fmt.Sprintf("a:%d%s", round, long)
			c.send(subscriptionAs(2*round, "subscribe", uri), subscriptionAs(2*round+1, "unsubscribe", uri))
		}
		c.send(ping(1000))
		c.skipTo("1000")
		g.open()
		c.send(subscriptionAs(2000, "subscribe", "b:"))
		c.skipTo("2000")
		c.wantEnd()
		if told := len(g.reached); told > 25 {
			t.Errorf("asynchronous %t, told of those who come %t: the aspect was told %d times, want no more than fit into 1 MiB",
				test.asynchronous, test.came, told)
		}
	}
}

// A second request for the same resource, and one after a first that came to
// nothing, wait for the aspect as well.
func TestEverySubscriberIsAnsweredAfterTheAspectIsTold(t *testing.T) {
	served := aspect()
	served.Asynchronous = true
	served.ResourceUpdates = true
	served.OnResourcesRead = func(context.Context, *core.Call) (core.Result, error) { return nil, nil }
	g := newGate(t)
	served.OnSubscribe = func(context.Context, string) { g.pass() }
	c := ready(t, served, nil)
	c.send(subscriptionAs(1, "subscribe", "a:"), subscriptionAs(2, "subscribe", "a:"), ping(3))
	c.wantIDs("3")
	g.open()
	c.wantIDs("1", "2")
	c.wantEnd()
}

// A client is told of a part of what it has subscribed to, and of nothing else.
func TestUpdatesOfParts(t *testing.T) {
	served, _ := watched()
	hosts := hosted(served)
	c := ready(t, served, nil)
	host := <-hosts
	c.send(subscriptionAs(1, "subscribe", "a:"))
	c.wantIDs("1")
	for _, part := range []string{"a:b", "a:"} {
		if err := host.ResourcePartUpdated("a:", part); err != nil {
			t.Error(err)
		}
		if got := c.wantMethod("notifications/resources/updated").Get("params").Raw; got != `{"uri":"`+part+`"}` {
			t.Errorf("an update of %s is told as %s", part, got)
		}
	}
	if err := host.ResourcePartUpdated("x:", "a:b"); err != nil {
		t.Error(err)
	}
	c.send(ping(2))
	c.wantIDs("2")
	c.wantEnd()
}

// A request that was cancelled before it was answered has subscribed to nothing,
// and the aspect is told that it went.
func TestCancelledSubscriptionIsNone(t *testing.T) {
	served, told := watched()
	g := newGate(t)
	subscribed := served.OnSubscribe
	served.Asynchronous = true
	served.OnSubscribe = func(ctx context.Context, uri string) {
		g.pass()
		subscribed(ctx, uri)
	}
	hosts := hosted(served)
	c := ready(t, served, nil)
	host := <-hosts
	c.send(subscriptionAs(1, "subscribe", "a:"))
	<-g.reached
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, ping(2))
	c.wantIDs("2")
	if err := host.ResourceUpdated("a:"); err != nil {
		t.Error(err)
	}
	c.send(ping(3))
	c.wantIDs("3") // and no update before
	g.open()
	for _, want := range []string{"first a:", "last a:"} {
		if got := <-told; got != want {
			t.Errorf("the aspect was told %q, want %q", got, want)
		}
	}
	c.wantEnd()
}

// Hooks that have not begun when serving ends do not begin after OnShutdown.
func TestNoHookBeginsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Asynchronous = true
		served.ResourceUpdates = true
		served.OnResourcesRead = func(context.Context, *core.Call) (core.Result, error) { return nil, nil }
		begun := 0
		served.OnSubscribe = func(context.Context, string) {
			begun++
			time.Sleep(time.Minute)
		}
		c := ready(t, served, nil)
		for i := range 5 {
			c.send(subscriptionAs(i, "subscribe", fmt.Sprintf("a:%d", i)))
		}
		synctest.Wait()
		c.signal()
		c.rest()
		time.Sleep(time.Hour)
		if begun != 1 {
			t.Errorf("%d hooks have begun, want the one that was running", begun)
		}
	})
}
