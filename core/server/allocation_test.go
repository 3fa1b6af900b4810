package server_test

import (
	"context"
	"io"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// heapInUse is the number of bytes of live objects.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// echo is a tool like most, one text argument, one text back, whose handler
// allocates nothing itself.
func echo() core.Tool {
	return core.Tool{
		Name:  "echo",
		Input: core.Object(core.String("name", "What to say").Required()),
		Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			name, err := call.RequireString("name")
			if err != nil {
				return nil, err
			}
			return core.Text(name), nil
		},
	}
}

const echoCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"name":"Eric"}}}` + "\n"

// repeated is an input of many equal lines. It calls a milestone's function
// before the line of that number.
type repeated struct {
	line      string
	left      int
	given     int
	milestone map[int]func()
}

func (r *repeated) Read(buffer []byte) (int, error) {
	n := 0
	for r.left > 0 && len(buffer)-n >= len(r.line) {
		if at := r.milestone[r.given]; at != nil {
			if n > 0 {
				break
			}
			delete(r.milestone, r.given)
			at()
		}
		n += copy(buffer[n:], r.line)
		r.left--
		r.given++
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func serveRepeated(t *testing.T, calls int, milestone map[int]func()) {
	in := &repeated{line: echoCall, left: calls, milestone: milestone}
	if err := server.Serve(t.Context(), aspect(echo()), in, io.Discard, nil); err != nil {
		t.Fatal(err)
	}
}

// The way of a call that is served inline, from its line to its answer, takes
// hardly any memory of its own.
func TestAllocationsOfAnInlineCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls = 10_000
		few := testing.AllocsPerRun(3, func() { serveRepeated(t, calls, nil) })
		many := testing.AllocsPerRun(3, func() { serveRepeated(t, 2*calls, nil) })
		// What only every n-th call takes (a block of input, a slab of requests)
		// is well below a fifth.
		if each := (many - few) / calls; each > allocationsPerCall+0.2 {
			t.Errorf("an inline call takes %.2f allocations, want %d at most", each, allocationsPerCall)
		}
	})
}

func TestHeapDoesNotGrowWithTheNumberOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const early, late = manyCalls / 100, manyCalls - 1000
		var before, after uint64
		serveRepeated(t, manyCalls, map[int]func(){
			early: func() { before = heapInUse() },
			late:  func() { after = heapInUse() },
		})
		if after > before+(1<<20) {
			t.Errorf("the heap holds %d KiB after %d calls, and held %d KiB after %d", after>>10, late, before>>10, early)
		}
	})
}

// Calls that end oddly (cancelled, failed, timed out, answered later, asking a
// client that refuses) leave neither memory nor goroutines behind.
func TestNothingIsLeftOfCallsThatEndOddly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handles := make(chan *core.Deferred, 1)
		contexts := make(chan context.Context, 1)
		served := aspect(watching("watch", contexts), deferring("defer", handles), asking("ask"), endingTools(nil)[2])
		served.Asynchronous = true
		c := ready(t, served, &server.Options{CallTimeout: time.Second})
		round := func() {
			c.send(call(1, "watch"))
			cancelled := <-contexts
			c.send(cancellation(1), call(2, "defer"), call(3, "ask"), call(4, "panic"), call(5, "nope"))
			for open := 3; open > 0; {
				if got := c.next(); got.Get("method").Str == "sampling/createMessage" {
					c.send(`{"jsonrpc":"2.0","id":` + got.Get("id").Raw + `,"error":{"code":-1,"message":"no"}}`)
				} else {
					open--
				}
			}
			<-cancelled.Done()
			if err := (<-handles).Complete(core.Text("later"), nil); err != nil {
				t.Fatal(err)
			}
			c.wantText("2", "later")
			c.send(call(6, "watch"))
			c.wantToolError("6", "longer than 1s")
			<-(<-contexts).Done()
		}
		for range 200 {
			round()
		}
		synctest.Wait()
		heap, goroutines := heapInUse(), runtime.NumGoroutine()
		for range 1000 {
			round()
		}
		synctest.Wait()
		// The runtime may start a few of its own.
		if now := runtime.NumGoroutine(); now > goroutines+5 {
			t.Errorf("%d goroutines after 1,200 rounds, %d after 200", now, goroutines)
		}
		if now := heapInUse(); now > heap+(1<<20) {
			t.Errorf("the heap holds %d KiB after 1,200 rounds, and held %d KiB after 200", now>>10, heap>>10)
		}
		c.wantEnd()
	})
}
