// Package myaspect is a server that repeats what it is told: a start for one of
// your own.
package myaspect

import (
	"context"
	"strings"

	"mcpserver/core"
)

// Aspect makes the myAspect server. State that handlers share belongs into a value
// made here, which the handlers are methods of.
func Aspect() *core.Aspect {
	return &core.Aspect{
		Name:        "MCPServer_myAspect",
		Version:     "0.1.0",
		Title:       "myAspect",
		Description: "Repeats what it is told.",
		Tools: []core.Tool{{
			// The name and the descriptions are all that the client's model knows
			// of the tool.
			Name:        "repeat",
			Description: "Gives a text back, as often as wanted.",
			Input: core.Object(
				core.String("text", "What to repeat").Required(),
				core.Integer("times", "How often").Minimum(1).Maximum(100).Default("1"),
			),
			Annotations: &core.ToolAnnotations{ReadOnlyHint: core.Hint(true), OpenWorldHint: core.Hint(false)},
			Handler:     repeat,
		}},
		// "MCPServer_myAspect Test" runs these. A test that expects nothing special
		// wants a result without an error.
		SelfTests: []core.SelfTest{
			{
				Name:      "repeat gives the text back",
				Tool:      "repeat",
				Arguments: `{"text":"hello"}`,
				Expect:    core.Expect{Values: map[string]any{"content.0.text": "hello"}},
			},
			{
				Name:      "repeat repeats",
				Tool:      "repeat",
				Arguments: `{"text":"hello","times":2}`,
				Expect:    core.Expect{Values: map[string]any{"content.0.text": "hello\nhello"}},
			},
			{
				Name:      "repeat refuses less than once",
				Tool:      "repeat",
				Arguments: `{"text":"hello","times":0}`,
				Expect:    core.Expect{ToolError: true},
			},
			{
				Name:   "repeat wants a text",
				Tool:   "repeat",
				Expect: core.Expect{ErrorCode: -32602},
			},
		},
	}
}

// repeat is the handler of the tool. Its arguments fit the tool's Input already.
// An error that it returns is a result that the client's model can read.
func repeat(_ context.Context, call *core.Call) (core.Result, error) {
	text, err := call.RequireString("text")
	if err != nil {
		return nil, err
	}
	times, err := call.Int("times", 1)
	if err != nil {
		return nil, err
	}
	lines := make([]string, times)
	for i := range lines {
		lines[i] = text
	}
	return core.Text(strings.Join(lines, "\n")), nil
}
