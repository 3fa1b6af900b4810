package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
	"mcpserver/core/server"
)

const (
	progressed = "notifications/progress"
	logged     = "notifications/message"
)

// relay is a tool that forwards notifications, method and params by turns, and
// then gives its call away and answers.
func relay(calls chan<- *core.Call, notifications ...string) core.Tool {
	return core.Tool{Name: "relay", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		for i := 0; i < len(notifications); i += 2 {
			call.Forward(notifications[i], json.RawMessage(notifications[i+1]))
		}
		calls <- call
		return core.Text("relayed"), nil
	}}
}

// relayCall is a call of it that asks for progress under that token, unless it
// is "".
func relayCall(token string) string {
	if token == "" {
		return call(1, "relay")
	}
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"relay","_meta":{"progressToken":` + token + `}}}`
}

// wantLines takes the next messages, which must be these.
func (c *client) wantLines(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if got := c.next().Raw; got != line {
			c.t.Fatalf("got\n %s\nwant\n %s", got, line)
		}
	}
}

// Progress of another server comes under the client's token, as it was sent, and
// otherwise as it is.
func TestForwardedProgress(t *testing.T) {
	const theirs = "{ \"z\": {\"b\":1, \"a\":2},\n\"progress\": 1.0, \"progressToken\": \"theirs\", \"total\": 12345678901234567890,\r\"message\": \"\\u003cb\\u003e\", \"\\u003c\": null }"
	ours := func(token string) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"z":{"b":1,"a":2},"progress":1.0,"progressToken":` + token +
			`,"total":12345678901234567890,"message":"\u003cb\u003e","\u003c":null}}`
	}
	for _, token := range []string{`0`, `""`, `"abc"`, `9007199254740993`, `"1"`, `-1`, `1.0`, `"\u003c"`} {
		synctest.Test(t, func(t *testing.T) {
			calls := make(chan *core.Call, 1)
			c := ready(t, aspect(relay(calls, progressed, theirs)), nil)
			c.send(relayCall(token))
			c.wantLines(ours(token))
			c.wantText("1", "relayed")
			// Nothing comes after the answer.
			(<-calls).Forward(progressed, json.RawMessage(`{"progress":2}`))
			c.wantNothing()
			c.wantEnd()
		})
	}
}

func TestForwardedProgressWithoutAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan *core.Call, 1)
		c := ready(t, aspect(relay(calls, progressed, `{"progress":1,"progressToken":1}`, progressed, `{`)), nil)
		c.send(relayCall(""))
		c.wantText("1", "relayed")
		c.wantNothing()
		c.wantEnd()
	})
}

// Only what rises is sent, whoever reports it; what is no progress costs nothing.
func TestForwardedProgressRises(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forward := func(call *core.Call, params ...string) {
			for _, each := range params {
				call.Forward(progressed, json.RawMessage(each))
			}
		}
		c := ready(t, aspect(core.Tool{Name: "relay", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			forward(call, `{"progress":"9"}`, `{"progress":null}`, `{"progress":-2}`, `{"progress":-2.0}`, `{"progress":-3}`, `{"progress":1,"progressToken":{"odd":1},"progressToken":2}`)
			forward(call, ``, `null`, `[]`, `5`, `{}`, `{"progress":"2"}`, `{"progress":null}`, `{"progress":1e400}`, `{"progress":2,`, `{"progress":2} {}`, "{\"progress\":2,\"a\":\"two\nlines\"}")
			call.Progress(2, 0, "")
			forward(call, `{"progress":1.5}`, `{"progress":2}`)
			call.Progress(1.9, 0, "")
			forward(call, `{"progr\u0065ss":2.5e0}`)
			return core.Text("relayed"), nil
		}}), nil)
		c.send(relayCall(`"p"`))
		wrap := func(params string) string {
			return `{"jsonrpc":"2.0","method":"notifications/progress","params":{` + params + `}}`
		}
		c.wantLines(
			wrap(`"progress":-2,"progressToken":"p"`), wrap(`"progress":1,"progressToken":"p"`),
			wrap(`"progressToken":"p","progress":2`), wrap(`"progr\u0065ss":2.5e0,"progressToken":"p"`),
		)
		c.wantText("1", "relayed")
		c.wantEnd()
	})
}

