package server

import (
	"context"
	"encoding/json"
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

// What some clients may refuse in a tool is traced when it is first offered, at
// the start and later.
func TestTraceOfWarnings(t *testing.T) {
	union := func(name string) core.Tool {
		return core.Tool{
			Name:    name,
			Raw:     json.RawMessage(`{"name":"` + name + `","inputSchema":{"type":"object","properties":{},"oneOf":[{}]}}`),
			Handler: func(context.Context, *core.Call) (core.Result, error) { return core.Text("x"), nil },
		}
	}
	early, adding := union("early"), union("adding")
	adding.Handler = func(_ context.Context, call *core.Call) (core.Result, error) {
		return core.Text("added"), call.Host().AddTools(union("late"))
	}
	aspect := &core.Aspect{Name: "MCPServer_test", Version: "1.2", Tools: []core.Tool{early, adding}, DynamicTools: true}
	input := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"adding"}}`,
	}, "\n")
	for level, wanted := range map[trace.Level]bool{trace.Info: true, trace.Errors: false} {
		file := trace.New(aspect.Name, level, traceLimit)
		if err := serve(t.Context(), aspect, strings.NewReader(input), &strings.Builder{}, &Options{}, file, nil); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(file.Head(100), "\n")
		for _, tool := range []string{"early", "late"} {
			if strings.Contains(got, "warning: tool "+tool+": its inputSchema has oneOf at the root") != wanted {
				t.Errorf("at level %v, the warning of %s should be there: %v\n%s", level, tool, wanted, got)
			}
		}
	}
}
