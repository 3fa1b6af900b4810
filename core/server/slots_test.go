package server_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mcpserver/core"
	"mcpserver/core/server"
)

// journal keeps what the aspect's code did, in order.
type journal struct {
	mu      sync.Mutex
	entries []string
}

func (j *journal) add(entry string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
}

func (j *journal) want(t *testing.T, entries ...string) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.Equal(j.entries, entries) {
		t.Errorf("the aspect's code ran as %q, want %q", j.entries, entries)
	}
}

// exclusive notices when two pieces of code run at once.
type exclusive struct {
	inside   atomic.Int32
	overlaps atomic.Int32
}

func (e *exclusive) run(piece func()) {
	if e.inside.Add(1) > 1 {
		e.overlaps.Add(1)
	}
	defer e.inside.Add(-1)
	piece()
}

// With Asynchronous false, calls, notifications, other methods and posted
// actions run one at a time, in the order in which they came.
func TestOnePieceOfCodeAtATimeInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		var did journal
		var alone exclusive
		var host core.Host
		served := aspect(
			core.Tool{Name: "hold", Handler: func(context.Context, *core.Call) (core.Result, error) {
				alone.run(func() { did.add("hold"); g.pass() })
				return core.Text("hold"), nil
			}},
			core.Tool{Name: "count", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				alone.run(func() { did.add("count " + call.Arguments().Get("n").Raw) })
				return core.Text("count"), nil
			}},
		)
		served.OnStartup = func(_ context.Context, h core.Host) error { host = h; return nil }
		served.OnNotification = func(_ context.Context, n *core.Notification) {
			alone.run(func() { did.add(n.Method) })
		}
		served.OnMethod = func(_ context.Context, call *core.Call) (core.Result, error) {
			alone.run(func() { did.add(call.Method()) })
			return core.RawResult(`{}`), nil
		}
		c := ready(t, served, nil)
		c.send(
			call(1, "hold"),
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count","arguments":{"n":2}}}`,
			`{"jsonrpc":"2.0","method":"notifications/zoo"}`,
			`{"jsonrpc":"2.0","id":4,"method":"zoo/feed"}`,
			ping(5),
		)
		c.wantIDs("5")
		if err := host.PostAction(core.Action{Run: func(context.Context) { alone.run(func() { did.add("action") }) }}); err != nil {
			t.Fatal(err)
		}
		c.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"count","arguments":{"n":6}}}`, ping(7))
		c.wantIDs("7")
		g.open()
		c.wantIDs("1", "2", "4", "6")
		did.want(t, "hold", "count 2", "notifications/zoo", "zoo/feed", "action", "count 6")
		if got := alone.overlaps.Load(); got != 0 {
			t.Errorf("two pieces of the aspect's code ran at once, %d times", got)
		}
		c.wantEnd()
	})
}

func TestQueuedCallsAreAnsweredInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(held("hold", g), fast("fast")), nil)
		c.send(call(0, "hold"))
		<-g.reached
		want := []string{"0"}
		for id := range 500 {
			c.send(call(id+1, "fast"))
			want = append(want, strconv.Itoa(id+1))
		}
		g.open()
		c.wantIDs(want...)
		c.wantEnd()
	})
}

// The id of a request that is still open cannot be used again, whether that
// runs or is queued; afterwards it can.
func TestIdOfAnOpenRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(held("hold", g), fast("fast")), nil)
		c.send(call(1, "hold"), call(2, "fast"), call(1, "fast"), ping(2), ping(3))
		c.wantError("1", -32600, "still open")
		c.wantError("2", -32600, "still open")
		c.wantIDs("3")
		g.open()
		c.wantText("1", "hold")
		c.wantText("2", "fast")
		synctest.Wait()
		c.send(call(1, "fast"), ping(2))
		c.wantIDs("1", "2")
		c.wantEnd()
	})
}

// A queued call that is cancelled never runs.
func TestCancelledInTheQueueDoesNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		var did journal
		note := core.Tool{Name: "note", Handler: func(context.Context, *core.Call) (core.Result, error) {
			did.add("ran")
			return core.Text("note"), nil
		}}
		c := ready(t, aspect(held("hold", g), note), nil)
		c.send(call(1, "hold"), call(2, "note"), cancellation(2), ping(3))
		c.wantIDs("3")
		g.open()
		c.wantIDs("1")
		c.wantNothing()
		did.want(t)
		c.wantEnd()
	})
}

func TestHandlersRunConcurrentlyUnderTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect(held("hold", g))
		served.Asynchronous = true
		c := ready(t, served, &server.Options{Concurrency: 4})
		for id := range 10 {
			c.send(call(id, "hold"))
		}
		c.send(ping(99))
		c.wantIDs("99")
		synctest.Wait()
		if running := len(g.reached); running != 4 {
			t.Errorf("%d handlers run at once, want 4", running)
		}
		g.open()
		seen := make(map[string]bool)
		for range 10 {
			seen[c.next().Get("id").Raw] = true
		}
		if len(seen) != 10 {
			t.Errorf("answers to %v, want to all of 0 to 9", seen)
		}
		c.wantEnd()
	})
}

// Beyond what may wait, a call is refused; what waits already, ping and
// cancellation are unharmed.
func TestFullQueueRefuses(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		t.Run(fmt.Sprintf("asynchronous=%t", asynchronous), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(t)
				served := aspect(held("hold", g))
				served.Asynchronous = asynchronous
				c := ready(t, served, &server.Options{Concurrency: 1, QueueLimit: 4 << 20})
				big := strings.Repeat("x", 1<<20)
				bigCall := func(id int) string {
					return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"hold","_meta":{"x":%q}}}`, id, big)
				}
				c.send(call(0, "hold"))
				<-g.reached
				for id := range 10 {
					c.send(bigCall(id + 1))
				}
				c.send(ping(99))
				refused := 0
				for got := c.next(); got.Get("id").Raw != "99"; got = c.next() {
					if code := got.Get("error.code").Int(); code != -32603 {
						t.Fatalf("got %.300s, want the error -32603", got.Raw)
					}
					refused++
				}
				if refused < 5 || refused > 8 {
					t.Errorf("%d of 10 calls of 1 MiB were refused with a queue of 4 MiB, want 6 or so", refused)
				}
				g.open()
				for range 11 - refused {
					if got := c.next(); got.Get("result.content.0.text").Str != "hold" {
						t.Fatalf("got %.300s, want the answer of a call that waited", got.Raw)
					}
				}
				c.wantEnd()
			})
		})
	}
}

