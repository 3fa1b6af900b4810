package toolserver

import (
	"context"
	"sync"
)

// call is what a caller gives to a tool beside its arguments, carried by the
// context. The zero call offers nothing.
type call struct {
	progress func(done, total float64, message string)
	ask      Asker
	panicked func(tool string, value any, stack []byte)
	recorder *recorder
}

type callKey struct{}

func callOf(ctx context.Context) call {
	carried, _ := ctx.Value(callKey{}).(call)
	return carried
}

func with(ctx context.Context, change func(*call)) context.Context {
	carried := callOf(ctx)
	change(&carried)
	return context.WithValue(ctx, callKey{}, carried)
}

// WithProgress gives a context for Execute under which report gets what the
// tool tells by Progress, possibly from several goroutines at once.
func WithProgress(ctx context.Context, report func(done, total float64, message string)) context.Context {
	return with(ctx, func(c *call) { c.progress = report })
}

// Progress tells whoever called the tool how far it is: so much done of a
// total, 0 if that is not known. Without anybody to tell, it does nothing. A
// tool calls it with the context that it was given, from any goroutine.
func Progress(ctx context.Context, done, total float64, message string) {
	if report := callOf(ctx).progress; report != nil {
		report(done, total, message)
	}
}

// WithPanicReport gives a context for Execute under which report gets the stack
// of a tool that panicked, which the response does not have. It runs before
// Execute returns.
func WithPanicReport(ctx context.Context, report func(tool string, value any, stack []byte)) context.Context {
	return with(ctx, func(c *call) { c.panicked = report })
}

// recorder keeps what the response of Execute has no room for.
type recorder struct {
	mu     sync.Mutex // guards what follows
	answer string
	done   execution
}

func (r *recorder) keep(answer string, done execution) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer, r.done = answer, done
}

// of gives how the call that was answered so came out. An override of Execute
// that made an answer of its own decides alone what the client gets.
func (r *recorder) of(answer string) (done execution, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done, r.answer == answer
}
