package myaspect

import (
	"strings"
	"testing"

	"mcpserver/core/server"
)

func TestRepeat(t *testing.T) {
	for _, test := range []struct{ arguments, want string }{
		{`{"text":"hello"}`, `"text":"hello"`},
		{`{"text":"hello","times":2}`, `"text":"hello\nhello"`},
		{`{"text":"hello","times":0}`, `"isError":true`},
		{`{}`, `"code":-32602`},
	} {
		request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"repeat","arguments":` + test.arguments + `}}`
		var answer strings.Builder
		if err := server.Serve(t.Context(), Aspect(), strings.NewReader(request), &answer, nil); err != nil {
			t.Fatalf("serving %s: %v", request, err)
		}
		if !strings.Contains(answer.String(), test.want) {
			t.Errorf("repeat with %s answered %s, want %s in it", test.arguments, answer.String(), test.want)
		}
	}
}
