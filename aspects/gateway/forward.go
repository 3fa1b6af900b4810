package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

// callTool serves tools/call. It declines what is built in and what nobody has.
func (g *gateway) callTool(ctx context.Context, call *core.Call) (core.Result, error) {
	if slices.Contains(core.BuiltInTools(), call.Name()) {
		return nil, nil
	}
	find := func() (target, bool) { t, found := g.routes.Load().tools[call.Name()]; return t, found }
	return g.serve(ctx, call, find, call.Name(), aTool)
}

// getPrompt serves prompts/get.
func (g *gateway) getPrompt(ctx context.Context, call *core.Call) (core.Result, error) {
	find := func() (target, bool) { t, found := g.routes.Load().prompts[call.Name()]; return t, found }
	return g.serve(ctx, call, find, call.Name(), aPrompt)
}

// complete serves completion/complete.
func (g *gateway) complete(ctx context.Context, call *core.Call) (core.Result, error) {
	asked := call.Completion()
	if asked.Prompt != "" {
		find := func() (target, bool) { t, found := g.routes.Load().prompts[asked.Prompt]; return t, found }
		return g.serve(ctx, call, find, asked.Prompt, aPrompt)
	}
	find := func() (target, bool) {
		if t, found := g.routes.Load().template(asked.URITemplate); found {
			return t, true
		}
		t, found := g.routes.Load().resources[asked.URITemplate]
		return t, found
	}
	return g.serve(ctx, call, find, asked.URITemplate, aTemplate)
}

// serve forwards a request for something, by its name, to the server that it is
// for. While that server may be one that is still starting, the request waits,
// and keeps its place among those that come after it.
func (g *gateway) serve(ctx context.Context, call *core.Call, find func() (target, bool), name, what string) (core.Result, error) {
	if t, found := find(); found && t.upstream.isSettled() {
		return g.forward(ctx, call, t, t.upstream.sending.take())
	}
	waiting := g.unsettled(name, what)
	if len(waiting) == 0 {
		return g.serveNobodys(ctx, call, name, what)
	}
	places := make(places, len(waiting))
	for _, u := range waiting {
		places[u] = u.sending.take()
	}
	deferred := call.Defer()
	go func() {
		limit := ctx
		if what == aResource {
			// It may be that of a template, or of nobody: a server that says nothing
			// must not hold it up for long.
			limited, stop := g.untilListed(ctx)
			defer stop()
			limit = limited
		}
		result, err := g.serveLate(ctx, limit, call, find, waiting, places)
		if result == nil && err == nil {
			result, err = g.serveNobodys(ctx, call, name, what)
		}
		if result != core.Result(core.Pending) {
			g.completed(deferred.Complete(result, err))
		}
	}()
	return core.Pending, nil
}

// places are those of a request in the queues of the servers that it may be for.
type places map[*upstream]*turn

// leave gives up the place in a server's queue, or all of them for nil.
func (p places) leave(left *upstream) {
	for u, place := range p {
		if left == nil || u == left {
			place.over()
			delete(p, u)
		}
	}
}

// take gives the place in a queue to whoever goes on with the request.
func (p places) take(u *upstream) *turn {
	place, waited := p[u]
	if !waited {
		return u.sending.take()
	}
	delete(p, u)
	return place
}

