package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// unprintable is an error that cannot say what it is.
type unprintable struct{}

func (unprintable) Error() string { panic("secret inside") }

// reasoned is an error whose Error wants it not to be nil.
type reasoned struct{ reason string }

func (e *reasoned) Error() string { return e.reason }

// mistakes are what an aspect may answer with by mistake, and what the client
// is told instead.
var mistakes = []struct {
	name   string
	answer func(*core.Call) (core.Result, error)
	code   int // 0: a tool's error
	words  string
}{
	{"nil Error", func(*core.Call) (core.Result, error) { var none *core.Error; return nil, none }, 0, "nil"},
	{"nil error of its own", func(*core.Call) (core.Result, error) { var none *reasoned; return nil, none }, 0, "failed unexpectedly"},
	{"panic in Error", func(*core.Call) (core.Result, error) { return nil, unprintable{} }, 0, "failed unexpectedly"},
	{"nil result", func(*core.Call) (core.Result, error) { var none *core.ToolResult; return none, nil }, 0, "failed unexpectedly"},
	{"neither result nor error", func(*core.Call) (core.Result, error) { return nil, nil }, -32603, "neither"},
	{"nil InputRequired", func(*core.Call) (core.Result, error) { var none *core.InputRequired; return none, nil }, -32603, "without a question"},
	{"empty InputRequired", func(*core.Call) (core.Result, error) { return &core.InputRequired{}, nil }, -32603, "without a question"},
	{"nil block to a model", func(call *core.Call) (core.Result, error) {
		message := core.Message{Role: "user", Content: []core.Block{nil}}
		return call.RequireInput(core.Inputs{"art": core.Sampling{Messages: []core.Message{message}, MaxTokens: 1}}, nil)
	}, 0, "nil"},
}

// wantMistake takes the answer to a mistake, and another call that is served.
func (c *client) wantMistake(code int, words string) {
	c.t.Helper()
	if code == 0 {
		got := c.next()
		if text := got.Get("result.content.0.text").Str; !got.Get("result.isError").Bool() || !strings.Contains(text, words) || strings.Contains(text, "secret") {
			c.t.Fatalf("got %.300s, want id 1 with isError and a text saying %q, but no secret", got.Raw, words)
		}
	} else {
		c.wantError("1", code, words)
	}
	c.send(call(2, "fast"))
	c.wantText("2", "fast")
	c.wantNothing()
	c.wantEnd()
}

// A handler's mistake costs its own call alone.
func TestMistakenAnswers(t *testing.T) {
	for _, test := range mistakes {
		for _, asynchronous := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					served := aspect(fast("fast"), core.Tool{Name: "err", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
						return test.answer(call)
					}})
					served.Asynchronous = asynchronous
					c := ready(t, served, nil)
					c.send(call(1, "err"))
					c.wantMistake(test.code, test.words)
				})
			})
		}
	}
}

// So does one in what a deferred call is completed with, whose goroutine is the
// aspect's own.
func TestMistakenDeferredAnswers(t *testing.T) {
	for _, test := range mistakes {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				type open struct {
					call   *core.Call
					handle *core.Deferred
				}
				opened := make(chan open, 1)
				c := ready(t, aspect(fast("fast"), core.Tool{Name: "err", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
					opened <- open{call, call.Defer()}
					return core.Pending, nil
				}}), nil)
				c.send(call(1, "err"))
				o := <-opened
				// Whether it says that the answer was replaced is of no matter here.
				_ = o.handle.Complete(test.answer(o.call))
				c.wantMistake(test.code, test.words)
				if err := o.handle.Complete(core.Text("again"), nil); err == nil {
					t.Error("a call that was answered with an error could be answered again")
				}
			})
		})
	}
}
