package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"mcpserver/core"
	"mcpserver/core/server"
)

// The client gets what is at least as severe as the level that it set, info at
// first, and anew after an initialize.
func TestLogLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Logging = true
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		logAll := func() {
			for level := core.LogDebug; level <= core.LogEmergency; level++ {
				host.Log(level, "zoo", int(level))
			}
		}
		want := func(levels ...string) {
			t.Helper()
			for _, level := range levels {
				got := c.wantMethod("notifications/message")
				if got.Get("params.level").Str != level || got.Get("params.logger").Str != "zoo" {
					t.Fatalf("got %s, want the level %s", got.Raw, level)
				}
			}
			c.wantNothing()
		}
		logAll()
		want("info", "notice", "warning", "error", "critical", "alert", "emergency")
		c.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"critical"}}`)
		c.wantIDs("1")
		logAll()
		want("critical", "alert", "emergency")
		for _, params := range []string{`{"level":"verbose"}`, `{"level":3}`, `{}`} {
			c.send(`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":` + params + `}`)
			c.wantError("2", -32602, "")
		}
		logAll()
		want("critical", "alert", "emergency")
		c.send(`{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"debug"}}`)
		c.wantIDs("3")
		logAll()
		want("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
		c.wantEnd()
	})
}

// Whatever the data, the message is valid and no error reaches the handler.
func TestLogData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Logging = true
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		for name, data := range map[string]any{
			"text":      "line\nbreak \xff",
			"object":    map[string]int{"a": 1},
			"nil":       nil,
			"channel":   make(chan int),
			"not a num": math.NaN(),
		} {
			host.Log(core.LogError, "", data)
			got := c.wantMethod("notifications/message")
			if !got.Get("params.data").Exists() || got.Get("params.logger").Exists() {
				t.Errorf("%s: got %s, want data and no logger", name, got.Raw)
			}
		}
		c.wantEnd()
	})
}

// A server that does not declare logging sends none, and has no setLevel.
func TestLogWithoutTheCapability(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(core.Tool{Name: "log", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			call.Log(core.LogEmergency, "", "help")
			call.Host().Log(core.LogEmergency, "", "help")
			return core.Text("logged"), nil
		}})
		c := ready(t, served, nil)
		c.send(call(1, "log"), `{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}`)
		c.wantText("1", "logged")
		c.wantError("2", -32601, "")
		c.wantEnd()
	})
}

// Log messages need not wait for the client's notifications/initialized.
func TestLogBeforeInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Logging = true
		hosts := hosted(served)
		c := connect(t, served, nil)
		host := <-hosts
		c.send(initialize)
		c.wantIDs(`"init"`)
		host.Log(core.LogError, "", "early")
		c.wantMethod("notifications/message")
		c.wantEnd()
	})
}

// What the aspect has as JSON already need be neither valid UTF-8 nor one line;
// what is sent is both.
func TestRawMessagesAreSentAsValidText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		raw := json.RawMessage("{\"a\":\n\"caf\xe9\"}")
		served := aspect(core.Tool{Name: "raw", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			call.Log(core.LogError, "", raw)
			call.Host().Log(core.LogError, "", map[string]any{"nested": raw})
			return &core.ToolResult{Structured: raw}, nil
		}})
		served.Logging = true
		c := ready(t, served, nil)
		c.send(call(1, "raw"))
		for _, path := range []string{"params.data.a", "params.data.nested.a", "result.structuredContent.a"} {
			got := c.next()
			if !utf8.ValidString(got.Raw) || got.Get(path).Str != "caf\ufffd" {
				t.Errorf("got %q, want valid UTF-8 with caf\ufffd at %s", got.Raw, path)
			}
		}
		c.wantEnd()
	})
}

// A log message after the end is not written to an output that may be something
// else's by then.
func TestLogAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Logging = true
		hosts := hosted(served)
		var out bytes.Buffer
		// The client has been heard, so it is sent log messages.
		if err := server.Serve(t.Context(), served, strings.NewReader(ping(1)+"\n"), &out, nil); err != nil {
			t.Fatal(err)
		}
		before := out.Len()
		(<-hosts).Log(core.LogError, "", "too late")
		synctest.Wait()
		if out.Len() != before {
			t.Errorf("after Serve had returned it wrote %q", out.String()[before:])
		}
	})
}

// Nor is one that comes at the end itself. This is for the race detector, too.
func TestLogAtTheEnd(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			served := aspect()
			served.Logging = true
			hosts := hosted(served)
			over := make(chan struct{})
			logging := make(chan struct{})
			go func() {
				defer close(logging)
				host := <-hosts
				for {
					host.Log(core.LogError, "", "on and on")
					select {
					case <-over:
						host.Log(core.LogError, "", "too late")
						return
					default:
					}
				}
			}()
			var out bytes.Buffer
			// The client has been heard, so it is sent log messages.
			err := server.Serve(context.Background(), served, strings.NewReader(ping(1)+"\n"), &out, &server.Options{OutputLimit: 1 << 12})
			if err != nil {
				t.Error(err)
			}
			before := out.Len()
			close(over)
			<-logging
			synctest.Wait()
			if out.Len() != before {
				t.Errorf("after Serve had returned it wrote %q", out.String()[before:])
			}
		})
	}
}

// The aspect is told each level that the client has set, and no other; code that
// fails there costs nothing.
func TestOnSetLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var did journal
		served := aspect(fast("fast"))
		served.Logging = true
		served.OnSetLevel = func(ctx context.Context, level core.LogLevel) {
			did.add(level.String())
			switch {
			case ctx.Err() != nil:
				t.Errorf("the context has ended: %v", ctx.Err())
			case level == core.LogAlert:
				panic("no")
			case level == core.LogCritical:
				runtime.Goexit()
			}
		}
		c := ready(t, served, nil)
		var want []string
		for level := core.LogDebug; level <= core.LogEmergency; level++ {
			c.send(setLevel(1, level.String()))
			c.wantIDs("1")
			synctest.Wait()
			want = append(want, level.String())
			did.want(t, want...)
		}
		for _, level := range []string{"verbose", "", "ERROR"} {
			c.send(setLevel(2, level))
			c.wantError("2", -32602, "")
		}
		c.wantTraced("OnSetLevel panicked")
		c.wantTraced("OnSetLevel: the code ended its goroutine")
		c.send(call(3, "fast"))
		c.wantText("3", "fast")
		did.want(t, want...)
		c.wantEnd()
	})
}

// The level that counts is the one that the aspect is told last, and one telling
// follows the other, also where its code runs side by side.
func TestLastLevelIsToldLast(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate(t)
			var did journal
			var alone exclusive
			served := aspect()
			served.Logging, served.Asynchronous = true, asynchronous
			served.OnSetLevel = func(_ context.Context, level core.LogLevel) {
				alone.run(func() {
					g.pass()
					did.add(level.String())
				})
			}
			c := ready(t, served, nil)
			// The client is answered without waiting for the aspect.
			c.send(setLevel(1, "debug"), ping(2))
			c.wantIDs("1", "2")
			<-g.reached
			c.send(setLevel(3, "error"), setLevel(4, "alert"))
			c.wantIDs("3", "4")
			c.wantNothing()
			if len(g.reached) > 0 || alone.overlaps.Load() > 0 {
				t.Error("the aspect is told two levels at once")
			}
			g.open()
			synctest.Wait()
			did.want(t, "debug", "alert", "alert")
			c.wantEnd()
		})
	}
}
