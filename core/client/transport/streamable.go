package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// ErrAnswered is the cause with which a sender ends the context of a request
// that has been answered. What is left of its exchange is then read, for a
// moment, so that the connection can be used again; with any other cause the
// exchange is cut off.
var ErrAnswered = errors.New("the request has been answered")

// streamable is a link by Streamable HTTP. Each message is a POST of its own; a
// goroutine sees each request to its answer. In the legacy era one more
// goroutine reads the stream of messages that belong to no request.
//
//	Send
//	  exchange          a request
//	    answer            JSON, or
//	    stream            events
//	      resume            legacy: the stream broke off
//	    fallBack          initialize was refused: HTTP+SSE from here on
//	  deliver           a notification or a response
//	    listen            legacy, once initialized
type streamable struct {
	peer     *peer
	receiver Receiver

	context context.Context // of all exchanges; ended by end
	cancel  context.CancelFunc
	done    chan struct{}

	mu      sync.Mutex
	tasks   sync.WaitGroup // all goroutines of the link; none is added after closed
	closed  bool
	err     error
	session string
	version string
	old     *eventLink // once the server has turned out to speak HTTP+SSE
}

func newStreamable(peer *peer, receiver Receiver) *streamable {
	l := &streamable{peer: peer, receiver: receiver, done: make(chan struct{})}
	l.context, l.cancel = context.WithCancel(context.Background())
	return l
}

// start runs a task of the link, unless the link has ended.
func (l *streamable) start(task func()) error {
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
func (l *streamable) Send(ctx context.Context, message *Message) error {
	if old := l.fallen(); old != nil {
		return old.Send(ctx, message)
	}
	if message.request() {
		return l.start(func() { l.exchange(ctx, message) })
	}
	result := make(chan error, 1)
	if err := l.start(func() { result <- l.deliver(ctx, message) }); err != nil {
		return err
	}
	return <-result
}

func (l *streamable) fallen() *eventLink {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.old
}

// bound gives a context that ends with the sender's and with the link.
func (l *streamable) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	bound, cancel := context.WithCancel(l.context)
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), ErrAnswered) {
			time.AfterFunc(lingerTime, cancel)
			return
		}
		cancel()
	})
	return bound, func() { stop(); cancel() }
}

// lingerTime is how long an exchange may take to end after its answer.
const lingerTime = 200 * time.Millisecond

// deliver posts a message that is not answered.
func (l *streamable) deliver(ctx context.Context, message *Message) error {
	ctx, cancel := l.bound(ctx)
	defer cancel()
	session := l.sessionID()
	response, err := l.peer.post(ctx, l.peer.address, message, session)
	if err != nil {
		return err
	}
	defer drop(response.Body)
	if err := succeeded(response); err != nil {
		return l.checkSession(err, session)
	}
	if message.Method == "notifications/initialized" && !message.Modern {
		l.mu.Lock()
		l.version = message.Version
		l.mu.Unlock()
		return l.beginListening(ctx)
	}
	return nil
}

// listenPatience is how long to wait for the server's own stream to open.
const listenPatience = time.Second

