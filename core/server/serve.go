// Package server runs aspects: it reads a client's messages, answers what the
// protocol asks by itself, and lets the aspect do the rest.
//
// Main is the whole of a server's main function. Serve runs an aspect over any
// reader and writer, in a test or over a socket.
package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"mcpserver/core"
	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/trace"
)

// Serve serves one aspect to one client: it reads messages from in, one a
// line, and writes to out, until the input ends, out fails, or ctx ends.
//
// At the end of input it finishes what was read, within options.Drain; when
// ctx ends, within options.Grace. A goroutine that is blocked in a read of in
// or a write to out stays until that returns, and so does a handler that
// ignores its context. The aspect's own flags have their defaults. The error is nil unless the aspect is not valid, its OnStartup
// failed, or out failed for another reason than its reader having gone.
func Serve(ctx context.Context, aspect *core.Aspect, in io.Reader, out io.Writer, options *Options) error {
	if err := core.Validate(aspect); err != nil {
		return fmt.Errorf("the aspect is not valid: %w", err)
	}
	if options == nil {
		options = &Options{}
	}
	if aspect.Flags != nil {
		aspect.Flags(flag.NewFlagSet(aspect.Name, flag.ContinueOnError))
	}
	file := trace.New(aspect.Name, trace.Errors, traceLimit)
	defer file.Close()
	return serve(ctx, aspect, in, out, options, file, nil)
}

func serve(ctx context.Context, aspect *core.Aspect, in io.Reader, out io.Writer, options *Options, file *trace.Trace, notices *stdio.Notices) error {
	c := newConnection(context.WithoutCancel(ctx), aspect, in, out, options)
	defer c.end()
	c.trace, c.notices = file, notices
	if err := c.startUp(); err != nil {
		return err
	}
	if aspect.Prepare != nil {
		go c.prepare(c.context)
	}
	c.startReading()
	select {
	case <-c.inputEnded:
		c.drainAtEnd(ctx)
	case <-ctx.Done():
		c.drainForSignal()
	case <-c.out.Failed():
	}
	return c.shutDown()
}

// startUp runs the aspect's OnStartup.
func (c *connection) startUp() error {
	if c.aspect.OnStartup == nil {
		return nil
	}
	err := errors.New("it did not return; the trace has the details")
	// In a goroutine of its own, which it may end.
	done := make(chan struct{})
	go func() {
		defer close(done)
		failed := c.protect("OnStartup", func() { err = c.aspect.OnStartup(c.context, core.NewHost(c)) })
		if failed != nil {
			c.trace.Errorf("%v", failed)
		}
	}()
	<-done
	if err != nil {
		return fmt.Errorf("start-up failed: %w", err)
	}
	return nil
}

// drainAtEnd finishes, after the end of input, what was read of it. Nothing
// that waits for the client can be answered any more.
func (c *connection) drainAtEnd(ctx context.Context) {
	c.closeQuestions(errInputEnded)
	c.out.FlushSoon()
	if c.await(ctx, c.options.drain(), c.slots.idle()) {
		c.await(ctx, c.options.grace(), c.requests.none())
	}
}

// drainForSignal gives all that is open a last while.
func (c *connection) drainForSignal() {
	c.await(context.Background(), c.options.grace(), c.slots.idle(), c.requests.none())
}

// await waits for all of the events. It gives up when the time is over, ctx
// ends, or nobody is left to read the answers, and reports whether all came.
// An end of ctx begins the grace of a signal.
func (c *connection) await(ctx context.Context, limit time.Duration, events ...<-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, event := range events {
		select {
		case <-event:
		case <-timer.C:
			return false
		case <-c.out.Failed():
			return false
		case <-ctx.Done():
			c.drainForSignal()
			return false
		}
	}
	return true
}

// shutDown ends everything, in an order such that each request is answered and
// nothing is sent after that.
func (c *connection) shutDown() error {
	discarded := c.slots.close()
	c.end()
	for _, q := range c.requests.all() {
		q.finish(nil, errShuttingDown)
	}
	for _, w := range discarded {
		w.discard(c)
	}
	c.closeQuestions(errEnded)
	c.runOnShutdown()
	c.flushAtEnd()
	err := c.out.Err()
	if err == nil || stdio.IsBrokenPipe(err) {
		return nil
	}
	return fmt.Errorf("writing the output: %w", err)
}

// runOnShutdown runs the aspect's OnShutdown, for as long as the grace lasts.
func (c *connection) runOnShutdown() {
	if c.aspect.OnShutdown == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.options.grace())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		var err error
		if failed := c.protect("OnShutdown", func() { err = c.aspect.OnShutdown(ctx) }); failed != nil {
			err = failed
		}
		if err != nil {
			c.trace.Errorf("OnShutdown: %v", err)
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
		c.trace.Errorf("OnShutdown did not end within %v and was left behind", c.options.grace())
	}
}

// flushAtEnd writes what is queued, for as long as the grace lasts: the client
// may have stopped reading.
func (c *connection) flushAtEnd() {
	ctx, cancel := context.WithTimeout(context.Background(), c.options.grace())
	defer cancel()
	go c.out.Flush()
	if !c.out.WaitEmpty(ctx.Done()) && c.out.Err() == nil {
		c.trace.Errorf("%d bytes were left unread by the client", c.out.Unwritten())
	}
}
