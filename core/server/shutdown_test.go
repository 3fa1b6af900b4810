package server_test

import (
	"context"
	"errors"
	"io"
	"runtime"
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
		// Three quarters of the grace are for handlers; the end takes no time here.
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it took %v, want 3s", took)
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
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("it took %v, want the handlers' part of the grace of 2s", took)
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

// slowly connects a client whose server has so many answers of 1 MiB for it
// when the input ends, none of which it has read.
func slowly(t *testing.T, calls int, options *server.Options) *client {
	t.Helper()
	c := connectUnread(t, aspect(big("big", 1<<20)), options)
	for id := range calls {
		c.send(call(id, "big"))
	}
	c.in.Close()
	return c
}

// A client that reads slowly gets all its answers, for as long as the drain
// lasts.
func TestEndOfInputWaitsForASlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := slowly(t, 3, &server.Options{Drain: 10 * time.Second, Grace: time.Second})
		time.Sleep(9 * time.Second)
		go c.read()
		c.wantIDs("0", "1", "2")
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
	})
}

// Answers that the client never takes are an error, and hold up the end for no
// longer than the drain and the grace.
func TestAnswersLeftUnreadAreAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := slowly(t, 3, &server.Options{Drain: 10 * time.Second, Grace: time.Second})
		start := time.Now()
		if err := c.wait(); err == nil || !strings.Contains(err.Error(), "unread") {
			t.Errorf("Serve returned %v, want an error that tells of bytes left unread", err)
		}
		if took := time.Since(start).Round(100 * time.Millisecond); took != 11*time.Second {
			t.Errorf("it took %v, want 11s", took)
		}
	})
}

// A signal ends a start-up too: one that honours its context at once, any other
// one within the grace.
func TestSignalDuringOnStartup(t *testing.T) {
	for name, limit := range map[string]time.Duration{"honours its context": 0, "does not": 3 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(t)
				served := aspect()
				served.OnStartup = func(ctx context.Context, _ core.Host) error {
					if limit > 0 {
						g.pass()
						return nil
					}
					<-ctx.Done()
					return nil
				}
				c := connect(t, served, &server.Options{Grace: 3 * time.Second})
				synctest.Wait()
				start := time.Now()
				c.signal()
				if err := c.wait(); err != nil {
					t.Errorf("Serve returned %v, want nil", err)
				}
				if took := time.Since(start); took != limit {
					t.Errorf("it took %v, want %v", took, limit)
				}
			})
		})
	}
}

// A Discard that does not return holds up neither the end nor the other ones.
func TestDiscardThatDoesNotReturn(t *testing.T) {
	for name, discard := range map[string]func(*gate){
		"blocks":              (*gate).pass,
		"ends its goroutine":  func(*gate) { runtime.Goexit() },
		"panics":              func(*gate) { panic("secret inside") },
		"comes back, however": func(*gate) {},
	} {
		for _, end := range []string{"end of input", "signal"} {
			t.Run(name+", "+end, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := newGate(t)
					var others, shutdowns atomic.Int32
					served := aspect(held("hold", g))
					served.OnShutdown = func(context.Context) error { shutdowns.Add(1); return nil }
					hosts := hosted(served)
					c := ready(t, served, &server.Options{Drain: time.Second, Grace: 2 * time.Second})
					host := <-hosts
					c.send(call(1, "hold"))
					<-g.reached
					for _, discarded := range []func(){func() { discard(g) }, func() { others.Add(1) }} {
						if err := host.PostAction(core.Action{Run: func(context.Context) {}, Discard: discarded}); err != nil {
							t.Fatal(err)
						}
					}
					start := time.Now()
					if end == "signal" {
						c.signal()
					} else {
						c.in.Close()
					}
					if err := c.wait(); err != nil {
						t.Errorf("Serve returned %v, want nil", err)
					}
					if took := time.Since(start).Round(100 * time.Millisecond); took > 3*time.Second {
						t.Errorf("it took %v, want 3s at most", took)
					}
					c.wantError("1", -32603, "shutting down")
					synctest.Wait()
					if others.Load() != 1 || shutdowns.Load() != 1 {
						t.Errorf("the other Discard ran %d times and OnShutdown %d times, want once each", others.Load(), shutdowns.Load())
					}
				})
			})
		}
	}
}

// What has been answered is written, though OnShutdown uses up all that is left.
func TestOnShutdownHoldsUpNoAnswer(t *testing.T) {
	for _, end := range []string{"end of input", "signal"} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(t)
				served := aspect(held("hold", g))
				served.OnShutdown = func(context.Context) error { g.pass(); return nil }
				c := ready(t, served, &server.Options{Drain: time.Second})
				c.send(call(1, "hold"))
				<-g.reached
				if end == "signal" {
					c.signal()
				} else {
					c.in.Close()
				}
				if err := c.wait(); err != nil {
					t.Errorf("Serve returned %v, want nil", err)
				}
				c.wantError("1", -32603, "shutting down")
			})
		})
	}
}

// However much does not come to an end, the grace of a signal is given once.
func TestGraceIsSpentOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect(held("hold", g), big("big", 1<<20))
		served.Asynchronous = true
		served.OnShutdown = func(context.Context) error { g.pass(); return nil }
		c := connectUnread(t, served, &server.Options{Grace: 4 * time.Second})
		c.send(call(1, "hold"), call(2, "big"))
		<-g.reached
		synctest.Wait()
		start := time.Now()
		c.signal()
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("it took %v, want the grace of 4s", took)
		}
	})
}

// The error that a deferred call gets in the end can be read for as long as the
// drain lasts, however short the grace is.
func TestLastErrorCanBeReadWithinTheDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later := core.Tool{Name: "later", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			call.Defer()
			return core.Pending, nil
		}}
		output, out := io.Pipe()
		served := make(chan error, 1)
		go func() {
			served <- server.Serve(context.Background(), aspect(later), strings.NewReader(call(1, "later")), out,
				&server.Options{Grace: time.Millisecond})
			out.Close()
		}()
		time.Sleep(20 * time.Second)
		text, err := io.ReadAll(output)
		if err != nil || !strings.Contains(string(text), `"id":1,"error"`) {
			t.Errorf("read %q, %v; want the error answer", text, err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
	})
}