// What is posted, and what the client notifies of, is bounded as well.
func TestFullQueueRefusesActionsAndNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		served := aspect(held("hold", g))
		seen := 0
		served.OnNotification = func(context.Context, *core.Notification) { seen++ }
		hosts := hosted(served)
		c := ready(t, served, &server.Options{QueueLimit: 64 << 10})
		host := <-hosts
		c.send(call(1, "hold"))
		<-g.reached
		taken, ran := 0, 0
		for range 10_000 {
			if host.PostAction(core.Action{Run: func(context.Context) { ran++ }}) == nil {
				taken++
			}
		}
		if taken == 0 || taken > 1000 {
			t.Errorf("%d of 10,000 actions were taken with a queue of 64 KiB, want a few hundred", taken)
		}
		for range 100 {
			c.send(`{"jsonrpc":"2.0","method":"notifications/zoo","params":{"x":"` + strings.Repeat("x", 10<<10) + `"}}`)
		}
		c.send(ping(2))
		c.wantIDs("2")
		g.open()
		c.wantText("1", "hold")
		synctest.Wait()
		if ran != taken || seen > 10 {
			t.Errorf("%d of %d actions ran, and %d notifications of 10 KiB were seen; want all and a few at most", ran, taken, seen)
		}
		c.wantEnd()
	})
}

