package server

import (
	"context"
	"errors"
	"sync"

	"mcpserver/core"
)

var (
	errBusy  = errors.New("too much is waiting to be served")
	errEnded = errors.New("serving has ended")
)

// work is a piece of the aspect's code to run.
type work interface {
	perform(c *connection)
	// discard is called instead of perform when serving ends first. There is
	// not more time for it than left.
	discard(c *connection, left context.Context)
	// weight is about how many bytes it keeps in memory that are not counted
	// elsewhere.
	weight() int
	// awaitsPreparation reports whether it must wait for the aspect's Prepare.
	awaitsPreparation() bool
}

// slots are where the aspect's code runs: one slot when it wants one piece of
// its code at a time, in order of arrival; several otherwise. Each slot in use
// is one goroutine in connection.drain, or the reading goroutine itself.
type slots struct {
	limit, heaviest int

	mu      sync.Mutex // guards what follows
	running int
	beside  int    // pieces of code that run without a slot
	queue   []work // waits for a slot
	waiting []work // waits for the aspect's Prepare
	held    bool   // Prepare is not done
	load    int    // the weight of queue and waiting
	closed  bool
	idlers  []chan struct{} // closed when nothing runs or waits
}

func (s *slots) init(aspect *core.Aspect, options *Options) {
	s.limit = 1
	if aspect.Asynchronous {
		s.limit = options.concurrency()
	}
	s.heaviest = options.queueLimit()
	s.held = aspect.Prepare != nil
}

// tryStart takes a slot for work that would run at once; the caller performs
// it and calls next afterwards.
func (s *slots) tryStart(w work) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.running >= s.limit || len(s.queue) > 0 || s.held && w.awaitsPreparation() {
		return false
	}
	s.running++
	return true
}

// submit queues work. When start is true, the caller must see to it that a
// goroutine drains, beginning with that work.
func (s *slots) submit(w work) (start bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return false, errEnded
	case s.load+w.weight() > s.heaviest:
		return false, errBusy
	case s.held && w.awaitsPreparation():
		s.waiting = append(s.waiting, w)
		s.load += w.weight()
		return false, nil
	case s.running < s.limit:
		s.running++
		return true, nil
	}
	s.queue = append(s.queue, w)
	s.load += w.weight()
	return false, nil
}

// next gives the work that has waited longest, for the caller's slot, or gives
// the slot up.
func (s *slots) next() work {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		s.running--
		s.tellIdleLocked()
		return nil
	}
	w := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.load -= w.weight()
	return w
}

// release ends the wait for Prepare. It gives what the caller must start.
func (s *slots) release() (start []work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	for _, w := range s.waiting {
		if s.running < s.limit {
			s.running++
			s.load -= w.weight()
			start = append(start, w)
		} else {
			s.queue = append(s.queue, w)
		}
	}
	s.waiting = nil
	return start
}

// step counts a piece of code that is to run without a slot, beside the others,
// until stepBack.
func (s *slots) step() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errEnded
	}
	s.beside++
	return nil
}

func (s *slots) stepBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beside--
	s.tellIdleLocked()
}

// idle gives a channel that is closed once nothing runs and nothing waits.
func (s *slots) idle() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	idle := make(chan struct{})
	s.idlers = append(s.idlers, idle)
	s.tellIdleLocked()
	return idle
}

func (s *slots) tellIdleLocked() {
	if s.running > 0 || s.beside > 0 || len(s.queue) > 0 || len(s.waiting) > 0 {
		return
	}
	for _, idle := range s.idlers {
		close(idle)
	}
	s.idlers = nil
}

// close refuses further work, and gives what will not run.
func (s *slots) close() (discarded []work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	discarded = append(s.queue, s.waiting...)
	s.queue, s.waiting, s.load = nil, nil, 0
	s.tellIdleLocked()
	return discarded
}

// submit queues work and starts it if a slot is free.
func (c *connection) submit(w work) error {
	start, err := c.slots.submit(w)
	if start {
		go c.drain(w)
	}
	return err
}

// drain performs work and then what waits behind it, in order, until nothing
// does. It keeps its slot all the while. Should the aspect's code end the
// goroutine (runtime.Goexit), another one goes on.
func (c *connection) drain(w work) {
	returned := false
	defer func() {
		if !returned {
			c.out.FlushSoon()
			go c.drain(c.slots.next())
		}
	}()
	for ; w != nil; w = c.slots.next() {
		// Whoever does not read gets no more to read.
		c.out.WaitRoom(c.context.Done())
		w.perform(c)
		c.out.FlushSoon()
	}
	returned = true
}

// action is a piece of the aspect's code that answers no request.
type action struct {
	what      string
	run       func()
	discarded func()
	size      int // of the message behind it, in bytes
}

func (a *action) perform(c *connection) {
	if err := c.protect(a.what, a.run); err != nil {
		c.trace.Errorf("%v", err)
	}
}

func (a *action) discard(c *connection, left context.Context) {
	if a.discarded != nil {
		c.bounded(left, "discarding "+a.what, a.discarded)
	}
}

func (a *action) weight() int { return a.size + 256 }

func (a *action) awaitsPreparation() bool { return false }
