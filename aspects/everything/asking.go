package everything

import (
	"context"
	"crypto/rand"
	"fmt"

	"mcpserver/core"
)

// answerTokens is the most that the client's model may write.
const answerTokens = 100

// inquiry is a tool's work that is to ask the client one question, and to tell
// what it answered.
type inquiry struct {
	key      string
	question core.Question
	state    string
	tell     func(call *core.Call, answer core.Answer) string
}

func (i inquiry) handle(_ context.Context, call *core.Call) (core.Result, error) {
	if answer, given := call.Input(i.key); given {
		return core.Text(i.tell(call, answer)), nil
	}
	return call.RequireInput(core.Inputs{i.key: i.question}, []byte(i.state))
}

// askingTools ask the client's model or its user.
func askingTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "test_sampling",
			Description: "Sends your prompt to your client's own model, and answers with what it said.",
			Input:       core.Object(core.String("prompt", "What to ask the model").Required()),
			Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
				prompt, err := call.RequireString("prompt")
				if err != nil {
					return nil, err
				}
				return inquiry{key: "response", question: sampling(prompt), tell: tellResponse}.handle(ctx, call)
			},
		},
		{
			Name:        "test_missing_capability",
			Description: "Cannot do without the client's model. A client that does not support sampling gets an error: in 2026-07-28 -32021, which names the capability, before that a result with isError.",
			Handler:     inquiry{key: "response", question: sampling("Say that you are there."), tell: tellResponse}.handle,
		},
		{
			Name:        "test_elicitation",
			Description: "Shows you a form with your message, which asks for a name and an email address, and answers with what you filled in.",
			Input:       core.Object(core.String("message", "What to say above the form").Required()),
			Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
				message, err := call.RequireString("message")
				if err != nil {
					return nil, err
				}
				form := core.Elicitation{Message: message, Schema: core.Object(
					core.String("username", "Your name").Required(),
					core.String("email", "Your email address").Required(),
				)}
				return inquiry{key: "user", question: form, tell: tellContent}.handle(ctx, call)
			},
		},
		{
			Name:        "test_streaming_elicitation",
			Description: "Asks you yes or no. A client of 2026-07-28 is not sent a request for that: the question is the answer to its own.",
			Handler: inquiry{
				key:      "confirmation",
				question: core.Elicitation{Message: "Is this shown to you?", Schema: core.Object(core.Boolean("shown", "It is"))},
				tell:     tellContent,
			}.handle,
		},
		{
			Name:        "visitPage",
			Title:       "Visit a page",
			Description: "Asks you to visit a page in your browser, and answers with whether you agreed.",
			Input:       core.ClosedObject(core.String("url", "The page, of http or https").Default(`"https://example.com/"`)),
			Annotations: &core.ToolAnnotations{ReadOnlyHint: core.Hint(true), OpenWorldHint: core.Hint(true)},
			Handler:     visitPage,
		},
	}
}

func sampling(prompt string) core.Question {
	return core.Sampling{Messages: []core.Message{core.UserText(prompt)}, MaxTokens: answerTokens}
}

func tellResponse(_ *core.Call, answer core.Answer) string { return "LLM response: " + answer.Text() }

func tellContent(_ *core.Call, answer core.Answer) string {
	return "You answered: " + answer.Content().Raw
}

// visitPage keeps the name of the visit as its state, so that the client can be
// told that the visit is over.
func visitPage(_ context.Context, call *core.Call) (core.Result, error) {
	page, err := call.String("url", "https://example.com/")
	if err != nil {
		return nil, err
	}
	answer, given := call.Input("visit")
	if !given {
		visit := rand.Text()
		return call.RequireInput(core.Inputs{"visit": core.URLElicitation{
			Message:       "Please have a look at this page. Nothing is to be done there.",
			URL:           page,
			ID:            visit,
			HandleRefusal: true,
		}}, []byte(visit))
	}
	if answer.Action() != "accept" {
		return core.Text(fmt.Sprintf("You did not want to visit %s (%s).", page, answer.Action())), nil
	}
	// Since 2026-07-28 there is no such notice.
	if !call.Stateless() {
		if err := call.Host().ElicitationComplete(string(call.State())); err != nil {
			return nil, err
		}
	}
	return core.Text("You agreed to visit " + page + "."), nil
}
