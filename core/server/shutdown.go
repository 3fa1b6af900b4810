package server

import (
	"context"
	"fmt"

	"mcpserver/core/internal/stdio"
)

// The end of serving, in the order in which it comes:
//
//	finish
//	  finishRead            the end of input: what was read is finished
//	  shutDown              contexts end, whatever is open gets an error answer
//	    discard, OnShutdown
//	    flush               what is queued is written

// finish ends the connection after its input or ctx has ended or its output has
// failed.
func (c *connection) finish(ctx context.Context) error {
	reading, stopReading := context.WithTimeout(ctx, c.options.drain())
	defer stopReading()
	if ctx.Err() == nil {
		c.finishRead(reading)
	}
	if ctx.Err() == nil {
		left, cancel := context.WithTimeout(context.Background(), c.options.grace())
		defer cancel()
		return c.shutDown(left, reading)
	}
	// A quarter is left for the end, should handlers use up the rest.
	grace := c.options.grace()
	left, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	forHandlers, stop := context.WithTimeout(left, grace-grace/4)
	defer stop()
	c.modern.refuse()
	c.await(forHandlers, c.slots.idle())
	c.modern.end()
	c.await(forHandlers, c.requests.none())
	return c.shutDown(left, nil)
}

// finishRead finishes, after the end of input, what was read of it, and sees it
// written. Nothing that waits for the client can be answered any more.
func (c *connection) finishRead(left context.Context) {
	c.closeQuestions(errInputEnded)
	c.modern.refuse()
	c.out.FlushSoon()
	if !c.await(left, c.slots.idle()) {
		return
	}
	// What was read may have told them something.
	c.modern.end()
	forDeferred, stop := context.WithTimeout(left, c.options.grace())
	defer stop()
	c.await(forDeferred, c.requests.none())
	c.out.FlushSoon()
	c.out.WaitEmpty(left.Done())
}

// await waits for the event. It gives up when left ends or nobody is left to
// read the answers, and reports whether the event came.
func (c *connection) await(left context.Context, event <-chan struct{}) bool {
	select {
	case <-event:
		return true
	case <-left.Done():
	case <-c.out.Failed():
	}
	return false
}

// shutDown ends everything, in an order such that each request is answered and
// nothing is sent after that. The aspect's code has what is left of the time; so
// has the client for reading, and all of reading besides, if that is not nil.
// What it leaves unread is an error then.
func (c *connection) shutDown(left, reading context.Context) error {
	discarded := c.slots.close()
	c.end()
	c.modern.end()
	for _, q := range c.requests.all() {
		q.finish(nil, errShuttingDown)
	}
	// The aspect's code may use up what is left.
	c.out.FlushSoon()
	for _, w := range discarded {
		w.discard(c, left)
	}
	c.closeQuestions(errEnded)
	c.runOnShutdown(left)
	// Whoever still has something to say must not write after the end.
	c.out.Close()
	go c.out.Flush()
	written := c.out.WaitEmpty(left.Done()) || reading != nil && c.out.WaitEmpty(reading.Done())
	err := c.out.Err()
	switch {
	case err != nil && !stdio.IsBrokenPipe(err):
		return fmt.Errorf("writing the output: %w", err)
	case err == nil && !written:
		err := fmt.Errorf("the client has left %d bytes unread", c.out.Unwritten())
		c.out.Discard()
		c.trace.Errorf("%v", err)
		if reading != nil {
			return err
		}
	}
	return nil
}

func (c *connection) runOnShutdown(left context.Context) {
	if c.aspect.OnShutdown == nil {
		return
	}
	c.bounded(left, "OnShutdown", func() {
		if err := c.aspect.OnShutdown(left); err != nil {
			c.trace.Errorf("OnShutdown: %v", err)
		}
	})
}

// bounded runs a piece of the aspect's code at the end, and leaves it behind
// when it takes longer than there is left.
func (c *connection) bounded(left context.Context, what string, run func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.protect(what, run); err != nil {
			c.trace.Errorf("%v", err)
		}
	}()
	select {
	case <-done:
	case <-left.Done():
		c.trace.Errorf("%s did not end in time and was left behind", what)
	}
}
