package server

import (
	"slices"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

func (c *connection) hasPrompts() bool {
	a := c.aspect
	return len(a.Prompts) > 0 || a.OnPromptsGet != nil || a.DynamicPrompts
}

// listPrompts serves prompts/list.
func (r *reading) listPrompts(q *request, m *wire.Message) bool {
	return serveList(r, q, m, &r.connection.tables.prompts)
}

// getPrompt serves prompts/get.
func (r *reading) getPrompt(q *request, m *wire.Message) bool {
	name, arguments := m.Param("name"), m.Param("arguments")
	failure := checkNamed(name, arguments)
	if failure == nil {
		failure = q.readResume(m, name.Text(), objectText(arguments))
	}
	if failure == nil {
		q.call = core.NewCall(q, name.Text(), objectText(arguments), m.Arguments)
		failure = r.connection.checkPromptCall(&q.call)
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	q.serve = func(q *request) (core.Result, error) { return q.servePrompt(&q.call) }
	return r.start(q)
}

// checkPromptCall checks as much of a prompt's call as can be known before the
// aspect's code runs.
func (c *connection) checkPromptCall(call *core.Call) *core.Error {
	for _, argument := range call.Members() {
		if argument.Value.Kind != wire.String {
			return core.InvalidParams(shorten(argument.Name) + " is not a string")
		}
	}
	if c.aspect.OnPromptsGet != nil {
		return nil
	}
	_, failure := c.promptOf(call)
	return failure
}

// promptOf gives the table's prompt for a call that has all that it requires.
func (c *connection) promptOf(call *core.Call) (*prompt, *core.Error) {
	found, known := c.tables.prompts.find(call.Name())
	if !known {
		return nil, core.InvalidParams("Unknown prompt: " + shorten(call.Name()))
	}
	for _, argument := range found.Arguments {
		given := func(member wire.Member) bool { return member.Name == argument.Name }
		if argument.Required && !slices.ContainsFunc(call.Members(), given) {
			return nil, core.InvalidParams("Missing parameter: " + argument.Name)
		}
	}
	return found, nil
}

// servePrompt lets the aspect's hook see the call before the table does.
func (q *request) servePrompt(call *core.Call) (core.Result, error) {
	c := q.connection
	if c.prepareError != nil {
		return nil, c.prepareError
	}
	if c.aspect.OnPromptsGet != nil {
		result, err := c.aspect.OnPromptsGet(&q.context, call)
		if result != nil || err != nil {
			return result, err
		}
	}
	found, failure := c.promptOf(call)
	if failure != nil {
		return nil, failure
	}
	return found.Handler(&q.context, call)
}
