package core

import (
	"crypto/rand"
	"encoding/json"
	"fmt"

	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Elicitation asks the user to fill in a form (elicitation/create).
type Elicitation struct {
	// Message tells the user what is asked and why. Required.
	Message string
	// Schema describes the form; RawSchema is the same as a JSON schema
	// verbatim, for what Object cannot say. One of them is required.
	Schema    Schema
	RawSchema json.RawMessage
	// HandleRefusal lets the handler see that the user declined or cancelled.
	// Without it the call ends with a tool error that says so.
	HandleRefusal bool
}

// URLElicitation asks the user to visit a page (elicitation/create in url
// mode).
type URLElicitation struct {
	// Message and URL are required.
	Message, URL string
	// ID names this visit for Host.ElicitationComplete; one is made when it is
	// empty.
	ID            string
	HandleRefusal bool
}

// Roots asks for the client's roots (roots/list).
type Roots struct{}

// ElicitationComplete tells the client that what was asked by a URLElicitation
// is done.
// Only protocol version 2025-11-25 has this notice; for other clients it is an
// error.
func (h Host) ElicitationComplete(id string) error { return h.host.ElicitationComplete(id) }

// LinkQuestion implements Question.
func (e Elicitation) LinkQuestion() link.Question { return formQuestion(e) }

// LinkQuestion implements Question.
func (e URLElicitation) LinkQuestion() link.Question { return urlQuestion(e) }

// LinkQuestion implements Question.
func (Roots) LinkQuestion() link.Question { return rootsQuestion{} }

type (
	formQuestion  Elicitation
	urlQuestion   URLElicitation
	rootsQuestion struct{}
)

func (formQuestion) Method() string { return "elicitation/create" }

func (formQuestion) Needs(protocol.Revision) []string { return []string{"elicitation.form"} }

func (q formQuestion) AppendParams(dst []byte, revision protocol.Revision) ([]byte, error) {
	switch {
	case revision < protocol.V20250618:
		return nil, fmt.Errorf("elicitation does not exist in protocol version %s", revision)
	case q.Message == "":
		return nil, fmt.Errorf("an elicitation needs a message")
	case (q.Schema == nil) == (len(q.RawSchema) == 0):
		return nil, fmt.Errorf("an elicitation needs either Schema or RawSchema")
	}
	dst = wire.AppendString(append(dst, `{"message":`...), q.Message)
	if q.Schema != nil {
		if err := q.Schema.Validate(); err != nil {
			return nil, fmt.Errorf("the schema of an elicitation: %w", err)
		}
		dst = q.Schema.AppendJSON(append(dst, `,"requestedSchema":`...))
		return append(dst, '}'), nil
	}
	dst, err := appendObjectMember(dst, "requestedSchema", q.RawSchema)
	if err != nil {
		return nil, err
	}
	return append(dst, '}'), nil
}

// Kind implements link.Question.
func (q formQuestion) Kind() link.Kind { return refusable(link.Form, q.HandleRefusal) }

func (urlQuestion) Method() string { return "elicitation/create" }

func (urlQuestion) Needs(protocol.Revision) []string { return []string{"elicitation.url"} }

func (q urlQuestion) AppendParams(dst []byte, revision protocol.Revision) ([]byte, error) {
	switch {
	case revision < protocol.V20251125:
		return nil, fmt.Errorf("elicitation by url does not exist in protocol version %s", revision)
	case q.Message == "" || q.URL == "":
		return nil, fmt.Errorf("an elicitation by url needs a message and a url")
	}
	dst = wire.AppendString(append(dst, `{"mode":"url","message":`...), q.Message)
	dst = appendStringMember(dst, "url", q.URL)
	if revision.Legacy() {
		id := q.ID
		if id == "" {
			id = rand.Text()
		}
		dst = appendStringMember(dst, "elicitationId", id)
	}
	return append(dst, '}'), nil
}

// Kind implements link.Question.
func (q urlQuestion) Kind() link.Kind { return refusable(link.URL, q.HandleRefusal) }

func refusable(kind link.Kind, handleRefusal bool) link.Kind {
	if handleRefusal {
		return kind.HandlingRefusal()
	}
	return kind
}

func (rootsQuestion) Method() string { return "roots/list" }

func (rootsQuestion) Needs(protocol.Revision) []string { return []string{"roots"} }

func (rootsQuestion) AppendParams(dst []byte, _ protocol.Revision) ([]byte, error) {
	return append(dst, `{}`...), nil
}

// Kind implements link.Question.
func (rootsQuestion) Kind() link.Kind { return link.Roots }
