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
	if method != messageNotification {
		return c.Post(method, params)
	}
	message, err := notification(method, params)
	switch {
	case err != nil:
		return err
	case c.context.Err() != nil:
		return errEnded
	case !c.heard.Load() || !c.wantsForeignLog(params, c.log.wants):
		c.trace.Infof("log of another server: %s", params)
		return nil
	}
	return c.post(message, c.send)
}

// wantsForeignLog reports whether the client is to have a log message of another
// server, if it wants messages of that level.
func (c *connection) wantsForeignLog(params string, wants func(protocol.LogLevel) bool) bool {
	level, known := protocol.ParseLogLevel(gjson.Get(params, "level").Str)
	return known && c.aspect.Logging && wants(level)
}

// Forward implements link.Request. Nothing is sent after the answer.
func (q *request) Forward(method, params string) {
	c := q.connection
	message, send, err := q.forwarded(method, params)
	switch {
	case err != nil:
		c.trace.Errorf("%s of another server was dropped: %v", method, err)
	case message != nil:
		// post has traced what it drops.
		_ = c.post(message, send)
	case method == messageNotification:
		c.trace.Infof("log of another server: %s", params)
	default:
		c.trace.Debugf("%s of another server is not for the client: %s", method, params)
	}
}

// forwarded gives a notification as the client is to have it, and how it is
// sent; nil if it is not to have it.
func (q *request) forwarded(method, params string) (message []byte, send func(*[]byte) error, err error) {
	if method == progressNotification {
		return q.forwardedProgress(params)
	}
	if message, err = notification(method, params); err != nil {
		return nil, nil, err
	}
	wanted := q.session.revision.Legacy()
	if method == messageNotification {
		wanted = q.connection.wantsForeignLog(params, q.wantsLog)
	}
	if !wanted {
		return nil, nil, nil
	}
	return message, q.sendOpen, nil
}

// forwardedProgress puts the client's own token in the place of ours.
func (q *request) forwardedProgress(params string) (message []byte, send func(*[]byte) error, err error) {
	if q.progressID == "" {
		return nil, nil, nil
	}
	compact, err := wire.AppendCompact(nil, params)
	if err != nil {
		return nil, nil, fmt.Errorf("its params: %w", err)
	}
	token := `"progressToken":` + q.progressID
	progress, known, tokens := 0.0, false, 0
	message = append(message, `{"jsonrpc":"2.0","method":"`+progressNotification+`","params":{`...)
	for member, text := range wire.MembersAndTexts(string(compact)) {
		switch member.Name {
		case "progressToken":
			if tokens++; tokens > 1 {
				continue
			}
			text = token
		case "progress":
			progress, known = member.Value.Float()
		case "message":
			if q.session.revision < protocol.V20250326 {
				continue
			}
		}
		message = append(append(message, text...), ',')
	}
	if !known {
		return nil, nil, errors.New("it has no progress that is a number")
	}
	if tokens == 0 {
		message = append(append(message, token...), ',')
	}
	message = append(message[:len(message)-1], `}}`...)
	return message, func(message *[]byte) error { return q.sendProgress(progress, message) }, nil
}
