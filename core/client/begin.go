package client

import (
	"context"
)

// Begin is Do without waiting: it sends the request, and done is told once what
// Do would give. It is told on a goroutine that reads from the server, so it must
// be prompt, or on another one, perhaps before Begin returns. The function that
// Begin gives ends the request for a reason, as a context would.
func (c *Client) Begin(request *Request, done func(result string, err error)) (cancel func(reason error)) {
	current, err := c.current()
	if err == nil && current.isPlain(request) {
		return c.beginPlain(current, request, done)
	}
	ctx, end := context.WithCancelCause(context.Background())
	go func() {
		defer end(nil)
		result, err := c.Do(ctx, request)
		done(string(result), err)
	}()
	return end
}

// isPlain reports whether a request needs nobody who waits for it: no limits, no
// rounds, and a link on which sending does not wait.
func (n *connection) isPlain(request *Request) bool {
	if !n.sendsAtOnce() {
		return false
	}
	limits := n.limitsOf(request)
	return limits.quiet <= 0 && limits.total <= 0 && (request.Unanswered || !n.session.Load().modern())
}

// plain is a request that Begin has sent.
type plain struct {
	connection *connection
	session    *session
	request    outgoing
	call       call
	key        int // by which Interrupt ends it
	done       func(string, error)
}

func (c *Client) beginPlain(n *connection, request *Request, done func(string, error)) (cancel func(reason error)) {
	p := &plain{connection: n, session: n.session.Load(), request: outgoing{Request: request}, done: done}
	n.initCall(&p.call, &p.request)
	p.call.ended = p.settled
	cancel = p.cancel
	p.key = c.running.add(cancel)
	if err := n.launch(context.Background(), &p.call, p.session, &p.request); err != nil {
		c.running.remove(p.key)
		done("", c.named(err))
	}
	return cancel
}

// cancel ends the request, unless it has been answered.
func (p *plain) cancel(reason error) {
	if p.connection.calls.take(p.call.id) == nil {
		return
	}
	p.call.told.end()
	p.connection.abandon(&p.call, p.session, &p.request, reason)
	p.connection.client.running.remove(p.key)
	p.done("", p.connection.client.named(reason))
}

// settled hands on the answer. What came before it is handed on first.
func (p *plain) settled() {
	p.connection.client.running.remove(p.key)
	if p.call.told.isBusy() {
		go p.finish()
		return
	}
	p.finish()
}

func (p *plain) finish() {
	p.call.told.finish()
	result, err := p.call.result, p.call.err
	if err == nil && p.session.modern() {
		err = checkResultKind(result, p.request.Method)
	}
	if err != nil {
		p.done("", p.connection.client.named(err))
		return
	}
	p.done(result, nil)
}
