package everything

import (
	"context"
	"fmt"

	"mcpserver/core"
)

// prompts are all that are listed from the start.
func prompts() []core.Prompt {
	return []core.Prompt{
		{
			Name:        "test_simple_prompt",
			Description: "Gives one message of the user.",
			Handler:     prompting(core.UserText("This is a simple prompt for testing.")),
		},
		{
			Name:        "test_prompt_with_arguments",
			Description: "Takes two texts and gives a message that has both in it. For the first one some fruits are suggested.",
			Arguments: []core.PromptArgument{
				{Name: "arg1", Description: "Any text; some are suggested", Required: true, Complete: suggestFruits},
				{Name: "arg2", Description: "Any text", Required: true},
			},
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				arguments := call.Arguments()
				return &core.PromptResult{Messages: []core.Message{core.UserText(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'",
					arguments.Get("arg1").Str, arguments.Get("arg2").Str))}}, nil
			},
		},
		{
			Name:        "test_prompt_with_embedded_resource",
			Description: "Takes a URI and gives two messages: a text that is embedded under that URI, and what to do with it.",
			Arguments:   []core.PromptArgument{{Name: "resourceUri", Description: "Any URI", Required: true, Complete: suggestURIs}},
			Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
				return prompting(
					core.Message{Role: "user", Content: []core.Block{core.EmbeddedResource{
						URI:      call.Arguments().Get("resourceUri").Str,
						MIMEType: "text/plain",
						Text:     "Embedded resource content for testing.",
					}}},
					core.UserText("Please process the embedded resource above."),
				)(ctx, call)
			},
		},
		{
			Name:        "test_prompt_with_image",
			Description: "Gives two messages: an image, and a question about it.",
			Handler: prompting(
				core.Message{Role: "user", Content: []core.Block{image()}},
				core.UserText("What does this image show?"),
			),
		},
		{
			Name:        "test_input_required_result_prompt",
			Description: "Asks you for something first, and gives a message with it.",
			Handler:     promptWithAnswer,
		},
		{
			Name:        "travel",
			Title:       "Travel advice",
			Description: "Takes a country and a city, and gives the beginning of a conversation: what you say, what the model answers, what you ask. The cities that are suggested are those of the country that you have chosen.",
			Icons:       icons(),
			Arguments: []core.PromptArgument{
				{Name: "country", Title: "Country", Description: "Where to", Required: true, Complete: suggestCountries},
				{Name: "city", Title: "City", Description: "Where exactly; without it, the whole country", Complete: suggestCities},
			},
			Handler: travel,
		},
	}
}

// prompting gives a handler that answers with the messages.
func prompting(messages ...core.Message) core.Handler {
	return func(context.Context, *core.Call) (core.Result, error) {
		return &core.PromptResult{Messages: messages}, nil
	}
}

func promptWithAnswer(ctx context.Context, call *core.Call) (core.Result, error) {
	answer, given := call.Input("user_context")
	if !given {
		return call.RequireInput(core.Inputs{"user_context": core.Elicitation{
			Message: "What is the prompt to be about?",
			Schema:  core.Object(core.String("context", "A few words").Required()),
		}}, nil)
	}
	return prompting(core.UserText("Please tell me about this: "+answer.Content().Get("context").Str))(ctx, call)
}

func travel(_ context.Context, call *core.Call) (core.Result, error) {
	destination := call.Arguments().Get("country").Str
	if city := call.Arguments().Get("city").Str; city != "" {
		destination = city + ", " + destination
	}
	return &core.PromptResult{
		Description: "A journey to " + destination,
		Messages: []core.Message{
			core.UserText("I am going to travel to " + destination + "."),
			{Role: "assistant", Content: []core.Block{core.TextBlock{Text: "How nice! What would you like to know?"}}},
			core.UserText("What should I see there, and what should I pack?"),
		},
	}, nil
}
