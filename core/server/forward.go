package server

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// The notifications of other servers that are not for every client.
const (
	progressNotification = "notifications/progress"
	messageNotification  = "notifications/message"
)

// Forward implements link.Host.
func (c *connection) Forward(method, params string) error {
	if method == messageNotification {
		level, known := protocol.ParseLogLevel(gjson.Get(params, "level").Str)
		if !known || !c.aspect.Logging || !c.heard.Load() || !c.log.wants(level) {
			c.trace.Infof("log of another server: %s", params)
			return nil
		}
	}
	return c.Post(method, params)
}

// Forward implements link.Request. Nothing is sent after the answer.
func (q *request) Forward(method, params string) {
	c := q.connection
	message, send, err := q.forwarded(method, params)
	switch {
	case err != nil:
		c.trace.Errorf("%s of another server was dropped: %v", method, err)
	case message == nil:
		c.trace.Debugf("%s of another server is not for the client: %s", method, params)
	default:
		// post has traced what it drops.
		_ = c.post(message, send)
	}
}

// forwarded gives a notification as the client is to have it, and how it is
// sent; nil if it is not to have it.
func (q *request) forwarded(method, params string) (message []byte, send func(*[]byte) error, err error) {
	if !gjson.Parse(params).IsObject() {
		return nil, nil, errors.New("its params are no JSON object")
	}
	switch {
	case method == progressNotification:
		return q.forwardedProgress(params)
	case method == messageNotification:
		level, known := protocol.ParseLogLevel(gjson.Get(params, "level").Str)
		if !known || !q.connection.aspect.Logging || !q.wantsLog(level) {
			return nil, nil, nil
		}
	case !q.session.revision.Legacy():
		return nil, nil, nil
	}
	message = wire.AppendString([]byte(`{"jsonrpc":"2.0","method":`), method)
	if message, err = wire.AppendCompact(append(message, `,"params":`...), params); err != nil {
		return nil, nil, err
	}
	return append(message, '}'), q.sendOpen, nil
}

// forwardedProgress puts the client's own token in the place of ours.
func (q *request) forwardedProgress(params string) (message []byte, send func(*[]byte) error, err error) {
	if q.progressID == "" {
		return nil, nil, nil
	}
	progress := gjson.Get(params, "progress")
	if progress.Type != gjson.Number {
		return nil, nil, errors.New("its progress is no number")
	}
	message = append([]byte(`{"jsonrpc":"2.0","method":"`+progressNotification+`","params":{"progressToken":`), q.progressID...)
	for member := range wire.Members(params) {
		switch {
		case member.Name == "progressToken":
			continue
		case member.Name == "message" && q.session.revision < protocol.V20250326:
			continue
		}
		message = append(wire.AppendString(append(message, ','), member.Name), ':')
		if message, err = wire.AppendCompact(message, member.Value.Raw); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", member.Name, err)
		}
	}
	return append(message, `}}`...), func(message *[]byte) error { return q.sendProgress(progress.Num, message) }, nil
}
