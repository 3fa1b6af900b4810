package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/client"
)

// readResource serves resources/read. What nobody is known to have is asked for
// when all servers have started.
func (g *gateway) readResource(ctx context.Context, call *core.Call) (core.Result, error) {
	uri := call.URI()
	find := func() (target, bool) { return g.ownerOf(uri) }
	return g.serve(ctx, call, find, uri, aResource)
}

// ownerOf gives whose a URI is known to be: by a list, by the server's name in
// front of it, or because one server has mentioned it.
func (g *gateway) ownerOf(uri string) (target, bool) {
	routes := g.routes.Load()
	if t, found := routes.resources[uri]; found {
		return t, true
	}
	for _, u := range g.upstreams {
		if own, found := u.unqualified(uri); found {
			return target{u, own, uri, true}, true
		}
	}
	if u := g.links.owner(uri); u != nil {
		return target{u, uri, uri, true}, true
	}
	return target{}, false
}

// candidates gives the servers that may have a URI which nobody has listed: those
// with a template for it, or else all that have resources.
func (g *gateway) candidates(uri string) (all []target) {
	seen := make(map[*upstream]bool)
	for _, template := range g.routes.Load().templates {
		if u := template.upstream; !seen[u] && template.pattern != nil {
			if _, matched := template.pattern.Match(uri); matched {
				seen[u] = true
				all = append(all, target{u, uri, uri, true})
			}
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, u := range g.upstreams {
		if u.isConnected() && u.has("resources") {
			all = append(all, target{u, uri, uri, true})
		}
	}
	return all
}

// readAnywhere asks all servers that may have a URI. It is not for the gateway to
// choose when several have it.
func (g *gateway) readAnywhere(ctx context.Context, call *core.Call) (core.Result, error) {
	uri := call.URI()
	candidates := g.candidates(uri)
	switch len(candidates) {
	case 0:
		return nil, core.ResourceNotFound(uri)
	case 1:
		return g.forward(ctx, call, candidates[0], candidates[0].upstream.sending.take())
	}
	deferred := call.Defer()
	go func() {
		results := make([]string, len(candidates))
		failures := make([]error, len(candidates))
		var all sync.WaitGroup
		for i, t := range candidates {
			all.Go(func() {
				request := &client.Request{Method: call.Method(), Params: t.params(call, nil), Repeatable: true, Unanswered: call.Stateless()}
				if call.Stateless() {
					request.Capabilities = json.RawMessage(carried(call.ClientCapabilities()))
				}
				result, err := t.upstream.client.Do(ctx, request)
				results[i], failures[i] = string(result), err
			})
		}
		all.Wait()
		g.completed(deferred.Complete(chosen(call, uri, candidates, results, failures)))
	}()
	return core.Pending, nil
}

// chosen gives the answer of the one server that has one.
func chosen(call *core.Call, uri string, candidates []target, results []string, failures []error) (core.Result, error) {
	var found []int
	var failure error
	for i := range candidates {
		switch {
		case failures[i] == nil:
			found = append(found, i)
		case failures[i] != nil && !client.IsNotFound(failures[i]) && failure == nil:
			failure = candidates[i].failure(call, failures[i])
		}
	}
	switch {
	case len(found) == 1:
		t := candidates[found[0]]
		if isInputRequired(results[found[0]]) {
			t.upstream.gateway.links.note(uri, t.upstream) // the client comes back to it
		}
		return t.outcome(call, results[found[0]], nil)
	case len(found) > 1:
		var names []string
		for _, i := range found {
			names = append(names, candidates[i].upstream.qualified(uri))
		}
		return nil, core.InvalidParams(fmt.Sprintf("several servers have this resource: read %s", strings.Join(names, " or ")))
	case failure != nil:
		return nil, failure
	}
	return nil, core.ResourceNotFound(uri)
}

// rewritten gives a result with the URIs by which the client can reach what they
// mean.
func (t target) rewritten(method string, result string) string {
	u := t.upstream
	switch method {
	case "resources/read":
		change := u.qualified
		if t.served == t.name {
			change = func(own string) string {
				if own == t.name {
					return own
				}
				return u.reachable(own)
			}
		}
		return mapURIs(result, "contents", change, "uri")
	case "tools/call":
		return mapURIs(result, "content", u.reachable, "uri", "resource.uri")
	case "prompts/get":
		return mapURIs(result, "messages", u.reachable, "content.uri", "content.resource.uri")
	}
	return result
}

// reachable gives the URI by which the client reaches what a server calls by a
// URI of its own, and remembers whose it is.
func (u *upstream) reachable(own string) string {
	routes := u.gateway.routes.Load()
	t, listed := routes.resources[own]
	switch {
	case !listed:
		u.gateway.links.note(own, u)
		return own
	case t.upstream != u:
		return u.qualified(own)
	}
	return own
}

// mapURIs changes the URIs at some paths of each element of an array.
func mapURIs(result, array string, change func(string) string, paths ...string) string {
	if !strings.Contains(result, `"uri"`) {
		return result
	}
	elements := gjson.Get(result, array)
	if !elements.IsArray() {
		return result
	}
	isChanged := false
	mapped := append(make([]byte, 0, len(elements.Raw)+64), '[')
	elements.ForEach(func(_, element gjson.Result) bool {
		text := element.Raw
		for _, path := range paths {
			if uri := gjson.Get(text, path); uri.Type == gjson.String {
				if changed := change(uri.Str); changed != uri.Str {
					text, isChanged = replaced(text, uri, quoted(changed)), true
				}
			}
		}
		if len(mapped) > 1 {
			mapped = append(mapped, ',')
		}
		mapped = append(mapped, text...)
		return true
	})
	if !isChanged {
		return result
	}
	return replaced(result, elements, string(append(mapped, ']')))
}

// links remembers which server has mentioned a URI that nobody has listed.
type links struct {
	mu     sync.Mutex
	owners map[string]*upstream
	order  []string // the oldest first
}

// maxLinks bounds them.
const maxLinks = 10_000

// note remembers the first server to mention a URI; nobody is remembered for one
// that several have mentioned.
func (l *links) note(uri string, u *upstream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owners == nil {
		l.owners = make(map[string]*upstream)
	}
	owner, known := l.owners[uri]
	switch {
	case known && owner != u:
		l.owners[uri] = nil
		return
	case known:
		return
	case len(l.order) == maxLinks:
		delete(l.owners, l.order[0])
		l.order = l.order[1:]
	}
	l.owners[strings.Clone(uri)] = u
	l.order = append(l.order, strings.Clone(uri))
}

// owner gives the server that has mentioned a URI; nil if there is none, or there
// are several.
func (l *links) owner(uri string) *upstream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owners[uri]
}
