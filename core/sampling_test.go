package core_test

import (
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// What a model cannot be sent is refused, and the rest is written as the
// revision has it.
func TestSamplingMessages(t *testing.T) {
	text := core.TextBlock{Text: "a"}
	use := core.RawBlock(`{"type":"tool_use", "id":"1","name":"n","input":{}}`)
	const (
		one   = `"messages":[{"role":"user","content":{"type":"text","text":"a"}}]`
		tools = `{"type":"tool_use","id":"1","name":"n","input":{}}`
	)
	tests := []struct {
		name     string
		content  []core.Block
		revision protocol.Revision
		want     string // a part of the params, or of the error
		refused  bool
	}{
		{"text", []core.Block{text}, protocol.V20241105, one, false},
		{"text", []core.Block{text}, protocol.V20251125, one, false},
		{"no content", nil, protocol.V20250618, "messages[0]", true},
		{"no content", nil, protocol.V20251125, "messages[0]", true},
		{"empty content", []core.Block{}, protocol.V20251125, "messages[0]", true},
		{"nil block", []core.Block{nil}, protocol.V20250618, "messages[0]", true},
		{"nil block", []core.Block{nil}, protocol.V20251125, "messages[0]", true},
		{"nil among blocks", []core.Block{text, nil}, protocol.V20251125, "nil", true},
		{"link", []core.Block{core.ResourceLink{URI: "a:b", Name: "n"}}, protocol.V20251125, "ResourceLink", true},
		{"embedded resource", []core.Block{text, core.EmbeddedResource{URI: "a:b"}}, protocol.V20251125, "EmbeddedResource", true},
		{"tool's use", []core.Block{use}, protocol.V20251125, `"content":` + tools, false},
		{"text and a tool's use", []core.Block{text, use}, protocol.V20251125, `"content":[{"type":"text","text":"a"},` + tools + `]`, false},
		{"raw block that is none", []core.Block{core.RawBlock(`[1]`)}, protocol.V20251125, "object", true},
		{"empty raw block", []core.Block{core.RawBlock(nil)}, protocol.V20251125, "messages[0]", true},
	}
	for _, test := range tests {
		t.Run(test.name+", "+test.revision.String(), func(t *testing.T) {
			question := core.Sampling{Messages: []core.Message{{Role: "user", Content: test.content}}, MaxTokens: 1}.LinkQuestion()
			params, err := question.AppendParams(nil, test.revision)
			switch {
			case test.refused && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %s, %v; want an error with %q", params, err, test.want)
			case !test.refused && (err != nil || !strings.Contains(string(params), test.want)):
				t.Errorf("got %s, %v; want params with %s", params, err, test.want)
			}
		})
	}
}
