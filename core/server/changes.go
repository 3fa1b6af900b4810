package server

import "sync"

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
}

// tell tells clients of a change, or remembers to.
func (n *changes) tell() {
	n.mu.Lock()
	n.changed = !n.ready
	ready := n.ready
	n.mu.Unlock()
	n.connection.modern.listChanged(n.kind)
	if ready {
		n.tellLegacy()
	}
}

// tellLegacy tells the client that made the handshake.
func (n *changes) tellLegacy() {
	if err := n.connection.Post(n.kind.notification(), ""); err != nil {
		n.connection.trace.Errorf("the client was not told: %s: %v", n.kind.notification(), err)
	}
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
	if changed {
		n.tellLegacy()
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
