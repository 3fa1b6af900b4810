package server_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// What was read before the end of input is finished: what runs, what is queued,
// and the last line without its line feed.
func TestEndOfInputFinishesWhatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(held("hold", g), fast("fast")), nil)
		c.send(call(1, "hold"), call(2, "fast"))
		<-g.reached
		if _, err := io.WriteString(c.in, call(3, "fast")); err != nil {
			t.Fatal(err)
		}
		c.in.Close()
		synctest.Wait()
		time.Sleep(29 * time.Second)
		g.open()
		c.wantIDs("1", "2", "3")
		c.wantEnd()
	})
}

// An answer at hand when the input ends does not wait for a slow handler, also
// when the end comes along with the last line.
func TestLastAnswersDoNotWaitForASlowHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect(held("hold", g), asking("ask"))
		fromServer, out := io.Pipe()
		c := &client{t: t, out: fromServer, lines: make(chan string, 100), served: make(chan error, 1)}
		go c.read()
		lines := strings.Join([]string{call(1, "hold"), ping(2)}, "\n")
		go func() {
			c.served <- server.Serve(context.Background(), served, iotest.DataErrReader(strings.NewReader(lines)), out, nil)
			out.Close()
		}()
		<-g.reached
		time.Sleep(time.Second)
		c.atOnce(1)
		c.wantIDs("2")
		g.open()
		c.wantText("1", "hold")
		if err := c.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A handler that needs longer than --drain is told by its context, before
// OnShutdown; its request is answered, and serving ends without it.
func TestDrainIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reasons := make(chan error, 1)
		g := newGate(t)
		served := aspect(waiting("wait", reasons), held("hold", g))
		served.Asynchronous = true
		served.OnShutdown = func(context.Context) error {
			if err := <-reasons; !errors.Is(err, context.Canceled) {
				t.Errorf("the handler's context says %v, want %v", err, context.Canceled)
			}
			return nil
		}
		c := ready(t, served, &server.Options{Drain: 7 * time.Second})
		start := time.Now()
		c.send(call(1, "wait"), call(2, "hold"))
		<-g.reached
		c.wantEnd()
		if took := time.Since(start); took != 7*time.Second {
			t.Errorf("serving ended after %v, want 7s", took)
		}
		failed := map[string]bool{}
		for range 2 {
			got := c.next()
			failed[got.Get("id").Raw] = got.Get("error").Exists() || got.Get("result.isError").Bool()
		}
		if !failed["1"] || !failed["2"] {
			t.Errorf("the open requests failed: %v, want 1 and 2", failed)
		}
	})
}

// Deferred answers have the grace, and are then answered with an error.
func TestDeferredAnswersGetTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handles := make(chan *core.Deferred, 2)
		c := ready(t, aspect(deferring("defer", handles)), &server.Options{Grace: 3 * time.Second})
		c.send(call(1, "defer"), call(2, "defer"))
		first, second := <-handles, <-handles
		start := time.Now()
		c.in.Close()
		time.Sleep(2 * time.Second)
		if err := first.Complete(core.Text("in time"), nil); err != nil {
			t.Error(err)
		}
		c.atOnce(1)
		c.wantText("1", "in time")
		c.wantError("2", -32603, "shutting down")
		c.wantEnd()
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("serving ended after %v, want 3s", took)
		}
		if err := second.Complete(core.Text("late"), nil); err == nil {
			t.Error("a call could be answered after the end")
		}
	})
}

func TestIdleServerEndsAtOnce(t *testing.T) {
	for name, end := range map[string]func(*client){
		"end of input": func(c *client) { c.in.Close() },
		"signal":       func(c *client) { c.signal() },
		"closed out":   func(c *client) { c.out.Close(); c.send(ping(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shutdowns := 0
				served := aspect(fast("fast"))
				served.OnShutdown = func(context.Context) error { shutdowns++; return errors.New("traced, not returned") }
				c := ready(t, served, nil)
				synctest.Wait()
				start := time.Now()
				end(c)
				if err := c.wait(); err != nil {
					t.Errorf("Serve returned %v, want nil", err)
				}
				if took := time.Since(start); took > 10*time.Millisecond {
					t.Errorf("it took %v, want no wait", took)
				}
				if shutdowns != 1 {
					t.Errorf("OnShutdown ran %d times, want once", shutdowns)
				}
			})
		})
	}
}

