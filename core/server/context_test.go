package server_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// watching gives the tool's context to the test and then waits for its end.
func watching(name string, contexts chan<- context.Context) core.Tool {
	return core.Tool{Name: name, Handler: func(ctx context.Context, _ *core.Call) (core.Result, error) {
		contexts <- ctx
		<-ctx.Done()
		return nil, ctx.Err()
	}}
}

// A call that takes longer than the limit is answered, and its handler's
// context says that the time is over.
func TestCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		contexts := make(chan context.Context, 1)
		c := ready(t, aspect(watching("watch", contexts)), &server.Options{CallTimeout: 5 * time.Second})
		start := time.Now()
		c.send(call(1, "watch"))
		ctx := <-contexts
		if deadline, has := ctx.Deadline(); !has || !deadline.Equal(start.Add(5*time.Second)) {
			t.Errorf("the deadline is %v, %t; want %v", deadline, has, start.Add(5*time.Second))
		}
		c.wantToolError("1", "longer than 5s")
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("the answer came after %v, want 5s", took)
		}
		synctest.Wait()
		if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the handler's context says %v, want %v", err, context.DeadlineExceeded)
		}
		c.wantNothing()
		c.wantEnd()
	})
}

// A queued call's time runs too, and a handler that ignores it changes nothing.
func TestCallTimeoutWhileQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(held("hold", g), fast("fast")), &server.Options{CallTimeout: time.Second})
		c.send(call(1, "hold"), call(2, "fast"))
		c.wantToolError("1", "longer than 1s")
		c.wantToolError("2", "longer than 1s")
		g.open()
		c.wantNothing()
		c.send(call(3, "fast"))
		c.wantText("3", "fast")
		c.wantEnd()
	})
}

// The answered call's timer is stopped: nothing happens when it would be due.
func TestCallTimeoutAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(fast("fast")), &server.Options{CallTimeout: time.Second})
		c.send(call(1, "fast"))
		c.wantText("1", "fast")
		time.Sleep(time.Minute)
		c.wantNothing()
		c.wantEnd()
	})
}

// Everything that package context builds on a context works with a call's.
func TestCallContextIsAContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		contexts := make(chan context.Context, 1)
		c := ready(t, aspect(watching("watch", contexts)), nil)
		c.send(call(1, "watch"))
		ctx := <-contexts
		if err := ctx.Err(); err != nil {
			t.Fatalf("the context says %v before its end", err)
		}
		if _, has := ctx.Deadline(); has {
			t.Error("the context has a deadline without a limit")
		}
		child, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		after := make(chan struct{})
		context.AfterFunc(ctx, func() { close(after) })
		apart := context.WithoutCancel(ctx)
		c.send(cancellation(1))
		<-after
		<-child.Done()
		for name, err := range map[string]error{
			"Err":          ctx.Err(),
			"Cause":        context.Cause(ctx),
			"child":        child.Err(),
			"child, Cause": context.Cause(child),
		} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s says %v, want %v", name, err, context.Canceled)
			}
		}
		if err := apart.Err(); err != nil {
			t.Errorf("the context without cancel says %v", err)
		}
		c.wantEnd()
	})
}

// The context of a call that is still open ends with serving.
func TestCallContextEndsWithServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		contexts := make(chan context.Context, 1)
		c := ready(t, aspect(watching("watch", contexts)), nil)
		c.send(call(1, "watch"))
		ctx := <-contexts
		c.signal()
		if err := c.wait(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case <-ctx.Done():
		default:
			t.Error("the context is not done after the end of serving")
		}
		if ctx.Err() == nil {
			t.Error("the context has no error after the end of serving")
		}
	})
}

// The context ends with the call, so that what a handler left behind ends too,
// but that of a deferred call lasts until its answer.
func TestContextEndsWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		contexts := make(chan context.Context, 2)
		deferred := make(chan *core.Deferred, 1)
		c := ready(t, aspect(
			core.Tool{Name: "leave", Handler: func(ctx context.Context, _ *core.Call) (core.Result, error) {
				contexts <- ctx
				return core.Text("left"), nil
			}},
			core.Tool{Name: "defer", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
				contexts <- ctx
				deferred <- call.Defer()
				return core.Pending, nil
			}},
		), nil)
		c.send(call(1, "leave"), call(2, "defer"))
		c.wantText("1", "left")
		left, later := <-contexts, <-contexts
		synctest.Wait()
		if left.Err() == nil {
			t.Error("the context of an answered call has no error")
		}
		<-left.Done()
		if err := later.Err(); err != nil {
			t.Errorf("the context of a deferred call says %v before its answer", err)
		}
		if err := (<-deferred).Complete(core.Text("later"), nil); err != nil {
			t.Fatal(err)
		}
		c.wantText("2", "later")
		<-later.Done()
		c.wantEnd()
	})
}

// A limit that is over before the request has been looked at harms nothing:
// every request is answered once. This is for the race detector.
func TestCallTimeoutThatIsOverAtOnce(t *testing.T) {
	const rounds = 200
	var in, out strings.Builder
	in.WriteString(initialize2025 + "\n")
	for id := range rounds {
		in.WriteString(initialize2025 + "\n" + call(id, "fast") + "\n[" + ping(1000+id) + "," + call(2000+id, "fast") + "]\n")
	}
	err := server.Serve(t.Context(), aspect(fast("fast")), strings.NewReader(in.String()), &out, &server.Options{CallTimeout: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	// A line for each but the members of batches, which share one.
	if got, want := strings.Count(out.String(), "\n"), 1+3*rounds; got != want {
		t.Errorf("%d lines were written, want %d", got, want)
	}
}

// What AfterFunc is given runs when the call ends, unless it was stopped, and at
// once when it has ended.
func TestCallContextAfterFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		contexts := make(chan context.Context, 1)
		c := ready(t, aspect(watching("watch", contexts)), nil)
		c.send(call(1, "watch"))
		ctx := (<-contexts).(interface{ AfterFunc(func()) func() bool })
		ran := make(chan string, 4)
		note := func(name string) func() { return func() { ran <- name } }
		ctx.AfterFunc(note("kept"))
		stop := ctx.AfterFunc(note("stopped"))
		late := ctx.AfterFunc(note("late"))
		if !stop() || stop() {
			t.Error("it is not stopped once")
		}
		c.send(cancellation(1))
		synctest.Wait()
		if late() {
			t.Error("what has run was stopped")
		}
		if ctx.AfterFunc(note("after"))() {
			t.Error("what runs at once was stopped")
		}
		synctest.Wait()
		close(ran)
		got := make(map[string]int)
		for name := range ran {
			got[name]++
		}
		if want := (map[string]int{"kept": 1, "late": 1, "after": 1}); !maps.Equal(got, want) {
			t.Errorf("what ran is %v, want %v", got, want)
		}
		c.wantEnd()
	})
}
