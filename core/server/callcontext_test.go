package server

import (
	"context"
	"testing"
)

// A request's context has an error no sooner than it is done, though it follows
// the connection's by means of a goroutine.
func TestErrAndDoneAgree(t *testing.T) {
	for range 1000 {
		parent, end := context.WithCancel(context.Background())
		c := callContext{parent: parent}
		done := c.Done()
		end()
		if c.Err() == nil {
			t.Fatal("the context has no error after the end of its parent's")
		}
		select {
		case <-done:
		default:
			t.Fatal("the context has an error and is not done")
		}
	}
}
