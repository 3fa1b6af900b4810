package server

import (
	"errors"
	"strings"
	"sync"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

func (c *connection) hasResources() bool {
	a := c.aspect
	return len(a.Resources) > 0 || len(a.Templates) > 0 || a.OnResourcesRead != nil || a.DynamicResources
}

func (c *connection) hasSubscriptions() bool { return c.hasResources() && c.aspect.ResourceUpdates }

// listResources serves resources/list.
func (r *reading) listResources(q *request, m *wire.Message) bool {
	return finishList(q, m, &r.connection.tables.resources)
}

// listTemplates serves resources/templates/list.
func (r *reading) listTemplates(q *request, m *wire.Message) bool {
	return finishList(q, m, &r.connection.tables.templates)
}

// readResource serves resources/read.
func (r *reading) readResource(q *request, m *wire.Message) bool {
	uri, failure := uriOf(m)
	if failure == nil {
		failure = q.readResume(m, uri, "")
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	q.call = core.NewCall(q, "", "", nil)
	q.serve = func(q *request) (core.Result, error) { return q.serveRead(uri) }
	return r.start(q)
}

// serveRead reads a resource of the table, one that a template describes, or
// one that only the aspect's hook knows.
func (q *request) serveRead(uri string) (core.Result, error) {
	c := q.connection
	if c.prepareError != nil {
		return nil, c.prepareError
	}
	if found, known := c.tables.resources.find(uri); known {
		return found.Read(&q.context, &q.call)
	}
	if found, variables := q.templateOf(uri); found != nil {
		q.call = q.call.WithVariables(variables)
		return found.Read(&q.context, &q.call)
	}
	var result core.Result
	var err error
	if c.aspect.OnResourcesRead != nil {
		result, err = c.aspect.OnResourcesRead(&q.context, &q.call)
	}
	if result == nil && err == nil {
		err = core.ResourceNotFound(uri)
	}
	return result, err
}

// templateOf gives the first template that the URI matches and that can be read.
func (q *request) templateOf(uri string) (*template, map[string][]string) {
	for _, candidate := range q.connection.tables.templates.state().order {
		if candidate.Pattern == nil || candidate.Read == nil {
			continue
		}
		if q.done() { // cancelled: there may be many templates
			return nil, nil
		}
		if variables, matched := candidate.Pattern.Match(uri); matched {
			return candidate, variables
		}
	}
	return nil, nil
}

func uriOf(m *wire.Message) (string, *core.Error) {
	uri := m.Param("uri")
	switch {
	case uri.Kind == wire.Absent:
		return "", core.InvalidParams("Missing parameter: uri")
	case uri.Kind != wire.String:
		return "", core.InvalidParams("uri is not a string")
	}
	return uri.Text(), nil
}

const (
	// maxSubscriptions is the most resources that a client can subscribe to at
	// once.
	maxSubscriptions = 10_000
	// maxSubscribed is the most bytes that their URIs may have together.
	maxSubscribed = 8 << 20
)

// subscriptions are the URIs that a legacy client has subscribed to.
type subscriptions struct {
	mu   sync.Mutex // guards what follows
	uris map[string]struct{}
	size int // of the URIs, in bytes
}

var errTooManySubscriptions = errors.New("too many resources are subscribed to")

// add takes a URI; told and known are those of watchers.watch. It fails when
// there are too many.
func (s *subscriptions) add(uri string, w *watchers, told func()) (known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uris == nil {
		s.uris = make(map[string]struct{})
	}
	if _, subscribed := s.uris[uri]; subscribed {
		return true, nil
	}
	if len(s.uris) >= maxSubscriptions || s.size+len(uri) > maxSubscribed {
		return false, errTooManySubscriptions
	}
	// A copy, since the URI is a part of the whole message.
	uri = strings.Clone(uri)
	if known, err = w.watch([]string{uri}, told); err != nil {
		return false, err
	}
	s.uris[uri] = struct{}{}
	s.size += len(uri)
	return known, nil
}

func (s *subscriptions) remove(uri string, w *watchers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.uris[uri]; known {
		delete(s.uris, uri)
		s.size -= len(uri)
		w.unwatch([]string{uri})
	}
}

// subscribe serves resources/subscribe. The client is answered when the aspect
// has been told, so that it misses no change of what it reads then.
func (r *reading) subscribe(q *request, m *wire.Message) bool {
	uri, failure := uriOf(m)
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	c := r.connection
	if c.requests.full() {
		q.finish(nil, core.InternalError(errBusy.Error()))
		return true
	}
	q.limitTime(c.options.CallTimeout)
	q.enter()
	answer := func() { q.finish(members(nil), nil) }
	if known, err := c.subscriptions.add(uri, &c.watchers, answer); known || err != nil {
		q.finish(members(nil), err)
	}
	return true
}

// unsubscribe serves resources/unsubscribe.
func (r *reading) unsubscribe(q *request, m *wire.Message) bool {
	uri, failure := uriOf(m)
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	c := r.connection
	c.subscriptions.remove(uri, &c.watchers)
	q.finish(members(nil), nil)
	return true
}

// ResourceUpdated implements link.Host.
func (c *connection) ResourceUpdated(uri string) error {
	if !c.hasSubscriptions() {
		return errors.New("the aspect does not declare ResourceUpdates")
	}
	c.modern.resourceUpdated(uri)
	c.subscriptions.mu.Lock()
	_, subscribed := c.subscriptions.uris[uri]
	c.subscriptions.mu.Unlock()
	if !subscribed {
		return nil
	}
	return c.Post("notifications/resources/updated", string(append(wire.AppendString([]byte(`{"uri":`), uri), '}')))
}
