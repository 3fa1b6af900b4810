package probe

import (
	"context"
	"encoding/json"
	"strings"

	"mcpserver/core"
)

// rawDefinition has every member that a revision knows and one that none does;
// it stands on several lines.
const rawDefinition = `{
	"name": "overwritten",
	"title": "Raw",
	"description": "Defined and answered verbatim.",
	"inputSchema": {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
	"outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
	"annotations": {"title": "Raw", "readOnlyHint": true},
	"icons": [{"src": "https://probe.example/raw.png"}],
	"execution": {"taskSupport": "optional"},
	"_meta": {"probe.example/made": "by hand"}
}`

const rawResult = `{
	"content": [
		{"type": "text", "text": "a"},
		{"type": "audio", "data": "AAE=", "mimeType": "audio/wav"},
		{"type": "resource_link", "uri": "file:///a.txt", "name": "a.txt"}
	],
	"structuredContent": {"n": 1},
	"resultType": "complete",
	"ttlMs": 1000,
	"cacheScope": "public",
	"_meta": {"probe.example/raw": true}
}`

// contentTools answer with content of every kind.
func (p *probe) contentTools() []core.Tool {
	priority := 0.5
	annotations := &core.Annotations{Audience: []string{"user", "assistant"}, Priority: &priority, LastModified: "2025-01-12T15:00:58Z"}
	meta := json.RawMessage(`{ "probe.example/block": 1 }`)
	return []core.Tool{
		{
			Name:        "blocks",
			Title:       "Blocks",
			Description: "Answers with a block of each kind.",
			Icons:       []core.Icon{{Source: "https://probe.example/blocks.svg"}},
			Annotations: &core.ToolAnnotations{
				Title:           "Blocks",
				ReadOnlyHint:    core.Hint(true),
				DestructiveHint: core.Hint(false),
				IdempotentHint:  core.Hint(true),
				OpenWorldHint:   core.Hint(false),
			},
			Meta: json.RawMessage(`{ "probe.example/tool": true }`),
			Handler: answer(&core.ToolResult{
				Content: []core.Block{
					core.TextBlock{Text: "text", Annotations: annotations, Meta: meta},
					core.ImageBlock{Data: []byte{0, 1, 2}, MIMEType: "image/png"},
					core.AudioBlock{Data: []byte{3, 4}, MIMEType: "audio/wav"},
					core.ResourceLink{URI: "file:///a.txt", Name: "a.txt", Title: "A", Description: "The first", MIMEType: "text/plain", Size: 3, Icons: []core.Icon{{Source: "https://probe.example/a.png"}}},
					core.EmbeddedResource{URI: "file:///b.txt", MIMEType: "text/plain", Text: "b"},
					core.EmbeddedResource{URI: "file:///c.bin", Blob: []byte{5}},
				},
				Meta: json.RawMessage(`{ "probe.example/result": 2 }`),
			}),
		},
		{Name: "empty", Description: "Answers with no content.", Handler: answer(&core.ToolResult{})},
		{Name: "structured", Description: "Answers with structured content.", Handler: answer(&core.ToolResult{Structured: map[string]any{"n": 1, "s": "two"}})},
		{
			Name:        "structuredError",
			Description: "Answers with an error that has structured content.",
			Handler:     answer(&core.ToolResult{Content: []core.Block{core.TextBlock{Text: "it went wrong"}}, Structured: map[string]any{"n": 1}, IsError: true}),
		},
		{Name: "raw", Raw: json.RawMessage(rawDefinition), Handler: answer(core.RawResult(rawResult))},
		{Name: "latin1", Description: "Answers with a text that is not UTF-8.", Handler: answer(core.Text("caf\xe9"))},
		{
			Name:        "big",
			Description: "Answers with a text of that many bytes.",
			Input:       core.Object(core.Integer("bytes", "How many").Minimum(0).Maximum(1 << 24)),
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				size, err := call.Int("bytes", 0)
				return core.Text(strings.Repeat("x", int(size))), err
			},
		},
	}
}

func answer(result core.Result) core.Handler {
	return func(context.Context, *core.Call) (core.Result, error) { return result, nil }
}
