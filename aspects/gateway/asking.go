package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mcpserver/core"
	"mcpserver/core/client"
)

// question is what a server of the legacy era asks inside a call, until a client
// of the modern era has answered it.
type question struct {
	key     string
	asked   core.RawQuestion
	answer  chan core.Answer // holds the answer
	refused chan error       // or why there will be none
}

// asked answers a server's request. One that belongs to a request of a client of
// the modern era is answered in that one's way; any other goes to the client that
// has made a handshake, if there is one.
func (u *upstream) asked(ctx context.Context, request client.ServerRequest) (json.RawMessage, error) {
	asked := core.RawQuestion{Method: request.Method, Params: request.Params}
	if f, ok := request.Tag.(*flight); ok && f.stateless {
		return f.ask(ctx, inEra(true, asked))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if f, ok := request.Tag.(*flight); ok && request.Exact {
		// Nobody will answer what a call has asked that the client has given up.
		go func() {
			select {
			case <-f.abandonment():
				cancel(errClientCancelled)
			case <-ctx.Done():
			}
		}()
	}
	answer, err := u.gateway.ask(ctx, asked)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// ask asks the client that has made a handshake, as soon as it is ready.
func (g *gateway) ask(ctx context.Context, asked core.RawQuestion) (json.RawMessage, error) {
	capabilities := g.capabilities.Load()
	if capabilities == nil {
		return nil, &core.Error{Code: methodNotFound, Message: "there is no client that can be asked outside of its requests"}
	}
	if err := lacks(*capabilities, asked); err != nil {
		return nil, err
	}
	patience := time.NewTimer(g.settings.connectTimeout)
	defer patience.Stop()
	select {
	case <-g.ready:
	case <-patience.C: // the runner says what is wrong
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answers, err := g.host.Ask(ctx, core.Inputs{"question": inEra(false, asked)})
	if err != nil {
		return nil, err
	}
	return answered(answers["question"])
}

// ask asks the client of the newest request that the flight is for.
func (f *flight) ask(ctx context.Context, asked core.RawQuestion) (json.RawMessage, error) {
	q := &question{asked: asked, answer: make(chan core.Answer, 1), refused: make(chan error, 1)}
	if err := f.put(q); err != nil {
		return nil, err
	}
	select {
	case answer := <-q.answer:
		return answered(answer)
	case err := <-q.refused:
		return nil, err
	case <-ctx.Done():
		f.withdraw(q)
		return nil, ctx.Err()
	}
}

// put adds a question, which is asked at once if there is a request to answer
// with it, and else when the client comes back.
func (f *flight) put(q *question) error {
	f.mu.Lock()
	err := lacks(f.call.ClientCapabilities().Raw, q.asked)
	switch {
	case err != nil:
	case f.landed:
		err = fmt.Errorf("the call has ended")
	case f.gateway.parked.full():
		err = fmt.Errorf("more than %d calls wait for answers", maxParked)
	default:
		f.asked++
		q.key = fmt.Sprintf("question-%d", f.asked)
		// What cannot be asked in this protocol version is refused by itself.
		_, err = f.call.RequireInput(core.Inputs{q.key: q.asked}, nil)
	}
	if err != nil {
		f.mu.Unlock()
		return err
	}
	f.open = append(f.open, q)
	f.answerLocked()
	return nil
}

// withdraw takes back a question that the server no longer asks.
func (f *flight) withdraw(q *question) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open = slices.DeleteFunc(f.open, func(other *question) bool { return other == q })
}

// refuseLocked says that no question will be answered any more.
func (f *flight) refuseLocked(reason error) {
	for _, q := range f.open {
		q.refused <- reason
	}
	f.open = nil
}

// answered gives what the server gets: the client's answer, or its error, as it
// is.
func answered(answer core.Answer) (json.RawMessage, error) {
	if failure := answer.Err(); failure != nil {
		return nil, failure
	}
	return json.RawMessage(answer.JSON().Raw), nil
}

// lacks is the error for a question that a client has not declared to answer.
func lacks(capabilities string, asked core.RawQuestion) error {
	for _, need := range asked.Needs() {
		if !core.Declares(capabilities, need) {
			return &core.Error{Code: methodNotFound, Message: "the client has not declared the capability " + need}
		}
	}
	return nil
}
