package core

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"mcpserver/core/internal/form"
	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Elicitation asks the user to fill in a form (elicitation/create).
//
// A form is a flat object of strings, numbers, integers, booleans and choices,
// at most 16 KiB and 100 properties of them. A form that the client's protocol
// version cannot have is an error that names the property. What that version
// does not know, and the client need not know to show the form, such as most
// defaults before 2025-11-25, is left out.
//
// The handler sees accepted content only when it fits the form, whatever was
// left out, and with the form's defaults for members that it does not have.
// Members that the form does not have stay in it, unless the form is closed.
// What a modern client answers without the requestState of the question is not
// checked, since nobody knows then what was asked.
type Elicitation struct {
	// Message tells the user what is asked and why. Required.
	Message string
	// Schema describes the form; RawSchema is the same as a JSON schema
	// verbatim, for what Object cannot say: a format ("email", "uri", "date" or
	// "date-time"), a pattern, titles for choices. One of them is required. A
	// choice is a string with "enum", or "oneOf" with "const" and "title" for
	// each; an array of choices has such "items", with "anyOf" for "oneOf".
	Schema    Schema
	RawSchema json.RawMessage
	// HandleRefusal lets the handler see that the user declined or cancelled.
	// Without it the call ends with a tool error that says so.
	HandleRefusal bool
}

// URLElicitation asks the user to visit a page (elicitation/create in url
// mode).
type URLElicitation struct {
	// Message and URL are required. The URL is absolute, of http or https, and
	// has no name or password of a user in it.
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
func (e Elicitation) LinkQuestion() link.Question {
	read, err := e.readForm()
	return formQuestion{Elicitation: e, form: read, problem: err}
}

// LinkQuestion implements Question.
func (e URLElicitation) LinkQuestion() link.Question { return urlQuestion(e) }

// LinkQuestion implements Question.
func (Roots) LinkQuestion() link.Question { return rootsQuestion{} }

type (
	formQuestion struct {
		Elicitation
		form    *form.Form
		problem error // why there is no form to send
	}
	urlQuestion   URLElicitation
	rootsQuestion struct{}
)

// readForm reads the form; Supports tells later whether a revision can ask it.
func (e Elicitation) readForm() (*form.Form, error) {
	switch {
	case e.Message == "":
		return nil, errors.New("an elicitation needs a message")
	case (e.Schema == nil) == (len(e.RawSchema) == 0):
		return nil, errors.New("an elicitation needs either Schema or RawSchema")
	}
	text := string(e.RawSchema)
	if e.Schema != nil {
		if err := e.Schema.Validate(); err != nil {
			return nil, fmt.Errorf("the schema of an elicitation: %w", err)
		}
		text = string(e.Schema.AppendJSON(nil))
	}
	read, err := form.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the schema of an elicitation: %w", err)
	}
	return read, nil
}

func (formQuestion) Method() string { return "elicitation/create" }

func (formQuestion) Needs(protocol.Revision) []string { return []string{"elicitation.form"} }

// Validate implements link.Question.
func (q formQuestion) Validate(revision protocol.Revision) error {
	switch {
	case revision < protocol.V20250618:
		return fmt.Errorf("elicitation does not exist in protocol version %s", revision)
	case q.problem != nil:
		return q.problem
	}
	return q.form.Supports(revision)
}

func (q formQuestion) AppendParams(dst []byte, revision protocol.Revision) ([]byte, error) {
	if err := q.Validate(revision); err != nil {
		return nil, err
	}
	dst = wire.AppendString(append(dst, `{"message":`...), q.Message)
	dst = q.form.AppendJSON(append(dst, `,"requestedSchema":`...), revision)
	return append(dst, '}'), nil
}

// Kind implements link.Question.
func (q formQuestion) Kind() link.Kind { return refusable(link.Form, q.HandleRefusal) }

// Form implements link.Question.
func (q formQuestion) Form() string {
	if q.form == nil {
		return ""
	}
	return q.form.JSON()
}

func (urlQuestion) Method() string { return "elicitation/create" }

func (urlQuestion) Needs(protocol.Revision) []string { return []string{"elicitation.url"} }

// Validate implements link.Question.
func (q urlQuestion) Validate(revision protocol.Revision) error {
	switch {
	case revision < protocol.V20251125:
		return fmt.Errorf("elicitation by url does not exist in protocol version %s", revision)
	case q.Message == "" || q.URL == "":
		return errors.New("an elicitation by url needs a message and a url")
	}
	return checkPage(q.URL)
}

// checkPage tells why the text is not the URL of a page that a user can be sent
// to. It is never quoted, since it may hold what is the user's alone.
func checkPage(text string) error {
	page, err := url.Parse(text)
	switch {
	case err != nil || !form.IsURI(text):
		return errors.New("the url of an elicitation is no absolute URL")
	case page.Scheme != "https" && page.Scheme != "http":
		return fmt.Errorf("the url of an elicitation has the scheme %.80q, not https or http", page.Scheme)
	case page.Hostname() == "":
		return errors.New("the url of an elicitation has no host")
	case page.User != nil:
		return errors.New("the url of an elicitation has the name or password of a user in it")
	case strings.ContainsFunc(text, isNotASCII):
		return errors.New("the url of an elicitation has characters that are to be written in ASCII")
	}
	return nil
}

func isNotASCII(r rune) bool { return r >= utf8.RuneSelf }

func (q urlQuestion) AppendParams(dst []byte, revision protocol.Revision) ([]byte, error) {
	if err := q.Validate(revision); err != nil {
		return nil, err
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

// Form implements link.Question.
func (urlQuestion) Form() string { return "" }

func refusable(kind link.Kind, handleRefusal bool) link.Kind {
	if handleRefusal {
		return kind.HandlingRefusal()
	}
	return kind
}

func (rootsQuestion) Method() string { return "roots/list" }

func (rootsQuestion) Needs(protocol.Revision) []string { return []string{"roots"} }

// Validate implements link.Question.
func (rootsQuestion) Validate(protocol.Revision) error { return nil }

func (rootsQuestion) AppendParams(dst []byte, _ protocol.Revision) ([]byte, error) {
	return append(dst, `{}`...), nil
}

// Kind implements link.Question.
func (rootsQuestion) Kind() link.Kind { return link.Roots }

// Form implements link.Question.
func (rootsQuestion) Form() string { return "" }