// What waits is bounded in memory by what it really keeps: a short call keeps
// the block of input that it came in.
func TestMillionOpenRequestsStayBounded(t *testing.T) {
	g := newGate(t)
	c := ready(t, aspect(held("hold", g)), &server.Options{QueueLimit: 8 << 20})
	before := heapInUse()
	refused := 0
	go func() {
		for from := 0; from < manyRequests; from += 100 {
			lines := make([]string, 100)
			for i := range lines {
				lines[i] = call(from+i, "hold")
			}
			c.send(lines...)
		}
		c.send(ping(manyRequests))
	}()
	for got := c.next(); got.Get("id").Int() != manyRequests; got = c.next() {
		if got.Get("error.code").Int() != -32603 {
			t.Fatalf("got %.300s, want the error -32603", got.Raw)
		}
		refused++
	}
	if refused < manyRequests/2 {
		t.Errorf("%d of %d calls behind a blocked handler were refused, want most", refused, manyRequests)
	}
	if grown := int64(heapInUse()) - int64(before); grown > 48<<20 {
		t.Errorf("the heap grew by %d MiB with a queue of 8 MiB, want less than 48", grown>>20)
	}
	g.open()
	for range manyRequests - refused {
		if got := c.next(); got.Get("result.content.0.text").Str != "hold" {
			t.Fatalf("got %.300s, want the answer of a call that waited", got.Raw)
		}
	}
	c.wantEnd()
}

// padded is a call that says nothing in so many bytes.
func padded(id int, tool string, size int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"_meta":{"x":%q}}}`, id, tool, strings.Repeat("x", size))
}

// Calls that were deferred count as much as those that wait for a handler.
func TestDeferredCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 40
		handles := make(chan *core.Deferred, calls)
		c := ready(t, aspect(deferring("defer", handles)), &server.Options{QueueLimit: 1 << 20})
		for id := range calls {
			c.send(padded(id, "defer", 100<<10))
		}
		c.send(ping(99))
		refused := 0
		for got := c.next(); got.Get("id").Raw != "99"; got = c.next() {
			if code := got.Get("error.code").Int(); code != -32603 {
				t.Fatalf("got %.300s, want the error -32603", got.Raw)
			}
			refused++
		}
		if refused < 25 || refused == calls {
			t.Errorf("%d of %d deferred calls of 100 KiB were refused with a limit of 1 MiB, want 30 or so", refused, calls)
		}
		for range calls - refused {
			if err := (<-handles).Complete(core.Text("done"), nil); err != nil {
				t.Fatal(err)
			}
			c.next()
		}
		c.send(call(100, "defer"))
		if err := (<-handles).Complete(core.Text("done"), nil); err != nil {
			t.Fatal(err)
		}
		c.wantText("100", "done")
		c.wantEnd()
	})
}

// Calls that were cancelled in the queue take memory for as long as they stay
// there.
func TestCancelledCallsInTheQueueAreBounded(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		t.Run(fmt.Sprintf("asynchronous=%t", asynchronous), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const calls = 40
				g := newGate(t)
				served := aspect(held("hold", g), fast("fast"))
				served.Asynchronous = asynchronous
				c := ready(t, served, &server.Options{QueueLimit: 1 << 20, Concurrency: 1})
				c.send(call(0, "hold"))
				<-g.reached
				for id := 1; id <= calls; id++ {
					c.send(padded(id, "fast", 100<<10), cancellation(id))
				}
				c.send(ping(99))
				refused := 0
				for got := c.next(); got.Get("id").Raw != "99"; got = c.next() {
					if code := got.Get("error.code").Int(); code != -32603 {
						t.Fatalf("got %.300s, want the error -32603", got.Raw)
					}
					refused++
				}
				if refused < 25 || refused == calls {
					t.Errorf("%d of %d calls of 100 KiB were refused with a limit of 1 MiB, want 30 or so", refused, calls)
				}
				g.open()
				c.wantText("0", "hold")
				synctest.Wait()
				c.send(call(100, "fast"))
				c.wantText("100", "fast")
				c.wantEnd()
			})
		})
	}
}

// A notification counts with all of its text, its method included.
func TestNotificationsWithLongNamesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		seen := 0
		served := aspect(held("hold", g))
		served.OnNotification = func(context.Context, *core.Notification) { seen++ }
		c := ready(t, served, &server.Options{QueueLimit: 1 << 20})
		c.send(call(1, "hold"))
		<-g.reached
		for range 40 {
			c.send(`{"jsonrpc":"2.0","method":"notifications/` + strings.Repeat("x", 100<<10) + `"}`)
		}
		c.send(ping(2))
		c.wantIDs("2")
		g.open()
		c.wantText("1", "hold")
		synctest.Wait()
		if seen < 5 || seen > 10 {
			t.Errorf("%d notifications of 100 KiB waited with a queue of 1 MiB, want 10 or so", seen)
		}
		c.wantEnd()
	})
}
