package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// maxQuestions bounds the requests of the server that are open at once.
const maxQuestions = 64

// questions are the requests of the server that are being answered, by the
// JSON text of their id.
type questions struct {
	mu   sync.Mutex
	open map[string]context.CancelFunc
}

// begin enters a request; it gives why it cannot be taken.
func (q *questions) begin(id string, cancel context.CancelFunc) *core.Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.open[id] != nil:
		return core.InvalidRequest("a request with this id is open")
	case len(q.open) >= maxQuestions:
		return core.InternalError(fmt.Sprintf("more than %d requests to the client are open", maxQuestions))
	}
	if q.open == nil {
		q.open = map[string]context.CancelFunc{}
	}
	q.open[id] = cancel
	return nil
}

func (q *questions) end(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.open, id)
}

// cancel withdraws a request.
func (q *questions) cancel(id string) {
	q.mu.Lock()
	cancel := q.open[id]
	q.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// asked deals with a request of the server: there are some in the legacy era
// alone. It never waits; the answer comes from a goroutine.
func (n *connection) asked(view *wire.Message, message, during string) {
	id := view.ID.Raw
	if view.ID.Kind != wire.String && !view.ID.IsInteger() {
		n.stray(message, "it is a request with an id that is none")
		return
	}
	session := n.session.Load()
	if session.modern() {
		n.stray(message, "the server must not send requests in this protocol version")
		return
	}
	request := ServerRequest{Method: view.Method.Text()}
	if view.Params.Kind == wire.Object {
		request.Params = json.RawMessage(view.Params.Raw)
	}
	if request.Method != "ping" && !n.ready.Load() {
		n.refuse(id, core.InvalidRequest("the handshake is not over"))
		return
	}
	owner, exact := n.owner(during)
	request.Exact = exact
	if owner != nil {
		request.Tag = owner.tag
	}
	ctx, cancel := context.WithCancel(n.context)
	if refusal := n.questions.begin(id, cancel); refusal != nil {
		cancel()
		n.refuse(id, refusal)
		return
	}
	go func() {
		defer cancel()
		defer n.questions.end(id)
		n.answer(ctx, id, request, owner)
	}()
}

// owner finds the call of ours that something from the server belongs to: the
// one in whose exchange it came; where calls have none of their own, the newest
// one, which is exact if it is the only one.
func (n *connection) owner(during string) (owner *call, exact bool) {
	if during != "" {
		if id, ok := (wire.Value{Kind: wire.Number, Raw: during}).Int(); ok {
			if c := n.calls.get(id); c != nil {
				return c, true
			}
		}
	}
	return n.calls.newest()
}

func (n *connection) refuse(id string, reason *core.Error) {
	n.background(func() {
		ctx, cancel := context.WithTimeout(n.context, cancelTimeout)
		defer cancel()
		n.respond(ctx, id, "error", encodeError(reason))
	})
}

// answer runs the handler of a request and sends what it gives. While it does,
// the clock of the call that the request belongs to stands still. A request
// that was withdrawn is not answered.
func (n *connection) answer(ctx context.Context, id string, request ServerRequest, owner *call) {
	if owner != nil {
		owner.questions.Add(1)
		defer func() { owner.sign(); owner.questions.Add(-1) }()
	}
	result, err := n.client.handle(ctx, request, n.session.Load())
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		n.respond(ctx, id, "error", encodeError(err))
		return
	}
	n.respond(ctx, id, "result", result)
}

// handle has a request of the server answered, in either era. The result is a
// JSON object on one line.
func (c *Client) handle(ctx context.Context, request ServerRequest, session *session) (result []byte, err error) {
	if request.Method == "ping" {
		return []byte(`{}`), nil
	}
	handler := c.Options.Handlers[request.Method]
	if handler == nil {
		return nil, core.MethodNotFound(request.Method)
	}
	defer func() {
		if cause := recover(); cause != nil {
			c.log().Error("a handler panicked", "method", request.Method, "cause", cause, "stack", string(debug.Stack()))
			result, err = nil, core.InternalError("the client's handler failed")
		}
	}()
	answer, err := handler(ctx, request)
	if err != nil {
		return nil, err
	}
	compact, err := compactObject(answer)
	if err != nil {
		return nil, fmt.Errorf("the handler of %s gave no result: %w", request.Method, err)
	}
	if request.Method == "sampling/createMessage" {
		return sampled(compact, session)
	}
	return []byte(compact), nil
}

// encodeError gives the error member of a response.
func encodeError(err error) []byte {
	var failure *core.Error
	if !errors.As(err, &failure) {
		failure = &core.Error{Code: protocol.CodeInternalError, Message: err.Error()}
	}
	dst := wire.AppendInt([]byte(`{"code":`), int64(failure.Code))
	dst = wire.AppendString(append(dst, `,"message":`...), failure.Message)
	if len(failure.Data) > 0 {
		if data, err := wire.AppendCompact(nil, string(failure.Data)); err == nil {
			dst = append(append(dst, `,"data":`...), data...)
		}
	}
	return append(dst, '}')
}
