package client

import (
	"sync"
)

// maxNotices bounds the notifications that wait for a callback.
const maxNotices = 1024

// notices runs callbacks one at a time, in order. A goroutine does so while
// there are any.
type notices struct {
	mu      sync.Mutex
	queue   []func()
	running bool
	dropped int
}

// add queues a callback; one that can be missed is dropped when too many wait.
// It reports how many have been dropped, if this one was.
func (n *notices) add(callback func(), canBeMissed bool) (dropped int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if canBeMissed && len(n.queue) >= maxNotices {
		n.dropped++
		return n.dropped
	}
	n.queue = append(n.queue, callback)
	if !n.running {
		n.running = true
		go n.run()
	}
	return 0
}

// run ends when the queue is empty.
func (n *notices) run() {
	for {
		n.mu.Lock()
		if len(n.queue) == 0 {
			n.running = false
			n.queue = nil
			n.mu.Unlock()
			return
		}
		next := n.queue[0]
		n.queue[0] = nil
		n.queue = n.queue[1:]
		n.mu.Unlock()
		next()
	}
}
