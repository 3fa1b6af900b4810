package probe

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"mcpserver/core"
)

// lastingTools stay open after their handlers began.
func (p *probe) lastingTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "wait",
			Description: "Says that it waits, does so until its context ends, and says why that was.",
			Handler: func(ctx context.Context, _ *core.Call) (core.Result, error) {
				p.host.Log(core.LogInfo, "", "waiting")
				<-ctx.Done()
				p.host.Log(core.LogInfo, "", "waited: "+ctx.Err().Error())
				return nil, ctx.Err()
			},
		},
		{
			Name:        "later",
			Description: "Is answered when the tool complete is called with the same key.",
			Input:       core.Object(core.String("key", "Which one").Required()),
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.deferred[call.Arguments().Get("key").Str] = call.Defer()
				return core.Pending, nil
			},
		},
		{
			Name:        "complete",
			Description: "Answers a call of the tool later.",
			Input: core.Object(
				core.String("key", "Which one").Required(),
				core.String("how", "With what").Required().OneOf("text", "error", "protocolError", "question", "pending", "nothing"),
			),
			Handler: p.complete,
		},
	}
}

func (p *probe) complete(_ context.Context, call *core.Call) (core.Result, error) {
	p.mu.Lock()
	deferred := p.deferred[call.Arguments().Get("key").Str]
	p.mu.Unlock()
	if deferred == nil {
		return nil, errors.New("no such call")
	}
	var err error
	switch call.Arguments().Get("how").Str {
	case "text":
		err = deferred.Complete(core.Text("at last"), nil)
	case "error":
		err = deferred.Complete(nil, errors.New("not even late"))
	case "protocolError":
		err = deferred.Complete(nil, core.InvalidParams("late"))
	case "question":
		err = deferred.Complete(call.RequireInput(core.Inputs{"roots": core.Roots{}}, nil))
	case "pending":
		err = deferred.Complete(core.Pending, nil)
	case "nothing":
		err = deferred.Complete(nil, nil)
	}
	return core.Text(fmt.Sprintf("completed: %v", err)), nil
}

// waiters are the open calls of the tool waitFor.
type waiters struct {
	mu   sync.Mutex // guards what follows
	open map[string]chan struct{}
}

// gate gives the channel that the release of that key closes.
func (w *waiters) gate(key string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	gate := w.open[key]
	if gate == nil {
		gate = make(chan struct{})
		w.open[key] = gate
	}
	return gate
}

func (w *waiters) tools() []core.Tool {
	key := core.Object(core.String("key", "Which one").Required())
	return []core.Tool{
		{
			Name:        "waitFor",
			Description: "Waits until the tool release is called with the same key.",
			Input:       key,
			Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
				select {
				case <-w.gate(call.Arguments().Get("key").Str):
					return core.Text("released"), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			},
		},
		{
			Name:        "release",
			Description: "Releases a call of the tool waitFor, which may come later.",
			Input:       key,
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				key := call.Arguments().Get("key").Str
				close(w.gate(key))
				return core.Text("released " + key), nil
			},
		},
	}
}
