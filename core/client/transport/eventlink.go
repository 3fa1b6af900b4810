package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
)

// eventLink is a link by HTTP+SSE, the transport of protocol version
// 2024-11-05: one stream of events brings all messages of the server, and ours
// are posted to an address that the stream names first. One goroutine reads the
// stream; each request has one for its POST, which some servers answer only
// when they have answered the request.
type eventLink struct {
	peer     *peer
	receiver Receiver
	endpoint *url.URL // set before the link is given out

	context context.Context // of the stream and all POSTs; ended by end
	cancel  context.CancelFunc
	done    chan struct{}

	mu     sync.Mutex
	tasks  sync.WaitGroup // all goroutines of the link; none is added after closed
	closed bool
	err    error
}

// mayBeOld reports whether a refusal of initialize may come from a server that
// speaks HTTP+SSE alone.
func mayBeOld(err error) bool {
	var status *StatusError
	if !errors.As(err, &status) {
		return false
	}
	switch status.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}

// fallBack opens a link by HTTP+SSE in the place of this one and sends the
// initialize request there.
func (l *streamable) fallBack(sender context.Context, message *Message, refusal error) {
	ctx, cancel := l.bound(sender)
	defer cancel()
	old, err := openEventLink(ctx, l.peer, l.receiver)
	if err != nil {
		l.receiver.Failed(message.ID, fmt.Errorf("%w; and it does not speak HTTP+SSE: %w", refusal, err))
		return
	}
	l.mu.Lock()
	l.old = old
	l.mu.Unlock()
	watch := func() {
		select {
		case <-old.done:
			l.end(old.Err())
		case <-l.context.Done():
		}
	}
	if err := errors.Join(l.start(watch), old.Send(sender, message)); err != nil {
		l.receiver.Failed(message.ID, err)
	}
}

// openEventLink asks for the stream and waits until it has named the address.
func openEventLink(ctx context.Context, peer *peer, receiver Receiver) (*eventLink, error) {
	l := &eventLink{peer: peer, receiver: receiver, done: make(chan struct{})}
	l.context, l.cancel = context.WithCancel(context.Background())
	opening := context.AfterFunc(ctx, l.cancel)
	events, err := l.open()
	if err == nil && !opening() {
		err = context.Cause(ctx)
	}
	if err != nil {
		l.end(err)
		l.tasks.Wait()
		return nil, err
	}
	l.tasks.Go(func() { l.read(events) })
	return l, nil
}

// openStream is a stream of events that has begun.
type openStream struct {
	*eventReader
	response *http.Response
}

func (l *eventLink) open() (*openStream, error) {
	response, err := l.peer.get(l.context, func(http.Header) {})
	if err != nil {
		return nil, err
	}
	stream := &openStream{eventReader: newEventReader(response.Body, l.peer.maxMessage), response: response}
	if err := stream.check(); err != nil {
		drop(response.Body)
		return nil, err
	}
	first, err := stream.next()
	if err == nil {
		l.endpoint, err = l.resolve(first)
	}
	if err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	return stream, nil
}

func (s *openStream) check() error {
	if err := succeeded(s.response); err != nil {
		return err
	}
	if contentType(s.response) != "text/event-stream" {
		return &StatusError{Status: s.response.StatusCode, Body: []byte("no stream of events")}
	}
	return nil
}

// resolve gives the address for our messages. It may be relative, and must be
// of the same origin: our credentials go there.
func (l *eventLink) resolve(first event) (*url.URL, error) {
	if first.kind != "endpoint" {
		return nil, fmt.Errorf("the server's stream begins with an event %q instead of its endpoint", excerpt(first.kind, 50))
	}
	endpoint, err := l.peer.address.Parse(first.data)
	if err != nil {
		return nil, fmt.Errorf("the server names an endpoint that is no URL: %w", withoutURL(err))
	}
	if !sameOrigin(l.peer.address, endpoint) {
		return nil, fmt.Errorf("the server names an endpoint of another origin, %s://%s, which is refused",
			endpoint.Scheme, endpoint.Host)
	}
	return endpoint, nil
}

// read gives the receiver what comes, until the stream ends.
func (l *eventLink) read(stream *openStream) {
	defer func() { _ = stream.response.Body.Close() }()
	for {
		next, err := stream.next()
		if err != nil {
			var tooLarge *tooLargeError
			if errors.As(err, &tooLarge) {
				l.receiver.Broken(tooLarge.beginning, "", err)
			}
			l.end(fmt.Errorf("%w: %w", ErrStreamBroken, err))
			return
		}
		if next.kind == "message" {
			l.receiver.Receive(next.data, "")
		}
	}
}

// start runs a task of the link, unless the link has ended.
func (l *eventLink) start(task func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.err
	}
	l.tasks.Go(task)
	return nil
}

// Send posts the message. For a notification and a response it returns once the
// server has taken it.
func (l *eventLink) Send(ctx context.Context, message *Message) error {
	if message.request() {
		return l.start(func() {
			if err := l.post(ctx, message); err != nil && ctx.Err() == nil {
				l.receiver.Failed(message.ID, err)
			}
		})
	}
	result := make(chan error, 1)
	if err := l.start(func() { result <- l.post(ctx, message) }); err != nil {
		return err
	}
	return <-result
}

func (l *eventLink) post(ctx context.Context, message *Message) error {
	bound, cancel := context.WithCancel(l.context)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	response, err := l.peer.post(bound, l.endpoint, message, "")
	if err != nil {
		return err
	}
	defer drop(response.Body)
	return succeeded(response)
}

// end ends the link. The first reason counts.
func (l *eventLink) end(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	l.err = reason
	l.cancel()
	close(l.done)
}

// Traits says that the transport is of the legacy era.
func (l *eventLink) Traits() Traits { return Traits{LegacyOnly: true} }

// Done is closed when the stream has ended.
func (l *eventLink) Done() <-chan struct{} { return l.done }

// Err tells why the link has ended.
func (l *eventLink) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close ends the stream.
func (l *eventLink) Close() error {
	l.end(ErrClosed)
	l.tasks.Wait()
	l.peer.client.CloseIdleConnections()
	return nil
}
