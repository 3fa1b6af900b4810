// Package client speaks to external MCP servers: it starts or finds them,
// agrees with them on a protocol version of either era, keeps a list of their
// tools, calls them, answers what they ask, and comes back to them when the
// connection is lost.
//
//	server := client.New("files", &transport.Stdio{Command: "files-server"})
//	if err := server.Connect(ctx); err != nil { … }
//	defer server.Disconnect()
//	answer := server.Execute(ctx, "read", `{"path":"a.txt"}`)
//
// Execute and ListTools have the plain form that hosts of tool servers use.
// CallTool and its kin give a server's results byte for byte. Do sends any
// request.
package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"mcpserver/core/client/transport"
)

// Client is one external server. All methods are safe for concurrent use.
type Client struct {
	// Options must not change after the first Connect.
	Options Options

	name      string
	transport transport.Transport

	ids     atomic.Int64 // of the newest request; they never come again
	strays  atomic.Uint64
	notices notices
	tools   toolTable
	turn    chan struct{} // has an element while the list of tools is loaded
	watched watched
	level   logLevel
	running interrupts

	mu   sync.Mutex
	run  *run  // nil when disconnected
	gone error // why the latest run is over
	era  Era   // as it was found out
}

// New gives a client for a server that the transport reaches. The name is the
// prefix of the qualified names of its tools, and is what messages call it.
func New(name string, t transport.Transport) *Client {
	return &Client{name: name, transport: t, turn: make(chan struct{}, 1)}
}

// Name gives the server's name.
func (c *Client) Name() string { return c.name }

// log gives the logger, which says whose server it is about.
func (c *Client) log() *slog.Logger { return c.Options.log().With("server", c.name) }

// named says whose server an error is about.
func (c *Client) named(err error) error { return fmt.Errorf("server %q: %w", c.name, err) }

// errConnected is for a second Connect.
var errConnected = errors.New("it is connected, or about to be")

// errDisconnected is why a connection ended by Disconnect.
var errDisconnected = errors.New("it was disconnected")

// Connect opens the transport, agrees with the server on a protocol version,
// and asks for its tools. That the tools cannot be had is no failure: the server
// is connected without any then, and the log has a warning. The error tells why
// there is no connection, with the end of a child process's stderr.
//
// When the connection is lost later, it is opened anew as Options.Reconnect
// says, until Disconnect.
func (c *Client) Connect(ctx context.Context) error {
	r, err := c.begin()
	if err != nil {
		return c.named(err)
	}
	opening, cancel := context.WithCancelCause(r.context)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	connection, err := c.establish(opening)
	stop()
	cancel(nil)
	if err != nil {
		close(r.ended)
		c.forget(r, err)
		return c.named(err)
	}
	r.set(connection, nil)
	go c.supervise(r, connection)
	return nil
}

// Start is Connect in the background: it returns at once, and the first attempt
// too is repeated as Options.Reconnect says. Options.OnState tells how it goes.
func (c *Client) Start() error {
	r, err := c.begin()
	if err != nil {
		return c.named(err)
	}
	go c.supervise(r, nil)
	return nil
}

// begin starts a run.
func (c *Client) begin() (*run, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run != nil {
		return nil, errConnected
	}
	c.run = newRun()
	return c.run, nil
}

// forget ends a run that has no connection and will have none.
func (c *Client) forget(r *run, reason error) {
	r.cancel(reason)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.run == r {
		c.run, c.gone = nil, reason
	}
}

// Disconnect ends the connection, and a child process with it, and fails what is
// open. It takes as long as the transport does to close, which is bounded. It
// does not wait for callbacks and handlers. Disconnecting what is not connected
// does nothing.
func (c *Client) Disconnect() error {
	c.mu.Lock()
	r := c.run
	c.mu.Unlock()
	if r == nil {
		return nil
	}
	r.cancel(errDisconnected)
	<-r.ended
	c.forget(r, errDisconnected)
	c.tools.clear()
	return nil
}

// IsConnected reports whether there is a connection. There is none between the
// loss of one and the success of the next attempt.
func (c *Client) IsConnected() bool {
	_, err := c.current()
	return err == nil
}

// Server gives what the server has said about itself; ok is false when there is
// no connection.
func (c *Client) Server() (info ServerInfo, ok bool) {
	connection, err := c.current()
	if err != nil {
		return ServerInfo{}, false
	}
	return connection.session.Load().info(), true
}

// Strays counts what servers of this client have written that is no message.
func (c *Client) Strays() uint64 { return c.strays.Load() }

// current gives the connection, or an error that tells why there is none.
func (c *Client) current() (*connection, error) {
	c.mu.Lock()
	r, gone := c.run, c.gone
	c.mu.Unlock()
	switch {
	case r != nil:
		return r.current()
	case gone != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotConnected, gone)
	}
	return nil, ErrNotConnected
}

// run is the time from a Connect to its Disconnect, which has one connection
// after the other.
type run struct {
	context context.Context
	cancel  context.CancelCauseFunc
	ended   chan struct{} // closed when no connection is left and none will come

	mu         sync.Mutex
	connection *connection   // nil while there is none
	reason     error         // why there is none
	changed    chan struct{} // closed when connection is set anew
}

func newRun() *run {
	r := &run{ended: make(chan struct{}), changed: make(chan struct{}), reason: errors.New("it is being connected")}
	r.context, r.cancel = context.WithCancelCause(context.Background())
	return r
}

func (r *run) current() (*connection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.connection != nil && r.connection.context.Err() == nil {
		return r.connection, nil
	}
	if r.reason == nil {
		return nil, ErrNotConnected
	}
	return nil, fmt.Errorf("%w: %w", ErrNotConnected, r.reason)
}

// set sets the connection, or why there is none.
func (r *run) set(connection *connection, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.connection, r.reason = connection, reason
	close(r.changed)
	r.changed = make(chan struct{})
}

// next waits for a connection other than lost.
func (r *run) next(ctx context.Context, lost *connection) (*connection, error) {
	for {
		r.mu.Lock()
		connection, changed := r.connection, r.changed
		r.mu.Unlock()
		if connection != nil && connection != lost && connection.context.Err() == nil {
			return connection, nil
		}
		select {
		case <-changed:
		case <-r.ended:
			return r.current()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
