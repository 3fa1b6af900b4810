package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcpserver/core/client/transport"
)

// call is one request of ours that has not been answered.
type call struct {
	id     int64
	method string
	tag    any
	// asks says that the server may ask something while it serves the request.
	asks bool
	told *told // nil when nobody wants to be told

	// exchange ends when the call does; see transport.Link.
	exchange    context.Context
	endExchange context.CancelCauseFunc
	listening   *listening // nil unless the request stays open

	started   time.Time
	heard     atomic.Int64 // when the server last gave a sign, in ns since started
	questions atomic.Int32 // of the server, about this call, that are open

	done   chan struct{} // closed by settle, after result and err are set; or nil
	ended  func()        // called by settle; nil is nothing
	result string
	err    error
}

// settle ends the call, which must have been taken out of calls.
func (c *call) settle(result string, err error) {
	c.result, c.err = result, err
	if c.done != nil {
		close(c.done)
	}
	c.endExchange(transport.ErrAnswered)
	if c.ended != nil {
		c.ended()
	}
}

// sign notes that the server is at work on the call.
func (c *call) sign() { c.heard.Store(int64(time.Since(c.started))) }

// limits bound one request. What is not positive is no bound.
type limits struct {
	quiet time.Duration // without a sign of the server
	total time.Duration
}

// left gives how long the call may still take, and which limit that is.
func (l limits) left(c *call) (left time.Duration, reached *TimeoutError) {
	passed := time.Since(c.started)
	left = time.Duration(1<<63 - 1)
	if l.total > 0 {
		left = l.total - passed
		reached = &TimeoutError{What: fmt.Sprintf("%s was not answered within the limit for a whole call", c.method), Limit: l.total}
	}
	if l.quiet > 0 {
		if c.questions.Load() > 0 {
			c.sign() // the server waits for us
		}
		if quiet := l.quiet - (passed - time.Duration(c.heard.Load())); quiet < left {
			left = quiet
			reached = &TimeoutError{What: fmt.Sprintf("%s was not answered within the limit for a call without progress", c.method), Limit: l.quiet}
		}
	}
	return left, reached
}

// await waits for the call's end, at most as long as the context and the limits
// allow. An error of theirs is given as it is, with abandoned set.
func (c *call) await(ctx context.Context, limits limits) (abandoned error) {
	left, _ := limits.left(c)
	timer := time.NewTimer(left)
	defer timer.Stop()
	for {
		select {
		case <-c.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			left, reached := limits.left(c)
			if left <= 0 {
				return reached
			}
			timer.Reset(left)
		}
	}
}

// calls are the open requests of one connection.
type calls struct {
	mu     sync.Mutex
	open   map[int64]*call
	closed error // why no more are taken
}

// maxOpenCalls bounds the requests that are open on one connection.
const maxOpenCalls = 10_000

var errTooManyCalls = errors.New("too many requests are open")

func (s *calls) add(c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed != nil:
		return s.closed
	case len(s.open) >= maxOpenCalls:
		return errTooManyCalls
	}
	if s.open == nil {
		s.open = map[int64]*call{}
	}
	s.open[c.id] = c
	return nil
}

// take removes the call of that id; nil when it is not open. Who takes a call
// settles or abandons it.
func (s *calls) take(id int64) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.open[id]
	delete(s.open, id)
	return c
}

// get gives the call of that id; nil when it is not open.
func (s *calls) get(id int64) *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[id]
}

// newest gives the newest call that the server may ask something about, or nil,
// and whether it is the only one.
func (s *calls) newest() (found *call, only bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count := 0
	for _, c := range s.open {
		if !c.asks {
			continue
		}
		count++
		if found == nil || c.id > found.id {
			found = c
		}
	}
	return found, count == 1
}

// idle reports whether nothing is open but what stays open.
func (s *calls) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.open {
		if c.listening == nil {
			return false
		}
	}
	return true
}

// close fails all calls, and those to come.
func (s *calls) close(reason error) {
	s.mu.Lock()
	open := s.open
	s.open = nil
	if s.closed == nil {
		s.closed = reason
	}
	s.mu.Unlock()
	for _, c := range open {
		c.settle("", reason)
	}
}
