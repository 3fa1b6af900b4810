package server

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

const (
	// maxSubscriptions is the most resources that a client can subscribe to at
	// once.
	maxSubscriptions = 10_000
	// maxSubscribed is the most bytes that their URIs may have together.
	maxSubscribed = 8 << 20
)

var errTooManySubscriptions = errors.New("too many resources are subscribed to")

// subscriptions are the URIs that a legacy client has subscribed to.
type subscriptions struct {
	mu   sync.Mutex // guards what follows
	uris map[string]*subscription
	size int // of the URIs, in bytes
}

// subscription is one of them.
type subscription struct {
	// open says that the request for it is not settled: if it ends before it is
	// answered, it has subscribed to nothing.
	open atomic.Bool
}

// add takes a URI, unless the client has subscribed to it already; told and known
// are those of watchers.watch. It fails when there are too many.
func (s *subscriptions) add(uri string, added *subscription, w *watchers, told func()) (known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uris == nil {
		s.uris = make(map[string]*subscription)
	}
	if s.uris[uri] != nil {
		return w.tellAfter(told)
	}
	if len(s.uris) >= maxSubscriptions || s.size+len(uri) > maxSubscribed {
		return false, errTooManySubscriptions
	}
	// A copy, since the URI is a part of the whole message.
	uri = strings.Clone(uri)
	if known, err = w.watch([]string{uri}, told); err != nil {
		return false, err
	}
	s.uris[uri] = added
	s.size += len(uri)
	return known, nil
}

func (s *subscriptions) has(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uris[uri] != nil
}

func (s *subscriptions) remove(uri string, w *watchers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeLocked(uri, s.uris[uri], w)
}

// withdraw removes a URI that this subscription stands for.
func (s *subscriptions) withdraw(uri string, withdrawn *subscription, w *watchers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeLocked(uri, withdrawn, w)
}

func (s *subscriptions) removeLocked(uri string, removed *subscription, w *watchers) {
	if removed == nil || s.uris[uri] != removed {
		return
	}
	delete(s.uris, uri)
	s.size -= len(uri)
	w.unwatch([]string{uri})
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
	added := &subscription{}
	added.open.Store(true)
	q.ended = func() {
		if added.open.Swap(false) {
			c.subscriptions.withdraw(uri, added, &c.watchers)
		}
	}
	q.enter()
	answer := func() {
		first := added.open.Swap(false)
		if err := q.settle(members(nil), nil); err != nil && first {
			c.subscriptions.withdraw(uri, added, &c.watchers)
		}
	}
	known, err := c.subscriptions.add(uri, added, &c.watchers, answer)
	switch {
	case err != nil:
		q.finish(nil, err)
	case known:
		answer()
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
func (c *connection) ResourceUpdated(uri, part string) error {
	if !c.hasSubscriptions() {
		return errors.New("the aspect does not declare ResourceUpdates")
	}
	c.modern.resourceUpdated(uri, part)
	if !c.subscriptions.has(uri) {
		return nil
	}
	return c.Post("notifications/resources/updated", string(append(wire.AppendString([]byte(`{"uri":`), part), '}')))
}
