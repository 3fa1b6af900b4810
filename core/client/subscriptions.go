package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/wire"
)

// errStreamEnded is why a subscription is over that the server has ended.
var errStreamEnded = errors.New("the server has ended the subscription")

// watched are the resources whose updates are wanted. They outlive a
// connection.
type watched struct {
	mu      sync.Mutex
	uris    map[string]bool
	changed chan struct{} // closed when uris changes; nil until somebody waits
	version int           // of uris
	// applied is the newest version that the modern stream of the connection
	// was opened with, and honoured the resources that the server accepted.
	applied  int
	honoured map[string]bool
	progress chan struct{} // closed when applied changes; nil until somebody waits
}

// set adds or removes a resource and gives the version with it.
func (w *watched) set(uri string, wanted bool) (version int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.uris[uri] != wanted {
		if w.uris == nil {
			w.uris = map[string]bool{}
		}
		if wanted {
			w.uris[uri] = true
		} else {
			delete(w.uris, uri)
		}
		w.version++
		signal(&w.changed)
	}
	return w.version
}

// wanted gives the resources, sorted, their version, and a channel that is
// closed when they change.
func (w *watched) wanted() (uris []string, version int, changed <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.uris)), w.version, watch(&w.changed)
}

// apply notes what the server has accepted of a version.
func (w *watched) apply(version int, honoured map[string]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.applied, w.honoured = version, honoured
	signal(&w.progress)
}

