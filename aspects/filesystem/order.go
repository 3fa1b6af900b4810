package filesystem

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// atOnce is how many calls go on side by side.
const atOnce = 32

// claim is a path that a call is about.
type claim struct {
	path  string
	write bool
}

// mustFollow reports whether a later claim has to wait for an earlier one: so
// that it sees what the earlier one wrote at, above or below its path, and does
// not change what the earlier one is still to read at the same path.
func (c claim) mustFollow(earlier claim) bool {
	if earlier.write {
		return isWithin(c.path, earlier.path) || isWithin(earlier.path, c.path)
	}
	return c.write && samePath(c.path, earlier.path)
}

// order has calls begin in the order of their arrival where that makes a
// difference, and lets them go on side by side otherwise. The runner calls the
// handlers one at a time, in that order; each hands its call on to a goroutine,
// which ends with the call.
type order struct {
	claims func(tool string, arguments toolserver.Arguments) []claim
	room   chan struct{} // holds one value for each call that goes on

	mu    sync.Mutex // guards what follows
	turns []*turn    // of the calls that go on, in order of arrival
	// gate, when it is not closed, holds calls back that arrive from now on.
	gate <-chan struct{}
}

// turn is one call's place in the order.
type turn struct {
	claims []claim
	after  []<-chan struct{} // what it waits for
	done   chan struct{}     // closed when the call has ended
}

func newOrder(claims func(string, toolserver.Arguments) []claim) *order {
	return &order{claims: claims, room: make(chan struct{}, atOnce)}
}

// hold holds calls back that arrive from now on, until the gate is closed.
func (o *order) hold(gate <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gate = gate
}

// arrive gives a call its turn.
func (o *order) arrive(claims []claim) *turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	made := &turn{claims: claims, done: make(chan struct{})}
	if o.gate != nil {
		made.after = append(made.after, o.gate)
	}
	for _, earlier := range o.turns {
		if made.mustFollow(earlier) {
			made.after = append(made.after, earlier.done)
		}
	}
	o.turns = append(o.turns, made)
	return made
}

func (t *turn) mustFollow(earlier *turn) bool {
	return slices.ContainsFunc(t.claims, func(c claim) bool {
		return slices.ContainsFunc(earlier.claims, c.mustFollow)
	})
}

// wait waits until it is the call's turn.
func (t *turn) wait(ctx context.Context) error {
	for _, before := range t.after {
		select {
		case <-before:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (o *order) end(ended *turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := slices.Index(o.turns, ended)
	o.turns = slices.Delete(o.turns, at, at+1)
	close(ended.done)
}

// wrap has the tool's calls take turns.
func (o *order) wrap(tool *core.Tool) {
	tool.Handler = o.ordered(tool.Handler)
	tool.Resume = o.ordered(tool.Resume)
}

// ordered waits for room before it lets the next call arrive, so that what
// waits does so in the runner's queue, which is bounded.
func (o *order) ordered(handler core.Handler) core.Handler {
	return func(ctx context.Context, call *core.Call) (core.Result, error) {
		select {
		case o.room <- struct{}{}:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		arrived := o.arrive(o.claims(call.Name(), toolserver.ParseArguments(call.Arguments().Raw)))
		later := call.Defer()
		go func() { // ends with the call
			defer func() { <-o.room }()
			ctx, end := held(ctx)
			defer end()
			result, err := o.run(ctx, call, arrived, handler)
			if err := later.Complete(result, err); err != nil {
				call.Host().Tracef(core.TraceDebug, "%s: nobody waits for the answer: %v", call.Name(), err)
			}
		}()
		return core.Pending, nil
	}
}

func (o *order) run(ctx context.Context, call *core.Call, arrived *turn, handler core.Handler) (result core.Result, err error) {
	defer o.end(arrived)
	defer func() {
		if value := recover(); value != nil {
			call.Host().Tracef(core.TraceError, "%s panicked: %v\n%s", call.Name(), value, debug.Stack())
			result, err = nil, fmt.Errorf("%s failed unexpectedly; the server's trace has the details", call.Name())
		}
	}()
	if err := arrived.wait(ctx); err != nil {
		return nil, err
	}
	return handler(ctx, call)
}
