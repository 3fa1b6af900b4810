package server

import (
	"fmt"
	"maps"

	"mcpserver/core"
)

// canRequireInput reports whether the method may ask the client
// (specification 2026-07-28, basic/patterns/mrtr).
func (q *request) canRequireInput() bool {
	switch q.method {
	case "tools/call", "prompts/get", "resources/read":
		return true
	}
	return false
}

// park asks the client what a handler wants to know, in the legacy era's way:
// the request stays open while requests go to the client, holds no slot, and
// runs again when the answers are in.
func (q *request) park(required *core.InputRequired) error {
	c := q.connection
	lines, err := c.form(required.Questions(), q.session)
	if err != nil {
		return q.respond(nil, err)
	}
	q.enter()
	a := &asking{connection: c, request: q}
	q.mu.Lock()
	if q.answered || q.asking != nil {
		q.mu.Unlock()
		return errAnswered
	}
	q.asking, q.state, q.hookAsks = a, required.State(), q.byHook
	q.mu.Unlock()
	if err := c.ask(a, required.Questions(), lines); err != nil {
		return q.respond(nil, err)
	}
	if q.done() {
		c.abandon(a, "the request that asked has ended")
	}
	return nil
}

// maxRounds is how often one request can ask the client. A client that answers
// by itself would otherwise be asked forever by a handler that looks for its
// answer under another key.
const maxRounds = 100

// countRound counts that the handler asks once more; the error says that it has
// asked too often.
func (q *request) countRound() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked == maxRounds {
		return fmt.Errorf("%s asked the client %d times and came to no end; does its handler look for the answers under the keys of its questions?", q.method, maxRounds)
	}
	q.asked++
	return nil
}

// resume makes the request ready to run again with the client's answers.
func (q *request) resume(answers map[string]string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asking = nil
	q.resumed = true
	if q.answers == nil {
		q.answers = make(map[string]string, len(answers))
	}
	maps.Copy(q.answers, answers)
}

// Answer implements link.Request.
func (q *request) Answer(key string) (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	answer, given := q.answers[key]
	return answer, given
}

// State implements link.Request.
func (q *request) State() []byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state
}