// serveLate forwards a request when the servers that may be meant have started.
// It gives nothing if it is for none of them, or if the limit ends first.
func (g *gateway) serveLate(ctx, limit context.Context, call *core.Call, find func() (target, bool), waiting []*upstream, places places) (core.Result, error) {
	defer places.leave(nil)
	over, end := context.WithCancel(limit)
	defer end()
	settled := make(chan *upstream, len(waiting))
	for _, u := range waiting {
		go func() {
			select {
			case <-u.settled:
				settled <- u
			case <-over.Done():
			}
		}()
	}
	for range waiting {
		var u *upstream
		select {
		case u = <-settled:
		case <-limit.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if t, found := find(); found && t.upstream.isSettled() {
			return g.forward(ctx, call, t, places.take(t.upstream))
		}
		if u == nil {
			break
		}
		places.leave(u)
	}
	return nil, nil
}

// The kinds of what a request is for.
const (
	aTool     = "tool"
	aPrompt   = "prompt"
	aResource = "resource"
	aTemplate = "resource template"
)

// serveNobodys serves a request for what no server is known to have.
func (g *gateway) serveNobodys(ctx context.Context, call *core.Call, name, what string) (core.Result, error) {
	if what == aResource {
		return g.readAnywhere(ctx, call)
	}
	for _, u := range g.upstreams {
		if what != aTemplate && !u.isConnected() && g.names.mayOwn(u.name, name) {
			return nil, u.unavailable() // it may have that when it is there
		}
	}
	if u := g.absentOwner(name); u != nil && what != aTemplate {
		return nil, u.unavailable()
	}
	return nil, core.InvalidParams("Unknown " + what + ": " + shorten(name))
}

// absentOwner gives the one server that is not there and may have had a name; nil
// if there is none, or more than one.
func (g *gateway) absentOwner(name string) (found *upstream) {
	for _, u := range g.upstreams {
		if !g.names.mayOwn(u.name, name) {
			continue
		}
		if found != nil || u.isConnected() {
			return nil
		}
		found = u
	}
	return found
}

// unsettled gives the servers that are still starting and may be meant: by its
// beginning, a name tells whose it is.
func (g *gateway) unsettled(name, what string) (waiting []*upstream) {
	for _, u := range g.upstreams {
		if what == aTool || what == aPrompt {
			if !g.names.mayOwn(u.name, name) {
				continue
			}
		}
		if !u.isSettled() {
			waiting = append(waiting, u)
		}
	}
	return waiting
}

// forward begins, or goes on with, the call of a server, which has a place in the
// order of those that go there.
func (g *gateway) forward(ctx context.Context, call *core.Call, t target, place *turn) (core.Result, error) {
	state := call.State()
	if state == nil {
		return g.begin(ctx, call, t, t.params(call, nil), place)
	}
	var kept resumption
	if err := json.Unmarshal(state, &kept); err != nil {
		place.over()
		return nil, errInvalidState
	}
	if !kept.visited(call) {
		place.over()
		return nil, errNotVisited
	}
	if kept.Parked == "" {
		return g.begin(ctx, call, t, t.params(call, &kept), place)
	}
	place.over()
	f := g.parked.take(kept.Parked)
	if f == nil {
		return nil, errInvalidState
	}
	f.resume(ctx, call)
	return core.Pending, nil
}

// errInvalidState is for a state whose call has ended meanwhile, or was resumed
// before.
var errInvalidState = &core.Error{Code: core.InvalidParams("").Code, Message: "Invalid Request State"}

// resumption is what the gateway keeps in the state of a call that asks the
// client.
type resumption struct {
	// Parked names the call of the server that waits for the answers.
	Parked string `json:"p,omitempty"`
	// State is the server's own, and Keys what it has asked for, where it is of
	// the modern era and nothing waits.
	State json.RawMessage `json:"s,omitempty"`
	Keys  []string        `json:"k,omitempty"`
	// Visits are the pages that the server wants the user to visit before it is
	// asked again.
	Visits []string `json:"v,omitempty"`
}

// params gives the params of a request as its server is to get them: with its own
// name or URI, and with the answers to what it has asked.
func (t target) params(call *core.Call, kept *resumption) json.RawMessage {
	sent := call.Params()
	params := append(make([]byte, 0, len(sent.Raw)+len(t.name)+64), '{')
	hasArguments := false
	named := namedBy(call.Method())
	sent.ForEach(func(key, value gjson.Result) bool {
		raw := value.Raw
		switch key.Str {
		case named:
			if named == "ref" {
				raw = t.reference(value)
			} else {
				raw = quoted(t.name)
			}
		case "requestState", "task":
			return true
		case "inputResponses":
			if kept != nil {
				return true
			}
		case "arguments":
			if value.Type == gjson.Null {
				return true
			}
			hasArguments = true
		}
		params = appendRaw(params, key.Raw, raw)
		return true
	})
	if call.Method() == "tools/call" && !hasArguments {
		params = appendRaw(params, `"arguments"`, "{}")
	}
	if kept != nil && len(kept.Visits) == 0 {
		params = appendRaw(params, `"inputResponses"`, string(kept.answers(call)))
		if len(kept.State) > 0 {
			params = appendRaw(params, `"requestState"`, string(kept.State))
		}
	}
	return append(params, '}')
}

// namedBy gives the member of a method's params that says what the request is for.
func namedBy(method string) string {
	switch method {
	case "resources/read":
		return "uri"
	case "completion/complete":
		return "ref"
	}
	return "name"
}

// answers gives the client's answers to what was asked.
func (kept *resumption) answers(call *core.Call) []byte {
	answers := []byte{'{'}
	for _, key := range kept.Keys {
		if answer, given := call.Input(key); given {
			answers = appendRaw(answers, quoted(key), answer.JSON().Raw)
		}
	}
	return append(answers, '}')
}

// reference gives what a completion is for, by the server's own name for it.
func (t target) reference(reference gjson.Result) string {
	changed := []byte{'{'}
	reference.ForEach(func(key, value gjson.Result) bool {
		raw := value.Raw
		if key.Str == "name" && reference.Get("type").Str == "ref/prompt" || key.Str == "uri" && reference.Get("type").Str == "ref/resource" {
			raw = quoted(t.name)
		}
		changed = appendRaw(changed, key.Raw, raw)
		return true
	})
	return string(append(changed, '}'))
}

// completed traces that an answer came too late for anybody.
func (g *gateway) completed(err error) {
	if err != nil {
		g.tracef(core.TraceDebug, "an answer was not sent: %v", err)
	}
}
