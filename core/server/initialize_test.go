package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// greeting is a server that has something to send as soon as the client is
// ready: a notification of OnInitialized and that a tool was added. Its
// OnInitialize is the test's.
func greeting(t *testing.T, asynchronous bool, onInitialize func() error) (served *core.Aspect, did *journal) {
	t.Helper()
	did = new(journal)
	served = aspect(asking("ask"), fast("fast"))
	served.Asynchronous, served.DynamicTools = asynchronous, true
	var host core.Host
	served.OnStartup = func(_ context.Context, h core.Host) error { host = h; return host.AddTools(fast("new")) }
	served.OnInitialize = func(context.Context, *core.Initialize) error { did.add("OnInitialize"); return onInitialize() }
	served.OnInitialized = func(context.Context) {
		did.add("OnInitialized")
		if err := host.Post("notifications/hello", nil); err != nil {
			t.Error(err)
		}
	}
	return served, did
}

// wantGreeting takes what such a server sends to a client that is ready, with
// the question of a call, and answers that.
func (c *client) wantGreeting(id string) {
	c.t.Helper()
	var methods []string
	for range 3 {
		got := c.next()
		methods = append(methods, got.Get("method").Str)
		if got.Get("method").Str == "sampling/createMessage" {
			defer c.wantText(id, "drawn")
			defer c.send(sampled(got.Get("id").Raw, "drawn"))
		}
	}
	slices.Sort(methods)
	if got, want := strings.Join(methods, " "), "notifications/hello notifications/tools/list_changed sampling/createMessage"; got != want {
		c.t.Fatalf("got %s, want %s", got, want)
	}
}

// A client that does not wait for the answer to initialize before it says that
// it is ready gets that answer first.
func TestNothingPrecedesTheAnswerToInitialize(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		t.Run(fmt.Sprintf("asynchronous=%t", asynchronous), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(t)
				served, did := greeting(t, asynchronous, func() error { g.pass(); return nil })
				c := connect(t, served, nil)
				c.send(initialize, initialized, call(1, "ask"))
				<-g.reached
				c.wantNothing()
				g.open()
				c.wantIDs(`"init"`)
				c.wantGreeting("1")
				c.wantNothing()
				did.want(t, "OnInitialize", "OnInitialized")
				c.wantEnd()
			})
		})
	}
}

// One that was refused is not ready, whatever it says, until it was let in.
func TestRefusedInitializeBringsNothingAlong(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		t.Run(fmt.Sprintf("asynchronous=%t", asynchronous), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(t)
				refuse := errors.New("not you")
				served, did := greeting(t, asynchronous, func() error { g.pass(); return refuse })
				c := connect(t, served, nil)
				c.send(initialize, initialized)
				<-g.reached
				g.open()
				c.wantError(`"init"`, -32603, "not you")
				c.wantNothing()
				c.send(initialized)
				c.wantNothing()
				did.want(t, "OnInitialize")
				refuse = nil
				c.send(initialize)
				c.wantIDs(`"init"`)
				c.send(call(1, "ask"))
				c.wantNothing()
				c.send(initialized)
				c.wantGreeting("1")
				did.want(t, "OnInitialize", "OnInitialize", "OnInitialized")
				c.wantEnd()
			})
		})
	}
}

// wantBefore makes sure that the session of revision 2025-03-26 holds, and that
// its client is still ready.
func (c *client) wantBefore() {
	c.t.Helper()
	c.send("[" + ping(70) + "," + ping(71) + "]")
	c.wantBatch("70", "71")
	c.send(call(72, "ask"))
	c.send(sampled(c.wantMethod("sampling/createMessage").Get("id").Raw, "drawn"))
	c.wantText("72", "drawn")
}

// An initialize that could not even wait for OnInitialize leaves the session
// before it as it was.
func TestInitializeRefusedAsBusyKeepsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect(held("hold", g), asking("ask"))
		runs := 0
		served.OnInitialize = func(context.Context, *core.Initialize) error { runs++; return nil }
		c := connect(t, served, &server.Options{QueueLimit: 256 << 10})
		c.send(initialize2025)
		c.wantIDs(`"init"`)
		c.send(initialized, call(1, "hold"))
		<-g.reached
		for id := range 10 {
			c.send(padded(10+id, "hold", 100<<10))
		}
		c.send(initialize, ping(2))
		refused := 0
		for got := c.next(); got.Get("id").Raw != `"init"`; got = c.next() {
			refused++
		}
		c.wantIDs("2")
		g.open()
		for range 11 - refused {
			if got := c.next(); got.Get("result.content.0.text").Str != "hold" {
				t.Fatalf("got %.300s, want the answer of a call that waited", got.Raw)
			}
		}
		synctest.Wait()
		if runs != 1 {
			t.Errorf("OnInitialize ran %d times, want once", runs)
		}
		c.wantBefore()
		c.wantEnd()
	})
}

// Neither does one whose time was over, also when OnInitialize comes back.
func TestInitializeThatExpiresKeepsTheSession(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		t.Run(fmt.Sprintf("asynchronous=%t", asynchronous), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(t)
				served := aspect(asking("ask"))
				served.Asynchronous = asynchronous
				slow, ready := false, 0
				served.OnInitialize = func(context.Context, *core.Initialize) error {
					if slow {
						g.pass()
					}
					return nil
				}
				served.OnInitialized = func(context.Context) { ready++ }
				c := connect(t, served, &server.Options{CallTimeout: time.Second})
				c.send(initialize2025)
				c.wantIDs(`"init"`)
				c.send(initialized, ping(0))
				c.wantIDs("0")
				synctest.Wait()
				slow = true
				c.send(initialize)
				c.wantError(`"init"`, -32603, "longer than 1s")
				if asynchronous {
					c.wantBefore()
				}
				g.open()
				c.wantNothing()
				c.wantBefore()
				if ready != 1 {
					t.Errorf("OnInitialized ran %d times, want once", ready)
				}
				c.wantEnd()
			})
		})
	}
}

// A client is ready once in a session, however often it says so.
func TestSecondInitializedIsNoNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		served := aspect()
		served.OnInitialized = func(context.Context) { runs++ }
		c := ready(t, served, nil)
		c.send(initialized, initialized, ping(1))
		c.wantIDs("1")
		synctest.Wait()
		if runs != 1 {
			t.Errorf("OnInitialized ran %d times in one session, want once", runs)
		}
		c.send(initialize)
		c.wantIDs(`"init"`)
		c.send(initialized, initialized, ping(2))
		c.wantIDs("2")
		synctest.Wait()
		if runs != 2 {
			t.Errorf("OnInitialized ran %d times in two sessions, want twice", runs)
		}
		c.wantEnd()
	})
}
