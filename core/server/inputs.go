package server

import (
	"maps"

	"mcpserver/core"
)

// requireInput asks the client what a handler wants to know. In the legacy era
// the call is parked: it stays open while requests go to the client, holds no
// slot, and runs again when the answers are in.
func (q *request) requireInput(required *core.InputRequired) error {
	c := q.connection
	if q.method != "tools/call" {
		return q.respond(nil, core.InternalError("only a tool can require input of the client"))
	}
	lines, err := c.form(required.Questions(), q.session)
	if err != nil {
		return q.respond(nil, err)
	}
	q.enter()
	a := &asking{connection: c, request: q}
	q.mu.Lock()
	if q.answered {
		q.mu.Unlock()
		return errAnswered
	}
	q.asking, q.state = a, required.State()
	q.mu.Unlock()
	if err := c.ask(a, required.Questions(), lines); err != nil {
		return q.respond(nil, err)
	}
	if q.done() {
		c.abandon(a, "the request that asked has ended")
	}
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
