package server

import (
	"errors"
	"fmt"
	"strings"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

var errPrepareGone = errors.New("the server's preparation failed unexpectedly; its trace has the details")

// tool is one entry of the tool table: the aspect's, or built in.
type tool struct {
	core.Tool
	// builtIn serves a tool of the core's. It runs beside the aspect's code,
	// unless it calls that itself.
	builtIn     func(q *request) (core.Result, error)
	callsAspect bool
	// render, if any, makes what a built-in tool gave a tool's result.
	render func(q *request, result core.Result) (core.Result, error)
}

// listTools serves tools/list.
func (r *reading) listTools(q *request, m *wire.Message) bool {
	return serveList(r, q, m, &r.connection.tables.tools)
}

// callTool reads a tools/call as far as the core does it by itself.
func (r *reading) callTool(q *request, m *wire.Message) bool {
	c := r.connection
	name, arguments := m.Param("name"), m.Param("arguments")
	failure := checkNamed(name, arguments)
	if failure == nil {
		q.tool, _ = c.tables.tools.find(name.Text())
		failure = q.readResume(m, name.Text(), objectText(arguments))
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	q.call = core.NewCall(q, name.Text(), objectText(arguments), m.Arguments)
	switch {
	case c.aspect.OnToolsCall != nil:
		q.serve = serveHookedCall
	case q.tool == nil:
		q.finish(nil, unknownTool(name.Text()))
		return true
	case q.tool.builtIn != nil && !q.tool.callsAspect:
		result, err := serveToolCall(q)
		q.finish(result, err)
		return true
	default:
		q.serve = serveToolCall
	}
	return r.start(q)
}

// checkNamed checks what tools/call and prompts/get have in common. Arguments
// that are null count as absent: some clients write them so.
func checkNamed(name, arguments wire.Value) *core.Error {
	switch {
	case name.Kind == wire.Absent:
		return core.InvalidParams("Missing parameter: name")
	case name.Kind != wire.String:
		return core.InvalidParams("name is not a string")
	case arguments.Kind != wire.Null && !isObjectOrAbsent(arguments):
		return core.InvalidParams("arguments is not an object")
	}
	return nil
}

// objectText gives an object as sent, and nothing for what counts as absent.
func objectText(v wire.Value) string {
	if v.Kind != wire.Object {
		return ""
	}
	return v.Raw
}

func unknownTool(name string) *core.Error {
	return core.InvalidParams("Unknown tool: " + shorten(name))
}

// serveHookedCall lets the aspect's hook see the call before the table does.
func serveHookedCall(q *request) (core.Result, error) {
	c := q.connection
	if c.prepareError != nil {
		return nil, c.prepareError
	}
	q.byHook = true
	result, err := c.aspect.OnToolsCall(&q.context, &q.call)
	if result != nil || err != nil {
		return result, err
	}
	q.byHook = false
	if q.tool == nil {
		return nil, unknownTool(q.call.Name())
	}
	return serveToolCall(q)
}

// errInvalidState says no more than that: what is wrong with a state is nothing
// that its sender has to know.
var errInvalidState = &core.Error{Code: protocol.CodeInvalidParams, Message: "Invalid Request State"}

// resume lets the tool's Resume take a call that was asked for input; it
// declines by returning nil and nil.
func (t *tool) resume(q *request) (core.Result, error) {
	if again, err := q.askAgain(); again != nil || err != nil {
		return again, err
	}
	result, err := t.Resume(&q.context, &q.call)
	if result == nil && err == nil {
		err = errInvalidState
	}
	return result, err
}

// serveToolCall checks the arguments and runs the tool.
func serveToolCall(q *request) (core.Result, error) {
	if q.tool.Input != nil {
		missing, violations := q.tool.Input.Check(q.call.ArgumentsText(), q.call.Members())
		if missing != "" {
			return nil, core.InvalidParams("Missing parameter: " + missing)
		}
		if len(violations) > 0 {
			return nil, fmt.Errorf("the arguments do not fit: %s", strings.Join(violations, "; "))
		}
	}
	switch {
	case q.tool.builtIn != nil:
		return q.tool.builtIn(q)
	case q.connection.prepareError != nil:
		return nil, q.connection.prepareError
	case q.resumed && !q.hookAsks && q.tool.Resume != nil:
		return q.tool.resume(q)
	}
	return q.tool.Handler(&q.context, &q.call)
}

// shaped gives a result the form that its method, or its tool, promises.
func (q *request) shaped(result core.Result) (core.Result, error) {
	if q.tool != nil && q.tool.render != nil && !q.byHook {
		return q.tool.render(q, result)
	}
	result, err := core.CheckResult(q.method, result)
	if err != nil {
		return nil, err
	}
	if q.tool != nil && q.tool.Output != nil {
		return core.CheckOutput(q.tool.Output, result)
	}
	if contents, ok := result.(core.ResourceResult); ok && len(contents) == 0 {
		return nil, core.ResourceNotFound(q.call.URI())
	}
	return result, nil
}
