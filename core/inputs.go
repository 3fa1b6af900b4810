package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
)

// maxState is the most that a handler may keep in a call's state, in bytes.
const maxState = 64 << 10

// Inputs are questions to the client, each under a key of the handler's own
// choice.
type Inputs map[string]Question

// Question is something to ask of the client: Sampling, Elicitation,
// URLElicitation, Roots or RawQuestion.
type Question interface {
	// LinkQuestion gives the question as the runner sends it.
	LinkQuestion() link.Question
}

// Answers are the client's answers by the keys of their questions.
type Answers map[string]Answer

// RequireInput asks the client. A handler returns what it gives. When the
// answers are in, the handler (or the tool's Resume) runs again from the start
// with Input and State set, so whatever stands before RequireInput must have
// no effects, or the tool needs a Resume. Each round sees the answers of all
// rounds so far.
//
// A question that is malformed, or that the request's protocol version does not
// have, is an error at once, and nothing is asked.
//
// The state is the handler's own, at most 64 KiB. A client that answers with an
// error or refuses makes the call of a tool end with a tool error that says so,
// and that of a prompt or a resource with a JSON-RPC error; the handler does not
// run again then. The same goes for a client that lacks a capability, except
// that a modern one always gets a JSON-RPC error which names it. The answer to a
// RawQuestion is for the handler alone, whatever it is.
func (c *Call) RequireInput(inputs Inputs, state []byte) (Result, error) {
	if len(state) > maxState {
		return nil, fmt.Errorf("the state of %s has %d bytes, over the limit of %d", c.name, len(state), maxState)
	}
	questions, err := inputs.questions()
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(questions)) {
		if err := questions[key].Validate(c.request.Revision()); err != nil {
			return nil, fmt.Errorf("the question %q cannot be asked: %w", key, err)
		}
	}
	return &InputRequired{questions: questions, state: state}, nil
}

// InputRequired is what Call.RequireInput gives.
type InputRequired struct {
	questions map[string]link.Question
	state     []byte
}

// AppendMembers implements Result. The runner asks the questions instead of
// writing the result, wherever asking is possible.
func (*InputRequired) AppendMembers([]byte, protocol.Revision) ([]byte, error) {
	return nil, errors.New("this request cannot require input of the client")
}

// Questions gives the questions by their keys.
func (r *InputRequired) Questions() map[string]link.Question { return r.questions }

// State gives the handler's state.
func (r *InputRequired) State() []byte { return r.state }

// Input gives the answer to the question of that key. It is given once the
// call was resumed.
func (c *Call) Input(key string) (answer Answer, given bool) {
	raw, given := c.request.Answer(key)
	if !given {
		return Answer{}, false
	}
	return newAnswer(raw), true
}

// State gives what the handler passed to RequireInput in the round before; nil
// in the first round.
func (c *Call) State() []byte { return c.request.State() }

func (inputs Inputs) questions() (map[string]link.Question, error) {
	if len(inputs) == 0 {
		return nil, fmt.Errorf("there is nothing to ask: the inputs are empty")
	}
	questions := make(map[string]link.Question, len(inputs))
	for key, question := range inputs {
		if question == nil {
			return nil, fmt.Errorf("the question %q is nil", key)
		}
		questions[key] = question.LinkQuestion()
	}
	return questions, nil
}

// Answer is the client's answer to one question.
type Answer struct {
	value   gjson.Result
	failure *Error
}

func newAnswer(raw string) Answer {
	if failure, failed := link.AnsweredError(raw); failed {
		return Answer{failure: readError(failure)}
	}
	return Answer{value: gjson.Parse(raw)}
}

// readError reads a client's error. What is none by the specification says, in
// its message, all that it is.
func readError(raw string) *Error {
	value := gjson.Parse(raw)
	failure := &Error{Code: protocol.CodeInternalError, Message: raw}
	if code := value.Get("code"); code.Type == gjson.Number {
		failure.Code = int(code.Int())
	}
	if message := value.Get("message"); message.Type == gjson.String {
		failure.Message = message.Str
	}
	if data := value.Get("data"); data.Exists() {
		failure.Data = json.RawMessage(data.Raw)
	}
	return failure
}

// JSON gives the whole answer; an error is none, see Err.
func (a Answer) JSON() gjson.Result { return a.value }

// Text gives the text of a sampling answer; several text blocks are joined by
// line breaks, other blocks are passed over.
func (a Answer) Text() string { return blockText(a.value.Get("content")) }

// Action gives what the user did about an elicitation: "accept", or "decline"
// and "cancel" if the question has HandleRefusal.
func (a Answer) Action() string { return a.value.Get("action").Str }

// Content gives what the user filled in, which fits the form and has its
// defaults, or a sampling answer's content.
func (a Answer) Content() gjson.Result { return a.value.Get("content") }

// Roots gives the client's roots.
func (a Answer) Roots() []Root {
	var roots []Root
	for _, root := range a.value.Get("roots").Array() {
		roots = append(roots, Root{URI: root.Get("uri").Str, Name: root.Get("name").Str})
	}
	return roots
}

// Root is a place that the client lets servers work in.
type Root struct {
	URI, Name string
}
