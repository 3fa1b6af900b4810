package server_test

import (
	"context"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// confirming asks the client before each call, and then lets the tool have it.
func confirming(_ context.Context, call *core.Call) (core.Result, error) {
	if _, given := call.Input("confirm"); given {
		return nil, nil
	}
	return call.RequireInput(core.Inputs{"confirm": sampling()}, []byte("the hook's"))
}

// inTwoSteps is a tool that answers at once unless it is named "asks".
func inTwoSteps(name string) core.Tool {
	return core.Tool{
		Name: name,
		Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if name == "asks" {
				return call.RequireInput(core.Inputs{"art": sampling()}, []byte("the tool's"))
			}
			return core.Text("Handler"), nil
		},
		Resume: func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.Text("Resume with " + string(call.State())), nil
		},
	}
}

// The answers that a hook asked for begin a tool's work, and do not resume it.
func TestHookThatAsksAndDeclines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(inTwoSteps("plain"), inTwoSteps("asks"))
		served.OnToolsCall = confirming
		c := ready(t, served, nil)
		answer := func() {
			t.Helper()
			c.send(sampled(c.wantMethod("sampling/createMessage").Get("id").Raw, "yes"))
		}
		c.send(call(1, "plain"))
		answer()
		c.wantText("1", "Handler")
		c.send(call(2, "asks"))
		answer()
		answer()
		c.wantText("2", "Resume with the tool's")
		c.wantEnd()
	})
}
