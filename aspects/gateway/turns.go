package gateway

import "sync"

// turns keeps things in the order in which they began.
type turns struct {
	mu   sync.Mutex
	last chan struct{} // closed when all turns so far are over
}

// take takes a turn behind all others. It comes when before is closed, and is
// over with done, which may be called more than once.
func (t *turns) take() (before <-chan struct{}, done func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before = t.last
	if before == nil {
		before = closed
	}
	mine := make(chan struct{})
	t.last = mine
	return before, sync.OnceFunc(func() { close(mine) })
}
