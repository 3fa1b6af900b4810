package server_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// big is a tool that answers with a text of that many bytes.
func big(name string, size int) core.Tool {
	text := strings.Repeat("x", size)
	return core.Tool{Name: name, Handler: func(context.Context, *core.Call) (core.Result, error) {
		return core.Text(text), nil
	}}
}

// A client that never reads makes the server stop reading, at a bound, and
// nothing is lost when it begins to read.
func TestUnreadOutputStopsTheReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, limit, calls = 100 << 10, 1 << 20, 100
		c := connectUnread(t, aspect(big("big", size)), &server.Options{OutputLimit: limit})
		var sent atomic.Int32
		go func() {
			for id := range calls {
				c.send(call(id, "big"))
				sent.Add(1)
			}
		}()
		time.Sleep(time.Minute)
		taken := int(sent.Load())
		if most := limit/size + 4; taken > most {
			t.Errorf("the server took %d calls of %d bytes each from a client that does not read, want %d at most", taken, size, most)
		}
		if taken < 2 {
			t.Errorf("the server took %d calls, want the reading to go on while there is room", taken)
		}
		go c.read()
		for id := range calls {
			c.wantIDs(strconv.Itoa(id))
		}
		c.wantEnd()
	})
}

// What waits in the queue is not started for a client that does not take the
// answers there are.
func TestUnreadOutputHoldsBackTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, size, limit = 20, 1 << 20, 2 << 20
		g := newGate(t)
		var ran atomic.Int32
		large := big("big", size)
		answer := large.Handler
		large.Handler = func(ctx context.Context, call *core.Call) (core.Result, error) {
			ran.Add(1)
			return answer(ctx, call)
		}
		served := aspect(held("hold", g), large)
		served.Asynchronous = true
		c := connectUnread(t, served, &server.Options{OutputLimit: limit, Concurrency: 1})
		c.send(call(0, "hold"))
		<-g.reached
		for id := range calls {
			c.send(call(id+1, "big"))
		}
		synctest.Wait()
		g.open()
		time.Sleep(time.Minute)
		if most := int32(limit/size + 1); ran.Load() > most || ran.Load() == 0 {
			t.Errorf("%d calls with answers of 1 MiB were run for a client that leaves 2 MiB unread, want 1 to %d", ran.Load(), most)
		}
		go c.read()
		for id := range calls + 1 {
			c.wantIDs(strconv.Itoa(id))
		}
		c.wantEnd()
	})
}

// A client that reads nothing cannot stop a signal from ending the server.
func TestUnreadOutputDoesNotPreventTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connectUnread(t, aspect(big("big", 1<<20)), &server.Options{OutputLimit: 1 << 20, Grace: time.Second})
		c.send(call(1, "big"), call(2, "big"), call(3, "big"))
		time.Sleep(time.Minute)
		start := time.Now()
		c.signal()
		if err := c.wait(); err != nil {
			t.Errorf("Serve returned %v, want nil", err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("it took %v, want the grace or so", took)
		}
	})
}

// What the aspect sends on its own never waits for a client that does not
// read, and is refused when too much is unread.
func TestPostDoesNotWaitForTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Logging = true
		hosts := hosted(served)
		c := connectUnread(t, served, &server.Options{OutputLimit: 1 << 10})
		host := <-hosts
		c.hear()
		text := strings.Repeat("x", 300)
		results := make(chan error, 20)
		go func() {
			for range 10 {
				results <- host.Post("notifications/zoo", map[string]string{"text": text})
			}
			host.Log(core.LogError, "", text)
			close(results)
		}()
		synctest.Wait()
		sent, refused := outcomes(results)
		if sent+refused != 10 || refused == 0 || sent < 3 {
			t.Errorf("%d notifications were sent and %d refused at once, want 10 together and some of each", sent, refused)
		}
		go c.read()
		for range sent {
			c.wantMethod("notifications/zoo")
		}
		c.send(ping(1))
		c.wantIDs("1")
		c.wantEnd()
	})
}

