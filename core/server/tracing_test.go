package server

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/trace"
)

// With --info the trace tells the way of a client through the server.
func TestTraceOfAConversation(t *testing.T) {
	aspect := &core.Aspect{
		Name: "MCPServer_test", Version: "1.2",
		Tools: []core.Tool{
			{Name: "good", Handler: func(context.Context, *core.Call) (core.Result, error) { return core.Text("x"), nil }},
			{Name: "bad", Handler: func(context.Context, *core.Call) (core.Result, error) { return nil, errors.New("no") }},
		},
	}
	input := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{},"clientInfo":{"name":"a client","version":"7"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"good"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"bad"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"none"}}`,
	}, "\n")
	file := trace.New(aspect.Name, trace.Info, traceLimit)
	if err := serve(t.Context(), aspect, strings.NewReader(input), &strings.Builder{}, &Options{}, file, nil); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(file.Head(100), "\n")
	for _, want := range []string{
		"MCPServer_test 1.2 starts",
		"initialize from (a client 7): asked for 2099-01-01, gets 2025-11-25",
		"initialize 1: answered in ",
		"tools/call good 2: answered in ",
		"tools/call bad 3: failed in ",
		"tools/call none 4: refused in ",
		"the input has ended",
		"MCPServer_test ends",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the trace lacks %q:\n%s", want, got)
		}
	}
}
