package server

import (
	"slices"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// hasCompletions reports whether anything can be completed, or could be: what
// was declared once is served.
func (c *connection) hasCompletions() bool {
	if c.aspect.OnComplete != nil || c.completes.Load() {
		return true
	}
	found := c.findsCompleter()
	if found {
		c.completes.Store(true)
	}
	return found
}

// findsCompleter reports whether anything can be completed now.
func (c *connection) findsCompleter() bool {
	completes := func(argument core.PromptArgument) bool { return argument.Complete != nil }
	return slices.ContainsFunc(c.tables.prompts.state().order, func(p *prompt) bool {
		return slices.ContainsFunc(p.Arguments, completes)
	}) || slices.ContainsFunc(c.tables.templates.state().order, func(t *template) bool {
		return len(t.Complete) > 0
	})
}

// complete serves completion/complete.
func (r *reading) complete(q *request, m *wire.Message) bool {
	q.call = core.NewCall(q, "", "", nil)
	failure := checkCompletion(&q.call)
	if failure == nil && r.connection.aspect.OnComplete == nil {
		_, failure = r.connection.completerOf(q.call.Completion())
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	q.serve = serveCompletion
	return r.start(q)
}

// checkCompletion checks the form of the params.
func checkCompletion(call *core.Call) *core.Error {
	params := call.Params()
	reference, argument := params.Get("ref"), params.Get("argument")
	kind := reference.Get("type").Str
	named := map[string]string{"ref/prompt": "name", "ref/resource": "uri"}[kind]
	context := params.Get("context")
	chosen := context.Get("arguments")
	switch {
	case !reference.Exists():
		return core.InvalidParams("Missing parameter: ref")
	case !reference.IsObject():
		return core.InvalidParams("ref is not an object")
	case named == "":
		return core.InvalidParams("ref.type is neither ref/prompt nor ref/resource")
	case !isText(reference, named):
		return core.InvalidParams("ref." + named + " is not a string")
	case reference.Get(named).Str == "":
		return core.InvalidParams("ref." + named + " is empty")
	case !argument.Exists():
		return core.InvalidParams("Missing parameter: argument")
	case !isText(argument, "name"):
		return core.InvalidParams("argument.name is not a string")
	case !isText(argument, "value"):
		return core.InvalidParams("argument.value is not a string")
	case context.Exists() && !context.IsObject():
		return core.InvalidParams("context is not an object")
	case chosen.Exists() && !chosen.IsObject():
		return core.InvalidParams("context.arguments is not an object")
	}
	return nil
}

func isText(object gjson.Result, member string) bool {
	return object.Get(member).Type == gjson.String
}

// serveCompletion lets the aspect's hook see the request before the completers
// do.
func serveCompletion(q *request) (core.Result, error) {
	c := q.connection
	if c.prepareError != nil {
		return nil, c.prepareError
	}
	if c.aspect.OnComplete != nil {
		result, err := c.aspect.OnComplete(&q.context, &q.call)
		if result != nil || err != nil {
			return result, err
		}
	}
	completer, failure := c.completerOf(q.call.Completion())
	switch {
	case failure != nil:
		return nil, failure
	case completer == nil:
		return &core.Completion{}, nil
	}
	return completer(&q.context, &q.call)
}

// completerOf gives what completes an argument; nil when nothing does. What
// does not exist cannot be completed.
func (c *connection) completerOf(asked core.CompletionRequest) (core.Handler, *core.Error) {
	if asked.Prompt != "" {
		found, known := c.tables.prompts.find(asked.Prompt)
		if !known {
			return nil, core.InvalidParams("Unknown prompt: " + shorten(asked.Prompt))
		}
		for _, argument := range found.Arguments {
			if argument.Name == asked.Argument {
				return argument.Complete, nil
			}
		}
		if len(found.Raw) > 0 {
			return nil, nil
		}
		return nil, core.InvalidParams("The prompt " + asked.Prompt + " has no argument " + shorten(asked.Argument))
	}
	if found, known := c.tables.templates.find(asked.URITemplate); known {
		return found.Complete[asked.Argument], nil
	}
	if _, known := c.tables.resources.find(asked.URITemplate); known {
		return nil, nil
	}
	return nil, core.InvalidParams("Unknown resource template: " + shorten(asked.URITemplate))
}