// The first version of the protocol has no message with progress.
func TestForwardedProgressInOldRevisions(t *testing.T) {
	for revision, message := range map[string]string{"2024-11-05": ``, "2025-03-26": `,"message":"m"`, "2025-06-18": `,"message":"m"`} {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, aspect(relay(make(chan *core.Call, 1), progressed, `{"progress":1,"message":"m","own":1}`)), nil)
			c.send(strings.Replace(initialize, "2025-11-25", revision, 1), initialized, relayCall("7"))
			c.wantIDs(`"init"`)
			c.wantLines(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1` + message + `,"own":1,"progressToken":7}}`)
			c.wantText("1", "relayed")
			c.wantEnd()
		})
	}
}

// Log messages of another server come by their level, as they are.
func TestForwardedLogMessages(t *testing.T) {
	message := func(level string) string {
		return `{"logger":1.0,"level":` + level + `,"own":{"b":1,"a":2},"data":"\u003cb\u003e"}`
	}
	var notifications []string
	for _, level := range []string{`"debug"`, `"info"`, `"notice"`, `"warning"`, `"error"`, `"emergency"`, `"verbose"`, `"ERROR"`, `7`, `null`} {
		notifications = append(notifications, logged, message(level))
	}
	notifications = append(notifications, logged, `{"data":1}`, logged, `[]`, logged, ``, logged, `{"level":"error"`, logged, "{ \"level\" :\n\"alert\" }")
	want := func(c *client, levels ...string) {
		t.Helper()
		for _, level := range levels {
			c.wantLines(`{"jsonrpc":"2.0","method":"notifications/message","params":` + message(`"`+level+`"`) + `}`)
		}
		c.wantLines(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"alert"}}`)
		c.wantText("1", "relayed")
	}
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan *core.Call, 10)
		served := aspect(relay(calls, notifications...))
		served.Logging = true
		c := ready(t, served, nil)
		c.send(relayCall(""))
		want(c, "info", "notice", "warning", "error", "emergency")
		c.send(setLevel(2, "error"), relayCall(""))
		c.wantIDs("2")
		want(c, "error", "emergency")
		// A level that does not exist is wanted by nobody.
		c.send(setLevel(3, "debug"), relayCall(""))
		c.wantIDs("3")
		want(c, "debug", "info", "notice", "warning", "error", "emergency")
		(<-calls).Forward(logged, json.RawMessage(message(`"error"`)))
		c.wantNothing()
		c.wantEnd()
	})
	// A server that does not declare logging sends none.
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(relay(make(chan *core.Call, 1), notifications...)), nil)
		c.send(relayCall(""))
		c.wantText("1", "relayed")
		c.wantEnd()
	})
}

func setLevel(id int, level string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"logging/setLevel","params":{"level":%q}}`, id, level)
}

// Whatever else another server tells goes to the client of the legacy era as it
// is, each on one line, as long as the call is open.
func TestOtherForwardedNotifications(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan *core.Call, 1)
		c := ready(t, aspect(relay(calls,
			"notifications/own", "{\n\"b\": 1.0,\r\n\"a\": \"\\u003c\", \"b\": 2 }",
			"notifications/two\nlines", `{}`,
			"notifications/none", ``,
			"notifications/odd", `null`, "notifications/odd", `[]`, "notifications/odd", `"x"`, "notifications/odd", `{"a":1`,
		)), nil)
		c.send(relayCall(""))
		c.wantLines(
			`{"jsonrpc":"2.0","method":"notifications/own","params":{"b":1.0,"a":"\u003c","b":2}}`,
			`{"jsonrpc":"2.0","method":"notifications/two\nlines","params":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/none"}`,
		)
		c.wantText("1", "relayed")
		(<-calls).Forward("notifications/own", json.RawMessage(`{}`))
		c.wantNothing()
		c.wantEnd()
	})
}

// Nothing is forwarded for a call that was cancelled.
func TestNothingIsForwardedAfterACancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(core.Tool{Name: "relay", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
			<-ctx.Done()
			call.Forward(progressed, json.RawMessage(`{"progress":1}`))
			call.Forward(logged, json.RawMessage(`{"level":"error","data":1}`))
			call.Forward("notifications/own", nil)
			return core.Text("late"), nil
		}})
		served.Logging = true
		c := ready(t, served, nil)
		c.send(relayCall("7"), cancellation(1), ping(2))
		c.wantIDs("2")
		c.wantNothing()
		c.wantEnd()
	})
}

