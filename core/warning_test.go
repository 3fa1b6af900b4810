package core_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpserver/core"
)

func TestToolWarnings(t *testing.T) {
	for _, test := range []struct{ input, output, want string }{
		{`{"type":"object","properties":{}}`, ``, ``},
		{`{"type":"object","properties":{"a":{"oneOf":[{}]}},"if":{}}`, `{"type":"object","properties":{}}`, ``},
		{`{"type":"object","properties":{},"oneOf":[{}]}`, ``, `tool t: its inputSchema has oneOf at the root`},
		{`{"type":"object","properties":{},"allOf":[{}]}`, ``, `tool t: its inputSchema has allOf at the root`},
		{`{"type":"object","properties":{}}`, `{"type":"object","properties":{},"anyOf":[{}]}`, `tool t: its outputSchema has anyOf at the root`},
		{`{"type":"object"}`, ``, `tool t: its inputSchema has no properties`},
	} {
		raw := `{"name":"t","inputSchema":` + test.input
		if test.output != "" {
			raw += `,"outputSchema":` + test.output
		}
		got := core.ToolWarnings(core.Tool{Name: "t", Raw: json.RawMessage(raw + "}")})
		if test.want == "" && len(got) > 0 || test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], test.want)) {
			t.Errorf("%s: the warnings are %q, want %q", raw, got, test.want)
		}
	}
	if got := core.ToolWarnings(core.Tool{Name: "t", Input: core.ClosedObject()}); len(got) > 0 {
		t.Errorf("a tool without arguments: %q", got)
	}
}
