package client

import (
	"encoding/json"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// notified deals with a notification of the server.
func (n *connection) notified(view *wire.Message, during string) {
	switch method := view.Method.Text(); method {
	case "notifications/progress":
		n.progressed(view)
	case "notifications/cancelled":
		n.withdrawn(view)
	case "notifications/subscriptions/acknowledged":
		n.acknowledged(view)
	case "notifications/tools/list_changed":
		n.listChanged(ToolList)
	case "notifications/prompts/list_changed":
		n.listChanged(PromptList)
	case "notifications/resources/list_changed":
		n.listChanged(ResourceList)
	default:
		n.passOn(method, view, during)
	}
}

// progressed hands a notice to its call. One for a call that is over, or never
// was, is ignored.
func (n *connection) progressed(view *wire.Message) {
	id, ok := view.Param(protocol.MetaProgressToken).Int()
	if !ok {
		return
	}
	c := n.calls.get(id)
	if c == nil || !c.told.wantsProgress() {
		return
	}
	c.sign()
	c.told.progress(view.Params, view.ParamMembers)
}

// withdrawn deals with a cancellation: of a request of the server, or of a
// subscription that the server ends.
func (n *connection) withdrawn(view *wire.Message) {
	id := view.Param("requestId")
	n.questions.cancel(id.Raw)
	if number, ok := id.Int(); ok && n.session.Load().modern() {
		if c := n.calls.get(number); c != nil && c.listening != nil && n.calls.take(number) != nil {
			c.settle("", errStreamEnded)
		}
	}
}

// acknowledged notes that the server has accepted a subscription.
func (n *connection) acknowledged(view *wire.Message) {
	for _, member := range view.Meta {
		if member.Name != protocol.MetaSubscriptionID {
			continue
		}
		if id, ok := member.Value.Int(); ok {
			if c := n.calls.get(id); c != nil && c.listening != nil {
				c.listening.acknowledge(view.Param("notifications").Raw)
			}
		}
	}
}

// ofNoCall reports whether a notification is about the connection as a whole,
// whatever is open on it.
func ofNoCall(method string) bool {
	switch method {
	case "notifications/resources/updated", "notifications/elicitation/complete":
		return true
	}
	return false
}

// passOn gives a notification to the one who wants it.
func (n *connection) passOn(method string, view *wire.Message, during string) {
	notification := Notification{Method: method}
	if view.Params.Kind == wire.Object {
		notification.Params = json.RawMessage(view.Params.Raw)
	}
	if owner, exact := n.owner(during); owner != nil && !ofNoCall(method) {
		notification.Tag, notification.Exact = owner.tag, exact
		if owner.told.wantsNotifications() {
			owner.told.notification(notification)
			return
		}
	}
	callback := n.client.Options.OnNotification
	if callback == nil {
		return
	}
	dropped := n.client.notices.addNotification(func() { callback(notification) }, len(notification.Params))
	if dropped == 1 || dropped%maxNotices == maxNotices-1 {
		n.log.Warn("notifications are dropped, since the callback does not keep up", "dropped", dropped)
	}
}
