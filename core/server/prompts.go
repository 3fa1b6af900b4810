package server

import (
	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

func (c *connection) hasPrompts() bool { return len(c.aspect.Prompts) > 0 }

// listPrompts serves prompts/list.
func (r *reading) listPrompts(q *request, m *wire.Message) bool {
	return finishList(q, m, "prompts", r.connection.aspect.Prompts)
}

// getPrompt serves prompts/get.
func (r *reading) getPrompt(q *request, m *wire.Message) bool {
	c := r.connection
	name, arguments := m.Param("name"), m.Param("arguments")
	failure := checkNamed(name, arguments)
	if failure == nil {
		failure = q.readResume(m, name.Text(), objectText(arguments))
	}
	var prompt *core.Prompt
	for i := range c.aspect.Prompts {
		if c.aspect.Prompts[i].Name == name.Text() {
			prompt = &c.aspect.Prompts[i]
		}
	}
	switch {
	case failure != nil:
	case prompt == nil:
		failure = core.InvalidParams("Unknown prompt: " + shorten(name.Text()))
	default:
		failure = checkPromptArguments(prompt, m.Arguments)
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	q.call = core.NewCall(q, name.Text(), objectText(arguments), m.Arguments)
	q.serve = func(q *request) (core.Result, error) {
		if q.connection.prepareError != nil {
			return nil, q.connection.prepareError
		}
		return prompt.Handler(&q.context, &q.call)
	}
	return r.start(q)
}

// checkPromptArguments: all are texts, and the required ones are there.
func checkPromptArguments(prompt *core.Prompt, arguments []wire.Member) *core.Error {
	given := make(map[string]bool, len(arguments))
	for _, argument := range arguments {
		if argument.Value.Kind != wire.String {
			return core.InvalidParams(shorten(argument.Name) + " is not a string")
		}
		given[argument.Name] = true
	}
	for _, argument := range prompt.Arguments {
		if argument.Required && !given[argument.Name] {
			return core.InvalidParams("Missing parameter: " + argument.Name)
		}
	}
	return nil
}
