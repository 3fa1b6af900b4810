package everything

import (
	"context"
	"errors"

	"mcpserver/core"
	"mcpserver/core/uritemplate"
)

const (
	addedTool     = "addedTool"
	addedPrompt   = "addedPrompt"
	addedURI      = "test://added-resource"
	addedTemplate = "test://added/{name}"
)

// changingTools change what is listed. Each of them adds something, or removes
// it if it is there.
func changingTools() []core.Tool {
	hints := &core.ToolAnnotations{
		ReadOnlyHint:    core.Hint(false),
		DestructiveHint: core.Hint(false),
		IdempotentHint:  core.Hint(false),
		OpenWorldHint:   core.Hint(false),
	}
	return []core.Tool{
		{
			Name:        "test_trigger_tool_change",
			Description: "Adds the tool " + addedTool + ", or removes it if it is there; clients are told that the list of tools has changed.",
			Annotations: hints,
			Handler:     changeTools,
		},
		{
			Name:        "test_trigger_prompt_change",
			Description: "Adds the prompt " + addedPrompt + ", or removes it if it is there; clients are told that the list of prompts has changed.",
			Annotations: hints,
			Handler:     changePrompts,
		},
		{
			Name:        "toggleResource",
			Title:       "Add or remove a resource",
			Description: "Adds the resource " + addedURI + " and the template " + addedTemplate + ", or removes them if they are there; clients are told that the list of resources has changed.",
			Annotations: hints,
			Handler:     changeResources,
		},
	}
}

func changeTools(_ context.Context, call *core.Call) (core.Result, error) {
	if call.Host().RemoveTools(addedTool) > 0 {
		return core.Text("The tool " + addedTool + " is gone."), nil
	}
	err := call.Host().AddTools(core.Tool{
		Name:        addedTool,
		Description: "Was added while the server ran, by test_trigger_tool_change, which also removes it.",
		Handler:     says("This tool was added while the server ran."),
	})
	if err != nil {
		return nil, err
	}
	return core.Text("The tool " + addedTool + " is there."), nil
}

func changePrompts(_ context.Context, call *core.Call) (core.Result, error) {
	if call.Host().RemovePrompts(addedPrompt) > 0 {
		return core.Text("The prompt " + addedPrompt + " is gone."), nil
	}
	err := call.Host().AddPrompts(core.Prompt{
		Name:        addedPrompt,
		Description: "Was added while the server ran, by test_trigger_prompt_change, which also removes it.",
		Handler:     prompting(core.UserText("This prompt was added while the server ran.")),
	})
	if err != nil {
		return nil, err
	}
	return core.Text("The prompt " + addedPrompt + " is there."), nil
}

func changeResources(_ context.Context, call *core.Call) (core.Result, error) {
	host := call.Host()
	if host.RemoveResources(addedURI)+host.RemoveTemplates(addedTemplate) > 0 {
		return core.Text("The resource " + addedURI + " and the template " + addedTemplate + " are gone."), nil
	}
	err := errors.Join(
		host.AddResources(core.Resource{
			URI:         addedURI,
			Name:        "added-resource",
			Description: "Was added while the server ran, by toggleResource, which also removes it.",
			MIMEType:    "text/plain",
			Read:        readText("This resource was added while the server ran."),
		}),
		host.AddTemplates(core.Template{
			Pattern:     uritemplate.New(addedTemplate),
			Name:        "added-template",
			Description: "Was added while the server ran, by toggleResource, which also removes it. Any name will do.",
			MIMEType:    "text/plain",
			Read: func(_ context.Context, call *core.Call) (core.Result, error) {
				return textContents(call, "The template with which you read "+call.Variable("name")+" was added while the server ran."), nil
			},
		}),
	)
	if err != nil {
		return nil, err
	}
	return core.Text("The resource " + addedURI + " and the template " + addedTemplate + " are there."), nil
}
