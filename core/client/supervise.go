package client

import (
	"context"
	"errors"
	"time"

	"mcpserver/core/client/transport"
)

// supervise looks after a run until Disconnect: it waits for the connection to
// be lost and opens the next one. A nil connection is one that is still to be
// opened. It runs no code of others, so it always ends promptly.
func (c *Client) supervise(r *run, connection *connection) {
	defer close(r.ended)
	failures := 0 // in a row
	wait := time.Duration(0)
	for {
		var reason error
		lost := connection
		if connection != nil {
			begun := time.Now()
			reason = c.attend(r, connection)
			connection = nil
			if time.Since(begun) >= c.Options.Reconnect.steady() {
				failures = 0
			}
		} else if sleep(r.context, wait) {
			connection, reason = c.reestablish(r)
		}
		if r.context.Err() != nil {
			lost.remove(reason)
			c.leave(r, connection)
			return
		}
		if reason == nil {
			continue
		}
		var again bool
		if wait, again = c.delay(reason, failures); !again {
			c.lost(r, reason, -1)
			lost.remove(reason)
			c.forget(r, reason)
			return
		}
		failures++
		c.lost(r, reason, wait)
		lost.remove(reason) // which may take a while
	}
}

// remove removes what is left of a connection; nil has left nothing.
func (n *connection) remove(reason error) {
	if n != nil {
		n.close(reason)
	}
}

// delay gives the wait before the next attempt. A server that has only lost the
// session is there, so the first time there is nothing to wait for.
func (c *Client) delay(reason error, failures int) (wait time.Duration, again bool) {
	wait, again = c.Options.Reconnect.Delay(failures)
	if errors.Is(reason, transport.ErrSessionLost) && failures == 0 {
		wait = 0
	}
	return wait, again
}

// attend waits for the end of a connection, and looks after its subscriptions and
// its health meanwhile. The caller removes what is left of it.
func (c *Client) attend(r *run, connection *connection) (reason error) {
	connection.background(connection.watchSubscriptions)
	connection.background(connection.checkHealth)
	select {
	case <-connection.context.Done():
		reason = connection.reason()
	case <-r.context.Done():
		reason = context.Cause(r.context)
	}
	r.set(nil, reason)
	return reason
}

// reestablish opens a connection in the place of one that was lost, and tells
// what has changed since.
func (c *Client) reestablish(r *run) (*connection, error) {
	before := c.tools.load()
	connection, err := c.establish(r.context)
	if err != nil {
		return nil, err
	}
	r.set(connection, nil)
	c.tell(State{Connected: true})
	session := connection.session.Load()
	c.toolsChanged(before, c.tools.load())
	if session.has("prompts") {
		c.changed(Change{List: PromptList})
	}
	if session.has("resources") {
		c.changed(Change{List: ResourceList})
	}
	return connection, nil
}

// leave ends a run that Disconnect has ended.
func (c *Client) leave(r *run, connection *connection) {
	r.set(nil, errDisconnected)
	if connection != nil {
		connection.close(errDisconnected)
	}
}

// lost tells of a connection that is lost, or of an attempt that has failed.
func (c *Client) lost(r *run, reason error, next time.Duration) {
	r.set(nil, reason)
	c.log().Warn("there is no connection", "reason", reason, "next attempt in", next)
	c.tell(State{Reason: reason, Next: next})
}

func (c *Client) tell(state State) {
	if callback := c.Options.OnState; callback != nil {
		c.notices.add(func() { callback(state) })
	}
}

// sleep waits, and reports whether the context lasted as long.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// errUnhealthy is why a connection ends on which the server has gone silent.
var errUnhealthy = errors.New("the server does not answer any more")

// checkHealth tries the connection when nothing else is open on it: a server
// may be too busy with a call to answer anything else, and calls have limits of
// their own.
func (n *connection) checkHealth() {
	interval := n.client.Options.healthInterval()
	for silent := 0; interval > 0 && sleep(n.context, interval); {
		if !n.calls.idle() {
			silent = 0
			continue
		}
		if n.ping(n.context) == nil {
			silent = 0
			continue
		}
		if silent++; silent == 2 && n.context.Err() == nil {
			n.end(errUnhealthy)
			return
		}
	}
}

// ping asks the server for a sign of life. Any answer is one. The error says
// that there was none in time.
func (n *connection) ping(ctx context.Context) error {
	method := "ping"
	if n.session.Load().modern() {
		method = "server/discover" // there is no ping in this era
	}
	_, err := n.roundTrip(ctx, &outgoing{
		Request: &Request{Method: method},
		limits:  limits{total: n.client.Options.healthTimeout()},
	})
	if _, answered := serverError(err); answered {
		return nil
	}
	return err
}

// Ping asks the server for a sign of life, within Options.HealthTimeout.
func (c *Client) Ping(ctx context.Context) error {
	connection, err := c.current()
	if err == nil {
		interruptible, release := c.running.enter(ctx)
		defer release()
		err = connection.ping(interruptible)
	}
	if err != nil {
		return c.named(err)
	}
	return nil
}
