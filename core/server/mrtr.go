//go:build mcp20260728

package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/digest"
	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// round is what a requestState carries.
type round struct {
	// Arguments is the digest of the arguments that the state is good for.
	Arguments []byte `json:"d"`
	// State is the handler's own.
	State []byte `json:"s,omitempty"`
	// Answers are those of earlier rounds, and Asked what this round asked for.
	Answers map[string]json.RawMessage `json:"a,omitempty"`
	Asked   map[string]link.Kind       `json:"k,omitempty"`
	// Forms are those that accepted answers are to fit, since the process that
	// gets them may be another one.
	Forms map[string]string `json:"f,omitempty"`
	// Rounds is how often the handler has asked.
	Rounds int `json:"r,omitempty"`
	// Hook says that the aspect's hook has asked, not the tool.
	Hook bool `json:"h,omitempty"`
	// Questions are what was asked, where the core must be able to ask again
	// by itself: a Resume sees all answers or none. Needs are the capabilities
	// that they take.
	Questions map[string]json.RawMessage `json:"q,omitempty"`
	Needs     map[string][]string        `json:"n,omitempty"`
}

// rounds is what a request carries of earlier rounds, settled before it is
// served.
type rounds struct {
	name, arguments string // what its state is bound to, besides aspect and method

	sealed  bool  // it came with a state
	partial bool  // some of what was asked was not answered
	refused error // the client refused, or its answer is none
	last    round // what its state has kept
}

// refusal tells why the request is not served: its state was made for other
// arguments, or the client has refused what it was asked. It belongs to the
// request's work, since digesting large arguments takes its time.
func (r *rounds) refusal() error {
	if r.sealed && !bytes.Equal(r.last.Arguments, digestOf(r.arguments)) {
		return errInvalidState
	}
	return r.refused
}

// inputRequired is an interim result: what the client is asked.
type inputRequired []byte

// AppendMembers implements core.Result.
func (i inputRequired) AppendMembers(dst []byte, _ protocol.Revision) ([]byte, error) {
	return append(dst, i...), nil
}

// requireInput asks the client what a handler wants to know, in the way of the
// request's era.
func (q *request) requireInput(required *core.InputRequired) error {
	if q.session.revision.Legacy() {
		return q.park(required)
	}
	questions := q.unanswered(required.Questions())
	needs := make(map[string][]string, len(questions))
	for key, question := range questions {
		needs[key] = question.Needs(q.session.revision)
	}
	texts := make(map[string]json.RawMessage, len(questions))
	kinds := make(map[string]link.Kind, len(questions))
	forms := make(map[string]string)
	for key, question := range questions {
		text := append(append([]byte(`{"method":"`), question.Method()...), `","params":`...)
		text, err := question.AppendParams(text, q.session.revision)
		if err != nil {
			return q.respond(nil, fmt.Errorf("the question %q cannot be asked: %w", key, err))
		}
		texts[key], kinds[key] = append(text, '}'), question.Kind()
		if form := question.Form(); form != "" {
			forms[key] = form
		}
	}
	asking, err := q.askFor(round{State: required.State(), Asked: kinds, Forms: forms, Hook: q.byHook, Questions: texts, Needs: needs})
	if err != nil {
		return q.respond(nil, err)
	}
	return q.respond(asking, nil)
}

// askFor gives the interim result that asks what the round has, and seals what
// the next one must know.
func (q *request) askFor(asked round) (inputRequired, error) {
	if failure := missingCapabilities(asked.Needs, q.session.capabilities); failure != nil {
		return nil, failure
	}
	dst := appendObject([]byte(`"inputRequests":`), asked.Questions)
	if asked.Hook || q.tool == nil || q.tool.Resume == nil {
		asked.Questions, asked.Needs = nil, nil
	}
	sealed, err := q.sealRound(asked)
	if err != nil {
		return nil, err
	}
	return wire.AppendString(append(dst, `,"requestState":`...), sealed), nil
}

// askAgain gives the interim result for what a tool with a Resume has asked and
// the client has not answered; nil and nil when all answers are there.
func (q *request) askAgain() (core.Result, error) {
	if !q.rounds.partial || q.hookAsks {
		return nil, nil
	}
	last := q.rounds.last
	again := round{
		State:     last.State,
		Asked:     make(map[string]link.Kind),
		Forms:     make(map[string]string),
		Questions: make(map[string]json.RawMessage),
		Needs:     make(map[string][]string),
	}
	for key, text := range last.Questions {
		if _, given := q.Answer(key); !given {
			again.Questions[key], again.Asked[key], again.Needs[key] = text, last.Asked[key], last.Needs[key]
			if form, ok := last.Forms[key]; ok {
				again.Forms[key] = form
			}
		}
	}
	asking, err := q.askFor(again)
	if err != nil {
		return nil, err
	}
	return asking, nil
}

// unanswered leaves out, when the client has answered only some of what it was
// asked, what it has answered.
func (q *request) unanswered(questions map[string]link.Question) map[string]link.Question {
	partial := q.rounds.partial
	left := make(map[string]link.Question, len(questions))
	for key, question := range questions {
		if _, given := q.Answer(key); given {
			continue
		}
		left[key] = question
		partial = partial || !q.rounds.sealed
	}
	if !partial || len(left) == 0 {
		return questions
	}
	return left
}

