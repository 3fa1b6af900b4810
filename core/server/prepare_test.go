package server_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// While the slow set-up runs, all but tool calls is served, and then the calls
// in their order.
func TestToolCallsWaitForPrepare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		var did journal
		served := aspect(fast("fast"), core.Tool{Name: "note", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			did.add("note")
			return core.Text("note"), nil
		}})
		served.Prepare = func(context.Context) error { g.pass(); did.add("prepared"); return nil }
		c := ready(t, served, nil)
		c.send(call(1, "note"), call(2, "fast"), call(3, "about_tsar-mcp"), list(4), ping(5), call(6, "fast"), call(7, "nope"))
		c.wantIDs("3", "4", "5", "7")
		c.send(cancellation(6), ping(8))
		c.wantIDs("8")
		c.wantNothing()
		g.open()
		c.wantIDs("1", "2")
		did.want(t, "prepared", "note")
		c.send(call(9, "fast"))
		c.wantText("9", "fast")
		c.wantNothing()
		c.wantEnd()
	})
}

// Asynchronous calls that waited start together, under the bound.
func TestWaitingCallsStartUnderTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		prepared, g := newGate(t), newGate(t)
		served := aspect(held("hold", g))
		served.Asynchronous = true
		served.Prepare = func(context.Context) error { prepared.pass(); return nil }
		c := ready(t, served, &server.Options{Concurrency: 3})
		for id := range 8 {
			c.send(call(id, "hold"))
		}
		prepared.open()
		synctest.Wait()
		if running := len(g.reached); running != 3 {
			t.Errorf("%d handlers run at once, want 3", running)
		}
		g.open()
		for range 8 {
			if got := c.next(); got.Get("result.content.0.text").Str != "hold" {
				t.Fatalf("got %s, want the answer of a call that waited", got.Raw)
			}
		}
		c.wantEnd()
	})
}

// However the set-up fails, tool calls are told so and the server goes on.
func TestFailedPrepare(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func() error
		words   string
	}{
		"error":  {func() error { return errors.New("no database") }, "no database"},
		"panic":  {func() error { panic("no database") }, "failed unexpectedly"},
		"goexit": {func() error { runtime.Goexit(); return nil }, "failed unexpectedly"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served := aspect(fast("fast"))
				started := newGate(t)
				served.Prepare = func(context.Context) error { started.pass(); return test.prepare() }
				c := ready(t, served, nil)
				c.send(call(1, "fast"), ping(2))
				c.wantIDs("2")
				started.open()
				c.wantToolError("1", test.words)
				synctest.Wait()
				c.send(call(3, "fast"), call(4, "about_tsar-mcp"))
				c.wantToolError("3", test.words)
				c.wantIDs("4")
				c.wantEnd()
			})
		})
	}
}

// Calls that wait for the set-up when the input ends are finished all the same.
func TestEndOfInputWhilePreparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect(fast("fast"))
		served.Prepare = func(context.Context) error { g.pass(); return nil }
		c := ready(t, served, nil)
		c.send(call(1, "fast"), call(2, "fast"))
		c.in.Close()
		time.Sleep(10 * time.Second)
		c.wantNothing()
		g.open()
		c.wantText("1", "fast")
		c.wantText("2", "fast")
		c.wantEnd()
	})
}

// A set-up that does not end is told by its context, and calls that wait for it
// are answered.
func TestShutdownWhilePreparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		served := aspect(fast("fast"))
		served.Prepare = func(ctx context.Context) error { <-ctx.Done(); close(ended); return ctx.Err() }
		c := ready(t, served, nil)
		c.send(call(1, "fast"))
		synctest.Wait()
		c.signal()
		if err := c.wait(); err != nil {
			t.Error(err)
		}
		<-ended
		got := c.next()
		if got.Get("id").Raw != "1" || !got.Get("error").Exists() && !got.Get("result.isError").Bool() {
			t.Errorf("got %s, want an error answer to 1", got.Raw)
		}
	})
}
