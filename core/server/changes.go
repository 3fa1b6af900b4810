package server

import (
	"errors"
	"sync"
)

// listKind is one of the lists whose changes clients are told of; templates
// belong to the resources.
type listKind uint8

const (
	toolList listKind = iota
	promptList
	resourceList
	listKinds = iota
)

// notification is what tells of a change.
func (k listKind) notification() string {
	return [listKinds]string{
		"notifications/tools/list_changed",
		"notifications/prompts/list_changed",
		"notifications/resources/list_changed",
	}[k]
}

// declaredBy is the member of an aspect that declares such changes.
func (k listKind) declaredBy() string {
	return [listKinds]string{"DynamicTools", "DynamicPrompts", "DynamicResources"}[k]
}

// changes tells clients that a list has changed.
type changes struct {
	connection *connection
	kind       listKind

	mu      sync.Mutex // guards what follows
	ready   bool       // the client that made the handshake may be told
	changed bool       // it was not told of a change
	late    bool       // clients are to be told when they have read more
}

// tell tells clients of a change, or remembers to.
func (n *changes) tell() {
	n.mu.Lock()
	n.changed = !n.ready
	ready := n.ready
	n.mu.Unlock()
	dropped := n.connection.modern.listChanged(n.kind)
	if ready && n.tellLegacy() || dropped {
		n.tellLater()
	}
}

// tellLegacy tells the client that made the handshake. It reports whether the
// client has left too much unread to be told.
func (n *changes) tellLegacy() (dropped bool) {
	err := n.connection.Post(n.kind.notification(), "")
	if err != nil {
		n.connection.trace.Errorf("the client was not told: %s: %v", n.kind.notification(), err)
	}
	return errors.Is(err, errUnread)
}

// tellLater tells clients of the change when there is room for it: otherwise
// their lists would stay what they were. The goroutine ends then, or with the
// connection.
func (n *changes) tellLater() {
	n.mu.Lock()
	waits := n.late
	n.late = true
	n.mu.Unlock()
	if waits {
		return
	}
	c := n.connection
	go func() {
		c.out.WaitRoom(c.context.Done())
		n.mu.Lock()
		n.late = false
		n.mu.Unlock()
		if c.context.Err() == nil {
			n.tell()
		}
	}()
}

// hold keeps changes back until the client is ready, after an initialize.
func (n *changes) hold() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ready = false
}

// release says that the client is ready, and tells it of earlier changes, once.
func (n *changes) release() {
	n.mu.Lock()
	n.ready = true
	changed := n.changed
	n.changed = false
	n.mu.Unlock()
	if changed && n.tellLegacy() {
		n.tellLater()
	}
}

func (t *tables) holdChanges() {
	for kind := range t.changes {
		t.changes[kind].hold()
	}
}

func (t *tables) releaseChanges() {
	for kind := range t.changes {
		t.changes[kind].release()
	}
}