// beginListening starts to read the server's own stream, and waits until the
// server has said whether it has one: what it says there before is lost on some
// servers, such as a question about the first call.
func (l *streamable) beginListening(ctx context.Context) error {
	opened := make(chan struct{})
	if err := l.start(func() { l.listen(sync.OnceFunc(func() { close(opened) })) }); err != nil {
		return err
	}
	timer := time.NewTimer(listenPatience)
	defer timer.Stop()
	select {
	case <-opened:
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

func (l *streamable) sessionID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}

// exchange posts a request and sees it to its answer.
func (l *streamable) exchange(sender context.Context, message *Message) {
	ctx, cancel := l.bound(sender)
	defer cancel()
	session := l.sessionID()
	response, err := l.peer.post(ctx, l.peer.address, message, session)
	if err != nil {
		l.receiver.Failed(message.ID, err)
		return
	}
	defer drop(response.Body)
	if err := succeeded(response); err != nil {
		if message.Method == "initialize" && mayBeOld(err) {
			l.fallBack(sender, message, err)
			return
		}
		l.receiver.Failed(message.ID, l.checkSession(err, session))
		return
	}
	if message.Method == "initialize" {
		l.noteSession(response.Header.Get(headerSession))
	}
	switch contentType(response) {
	case "application/json":
		l.answer(message, response.Body)
	case "text/event-stream":
		l.stream(ctx, sender, message, response.Body)
	default:
		kind := excerpt(response.Header.Get("Content-Type"), 100)
		l.receiver.Failed(message.ID, &StatusError{
			Status: response.StatusCode,
			Body:   fmt.Appendf(nil, "content of type %q instead of a message", kind),
		})
	}
}

func (l *streamable) noteSession(id string) {
	if validSession(id) {
		l.mu.Lock()
		l.session = id
		l.mu.Unlock()
	}
}

// answer takes an answer that is one JSON text.
func (l *streamable) answer(message *Message, body io.Reader) {
	text, err := io.ReadAll(io.LimitReader(body, int64(l.peer.maxMessage)+1))
	switch {
	case err != nil:
		l.receiver.Failed(message.ID, fmt.Errorf("%w: %w", ErrStreamBroken, err))
	case len(text) > l.peer.maxMessage:
		l.receiver.Broken(beginning(string(text)), message.ID, fmt.Errorf("an answer is longer than %d bytes", l.peer.maxMessage))
		l.receiver.Failed(message.ID, fmt.Errorf("the answer is longer than %d bytes", l.peer.maxMessage))
	default:
		l.receiver.Receive(string(text), message.ID)
		// Had it been the answer, nobody would wait for one any more.
		l.receiver.Failed(message.ID, errors.New("the server's answer is not that of the request"))
	}
}

// checkSession gives the reason for a status. A server that does not know our
// session ends the link.
func (l *streamable) checkSession(reason error, session string) error {
	var status *StatusError
	if session == "" || !errors.As(reason, &status) || !status.sessionLost() {
		return reason
	}
	l.end(ErrSessionLost)
	return ErrSessionLost
}

// sessionLost reports whether the status says so of a request that had a
// session id: with 404, as specified, with 410, or as many servers do it, with
// 400 and a sentence about sessions.
func (e *StatusError) sessionLost() bool {
	return e.Status == http.StatusNotFound || e.Status == http.StatusGone ||
		e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(string(e.Body)), "session")
}

// end ends the link. The first reason counts.
func (l *streamable) end(reason error) {
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

// Traits says that each request has its own exchange.
func (l *streamable) Traits() Traits { return Traits{Exchanges: true} }

// Done is closed when the session was lost, or by Close.
func (l *streamable) Done() <-chan struct{} { return l.done }

// Err tells why the link has ended.
func (l *streamable) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close ends all exchanges, and the session, of which the server is told.
func (l *streamable) Close() error {
	lost := errors.Is(l.Err(), ErrSessionLost)
	l.end(ErrClosed)
	l.tasks.Wait()
	if old := l.fallen(); old != nil {
		return old.Close()
	}
	if session := l.sessionID(); session != "" && !lost {
		l.endSession(session)
		l.mu.Lock()
		l.session = ""
		l.mu.Unlock()
	}
	l.peer.client.CloseIdleConnections()
	return nil
}

// endSession tells the server. What it makes of that is its own affair.
func (l *streamable) endSession(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodDelete, l.peer.address.String(), nil)
	if err != nil {
		return
	}
	request.Header = l.peer.headers.Clone()
	request.Header.Set(headerSession, session)
	l.mu.Lock()
	version := l.version
	l.mu.Unlock()
	if version != "" {
		request.Header.Set(headerVersion, version)
	}
	if response, err := l.peer.do(request); err == nil {
		drop(response.Body)
	}
}
