package gateway

import "sync"

// turns keeps things in the order in which they were handed over.
type turns struct {
	mu      sync.Mutex
	busy    bool // somebody has the turn
	waiting []func()
}

// run runs something when its turn comes: at once, on this goroutine, if there is
// nothing before it, and on another one otherwise. The turn is over when over is
// called.
func (t *turns) run(something func()) {
	t.mu.Lock()
	if t.busy {
		t.waiting = append(t.waiting, something)
		t.mu.Unlock()
		return
	}
	t.busy = true
	t.mu.Unlock()
	something()
}

// over gives the turn to the next one.
func (t *turns) over() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		t.busy = false
		return
	}
	next := t.waiting[0]
	t.waiting[0] = nil
	t.waiting = t.waiting[1:]
	go next()
}
