package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// Actions run in the order in which they were posted, and what cannot be run is
// said at once.
func TestPostedActionsRunInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var did journal
		served := aspect()
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		for _, name := range []string{"a", "b", "c"} {
			if err := host.PostAction(core.Action{Run: func(context.Context) { did.add(name) }}); err != nil {
				t.Fatal(err)
			}
		}
		if err := host.PostAction(core.Action{}); err == nil {
			t.Error("an action without Run was taken")
		}
		synctest.Wait()
		did.want(t, "a", "b", "c")
		c.wantEnd()
	})
}

// Nothing but log messages is sent to a client that has not said that it is
// ready.
func TestPostBeforeInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := connect(t, served, nil)
		host := <-hosts
		if err := host.Post("notifications/zoo", nil); err == nil {
			t.Error("a notification could be posted before the client said a word")
		}
		c.send(initialize)
		c.wantIDs(`"init"`)
		if err := host.Post("notifications/zoo", nil); err == nil {
			t.Error("a notification could be posted before notifications/initialized")
		}
		c.wantNothing()
		c.send(initialized, ping(1))
		c.wantIDs("1")
		if err := host.Post("notifications/zoo", map[string]int{"a": 1}); err != nil {
			t.Error(err)
		}
		if got := c.wantMethod("notifications/zoo"); got.Get("params").Raw != `{"a":1}` {
			t.Errorf("got %s, want the params {\"a\":1}", got.Raw)
		}
		c.wantEnd()
	})
}

// What cannot be sent as a notification's params is refused, and what comes
// with line breaks leaves as one line.
func TestPostedParams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		for _, params := range []any{1, "text", []int{1}, make(chan int), json.RawMessage(`{"a":`)} {
			if err := host.Post("notifications/zoo", params); err == nil {
				t.Errorf("the params %v were taken, want an error", params)
			}
		}
		c.wantNothing()
		if err := host.Post("notifications/zoo", json.RawMessage("{\n\"a\":\n1}")); err != nil {
			t.Error(err)
		}
		c.wantMethod("notifications/zoo")
		c.wantNothing()
		c.wantEnd()
	})
}

// reporting is a tool that reports progress as a careless one would.
func reporting(late chan<- *core.Call) core.Tool {
	return core.Tool{Name: "report", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		for _, progress := range []float64{1, 2, 2, 1, 3} {
			call.Progress(progress, 3, "step")
		}
		late <- call
		return core.Text("reported"), nil
	}}
}

// Progress is sent to a client that asked for it, under its own token, while it
// rises, and never after the answer.
func TestProgress(t *testing.T) {
	for _, token := range []string{`0`, `""`, `"abc"`, `9007199254740993`, `"1"`, `-1`} {
		t.Run(token, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				late := make(chan *core.Call, 1)
				c := ready(t, aspect(reporting(late)), nil)
				c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","_meta":{"progressToken":` + token + `}}}`)
				for want := 1; want <= 3; want++ {
					got := c.wantMethod("notifications/progress").Get("params")
					if got.Get("progressToken").Raw != token || got.Get("progress").Raw != fmt.Sprint(want) {
						t.Errorf("got %s, want the token %s and the progress %d", got.Raw, token, want)
					}
				}
				c.wantText("1", "reported")
				(<-late).Progress(4, 5, "late")
				c.wantNothing()
				c.wantEnd()
			})
		})
	}
}

func TestNoProgressWithoutAToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan *core.Call, 1)
		c := ready(t, aspect(reporting(late)), nil)
		c.send(call(1, "report"))
		c.wantText("1", "reported")
		(<-late).Progress(4, 5, "late")
		c.wantNothing()
		c.wantEnd()
	})
}

// Nothing more is sent for a call that was cancelled.
func TestNoProgressAfterACancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(core.Tool{Name: "report", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
			call.Progress(1, 2, "")
			<-ctx.Done()
			call.Progress(2, 2, "")
			call.Log(core.LogError, "", "late")
			return core.Text("late"), nil
		}})
		served.Logging = true
		c := ready(t, served, nil)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"report","_meta":{"progressToken":7}}}`)
		c.wantMethod("notifications/progress")
		c.send(cancellation(1), ping(2))
		c.wantIDs("2")
		c.wantNothing()
		c.wantEnd()
	})
}
