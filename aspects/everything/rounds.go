package everything

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpserver/core"
)

// roundTools are about what a client of 2026-07-28 does to be asked: it gets
// the questions as the answer, and sends the request again with the answers. All
// of them serve clients of before, too, by requests to them.
func roundTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "test_input_required_result_elicitation",
			Description: "Asks for your name, and greets you.",
			Handler: inquiry{key: "user_name", question: nameForm(), tell: func(_ *core.Call, answer core.Answer) string {
				return "Hello, " + answer.Content().Get("name").Str + "!"
			}}.handle,
		},
		{
			Name:        "test_input_required_result_sampling",
			Description: "Asks your client's model for the capital of France.",
			Handler:     inquiry{key: "capital_question", question: sampling("What is the capital of France?"), tell: tellResponse}.handle,
		},
		{
			Name:        "test_input_required_result_list_roots",
			Description: "Asks your client for its roots, the folders that it lets servers work in, and lists them.",
			Handler:     inquiry{key: "client_roots", question: core.Roots{}, tell: tellRoots}.handle,
		},
		{
			Name:        "test_input_required_result_request_state",
			Description: "Asks you to confirm, and has the client keep a state until you do; answers with what came back.",
			Handler: inquiry{key: "confirm", question: confirmation(), state: "state-ok", tell: func(call *core.Call, answer core.Answer) string {
				return fmt.Sprintf("You answered %s, and this state came back: %s", answer.Content().Raw, call.State())
			}}.handle,
		},
		{
			Name:        "test_input_required_result_tampered_state",
			Description: "Asks you to confirm. A client of 2026-07-28 that changes the requestState in which it sends that back gets the error -32602.",
			Handler:     inquiry{key: "confirm", question: confirmation(), state: "untouched", tell: tellContent}.handle,
		},
		{
			Name:        "test_input_required_result_multiple_inputs",
			Description: "Asks three things at once: you for your name, the model for a greeting, the client for its roots.",
			Handler:     askThreeThings,
		},
		{
			Name:        "test_input_required_result_multi_round",
			Description: "Asks two things one after the other: your name, then a color.",
			Handler:     askTwice,
		},
		{
			Name:        "test_input_required_result_capabilities",
			Description: "Asks at once whatever your client has declared that it can be asked, and nothing else.",
			Handler:     askWhatIsSupported,
		},
	}
}

func nameForm() core.Question {
	return core.Elicitation{Message: "What is your name?", Schema: core.Object(core.String("name", "Your name").Required())}
}

func confirmation() core.Question {
	return core.Elicitation{Message: "Is all right?", Schema: core.Object(core.Boolean("ok", "All is right").Required())}
}

func tellRoots(_ *core.Call, answer core.Answer) string {
	roots := answer.Roots()
	var text strings.Builder
	fmt.Fprintf(&text, "Roots of your client: %d", len(roots))
	for _, root := range roots {
		text.WriteString("\n" + strings.TrimSpace(root.URI+" "+root.Name)) // a root need not have a name
	}
	return text.String()
}

func askThreeThings(_ context.Context, call *core.Call) (core.Result, error) {
	name, isNamed := call.Input("user_name")
	greeting, isGreeted := call.Input("greeting")
	roots, isRooted := call.Input("client_roots")
	if !isNamed || !isGreeted || !isRooted {
		return call.RequireInput(core.Inputs{
			"user_name":    nameForm(),
			"greeting":     sampling("Greet somebody in one sentence."),
			"client_roots": core.Roots{},
		}, []byte("three things"))
	}
	return core.Text(fmt.Sprintf("Your name is %s. The model says: %s %s",
		name.Content().Get("name").Str, greeting.Text(), tellRoots(call, roots))), nil
}

func askTwice(_ context.Context, call *core.Call) (core.Result, error) {
	name, given := call.Input("user_name")
	if !given {
		return call.RequireInput(core.Inputs{"user_name": nameForm()}, []byte("first round"))
	}
	color, given := call.Input("color")
	if !given {
		return call.RequireInput(core.Inputs{"color": core.Elicitation{
			Message: "What is your favorite color, " + name.Content().Get("name").Str + "?",
			Schema:  core.Object(core.String("color", "A color").Required()),
		}}, []byte("second round"))
	}
	return core.Text(fmt.Sprintf("%s likes %s.", name.Content().Get("name").Str, color.Content().Get("color").Str)), nil
}

// askWhatIsSupported looks at what the client has declared, so that it is not
// refused for what the client cannot do.
func askWhatIsSupported(_ context.Context, call *core.Call) (core.Result, error) {
	capabilities := call.ClientCapabilities()
	possible := make(core.Inputs)
	if capabilities.Get("sampling").Exists() {
		possible["sampling"] = sampling("Say that you were asked.")
	}
	// A client that names no mode of elicitation means forms.
	elicitation := capabilities.Get("elicitation")
	if elicitation.Get("form").Exists() || elicitation.Exists() && !elicitation.Get("url").Exists() {
		possible["elicitation"] = confirmation()
	}
	if capabilities.Get("roots").Exists() {
		possible["roots"] = core.Roots{}
	}
	if len(possible) == 0 {
		return core.Text("Your client cannot be asked anything."), nil
	}
	for key := range possible {
		if _, given := call.Input(key); !given {
			return call.RequireInput(possible, nil)
		}
	}
	asked := slices.Sorted(maps.Keys(possible))
	return core.Text("Your client was asked, and answered: " + strings.Join(asked, ", ")), nil
}
