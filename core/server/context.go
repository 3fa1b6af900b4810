package server

import (
	"context"
	"slices"
	"sync"
	"time"
)

// callContext is the context of one request. It costs nothing until somebody
// waits for it: most handlers never look.
type callContext struct {
	parent context.Context

	mu        sync.Mutex // guards what follows
	done      chan struct{}
	err       error
	unfollow  func() bool // stops following the parent
	after     []*func()   // what AfterFunc was given
	deadline  time.Time
	timer     *time.Timer
	hasExpiry bool
}

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deadline, c.hasExpiry
}

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		} else {
			c.unfollow = context.AfterFunc(c.parent, func() { c.cancel(c.parent.Err()) })
		}
	}
	return c.done
}

// Err implements context.Context.
func (c *callContext) Err() error {
	if err := c.parent.Err(); err != nil {
		// Done must not be behind.
		c.cancel(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value implements context.Context.
func (c *callContext) Value(key any) any { return c.parent.Value(key) }

// expire calls end after that time, which must cancel the context.
func (c *callContext) expire(after time.Duration, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline, c.hasExpiry = time.Now().Add(after), true
	c.timer = time.AfterFunc(after, end)
}

// AfterFunc is what context.AfterFunc uses, and costs less when it is called
// itself. The parent's end is not waited for: the runner ends its requests then.
func (c *callContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	c.after = append(c.after, &f)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		place := slices.Index(c.after, &f)
		if place < 0 {
			return false
		}
		c.after = slices.Delete(c.after, place, place+1)
		return true
	}
}

// cancel ends the context; the first reason counts.
func (c *callContext) cancel(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = reason
	for _, f := range c.after {
		go (*f)()
	}
	c.after = nil
	if c.done != nil {
		close(c.done)
	}
	if c.unfollow != nil {
		c.unfollow()
	}
	if c.timer != nil {
		c.timer.Stop()
	}
}
