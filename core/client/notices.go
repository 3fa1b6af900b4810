package client

import (
	"sync"
)

// Bounds of the notifications that wait for a callback: how many, and how many
// bytes of params.
const (
	maxNotices     = 1024
	maxNoticeBytes = 64 << 20
)

// notices runs callbacks one at a time, in order. A goroutine does so while
// there are any.
type notices struct {
	mu      sync.Mutex
	queue   []notice
	bytes   int
	running bool
	dropped int
}

type notice struct {
	run  func()
	size int
}

// add queues a callback.
func (n *notices) add(callback func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.push(notice{run: callback})
}

// addNotification queues a callback that can be missed, of so many bytes: it is
// dropped when too many wait. It reports how many have been dropped, if this one
// was.
func (n *notices) addNotification(callback func(), size int) (dropped int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.queue) >= maxNotices || n.bytes+size > maxNoticeBytes && len(n.queue) > 0 {
		n.dropped++
		return n.dropped
	}
	n.push(notice{callback, size})
	return 0
}

func (n *notices) push(next notice) {
	n.queue = append(n.queue, next)
	n.bytes += next.size
	if !n.running {
		n.running = true
		go n.run()
	}
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
		n.queue[0] = notice{}
		n.queue = n.queue[1:]
		n.bytes -= next.size
		n.mu.Unlock()
		next.run()
	}
}
