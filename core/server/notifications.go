package server

import (
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// serveNotification is never answered, whatever is wrong with the message.
func (r *reading) serveNotification(m *wire.Message) (still bool) {
	c := r.connection
	name := m.Method.Text()
	switch {
	case m.Method.Kind != wire.String || m.JSONRPC.Text() != "2.0" || m.DuplicateIn != wire.NoScope:
		c.trace.Errorf("a malformed notification was dropped: %s", shorten(m.Root.Raw))
	case name == "notifications/initialized":
		c.initialized()
	case name == "notifications/cancelled":
		c.cancelled(m)
	case c.methods[name] != nil:
		c.trace.Errorf("%s came as a notification and was dropped", name)
	case c.aspect.OnNotification != nil:
		c.notifyAspect(name, m)
	default:
		c.trace.Debugf("nobody wants the notification %s", shorten(name))
	}
	return true
}

// cancelled ends an open request without an answer. What refers to none is
// ignored: the request may have been answered meanwhile.
func (c *connection) cancelled(m *wire.Message) {
	id := m.Param("requestId")
	q := c.requests.find(id.Raw)
	if q == nil || !q.cancel() {
		c.trace.Debugf("notifications/cancelled names no open request: %s", shorten(id.Raw))
		return
	}
	c.trace.Infof("request %s was cancelled: %s", q.id, shorten(m.Param("reason").Text()))
}

// notifyAspect runs OnNotification among the aspect's handlers.
func (c *connection) notifyAspect(name string, m *wire.Message) {
	// A copy, so that a notification that waits keeps its own text alone.
	seen := &core.Notification{Method: strings.Clone(name)}
	if m.Params.Kind == wire.Object {
		seen.Params = gjson.Parse(strings.Clone(m.Params.Raw))
	}
	err := c.submit(&action{
		what: "OnNotification",
		run:  func() { c.aspect.OnNotification(c.context, seen) },
		size: len(name) + len(m.Params.Raw),
	})
	if err != nil {
		c.trace.Errorf("the notification %s was dropped: %v", shorten(name), err)
	}
}