// await waits until a version has been applied and reports whether the server
// has accepted a resource.
func (w *watched) await(ctx context.Context, version int, uri string) (honoured bool, err error) {
	for {
		w.mu.Lock()
		applied, honoured, progress := w.applied, w.honoured[uri], watch(&w.progress)
		w.mu.Unlock()
		if applied >= version {
			return honoured, nil
		}
		select {
		case <-progress:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// signal closes the channel that others wait for.
func signal(channel *chan struct{}) {
	if *channel != nil {
		close(*channel)
		*channel = nil
	}
}

// watch gives the channel to wait for.
func watch(channel *chan struct{}) <-chan struct{} {
	if *channel == nil {
		*channel = make(chan struct{})
	}
	return *channel
}

// Subscribe asks the server for notifications/resources/updated about a
// resource, which go to Options.OnNotification. It holds across reconnects. The
// error says that the server does not offer that; then nothing is remembered.
func (c *Client) Subscribe(ctx context.Context, uri string) error {
	if err := c.subscribe(ctx, uri); err != nil {
		c.watched.set(uri, false)
		return c.named(fmt.Errorf("subscribe to %s: %w", quoted(uri), err))
	}
	return nil
}

func (c *Client) subscribe(ctx context.Context, uri string) error {
	connection, err := c.current()
	if err != nil {
		return err
	}
	ctx, release := c.running.enter(ctx)
	defer release()
	session := connection.session.Load()
	if !session.has("resources.subscribe") {
		return errors.New("the server does not offer subscriptions to resources")
	}
	version := c.watched.set(uri, true)
	if !session.modern() {
		return connection.legacySubscription(ctx, "resources/subscribe", uri)
	}
	limit := c.Options.connectTimeout()
	bounded, cancel := context.WithTimeoutCause(ctx, limit, &TimeoutError{What: "the server has not accepted the subscription", Limit: limit})
	defer cancel()
	defer context.AfterFunc(connection.context, cancel)()
	honoured, err := c.watched.await(bounded, version, uri)
	if err == nil && !honoured {
		err = errors.New("the server has not accepted it")
	}
	return err
}

// Unsubscribe ends what Subscribe began. The error says that a legacy server
// could not be told; the subscription is not renewed then either.
func (c *Client) Unsubscribe(ctx context.Context, uri string) error {
	c.watched.set(uri, false)
	connection, err := c.current()
	if err != nil || connection.session.Load().modern() {
		return nil // there is nobody to tell, or a new stream is opened without it
	}
	ctx, release := c.running.enter(ctx)
	defer release()
	if err := connection.legacySubscription(ctx, "resources/unsubscribe", uri); err != nil {
		return c.named(fmt.Errorf("unsubscribe from %s: %w", quoted(uri), err))
	}
	return nil
}

func (n *connection) legacySubscription(ctx context.Context, method, uri string) error {
	params := append(appendMember([]byte{'{'}, "uri", quoted(uri)), '}')
	_, err := n.perform(ctx, &Request{Method: method, Params: params})
	return err
}

// watchSubscriptions keeps the subscriptions of a connection as they are wanted,
// until it ends.
func (n *connection) watchSubscriptions() {
	if n.session.Load().modern() {
		n.watchModern()
		return
	}
	uris, _, _ := n.client.watched.wanted()
	for _, uri := range uris {
		if err := n.legacySubscription(n.context, "resources/subscribe", uri); err != nil && n.context.Err() == nil {
			n.log.Warn("a subscription could not be renewed", "uri", uri, "error", err)
		}
	}
}

// watchModern holds one stream for all that is wanted. When that changes, a new
// stream is opened before the old one is ended, so that nothing is missed.
func (n *connection) watchModern() {
	w := &n.client.watched
	current := (*listening)(nil)
	retries := Backoff{}
	for failures := 0; n.context.Err() == nil; {
		uris, version, changed := w.wanted()
		next := n.listen(uris)
		if next.opened(n.context, n.client.Options.connectTimeout()) {
			failures = 0
			w.apply(version, next.honouredURIs())
		} else if n.context.Err() == nil {
			w.apply(version, nil)
		}
		current.stop()
		current = next
		select {
		case <-changed:
			continue
		case <-next.ended:
		case <-n.context.Done():
		}
		if n.context.Err() != nil {
			break
		}
		delay, _ := retries.Delay(failures)
		failures++
		n.log.Debug("a subscription has ended", "reason", next.reason, "next attempt in", delay)
		if !sleep(n.context, delay) {
			break
		}
		n.missed()
	}
	current.stop()
}

// missed has all lists looked at anew: while there was no stream, nobody told
// of changes.
func (n *connection) missed() {
	for _, list := range []ListKind{ToolList, PromptList, ResourceList} {
		if n.session.Load().has(string(list) + ".listChanged") {
			n.listChanged(list)
		}
	}
}

// listening is one subscriptions/listen request.
type listening struct {
	cancel context.CancelCauseFunc

	acknowledgement sync.Once
	acknowledged    chan struct{} // closed when the server has accepted
	honoured        string        // what it has accepted; set before

	ended  chan struct{} // closed when the request is over
	reason error         // why; nil after a graceful end; set before
}

// listen opens a stream for the lists that the server tells changes of and for
// resources. With nothing to listen for, the stream is open and silent.
func (n *connection) listen(uris []string) *listening {
	l := &listening{acknowledged: make(chan struct{}), ended: make(chan struct{})}
	filter := n.filter(uris)
	if filter == "{}" {
		l.acknowledge(filter)
		l.cancel = func(error) {}
		return l
	}
	ctx, cancel := context.WithCancelCause(n.context)
	l.cancel = cancel
	request := &Request{
		Method: "subscriptions/listen",
		Params: append(appendMember([]byte{'{'}, "notifications", filter), '}'),
	}
	n.background(func() {
		defer close(l.ended)
		_, l.reason = n.roundTrip(ctx, &outgoing{Request: request, listening: l})
	})
	return l
}

// filter gives what is to be listened for, a JSON object.
func (n *connection) filter(uris []string) string {
	session := n.session.Load()
	filter := []byte{'{'}
	for _, list := range []ListKind{ToolList, PromptList, ResourceList} {
		if session.has(string(list) + ".listChanged") {
			filter = appendMember(filter, string(list)+"ListChanged", "true")
		}
	}
	if len(uris) > 0 && session.has("resources.subscribe") {
		array := []byte{'['}
		for i, uri := range uris {
			if i > 0 {
				array = append(array, ',')
			}
			array = wire.AppendString(array, uri)
		}
		filter = appendMember(filter, "resourceSubscriptions", string(append(array, ']')))
	}
	return string(append(filter, '}'))
}

func (l *listening) acknowledge(honoured string) {
	l.acknowledgement.Do(func() {
		l.honoured = honoured
		close(l.acknowledged)
	})
}

// opened waits until the server has accepted the subscription, at most so long,
// and reports whether it has.
func (l *listening) opened(ctx context.Context, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-l.acknowledged:
		return true
	case <-l.ended:
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

func (l *listening) honouredURIs() map[string]bool {
	uris := map[string]bool{}
	for _, uri := range gjson.Get(l.honoured, "resourceSubscriptions").Array() {
		uris[uri.Str] = true
	}
	return uris
}

// stop ends the stream from our side. A nil one is none.
func (l *listening) stop() {
	if l != nil {
		l.cancel(errStreamEnded)
	}
}
