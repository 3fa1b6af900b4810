package server_test

import (
	"context"
	"runtime"
	"testing"

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

func subscription(method, uri string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"resources/` + method + `","params":{"uri":"` + uri + `"}}`
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
	for range rounds {
		c.send(subscription("subscribe", "a:"), subscription("unsubscribe", "a:"))
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
	refused := false
	for range 100 {
		c.send(subscription("subscribe", "a:"), subscription("unsubscribe", "a:"))
		if c.next().Get("error").Exists() {
			refused = true
		}
		c.next()
	}
	if !refused {
		t.Error("all subscriptions were taken, however much waits")
	}
	g.open()
	c.skipTo("7")
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
