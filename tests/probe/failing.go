package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"

	"mcpserver/core"
)

// failingTools fail in each possible way.
func (p *probe) failingTools() []core.Tool {
	return []core.Tool{
		{Name: "error", Description: "Fails with an ordinary error.", Handler: fail(errors.New("the disk is full"))},
		{Name: "wrappedError", Description: "Fails with an error that wraps a protocol error.", Handler: fail(fmt.Errorf("reading: %w", core.InvalidParams("no such page")))},
		{Name: "protocolError", Description: "Fails with a protocol error.", Handler: fail(&core.Error{Code: -32099, Message: "Out of paper", Data: json.RawMessage("{\n\"tray\": 2}")})},
		{Name: "resultAndError", Description: "Returns both.", Handler: func(context.Context, *core.Call) (core.Result, error) {
			return core.Text("a result"), errors.New("and an error")
		}},
		{Name: "nothing", Description: "Returns neither result nor error.", Handler: fail(nil)},
		{Name: "panic", Description: "Panics.", Handler: func(context.Context, *core.Call) (core.Result, error) { panic("a secret of the inside") }},
		{Name: "panicNil", Description: "Panics with nil.", Handler: func(context.Context, *core.Call) (core.Result, error) { panic(nil) }},
		{Name: "goexit", Description: "Ends its goroutine.", Handler: func(context.Context, *core.Call) (core.Result, error) {
			runtime.Goexit()
			return nil, nil
		}},
		{Name: "pendingForNothing", Description: "Promises an answer without Defer.", Handler: answer(core.Pending)},
		{Name: "unencodable", Description: "Answers with a value that JSON has not.", Handler: answer(&core.ToolResult{Structured: map[string]any{"n": math.NaN()}})},
		{Name: "notAnObject", Description: "Answers with structured content that is no object.", Handler: answer(&core.ToolResult{Structured: []int{1}})},
		{Name: "nilBlock", Description: "Answers with a block that is nil.", Handler: answer(&core.ToolResult{Content: []core.Block{nil}})},
		{Name: "badRaw", Description: "Answers with a raw result that is no JSON.", Handler: answer(core.RawResult(`{"content":`))},
		{Name: "print", Description: "Prints to what should be stdout.", Handler: func(context.Context, *core.Call) (core.Result, error) {
			fmt.Println("stray: fmt")
			if _, err := os.NewFile(1, "stdout").WriteString("stray: descriptor\n"); err != nil {
				return nil, err
			}
			return core.Text("printed"), nil
		}},
	}
}

func fail(err error) core.Handler {
	return func(context.Context, *core.Call) (core.Result, error) { return nil, err }
}
