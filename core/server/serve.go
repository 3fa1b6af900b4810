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

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/trace"
)

// Serve serves one aspect to one client: it reads messages from in, one a
// line, and writes to out, until the input ends, out fails, or ctx ends.
//
// At the end of input it finishes what was read, within options.Drain; when
// ctx ends, within options.Grace. A goroutine that is blocked in a read of in
// or a write to out stays until that returns, and so does a handler that
// ignores its context. The aspect's own flags have their defaults.
//
// The error is nil unless the aspect is not valid, its OnStartup failed, the
// client left answers unread after the end of input, or out failed for another
// reason than its reader having gone.
func Serve(ctx context.Context, aspect *core.Aspect, in io.Reader, out io.Writer, options *Options) error {
	options, file, err := prepare(aspect, options)
	if err != nil {
		return err
	}
	defer file.Close()
	return serve(ctx, aspect, in, out, options, file, nil)
}

// prepare does what a process does by its command line: it checks the aspect,
// and gives its own flags and the options their defaults.
func prepare(aspect *core.Aspect, options *Options) (*Options, *trace.Trace, error) {
	if err := core.Validate(aspect); err != nil {
		return nil, nil, fmt.Errorf("the aspect is not valid: %w", err)
	}
	if options == nil {
		options = &Options{}
	}
	if aspect.Flags != nil {
		aspect.Flags(flag.NewFlagSet(aspect.Name, flag.ContinueOnError))
	}
	return options, trace.New(aspect.Name, trace.Errors, traceLimit), nil
}

func serve(ctx context.Context, aspect *core.Aspect, in io.Reader, out io.Writer, options *Options, file *trace.Trace, notices *stdio.Notices) error {
	c := newConnection(context.WithoutCancel(ctx), aspect, in, out, options)
	defer c.end()
	c.trace, c.notices = file, notices
	file.Infof("%s %s starts, protocol versions up to %s", aspect.Name, aspect.Version, protocol.Ceiling)
	defer file.Infof("%s ends", aspect.Name)
	if started, err := c.startUp(ctx); !started {
		return err
	}
	c.warn(aspect.Tools)
	if aspect.Prepare != nil {
		go c.prepare(c.context)
	}
	c.startReading()
	select {
	case <-c.inputEnded:
		file.Infof("the input has ended")
	case <-c.out.Failed():
		file.Infof("the output has failed: %v", c.out.Err())
	case <-ctx.Done():
	}
	return c.finish(ctx)
}

// warn traces what some clients may refuse in the tools.
func (c *connection) warn(tools []core.Tool) {
	if !c.trace.On(trace.Info) {
		return
	}
	for _, tool := range tools {
		for _, warning := range core.ToolWarnings(tool) {
			c.trace.Infof("warning: %s", warning)
		}
	}
}

// startUp runs the aspect's OnStartup, and reports whether serving can begin.
// When ctx ends first, the aspect's own context does too, and all of the end has
// the grace together.
func (c *connection) startUp(ctx context.Context) (started bool, err error) {
	if c.aspect.OnStartup == nil {
		return true, nil
	}
	result := make(chan error, 1)
	go func() {
		err := errors.New("it did not return; the trace has the details")
		// Also when the code ends this goroutine.
		defer func() { result <- err }()
		failed := c.protect("OnStartup", func() { err = c.aspect.OnStartup(c.context, core.NewHost(c)) })
		if failed != nil {
			c.trace.Errorf("%v", failed)
		}
	}()
	select {
	case err = <-result:
		if err == nil {
			return true, nil
		}
		err = fmt.Errorf("start-up failed: %w", err)
		c.trace.Errorf("%v", err)
		return false, err
	case <-ctx.Done():
	}
	c.end()
	left, cancel := context.WithTimeout(context.Background(), c.options.grace())
	defer cancel()
	select {
	case err = <-result:
		if err == nil {
			c.runOnShutdown(left)
		} else {
			c.trace.Infof("start-up ended with the signal: %v", err)
		}
	case <-left.Done():
		c.trace.Errorf("OnStartup did not end in time and was left behind")
	}
	return false, nil
}