// A handler's progress is dropped rather than waited for when nobody reads.
func TestProgressDoesNotWaitForTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reported := make(chan struct{})
		c := connectUnread(t, aspect(core.Tool{Name: "report", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			for i := range 1000 {
				call.Progress(float64(i), 1000, strings.Repeat("x", 100))
			}
			close(reported)
			return core.Text("reported"), nil
		}}), &server.Options{OutputLimit: 1 << 10})
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","_meta":{"progressToken":"p"}}}`)
		synctest.Wait()
		select {
		case <-reported:
		default:
			t.Error("the handler waits for a client that does not read its progress")
		}
		go c.read()
		last := -1.0
		for got := c.next(); got.Get("id").Raw != "1"; got = c.next() {
			progress := got.Get("params.progress").Float()
			if progress <= last || got.Get("params.progressToken").Raw != `"p"` {
				t.Fatalf("got %s after progress %v, want it to rise, with the client's token", got.Raw, last)
			}
			last = progress
		}
		c.wantEnd()
	})
}

// Many handlers that answer at once, and notifications among them, never mix
// their lines, however little the client takes at a time.
func TestLinesNeverInterleave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, size = 32, 200 << 10
		served := aspect(big("big", size))
		served.Asynchronous, served.Logging = true, true
		hosts := hosted(served)
		c := connectUnread(t, served, nil)
		host := <-hosts
		c.hear()
		for id := range calls {
			c.send(call(id, "big"))
		}
		go func() {
			for i := range 100 {
				host.Log(core.LogWarning, "zoo", fmt.Sprint("note ", i))
			}
		}()
		go c.readSlowly(997)
		seen, notes := make(map[string]bool), 0
		for len(seen) < calls || notes < 100 {
			got := c.next()
			switch {
			case got.Get("method").Str == "notifications/message":
				if data := got.Get("params.data").Str; data != fmt.Sprint("note ", notes) {
					t.Fatalf("got the note %q, want note %d", data, notes)
				}
				notes++
			case len(got.Get("result.content.0.text").Str) == size:
				seen[got.Get("id").Raw] = true
			default:
				t.Fatalf("got a line of %d bytes that is no whole message: %.200s", len(got.Raw), got.Raw)
			}
		}
		c.wantEnd()
	})
}

// outcomes counts what is in the channel.
func outcomes(results <-chan error) (sent, refused int) {
	for len(results) > 0 {
		if err := <-results; err != nil {
			refused++
		} else {
			sent++
		}
	}
	return sent, refused
}

// Deferred answers wait while the client has left too much unread. Those of a
// relay do not: who gives them has others to read from.
func TestDeferredAnswersWaitForTheClient(t *testing.T) {
	for name, relays := range map[string]bool{"plain": false, "relay": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const calls = 20
				handles := make(chan *core.Deferred, calls)
				served := aspect(core.Tool{Name: "later", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
					handles <- call.Defer()
					return core.Pending, nil
				}})
				served.Relays = relays
				c := connectUnread(t, served, &server.Options{OutputLimit: 1 << 10})
				for id := range calls {
					c.send(call(id, "later"))
				}
				synctest.Wait()
				completed := make(chan error, calls)
				go func() {
					for range calls {
						completed <- (<-handles).Complete(core.Text(strings.Repeat("x", 300)), nil)
					}
				}()
				synctest.Wait()
				if waits := len(completed) < calls/2; waits == relays {
					t.Errorf("%d of %d answers were given to a client that does not read", len(completed), calls)
				}
				go c.read()
				for range calls {
					if err := <-completed; err != nil {
						t.Error(err)
					}
				}
				c.wantIDs(ids(calls)...)
				c.wantEnd()
			})
		})
	}
}

// ids are those of so many calls.
func ids(count int) (all []string) {
	for id := range count {
		all = append(all, strconv.Itoa(id))
	}
	return all
}
