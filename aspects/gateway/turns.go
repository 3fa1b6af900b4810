package gateway

import "sync"

// turns keeps things in the order in which they began.
type turns struct {
	mu   sync.Mutex
	last <-chan struct{} // closed when all turns so far are over
}

// turn is one place in that order.
type turn struct {
	before <-chan struct{} // closed when all turns before it are over
	// done says that it is over. It may be called more than once, and before the
	// turn has come: those behind it still wait for those before it.
	done func()
}

// take takes a turn behind all others.
func (t *turns) take() turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.last
	if before == nil {
		before = closed
	}
	over := make(chan struct{})
	t.last = over
	return turn{before, sync.OnceFunc(func() {
		select {
		case <-before:
			close(over)
		default:
			go func() {
				<-before
				close(over)
			}()
		}
	})}
}

// settled gives what is closed when all turns so far are over.
func (t *turns) settled() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		return closed
	}
	return t.last
}
