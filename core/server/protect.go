package server

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// errGone is what a handler answers that ended its goroutine instead of
// returning.
var errGone = errors.New("the code ended its goroutine instead of returning")

// protect runs a piece of the aspect's code and gives an error if it panics.
// If it ends its goroutine (runtime.Goexit), that is traced, and the goroutine
// ends.
func (c *connection) protect(what string, run func()) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%s panicked: %v\n%s", what, reason, debug.Stack())
			return
		}
		c.trace.Errorf("%s: %v", what, errGone)
	}()
	run()
	returned = true
	return nil
}

// aside runs a piece of the aspect's code, and waits for it, in a goroutine of
// its own: the caller's must go on if the code ends its goroutine.
func (c *connection) aside(what string, run func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.protect(what, run); err != nil {
			c.trace.Errorf("%v", err)
		}
	}()
	<-done
}
