package gateway

import "sync"

// turns keeps things in the order in which they took their place.
type turns struct {
	mu    sync.Mutex
	queue []*turn // the first one has the turn
}

// turn is one place in that order.
type turn struct {
	turns *turns
	// begun is what to do when the turn comes, and isOver says that it has ended;
	// guarded by turns.mu.
	begun  func()
	isOver bool
}

// take takes a place behind all others.
func (t *turns) take() *turn {
	place := &turn{turns: t}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, place)
	return place
}

// begin does something when the turn comes: at once, on this goroutine, if it has
// come, and on another one otherwise.
func (p *turn) begin(something func()) {
	t := p.turns
	t.mu.Lock()
	if t.queue[0] != p {
		p.begun = something
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	something()
}

// over ends the turn, also before it has come. It may be called more than once.
func (p *turn) over() {
	t := p.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.isOver {
		return
	}
	p.isOver = true
	if t.queue[0] != p {
		return
	}
	ended := 0
	for ended < len(t.queue) && t.queue[ended].isOver {
		ended++
	}
	t.queue = append(t.queue[:0], t.queue[ended:]...)
	if len(t.queue) > 0 && t.queue[0].begun != nil {
		go t.queue[0].begun()
	}
}

// then does something when all turns so far are over: at once, on this goroutine,
// if they are.
func (t *turns) then(something func()) {
	t.mu.Lock()
	none := len(t.queue) == 0
	t.mu.Unlock()
	if none {
		something()
		return
	}
	place := t.take()
	place.begin(func() {
		place.over()
		something()
	})
}
