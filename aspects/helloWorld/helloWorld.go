// Package helloworld is the smallest complete aspect: one tool that answers
// with a text. It is the one to copy for a tool that runs and returns.
package helloworld

import (
	"context"

	"mcpserver/core"
)

// Aspect makes the helloWorld server.
func Aspect() *core.Aspect {
	return &core.Aspect{
		Name:        "MCPServer_helloWorld",
		Version:     "0.1.0",
		Title:       "Hello World",
		Description: "Greets by name, to show that the connection works.",
		Tools: []core.Tool{{
			Name:        "helloWorld",
			Description: "Greets a person by name; shows that the connection to the server works.",
			Input:       core.Object(core.String("name", "Whom to greet").Required()),
			Annotations: &core.ToolAnnotations{ReadOnlyHint: core.Hint(true), OpenWorldHint: core.Hint(false)},
			Handler:     helloWorld,
		}},
		SelfTests: []core.SelfTest{
			{
				Name:      "helloWorld greets",
				Tool:      "helloWorld",
				Arguments: `{"name":"Eric"}`,
				Expect:    core.Expect{Values: map[string]any{"content.0.text": "How are you, Eric."}},
			},
			{
				Name:   "helloWorld wants a name",
				Tool:   "helloWorld",
				Expect: core.Expect{ErrorCode: -32602, Values: map[string]any{"message": "Invalid Params [Missing parameter: name]"}},
			},
		},
	}
}

func helloWorld(_ context.Context, call *core.Call) (core.Result, error) {
	name, err := call.RequireString("name")
	if err != nil {
		return nil, err
	}
	return core.Text("How are you, " + name + "."), nil
}