// missingCapabilities is the error for questions that the client has not
// declared to answer.
func missingCapabilities(needs map[string][]string, capabilities string) *core.Error {
	required := make(map[string]map[string]struct{})
	for _, question := range needs {
		for _, need := range question {
			if core.Declares(capabilities, need) {
				continue
			}
			name, part, _ := strings.Cut(need, ".")
			if required[name] == nil {
				required[name] = make(map[string]struct{})
			}
			// A bare elicitation capability means forms.
			if part != "" && (part != "form" || gjson.Get(capabilities, name).Exists()) {
				required[name][part] = struct{}{}
			}
		}
	}
	if len(required) == 0 {
		return nil
	}
	names := strings.Join(slices.Sorted(maps.Keys(required)), ", ")
	data, err := json.Marshal(map[string]any{"requiredCapabilities": required})
	if err != nil {
		return core.InternalError(err.Error())
	}
	return &core.Error{
		Code:    protocol.CodeMissingCapability,
		Message: "Missing Required Client Capability [" + names + "]",
		Data:    data,
	}
}

// sealRound gives the requestState of a round, with all answers so far.
func (q *request) sealRound(kept round) (string, error) {
	q.mu.Lock()
	kept.Answers = make(map[string]json.RawMessage, len(q.answers))
	for key, answer := range q.answers {
		kept.Answers[key] = json.RawMessage(answer)
	}
	kept.Rounds = q.asked
	q.mu.Unlock()
	kept.Arguments = digestOf(q.rounds.arguments)
	var payload bytes.Buffer
	encoder := json.NewEncoder(&payload)
	encoder.SetEscapeHTML(false) // what the client has said stays as it is
	if err := encoder.Encode(kept); err != nil {
		return "", err
	}
	c := q.connection
	// It must come back in one message, along with the next answers.
	if most := c.options.maxMessage() / 2; payload.Len() > most {
		return "", fmt.Errorf("what %s has to carry from round to round is over the limit of %d bytes", q.method, most)
	}
	return c.sealer().Seal(payload.Bytes(), c.options.stateLifetime(), q.bound()...), nil
}

// bound gives what the request's state is bound to by its seal. What it carries
// binds it to the arguments.
func (q *request) bound() []string {
	return []string{q.connection.aspect.Name, q.method, q.rounds.name}
}

// readResume reads what a modern request carries of earlier rounds.
func (q *request) readResume(m *wire.Message, name, arguments string) *core.Error {
	if q.session.revision.Legacy() {
		return nil
	}
	q.rounds.name, q.rounds.arguments = name, arguments
	responses, state := m.Param("inputResponses"), m.Param("requestState")
	var kept round
	switch state.Kind {
	case wire.Absent, wire.Null:
	case wire.String:
		payload, err := q.connection.sealer().Open(state.Text(), q.bound()...)
		if err != nil || json.Unmarshal(payload, &kept) != nil {
			return errInvalidState
		}
		q.rounds.sealed, q.rounds.last = true, kept
		q.resumed, q.state, q.hookAsks, q.asked = true, kept.State, kept.Hook, kept.Rounds
	default:
		return errInvalidState
	}
	switch responses.Kind {
	case wire.Object:
	case wire.Absent, wire.Null:
		if !q.rounds.sealed {
			return nil
		}
	default:
		return core.InvalidParams("inputResponses is not an object")
	}
	q.answers = make(map[string]string, len(kept.Answers))
	for key, answer := range kept.Answers {
		q.answers[key] = string(answer)
	}
	if !q.rounds.sealed && q.tool != nil && q.tool.Resume != nil {
		// Nothing was asked of this client yet, so nothing can be answered.
		return nil
	}
	return q.takeResponses(gjson.Parse(responses.Raw), &kept)
}

// takeResponses takes the answers that were asked for; without a state nobody
// knows which, and the handler picks what it wants.
func (q *request) takeResponses(responses gjson.Result, kept *round) (failure *core.Error) {
	taken := make(map[string]bool)
	responses.ForEach(func(key, answer gjson.Result) bool {
		_, asked := kept.Asked[key.Str]
		switch {
		case q.rounds.sealed && !asked:
			return true
		case taken[key.Str]:
			failure = core.InvalidParams("the member " + shorten(key.Str) + " occurs twice in inputResponses")
		case !answer.IsObject():
			failure = core.InvalidParams("inputResponses." + shorten(key.Str) + " is not an object")
		default:
			taken[key.Str] = true
			q.resumed = true
			q.takeAnswer(key.Str, answer.Raw, kept)
		}
		return failure == nil
	})
	for key := range kept.Asked {
		if !taken[key] {
			// What was asked anew is not answered by an earlier round.
			delete(q.answers, key)
			q.rounds.partial = true
		}
	}
	return failure
}

// takeAnswer takes the answer to what was asked under that key. Without a state
// nobody knows what kind of answer it should be.
func (q *request) takeAnswer(key, answer string, kept *round) {
	kind, asked := kept.Asked[key]
	if !asked {
		answer = core.UncheckedAnswer(answer)
	} else {
		checked, err := core.CheckAnswer(kind, kept.Forms[key], answer, q.connection.trace)
		if err != nil {
			if q.rounds.refused == nil {
				q.rounds.refused = err
			}
			return
		}
		answer = checked
	}
	q.answers[key] = answer
}

// digestOf tells arguments apart by what they say, since a client may write them
// anew for each round.
func digestOf(arguments string) []byte {
	if arguments == "" {
		arguments = "{}"
	}
	sum := digest.Of(arguments)
	return sum[:]
}
