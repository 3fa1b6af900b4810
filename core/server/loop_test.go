package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mcpserver/core"
	"mcpserver/core/server"
)

// A handler that does not come back holds up neither ping nor lists nor its own
// cancellation.
func TestSlowHandlerIsOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reasons := make(chan error, 1)
		c := ready(t, aspect(waiting("wait", reasons)), nil)
		c.send(call(1, "wait"), ping(2), list(3), call(4, "nope"), call(5, "about_tsar-mcp"))
		c.wantIDs("2", "3", "4", "5")
		c.send(cancellation(1), ping(6))
		c.wantIDs("6")
		if err := <-reasons; !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled handler's context says %v, want %v", err, context.Canceled)
		}
		c.wantNothing()
		c.wantEnd()
	})
}

// What was answered before a handler that takes long is not held back by it,
// though all came in one write.
func TestGatheredAnswersDoNotWaitForALaterHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(fast("fast"), held("hold", g)), nil)
		c.send(ping(1), call(2, "fast"), call(3, "hold"))
		c.wantIDs("1", "2")
		<-g.reached
		g.open()
		c.wantText("3", "hold")
		c.wantEnd()
	})
}

// writeCounter counts the writes to a sink, and knows the longest.
type writeCounter struct{ writes, longest int }

func (w *writeCounter) Write(data []byte) (int, error) {
	w.writes++
	w.longest = max(w.longest, len(data))
	return len(data), nil
}

func TestAnswersToOneReadAreOneWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in strings.Builder
		for id := range 50 {
			in.WriteString(call(id, "fast") + "\n")
		}
		var out writeCounter
		if err := server.Serve(t.Context(), aspect(fast("fast")), strings.NewReader(in.String()), &out, nil); err != nil {
			t.Fatal(err)
		}
		if out.writes != 1 {
			t.Errorf("50 calls in one read were answered in %d writes, want 1", out.writes)
		}
	})
}

// However much input is at hand, no more than so much output is gathered.
func TestGatheredAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in strings.Builder
		for id := range 500 {
			in.WriteString(call(id, "big") + "\n")
		}
		var out writeCounter
		if err := server.Serve(t.Context(), aspect(big("big", 10<<10)), strings.NewReader(in.String()), &out, nil); err != nil {
			t.Fatal(err)
		}
		if out.longest > 128<<10 {
			t.Errorf("the longest write has %d bytes, want 128 KiB at most", out.longest)
		}
	})
}

// Every take-over leaves one goroutine behind, which must end when its handler
// has come back.
func TestDisplacedGoroutinesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := make(chan struct{})
		slow := core.Tool{Name: "slow", Handler: func(context.Context, *core.Call) (core.Result, error) {
			<-turns
			return core.Text("slow"), nil
		}}
		c := ready(t, aspect(slow), nil)
		synctest.Wait()
		before := runtime.NumGoroutine()
		for id := range 50 {
			c.send(call(id, "slow"), ping(1000+id))
			c.wantIDs(strconv.Itoa(1000 + id))
			turns <- struct{}{}
			c.wantText(strconv.Itoa(id), "slow")
		}
		synctest.Wait()
		// The runtime may start a few of its own.
		if after := runtime.NumGoroutine(); after > before+5 {
			t.Errorf("%d goroutines after 50 take-overs, %d before", after, before)
		}
		c.wantEnd()
	})
}

// soleReader notices when two goroutines read at once.
type soleReader struct {
	io.Reader
	inside, overlaps atomic.Int32
}

func (r *soleReader) Read(buffer []byte) (int, error) {
	if r.inside.Add(1) > 1 {
		r.overlaps.Add(1)
	}
	defer r.inside.Add(-1)
	return r.Reader.Read(buffer)
}

// An answer of the client in a batch may set off a slow handler. Whoever is
// displaced by it must not go on reading afterwards.
func TestOneGoroutineReadsAfterABatchThatResumesACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		ask := core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if _, given := call.Input("art"); !given {
				return call.RequireInput(core.Inputs{"art": sampling()}, nil)
			}
			g.pass()
			return core.Text("asked"), nil
		}}
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		reader := &soleReader{Reader: in}
		c := &client{t: t, in: toServer, out: fromServer, lines: make(chan string, 100), served: make(chan error, 1)}
		go c.read()
		go func() {
			c.served <- server.Serve(context.Background(), aspect(ask), reader, out, nil)
			out.Close()
		}()
		defer toServer.Close()
		c.send(initialize2025)
		c.wantIDs(`"init"`)
		c.send(initialized, call(1, "ask"))
		question := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send("[" + sampled(question, "x") + "," + ping(2) + "]")
		<-g.reached
		c.send(ping(3))
		c.skipTo("3")
		synctest.Wait()
		g.open()
		c.skipTo("1")
		synctest.Wait()
		if got := reader.overlaps.Load(); got != 0 {
			t.Errorf("two goroutines read the input at once, %d times", got)
		}
		c.wantEnd()
	})
}

// endingTools are tools whose code ends in odd ways.
func endingTools(g *gate) []core.Tool {
	odd := func(name string, handler func() core.Result) core.Tool {
		return core.Tool{Name: name, Handler: func(context.Context, *core.Call) (core.Result, error) {
			return handler(), nil
		}}
	}
	return []core.Tool{
		fast("fast"),
		held("hold", g),
		odd("panic", func() core.Result { panic("secret inside") }),
		odd("nil-func", nil),
		odd("goexit", func() core.Result { runtime.Goexit(); return nil }),
		odd("unwritable", func() core.Result { return &core.ToolResult{Structured: panicking{}} }),
		odd("typed-nil", func() core.Result { return (*core.ToolResult)(nil) }),
	}
}