// What belongs to no call waits for the client to be ready, as what is posted
// does; log messages do not, as those of the aspect itself.
func TestHostForwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Logging = true
		hosts := hosted(served)
		c := connect(t, served, nil)
		host := <-hosts
		forward := func(method, params string, sent bool) {
			t.Helper()
			if err := host.Forward(method, json.RawMessage(params)); (err == nil) != sent {
				t.Errorf("Forward of %s with %q gave %v, want success: %t", method, params, err, sent)
			}
		}
		const message = "{\n\"level\": \"warning\", \"own\": 1.0, \"data\": \"\\u003c\" }"
		const sentMessage = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning","own":1.0,"data":"\u003c"}}`
		forward("notifications/own", `{}`, false)
		forward(logged, message, true) // to the trace
		c.wantNothing()
		c.send(initialize)
		c.wantIDs(`"init"`)
		forward("notifications/own", `{}`, false)
		forward(logged, message, true)
		c.wantLines(sentMessage)
		c.send(initialized, setLevel(1, "warning"))
		c.wantIDs("1")
		forward("notifications/own", " {\n\"b\": 1.0, \"a\": \"\\u003c\" }", true)
		forward("notifications/own", ``, true)
		forward(logged, message, true)
		forward(logged, `{"level":"info"}`, true) // to the trace
		forward(logged, `{"level":"verbose"}`, true)
		c.wantLines(
			`{"jsonrpc":"2.0","method":"notifications/own","params":{"b":1.0,"a":"\u003c"}}`,
			`{"jsonrpc":"2.0","method":"notifications/own"}`, sentMessage,
		)
		for _, params := range []string{`null`, `[]`, `5`, `{"a":1`, "{\"a\":\"two\nlines\"}"} {
			forward("notifications/own", params, false)
			forward(logged, params, false)
		}
		c.wantNothing()
		c.wantEnd()
		forward("notifications/own", `{}`, false)
		forward(logged, message, false)
		c.wantNothing()
	})
}

func TestHostForwardsNoLogsWithoutTheCapability(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := ready(t, served, nil)
		if err := (<-hosts).Forward(logged, json.RawMessage(`{"level":"emergency","data":1}`)); err != nil {
			t.Error(err)
		}
		c.wantNothing()
		c.wantEnd()
	})
}

// A client that does not read is not waited for.
func TestForwardDoesNotWaitForTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.Logging = true
		hosts := hosted(served)
		c := connectUnread(t, served, &server.Options{OutputLimit: 1 << 10})
		host := <-hosts
		c.hear()
		params := json.RawMessage(`{"level":"error","data":"` + strings.Repeat("x", 300) + `"}`)
		results := make(chan error, 20)
		go func() {
			for range 10 {
				results <- host.Forward("notifications/zoo", params)
				results <- host.Forward(logged, params)
			}
		}()
		synctest.Wait()
		sent, refused := outcomes(results)
		if sent+refused != 20 || refused == 0 || sent < 3 {
			t.Errorf("%d notifications were sent and %d refused at once, want 20 together and some of each", sent, refused)
		}
		go c.read()
		c.send(ping(1))
		for range sent {
			if got := c.next(); got.Get("params").Raw != string(params) {
				t.Errorf("got %s, want one of the notifications", got.Raw)
			}
		}
		c.wantIDs("1")
		c.wantEnd()
	})
}

// Only "<binary> Test" is a self-test.
func TestServingIsNoSelfTest(t *testing.T) {
	served := aspect()
	hosts := hosted(served)
	c := ready(t, served, nil)
	if (<-hosts).SelfTesting() {
		t.Error("a client is served, and the host says that a self-test runs")
	}
	c.wantEnd()
	served = aspect()
	reported := make(chan bool, 1)
	served.OnStartup = func(_ context.Context, host core.Host) error { reported <- host.SelfTesting(); return nil }
	if err := server.SelfTest(t.Context(), served, io.Discard, io.Discard, nil); err != nil {
		t.Error(err)
	}
	if !<-reported {
		t.Error("a self-test runs, and the host says that it does not")
	}
}
