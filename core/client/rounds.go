package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// inputRequired is the kind of result with which a modern server asks before it
// goes on.
const inputRequired = "input_required"

// maxInputs bounds the questions of one round.
const maxInputs = 64

// rounds sends a request, has the handlers answer what the server asks, and
// sends it again with the answers, until there is a result.
func (n *connection) rounds(ctx context.Context, out *outgoing) (string, error) {
	first := out.Params
	for round := 0; ; round++ {
		result, err := n.roundTrip(ctx, out)
		if err != nil || !n.session.Load().modern() {
			return result, err
		}
		if err := checkResultKind(result, out.Method); err != nil {
			return "", err
		}
		if out.Unanswered || gjson.Get(result, "resultType").Str != inputRequired {
			return result, nil
		}
		if round == n.client.Options.maxRounds() {
			return "", fmt.Errorf("the server has asked %d times before it would answer %s", round, out.Method)
		}
		next := *out.Request
		if next.Params, err = n.nextParams(ctx, out.Request, first, result); err != nil {
			return "", err
		}
		again := *out
		again.Request = &next
		out = &again
	}
}

// checkResultKind refuses a result of a kind that the client does not know, or
// that has no place there.
func checkResultKind(result, method string) error {
	switch kind := gjson.Get(result, "resultType"); {
	case !kind.Exists(), kind.Str == "complete":
		return nil
	case kind.Str == inputRequired && asks(method):
		return nil
	default:
		return &shapeError{problem: fmt.Sprintf("the server's result of %s is of a kind that is not known: %s", method, beginningOf(kind.Raw))}
	}
}

// nextParams gives the params of the next round: those of the first, with the
// answers and the server's state, both untouched.
func (n *connection) nextParams(ctx context.Context, request *Request, first json.RawMessage, result string) (json.RawMessage, error) {
	members, err := objectMembers(string(defaultObject(first)))
	if err != nil {
		return nil, err
	}
	asked, err := objectMembers(result)
	if err != nil {
		return nil, err
	}
	params := []byte{'{'}
	for _, member := range members {
		if member.Name != "inputResponses" && member.Name != "requestState" {
			params = appendMember(params, member.Name, member.Value.Raw)
		}
	}
	questions, state := find(asked, "inputRequests"), find(asked, "requestState")
	if questions.Kind == wire.Absent && state.Kind == wire.Absent {
		return nil, &shapeError{problem: "the server requires input and does not say which"}
	}
	if questions.Kind != wire.Absent {
		answers, err := n.answerInputs(ctx, request, questions)
		if err != nil {
			return nil, err
		}
		params = appendMember(params, "inputResponses", string(answers))
	}
	if state.Kind != wire.Absent {
		params = appendMember(params, "requestState", state.Raw)
	}
	return append(params, '}'), nil
}

func defaultObject(object json.RawMessage) json.RawMessage {
	if len(object) == 0 {
		return json.RawMessage(`{}`)
	}
	return object
}

// answerInputs has the handlers answer the questions of a round, one after the
// other in the server's order, so that a person is not asked everything at
// once.
func (n *connection) answerInputs(ctx context.Context, request *Request, questions wire.Value) ([]byte, error) {
	inputs, err := objectMembers(questions.Raw)
	if err != nil {
		return nil, &shapeError{problem: "the server's inputRequests", cause: err}
	}
	if len(inputs) > maxInputs {
		return nil, &shapeError{problem: fmt.Sprintf("the server asks %d questions at once, over %d", len(inputs), maxInputs)}
	}
	answers := []byte{'{'}
	for _, input := range inputs {
		method := gjson.Get(input.Value.Raw, "method").Str
		question := ServerRequest{Method: method, Tag: request.Tag, Key: input.Name, Exact: true}
		if params := gjson.Get(input.Value.Raw, "params"); params.IsObject() {
			question.Params = json.RawMessage(params.Raw)
		}
		answer, err := n.answerInput(ctx, question)
		if err != nil {
			return nil, err
		}
		answers = appendMember(answers, input.Name, string(answer))
	}
	return append(answers, '}'), nil
}

// answerInput has a handler answer one question. It does not wait longer for one
// that does not heed its context.
func (n *connection) answerInput(ctx context.Context, question ServerRequest) ([]byte, error) {
	failed := make(chan error, 1)
	answers := make(chan []byte, 1)
	go func() {
		answer, err := n.client.handle(ctx, question, n.session.Load())
		if err != nil {
			failed <- err
			return
		}
		answers <- answer
	}()
	select {
	case answer := <-answers:
		return answer, nil
	case err := <-failed:
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &unansweredError{question.Method, err}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// unansweredError says that a handler had no answer for the server.
type unansweredError struct {
	method string
	cause  error
}

func (e *unansweredError) Error() string {
	return "the server asked for " + beginningOf(e.method) + ": " + e.cause.Error()
}

// Unwrap gives the handler's error, apart from one that would be taken for the
// server's.
func (e *unansweredError) Unwrap() error {
	if errors.As(e.cause, new(*core.Error)) {
		return nil
	}
	return e.cause
}
