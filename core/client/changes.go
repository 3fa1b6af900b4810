package client

import (
	"sync"
	"time"
)

// changes brings the lists up to date of which the server says that they have
// changed. Notices are coalesced: one goroutine deals with a list at a time, and
// a notice that comes meanwhile has it begin anew. They belong to a connection:
// the next one loads everything.
type changes struct {
	mu      sync.Mutex
	pending map[ListKind]bool
	running bool
}

// listChanged deals with a notice.
func (n *connection) listChanged(list ListKind) {
	c := &n.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending == nil {
		c.pending = map[ListKind]bool{}
	}
	c.pending[list] = true
	if !c.running && n.ready.Load() {
		c.running = true
		n.background(n.catchUp)
	}
}

// next takes one list that has changed.
func (c *changes) next() (list ListKind, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for list := range c.pending {
		delete(c.pending, list)
		return list, true
	}
	c.running = false
	return "", false
}

// gatherTime is how long to wait for further notices before a list is looked at:
// they tend to come in swarms.
const gatherTime = 20 * time.Millisecond

// catchUp ends when nothing is left to do.
func (n *connection) catchUp() {
	for {
		sleep(n.context, gatherTime)
		list, ok := n.changes.next()
		switch {
		case !ok, n.context.Err() != nil:
			return
		case list == ToolList:
			n.refreshAgain()
		default:
			n.client.changed(Change{List: list})
		}
	}
}

const (
	// refreshAttempts is how often to try to list the tools after a notice.
	refreshAttempts = 5
	// refreshDelay is the wait after the first failure; it doubles.
	refreshDelay = time.Second
)

// refreshAgain lists the tools, and tries again when that fails. The old list
// stays until there is a new one.
func (n *connection) refreshAgain() {
	for attempt := range refreshAttempts {
		before, after, err := n.client.refreshTools(n.context, n)
		if err == nil {
			n.client.toolsChanged(before, after)
			return
		}
		if n.context.Err() != nil {
			return
		}
		n.log.Warn("the server's tools have changed and cannot be listed", "error", err, "attempt", attempt+1)
		if !sleep(n.context, refreshDelay<<attempt) {
			return
		}
	}
}

// toolsChanged tells of a change, if there is one.
func (c *Client) toolsChanged(before, after *toolList) {
	if sameTools(before, after) {
		return
	}
	added, removed := c.difference(before, after)
	c.changed(Change{List: ToolList, Added: added, Removed: removed})
}

func (c *Client) changed(change Change) {
	if callback := c.Options.OnChange; callback != nil {
		c.notices.add(func() { callback(change) })
	}
}
