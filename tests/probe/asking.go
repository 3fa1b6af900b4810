package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mcpserver/core"
)

// questions are what the tool ask can ask, by the names it takes.
func questions(handleRefusal bool) core.Inputs {
	temperature, priority := 0.5, 0.25
	hello := []core.Message{core.UserText("Say hello.")}
	form := core.Object(
		core.String("name", "Your name").Required(),
		core.Integer("age", "Your age").Minimum(0),
	)
	return core.Inputs{
		"sampling": core.Sampling{Messages: hello, MaxTokens: 100},
		"samplingWithAll": core.Sampling{
			Messages: []core.Message{
				core.UserText("Look."),
				{Role: "assistant", Content: []core.Block{core.TextBlock{Text: "At what?"}}},
				{Role: "user", Content: []core.Block{core.TextBlock{Text: "At this:"}, core.ImageBlock{Data: []byte{1}, MIMEType: "image/png"}}},
			},
			MaxTokens:      50,
			SystemPrompt:   "Be brief.",
			Preferences:    &core.ModelPreferences{Hints: []string{"small", "tiny"}, CostPriority: &priority},
			IncludeContext: "none",
			Temperature:    &temperature,
			StopSequences:  []string{"END"},
			Metadata:       json.RawMessage(`{ "trace": "a" }`),
		},
		"samplingWithContext": core.Sampling{Messages: hello, MaxTokens: 100, IncludeContext: "thisServer"},
		"samplingWithTools": core.Sampling{
			Messages:   hello,
			MaxTokens:  100,
			Tools:      json.RawMessage(`[ {"name": "greet", "inputSchema": {"type": "object"}} ]`),
			ToolChoice: json.RawMessage(`{ "mode": "required" }`),
		},
		"samplingForNothing": core.Sampling{Messages: hello},
		"form":               core.Elicitation{Message: "Who are you?", Schema: form, HandleRefusal: handleRefusal},
		"url":                core.URLElicitation{Message: "Please sign in.", URL: "https://probe.example/sign-in", ID: "visit-1", HandleRefusal: handleRefusal},
		"urlWithoutID":       core.URLElicitation{Message: "Please sign in.", URL: "https://probe.example/sign-in"},
		"roots":              core.Roots{},
	}
}

// askingTools ask the client.
func (p *probe) askingTools() []core.Tool {
	names := []string{"sampling", "samplingWithAll", "samplingWithContext", "samplingWithTools", "samplingForNothing", "form", "url", "urlWithoutID", "roots"}
	return []core.Tool{
		{
			Name:        "ask",
			Description: "Asks the client these questions at once and gives its answers.",
			Input: core.Object(
				core.Array("questions", "What to ask", core.String("", "").OneOf(names...)).Required(),
				core.Boolean("handleRefusal", "See refusals rather than fail by them"),
			),
			Handler: ask,
		},
		{Name: "rounds", Description: "Asks for the roots, then for two samplings, one after the other.", Handler: rounds},
		{
			Name:        "resume",
			Description: "Asks for the roots, and resumes in a function of its own.",
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				return call.RequireInput(core.Inputs{"roots": core.Roots{}}, []byte("kept"))
			},
			Resume: func(_ context.Context, call *core.Call) (core.Result, error) {
				given, _ := call.Input("roots")
				return core.Text(fmt.Sprintf("resumed with %q and %d roots", call.State(), len(given.Roots()))), nil
			},
		},
		{
			Name:        "sampledText",
			Description: "Asks the model, and gives the text of its answer.",
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				if given, ok := call.Input("sampling"); ok {
					return core.Text(given.Text()), nil
				}
				return call.RequireInput(core.Inputs{"sampling": questions(false)["sampling"]}, nil)
			},
		},
		{
			Name:        "hold",
			Description: "Asks for the roots by Host.Ask, and keeps its slot while it waits.",
			Handler: func(ctx context.Context, _ *core.Call) (core.Result, error) {
				answers, err := p.host.Ask(ctx, core.Inputs{"roots": core.Roots{}})
				if err != nil {
					p.host.Log(core.LogInfo, "", "hold: "+err.Error())
					return nil, err
				}
				return core.Text(fmt.Sprintf("%d roots", len(answers["roots"].Roots()))), nil
			},
		},
		{
			Name:        "visited",
			Description: "Says that the visit of the question url is done.",
			Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Text("said"), p.host.ElicitationComplete("visit-1")
			},
		},
		{Name: "askNothing", Description: "Requires input without a question.", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return call.RequireInput(nil, nil)
		}},
		{Name: "askTooMuch", Description: "Keeps more state than allowed.", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return call.RequireInput(core.Inputs{"roots": core.Roots{}}, make([]byte, 64<<10+1))
		}},
	}
}

func ask(_ context.Context, call *core.Call) (core.Result, error) {
	known := questions(call.Arguments().Get("handleRefusal").Bool())
	inputs := make(core.Inputs)
	var text strings.Builder
	for _, name := range call.Arguments().Get("questions").Array() {
		if given, ok := call.Input(name.Str); ok {
			fmt.Fprintf(&text, "%s: %s\n", name.Str, given.JSON().Raw)
			continue
		}
		inputs[name.Str] = known[name.Str]
	}
	if len(inputs) > 0 {
		return call.RequireInput(inputs, nil)
	}
	return core.Text(text.String()), nil
}

func rounds(_ context.Context, call *core.Call) (core.Result, error) {
	sampling := questions(false)["sampling"]
	roots, _ := call.Input("roots")
	first, _ := call.Input("first")
	second, _ := call.Input("second")
	switch string(call.State()) {
	case "":
		return call.RequireInput(core.Inputs{"roots": core.Roots{}}, []byte("one"))
	case "one":
		return call.RequireInput(core.Inputs{"first": sampling}, []byte("two"))
	case "two":
		return call.RequireInput(core.Inputs{"second": sampling}, []byte("three"))
	}
	return core.Text(fmt.Sprintf("%s: %d roots, %s, %s", call.State(), len(roots.Roots()), first.Text(), second.Text())), nil
}
