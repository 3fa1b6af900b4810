package server_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"

	"mcpserver/core"
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
