// Package wordart is an aspect that lets the client's model do the work: its
// tool asks for a picture of a word in text characters. It is the one to copy
// for a tool that needs a model.
package wordart

import (
	"context"
	"encoding/json"
	"strings"

	"mcpserver/core"
)

const (
	// answerTokens is the most that the model may write.
	answerTokens = 2000

	instructions = "You draw words as art made of plain text characters. " +
		"Reply with the drawing and nothing else: no code fences, no words before or after it. " +
		"It must stand by itself in a fixed-width font."
)

// Aspect makes the wordArt server.
func Aspect() *core.Aspect {
	return &core.Aspect{
		Name:        "MCPServer_wordArt",
		Version:     "0.1.0",
		Title:       "Word Art",
		Description: "Draws words in text characters with the help of the client's model.",
		Tools: []core.Tool{{
			Name:        "wordArt",
			Description: "Draws a text as word art, made by the client's own model.",
			Input: core.Object(
				core.String("text", "What to draw").Required(),
				core.String("style", "How it should look, such as big, bubble or slanted").Default(`"big"`),
			),
			Handler: wordArt,
		}},
		SelfTests: selfTests(),
	}
}

func wordArt(_ context.Context, call *core.Call) (core.Result, error) {
	if answer, given := call.Input("art"); given {
		art := answer.Text()
		if strings.TrimSpace(art) == "" {
			return core.ToolError("No output returned by LLM"), nil
		}
		return core.Text(art), nil
	}
	text, err := call.RequireString("text")
	if err != nil {
		return nil, err
	}
	style, err := call.String("style", "big")
	if err != nil {
		return nil, err
	}
	return call.RequireInput(core.Inputs{"art": core.Sampling{
		SystemPrompt: instructions,
		Messages:     []core.Message{core.UserText("Draw this text in the style \"" + style + "\":\n" + text)},
		MaxTokens:    answerTokens,
	}}, nil)
}

func selfTests() []core.SelfTest {
	answer := func(content string) map[string]json.RawMessage {
		return map[string]json.RawMessage{
			"sampling/createMessage": json.RawMessage(`{"role":"assistant","model":"self-test","content":` + content + `}`),
		}
	}
	return []core.SelfTest{
		{
			Name:      "wordArt gives what the model drew",
			Tool:      "wordArt",
			Arguments: `{"text":"Hi","style":"slanted"}`,
			Answers:   answer(`{"type":"text","text":"/-/ i"}`),
			Expect:    core.Expect{Values: map[string]any{"content.0.text": "/-/ i"}},
		},
		{
			Name:      "wordArt says that the model drew nothing",
			Tool:      "wordArt",
			Arguments: `{"text":"Hi"}`,
			Answers:   answer(`{"type":"text","text":""}`),
			Expect:    core.Expect{ToolError: true, Values: map[string]any{"content.0.text": "No output returned by LLM"}},
		},
		{
			Name:      "wordArt passes on that the client refuses",
			Tool:      "wordArt",
			Arguments: `{"text":"Hi"}`,
			Expect:    core.Expect{ToolError: true},
		},
	}
}