// Neither does a result that panics when it is written.
func TestResultThatPanicsCostsItsOwnCall(t *testing.T) {
	testEndings(t, "unwritable", "typed-nil")
}

// panicking cannot be written as JSON.
type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("secret inside") }

// However a handler ends, that costs its own call alone, and the client is told
// in plain words.
func TestHandlerThatDoesNotReturnCostsItsOwnCall(t *testing.T) {
	testEndings(t, "panic", "nil-func", "goexit")
}

func testEndings(t *testing.T, names ...string) {
	for _, name := range names {
		for _, asynchronous := range []bool{false, true} {
			for _, queued := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/asynchronous=%t/queued=%t", name, asynchronous, queued), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { testEnding(t, name, asynchronous, queued) })
				})
			}
		}
	}
}

func testEnding(t *testing.T, name string, asynchronous, queued bool) {
	g := newGate(t)
	served := aspect(endingTools(g)...)
	served.Asynchronous = asynchronous
	c := ready(t, served, &server.Options{Concurrency: 1})
	if queued {
		c.send(call(1, "hold"))
		<-g.reached
		c.send(call(2, name), call(3, "fast"), call(4, name), ping(5))
		c.wantIDs("5")
		g.open()
		c.wantText("1", "hold")
	} else {
		c.send(call(2, name), call(3, "fast"), call(4, name))
	}
	for _, id := range []string{"2", "3", "4"} {
		got := c.next()
		if got.Get("id").Raw != id {
			t.Fatalf("got %s, want the answer to %s", got.Raw, id)
		}
		if bad := got.Get("result.isError").Bool(); bad != (id != "3") {
			t.Errorf("got %s, want isError: %t", got.Raw, id != "3")
		}
		if strings.Contains(got.Raw, "secret") || strings.Contains(got.Raw, "goroutine") {
			t.Errorf("the answer shows the inside: %s", got.Raw)
		}
	}
	c.send(ping(6), call(7, "fast"))
	c.wantIDs("6", "7")
	c.wantEnd()
}

// A hook that does not return costs a request other than a tool call an
// internal error, and what is no request nothing.
func TestHookThatDoesNotReturn(t *testing.T) {
	hooks := map[string]func(){
		"panic":  func() { panic("secret inside") },
		"goexit": runtime.Goexit,
	}
	for name, end := range hooks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testHookEnding(t, end) })
		})
	}
}

func testHookEnding(t *testing.T, end func()) {
	served := aspect(fast("fast"))
	served.OnMethod = func(context.Context, *core.Call) (core.Result, error) { end(); return nil, nil }
	served.OnNotification = func(context.Context, *core.Notification) { end() }
	served.OnInitialized = func(context.Context) { end() }
	c := ready(t, served, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"zoo/feed"}`)
	if got := c.next(); got.Get("id").Raw != "1" || got.Get("error.code").Int() != -32603 || strings.Contains(got.Raw, "secret") {
		t.Errorf("got %s, want the error -32603 in plain words", got.Raw)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/zoo"}`, call(2, "fast"), ping(3))
	got := map[string]bool{c.next().Get("id").Raw: true, c.next().Get("id").Raw: true}
	if !got["2"] || !got["3"] {
		t.Errorf("got answers to %v, want 2 and 3", got)
	}
	c.wantEnd()
}

func TestPanicInOnInitializeAnswersThatInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(fast("fast"))
		served.OnInitialize = func(context.Context, *core.Initialize) error { panic("secret inside") }
		c := connect(t, served, nil)
		c.send(initialize)
		c.wantError(`"init"`, -32603, "failed unexpectedly")
		c.send(call(1, "fast"))
		c.wantText("1", "fast")
		c.wantEnd()
	})
}

// A message over a limit is answered by what shows of it: a request with its
// id, a notification not at all, and what may be either without an id.
func TestMessagesOverALimit(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	long := strings.Repeat("x", 10<<10)
	for name, over := range map[string]string{
		"too deep":              `{"a":` + deep + `}`,
		"too long":              `{"a":"` + long + `"}`,
		"too deep and too long": `{"a":` + deep + `,"b":"` + long + `"}`,
	} {
		for _, test := range []struct {
			message  string
			answered bool
			id       string
		}{
			{`{"jsonrpc":"2.0","method":"notifications/zoo","params":` + over + `}`, false, ""},
			{`{"method":"notifications/cancelled","params":` + over + `}`, false, ""},
			{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + over + `}`, true, "7"},
			{`{"jsonrpc":"2.0","method":"tools/call","params":` + over + `}`, true, ""},
			{`{"jsonrpc":"2.0","id":1,"result":` + over + `}`, false, ""},
		} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := ready(t, aspect(), &server.Options{MaxMessage: 1000, MaxDepth: 20})
					c.send(test.message, ping(8))
					if test.answered {
						if got := c.next(); got.Get("id").Raw != test.id || !got.Get("error").Exists() {
							t.Errorf("%.100s\n got %s\nwant an error with the id %q", test.message, got.Raw, test.id)
						}
					}
					c.wantIDs("8")
					c.wantEnd()
				})
			})
		}
	}
}
