package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
)

// deferring is a tool whose calls the test answers itself.
func deferring(name string, handles chan<- *core.Deferred) core.Tool {
	return core.Tool{Name: name, Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		handles <- call.Defer()
		return core.Pending, nil
	}}
}

func TestDeferredCallIsAnsweredLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handles := make(chan *core.Deferred, 3)
		c := ready(t, aspect(deferring("defer", handles), fast("fast")), nil)
		c.send(call(1, "defer"), call(2, "defer"), call(3, "defer"), call(4, "fast"))
		c.wantText("4", "fast")
		first, second, third := <-handles, <-handles, <-handles
		go func() { _ = second.Complete(core.Text("two"), nil) }()
		c.wantText("2", "two")
		if err := third.Complete(nil, errors.New("no luck")); err != nil {
			t.Error(err)
		}
		c.wantToolError("3", "no luck")
		if err := first.Complete(nil, core.InvalidParams("not this")); err != nil {
			t.Error(err)
		}
		c.wantError("1", -32602, "not this")
		c.wantEnd()
	})
}

// A call is answered once, whoever tries again.
func TestDeferredCallIsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handles := make(chan *core.Deferred, 1)
		c := ready(t, aspect(deferring("defer", handles)), nil)
		c.send(call(1, "defer"))
		handle := <-handles
		answered := make(chan error, 8)
		for range 8 {
			go func() { answered <- handle.Complete(core.Text("once"), nil) }()
		}
		successes := 0
		for range 8 {
			if <-answered == nil {
				successes++
			}
		}
		if successes != 1 {
			t.Errorf("%d of 8 answers to one call were taken, want 1", successes)
		}
		c.wantText("1", "once")
		c.wantNothing()
		c.wantEnd()
	})
}

func TestDeferredCallThatWasCancelledCannotBeAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handles := make(chan *core.Deferred, 1)
		c := ready(t, aspect(deferring("defer", handles)), nil)
		c.send(call(1, "defer"), cancellation(1), ping(2))
		c.wantIDs("2")
		if err := (<-handles).Complete(core.Text("late"), nil); err == nil {
			t.Error("a cancelled call could be answered")
		}
		c.wantNothing()
		c.wantEnd()
	})
}

// When Complete has returned, whatever the aspect sends comes behind the
// answer, also while the handler is still running.
func TestDeferredAnswerPrecedesWhatIsSentAfterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(core.Tool{Name: "both", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if err := call.Defer().Complete(core.Text("first"), nil); err != nil {
				return nil, err
			}
			if err := call.Host().Post("notifications/second", nil); err != nil {
				t.Error(err)
			}
			call.Log(core.LogError, "", "too late, belongs to an answered call")
			call.Progress(1, 2, "too late")
			return core.Pending, nil
		}})
		served.Logging = true
		c := ready(t, served, nil)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"both","_meta":{"progressToken":0}}}`)
		c.wantText("1", "first")
		c.wantMethod("notifications/second")
		c.wantNothing()
		// The handler came back after its call was answered: nothing is open.
		start := time.Now()
		c.wantEnd()
		if took := time.Since(start); took != 0 {
			t.Errorf("serving ended after %v, want no wait", took)
		}
	})
}

// Mistakes with deferred answers cost the call, not the server.
func TestPendingWithoutDefer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handles := make(chan *core.Deferred, 1)
		c := ready(t, aspect(
			core.Tool{Name: "lazy", Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Pending, nil
			}},
			deferring("defer", handles),
		), nil)
		c.send(call(1, "lazy"))
		c.wantToolError("1", "Defer")
		c.send(call(2, "defer"))
		handle := <-handles
		if err := handle.Complete(core.Pending, nil); err == nil {
			t.Error("a deferred call could be completed with Pending")
		}
		if err := handle.Complete(core.Text("well"), nil); err != nil {
			t.Error(err)
		}
		c.wantText("2", "well")
		c.wantEnd()
	})
}

// A deferred call can ask the client as well, and is run again.
func TestDeferredCallThatRequiresInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type open struct {
			call   *core.Call
			handle *core.Deferred
		}
		calls := make(chan open, 1)
		c := ready(t, aspect(core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if answer, given := call.Input("art"); given {
				return core.Text(answer.Text()), nil
			}
			calls <- open{call, call.Defer()}
			return core.Pending, nil
		}}), nil)
		c.send(call(1, "ask"))
		opened := <-calls
		if err := opened.handle.Complete(opened.call.RequireInput(core.Inputs{"art": sampling()}, nil)); err != nil {
			t.Fatal(err)
		}
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send(sampled(id, "drawn"))
		c.wantText("1", "drawn")
		c.wantEnd()
	})
}

// Who asks twice in the place of one answer has asked once.
func TestDeferredCallRequiresInputOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type open struct {
			call   *core.Call
			handle *core.Deferred
		}
		calls := make(chan open, 1)
		c := ready(t, aspect(core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if answer, given := call.Input("art"); given {
				return core.Text(answer.Text()), nil
			}
			calls <- open{call, call.Defer()}
			return core.Pending, nil
		}}), nil)
		c.send(call(1, "ask"))
		opened := <-calls
		required, err := opened.call.RequireInput(core.Inputs{"art": sampling()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.handle.Complete(required, nil); err != nil {
			t.Errorf("the first Complete gave %v", err)
		}
		if err := opened.handle.Complete(required, nil); err == nil {
			t.Error("the second Complete gave no error")
		}
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.wantNothing()
		c.send(sampled(id, "drawn"))
		c.wantText("1", "drawn")
		c.wantNothing()
		c.wantEnd()
	})
}
