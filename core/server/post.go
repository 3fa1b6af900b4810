package server

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/trace"
	"mcpserver/core/internal/wire"
)

var errUnread = errors.New("the client has left too much unread")

// post sends a message that the server writes on its own, at once. It never
// waits for a client that does not read: then the message is dropped, traced,
// and the error says so.
func (c *connection) post(message []byte, send func(*[]byte) error) error {
	err := errUnread
	if !c.out.Full() {
		err = send(&message)
	}
	if err != nil {
		c.trace.Errorf("a message was dropped: %v", err)
		return err
	}
	c.out.FlushSoon()
	return nil
}

// Post implements link.Host.
func (c *connection) Post(method, params string) error {
	switch {
	case c.context.Err() != nil:
		return errEnded
	case !c.ready():
		return errNotReady
	}
	message, err := notification(method, params)
	if err != nil {
		return err
	}
	return c.post(message, c.send)
}

// notification gives a notification as one line. Its params are JSON that others
// wrote, or "".
func notification(method, params string) (message []byte, err error) {
	message = wire.AppendString([]byte(`{"jsonrpc":"2.0","method":`), method)
	if params == "" {
		return append(message, '}'), nil
	}
	message = append(message, `,"params":`...)
	opening := len(message)
	if message, err = wire.AppendCompact(message, params); err != nil {
		return nil, fmt.Errorf("params of %s: %w", method, err)
	}
	if message[opening] != '{' {
		return nil, fmt.Errorf("params of %s are no JSON object", method)
	}
	return append(message, '}'), nil
}

// ready reports whether the client takes messages that it has not asked for: a
// client that opened with initialize must have said that it is ready. One that
// sends single requests without a handshake takes them from its first on.
func (c *connection) ready() bool {
	if !c.session.Load().opened {
		return c.heard.Load()
	}
	return c.questions.isReady()
}

// ElicitationComplete implements link.Host.
func (c *connection) ElicitationComplete(id string) error {
	if revision := c.session.Load().revision; revision != protocol.V20251125 {
		return fmt.Errorf("protocol version %s has no notice that an elicitation is complete", revision)
	}
	return c.Post("notifications/elicitation/complete", string(append(wire.AppendString([]byte(`{"elicitationId":`), id), '}')))
}

// PostAction implements link.Host.
func (c *connection) PostAction(run func(context.Context), discard func()) error {
	return c.submit(&action{
		what:      "a posted action",
		run:       func() { run(c.context) },
		discarded: discard,
	})
}

// Arguments implements link.Host.
func (c *connection) Arguments() []string { return c.options.Arguments }

// SelfTesting implements link.Host.
func (c *connection) SelfTesting() bool { return c.options.selfTesting }

// CommandLine implements link.Host.
func (c *connection) CommandLine() []string { return c.options.CommandLine }

// Trace implements link.Host.
func (c *connection) Trace() *trace.Trace { return c.trace }

// Progress implements link.Request.
func (q *request) Progress(progress, total float64, message string) {
	if q.progressID == "" || math.IsNaN(progress) || math.IsInf(progress, 0) {
		return
	}
	line := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), q.progressID...)
	line = wire.AppendFloat(append(line, `,"progress":`...), progress)
	if total > 0 && !math.IsInf(total, 0) {
		line = wire.AppendFloat(append(line, `,"total":`...), total)
	}
	if message != "" && q.session.revision >= protocol.V20250326 {
		line = wire.AppendString(append(line, `,"message":`...), message)
	}
	q.connection.post(append(line, `}}`...), func(message *[]byte) error {
		return q.sendProgress(progress, message)
	})
}

// sendProgress sends nothing after the answer, and nothing that does not rise.
func (q *request) sendProgress(progress float64, message *[]byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.answered:
		return errAnswered
	case q.reported && progress <= q.progress:
		return fmt.Errorf("progress %v does not rise above %v", progress, q.progress)
	}
	q.reported, q.progress = true, progress
	return q.connection.send(message)
}

// sendOpen sends a message that belongs to the request, unless it has ended.
func (q *request) sendOpen(message *[]byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.answered {
		return errAnswered
	}
	return q.connection.send(message)
}

// Log implements link.Request. Nothing is sent after the answer.
func (q *request) Log(level protocol.LogLevel, logger, data string) {
	q.connection.logMessage(q.wantsLog(level), level, logger, data, q.sendOpen)
}
