package server

import (
	"errors"
	"strings"
	"sync"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

func (c *connection) hasResources() bool {
	a := c.aspect
	return len(a.Resources) > 0 || len(a.Templates) > 0 || a.OnResourcesRead != nil
}

func (c *connection) hasSubscriptions() bool { return c.hasResources() && c.aspect.ResourceUpdates }

// definitions are table entries that can be listed.
type definition interface {
	AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error)
}

// listResources serves resources/list.
func (r *reading) listResources(q *request, m *wire.Message) bool {
	return finishList(q, m, "resources", r.connection.aspect.Resources)
}

// listTemplates serves resources/templates/list.
func (r *reading) listTemplates(q *request, m *wire.Message) bool {
	return finishList(q, m, "resourceTemplates", r.connection.aspect.Templates)
}

// finishList answers with a whole table as one page, so no cursor is ever
// given out.
func finishList[T definition](q *request, m *wire.Message, name string, table []T) bool {
	if !isCursorAbsent(m) {
		q.finish(nil, errUnknownCursor)
		return true
	}
	dst := append(append([]byte{'"'}, name...), `":[`...)
	for i, entry := range table {
		if i > 0 {
			dst = append(dst, ',')
		}
		extended, err := entry.AppendDefinition(dst, q.session.revision)
		if err != nil {
			q.finish(nil, err)
			return true
		}
		dst = extended
	}
	q.finish(members(append(dst, ']')), nil)
	return true
}

var errUnknownCursor = core.InvalidParams("unknown cursor")

func isCursorAbsent(m *wire.Message) bool {
	cursor := m.Param("cursor")
	return cursor.Kind == wire.Absent || cursor.Kind == wire.Null
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

func (q *request) serveRead(uri string) (core.Result, error) {
	a := q.connection.aspect
	if q.connection.prepareError != nil {
		return nil, q.connection.prepareError
	}
	for i := range a.Resources {
		if a.Resources[i].URI == uri {
			return a.Resources[i].Read(&q.context, &q.call)
		}
	}
	var result core.Result
	var err error
	if a.OnResourcesRead != nil {
		result, err = a.OnResourcesRead(&q.context, &q.call)
	}
	if result == nil && err == nil {
		err = core.ResourceNotFound(uri)
	}
	return result, err
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

// add takes a URI; it reports false when there are too many.
func (s *subscriptions) add(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uris == nil {
		s.uris = make(map[string]struct{})
	}
	if _, known := s.uris[uri]; known {
		return true
	}
	if len(s.uris) >= maxSubscriptions || s.size+len(uri) > maxSubscribed {
		return false
	}
	// A copy, since the URI is a part of the whole message.
	s.uris[strings.Clone(uri)] = struct{}{}
	s.size += len(uri)
	return true
}

func (s *subscriptions) remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.uris[uri]; known {
		delete(s.uris, uri)
		s.size -= len(uri)
	}
}

// subscribe serves resources/subscribe.
func (r *reading) subscribe(q *request, m *wire.Message) bool {
	uri, failure := uriOf(m)
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	if !r.connection.subscriptions.add(uri) {
		q.finish(nil, errors.New("too many resources are subscribed to"))
		return true
	}
	q.finish(members(nil), nil)
	return true
}

// unsubscribe serves resources/unsubscribe.
func (r *reading) unsubscribe(q *request, m *wire.Message) bool {
	uri, failure := uriOf(m)
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	r.connection.subscriptions.remove(uri)
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