// After a signal everything has the grace together. What does not honour its
// context is left behind, what is queued is discarded, and each request is
// answered.
func TestSignalGivesAllTheGraceTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		handles := make(chan *core.Deferred, 1)
		var shutdowns, discards, runs atomic.Int32
		served := aspect(asking("ask"), deferring("defer", handles), held("hold", g), fast("fast"))
		served.OnShutdown = func(context.Context) error { shutdowns.Add(1); return nil }
		hosts := hosted(served)
		c := ready(t, served, &server.Options{Grace: 4 * time.Second})
		host := <-hosts
		c.send(call(1, "ask"))
		c.wantMethod("sampling/createMessage")
		c.send(call(2, "defer"), call(3, "hold"), call(4, "fast"), ping(5))
		c.wantIDs("5")
		action := core.Action{Run: func(context.Context) { runs.Add(1) }, Discard: func() { discards.Add(1) }}
		if err := host.PostAction(action); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		c.signal()
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("it took %v, want 4s", took)
		}
		failed := map[string]bool{}
		for _, got := range c.rest() {
			failed[got.Get("id").Raw] = got.Get("error").Exists() || got.Get("result.isError").Bool()
		}
		for _, id := range []string{"1", "2", "3", "4"} {
			if !failed[id] {
				t.Errorf("request %s got no error answer", id)
			}
		}
		if shutdowns.Load() != 1 || discards.Load() != 1 || runs.Load() != 0 {
			t.Errorf("OnShutdown ran %d times, the action was discarded %d times and ran %d times; want 1, 1, 0",
				shutdowns.Load(), discards.Load(), runs.Load())
		}
		if err := host.Post("notifications/late", nil); err == nil {
			t.Error("a notification could be posted after the end")
		}
		if err := host.PostAction(action); err == nil {
			t.Error("an action could be posted after the end")
		}
		g.open()
		synctest.Wait()
		if runs.Load() != 0 || discards.Load() != 1 {
			t.Error("a queued action came to life after the end")
		}
	})
}

// In the grace after a signal a handler can still finish, and then nothing is
// waited for.
func TestSignalLetsHandlersFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(held("hold", g)), nil)
		c.send(call(1, "hold"))
		<-g.reached
		start := time.Now()
		c.signal()
		time.Sleep(time.Second)
		g.open()
		c.wantText("1", "hold")
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("it took %v, want 1s", took)
		}
	})
}

// A signal while the input is being drained shortens that to the grace.
func TestSignalWhileDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(held("hold", g)), nil)
		c.send(call(1, "hold"))
		<-g.reached
		c.in.Close()
		time.Sleep(time.Second)
		start := time.Now()
		c.signal()
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("it took %v, want the grace of 2s", took)
		}
		c.wantError("1", -32603, "shutting down")
	})
}

// When the reader of the output has gone, nobody can be answered: serving ends
// at once, though a handler runs and the input is open.
func TestClosedOutputEndsServing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reasons := make(chan error, 1)
		c := ready(t, aspect(waiting("wait", reasons)), nil)
		c.send(call(1, "wait"))
		synctest.Wait()
		c.out.Close()
		start := time.Now()
		c.send(ping(2))
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if took := time.Since(start); took > 10*time.Millisecond {
			t.Errorf("it took %v, want no wait", took)
		}
		<-reasons
	})
}

// failing is an output that takes so many writes and then fails.
type failing struct{ good int }

func (f *failing) Write(data []byte) (int, error) {
	if f.good--; f.good < 0 {
		return 0, errors.New("the disk is full")
	}
	return len(data), nil
}

func TestFailingOutputIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, toServer := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- server.Serve(context.Background(), aspect(fast("fast")), in, &failing{good: 1}, nil)
		}()
		for id := range 2 {
			if _, err := io.WriteString(toServer, ping(id)+"\n"); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if err := <-served; err == nil || !strings.Contains(err.Error(), "the disk is full") {
			t.Errorf("Serve returned %v, want the output's error", err)
		}
		toServer.Close()
	})
}

// A reading error is like the end of input, and what was read is answered.
func TestFailingInputIsTheEndOfInput(t *testing.T) {
	in := io.MultiReader(strings.NewReader(ping(1)+"\n"+call(2, "fast")+"\n"), iotest.ErrReader(errors.New("the cable is broken")))
	var out strings.Builder
	if err := server.Serve(t.Context(), aspect(fast("fast")), in, &out, nil); err != nil {
		t.Errorf("Serve returned %v, want nil", err)
	}
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("the output is %q, want two answers", out.String())
	}
}

// OnShutdown has the grace, and is left behind when it takes longer.
func TestOnShutdownIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect()
		served.OnShutdown = func(context.Context) error { g.pass(); return nil }
		c := ready(t, served, &server.Options{Grace: 3 * time.Second})
		start := time.Now()
		c.wantEnd()
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it took %v, want 3s", took)
		}
	})
}

func TestOnStartup(t *testing.T) {
	for name, startup := range map[string]func() error{
		"error": func() error { return errors.New("no database") },
		"panic": func() error { panic("no database") },
	} {
		t.Run(name, func(t *testing.T) {
			served := aspect()
			served.OnStartup = func(context.Context, core.Host) error { return startup() }
			served.OnShutdown = func(context.Context) error { t.Error("OnShutdown ran"); return nil }
			var out strings.Builder
			if err := server.Serve(t.Context(), served, strings.NewReader(ping(1)+"\n"), &out, nil); err == nil {
				t.Error("Serve returned nil, want an error")
			}
			if out.String() != "" {
				t.Errorf("the output is %q, want none", out.String())
			}
		})
	}
}

func TestServeRefusesAnInvalidAspect(t *testing.T) {
	served := aspect(fast("same"), fast("same"))
	var out strings.Builder
	err := server.Serve(t.Context(), served, strings.NewReader(ping(1)+"\n"), &out, nil)
	if err == nil || !strings.Contains(err.Error(), "same") || out.String() != "" {
		t.Errorf("Serve returned %v and wrote %q, want an error that names the tool, and nothing", err, out.String())
	}
}
