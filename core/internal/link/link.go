// Package link is the seam between the contract that aspects see (package
// core) and the runner behind it (package core/server). The runner implements
// its interfaces; core's Call and Host hand on to them. Its types can be named
// inside core/ alone, so nothing else can pose as a runner.
package link

import (
	"context"
	"strings"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/trace"
)

// Request is one request of the client as the runner keeps it. All methods
// are safe from any goroutine, also after the request was answered.
type Request interface {
	// Method is the request's method, and Params its params member as sent
	// ("" when there was none).
	Method() string
	Params() string
	// Revision is the protocol revision that this request is served under.
	Revision() protocol.Revision
	// ClientCapabilities and ClientInfo are JSON objects ("" when unknown).
	ClientCapabilities() string
	ClientInfo() string
	// Progress and Log send a notification that belongs to this request.
	Progress(progress, total float64, message string)
	// Forward sends a notification of another server that belongs to this
	// request, with its params, a JSON object.
	Forward(method, params string)
	Log(level protocol.LogLevel, logger, data string)
	// Defer keeps the request open beyond its handler; Complete answers it
	// then. The result is a core.Result.
	Defer()
	Complete(result any, err error) error
	// Answer is the client's answer to the question of that key, as JSON.
	Answer(key string) (answer string, given bool)
	// State is what the handler gave along with its questions.
	State() []byte
	// Host is the runner.
	Host() Host
}

// Host is the runner of one aspect on one connection. All methods are safe
// from any goroutine.
type Host interface {
	Post(method, params string) error
	// Forward sends a notification of another server.
	Forward(method, params string) error
	PostAction(run func(context.Context), discard func()) error
	Ask(ctx context.Context, questions map[string]Question) (map[string]string, error)
	Log(level protocol.LogLevel, logger, data string)
	ElicitationComplete(id string) error
	// AddDefinitions takes a slice of core's Tool, Prompt, Resource or Template.
	AddDefinitions(definitions any) error
	RemoveDefinitions(from Table, keys []string) int
	ResourceUpdated(uri, part string) error
	Arguments() []string
	CommandLine() []string
	SelfTesting() bool
	Trace() *trace.Trace
}

// Table is one of the tables that a server lists.
type Table uint8

// The tables.
const (
	Tools Table = iota
	Prompts
	Resources
	Templates
)

// Question is a server-to-client request that waits to be sent.
type Question interface {
	// Method is the request's method.
	Method() string
	// Validate says that the revision has no such question, or what is wrong
	// with it.
	Validate(revision protocol.Revision) error
	// AppendParams appends the params object as the revision has it, if
	// Validate has nothing to say.
	AppendParams(dst []byte, revision protocol.Revision) ([]byte, error)
	// Needs names the client capabilities that the question takes, such as
	// "sampling" or "elicitation.url".
	Needs(revision protocol.Revision) []string
	// Kind tells how an answer is to be checked, and Form is the form that it
	// is to fit: a JSON schema on one line, or "".
	Kind() Kind
	Form() string
}

// Kind is what kind of answer a question takes. It is kept in the state of a
// modern request, so its values stay what they are.
type Kind string

// The kinds. Any answers a question that is not known any more.
const (
	Any      Kind = ""
	Sampling Kind = "sampling"
	Form     Kind = "form"
	URL      Kind = "url"
	Roots    Kind = "roots"
	// Raw is a question of another server, whose answer is not checked.
	Raw Kind = "raw"
)

// errorMark is what the answer to a raw question begins with when it is an
// error. No JSON begins with it.
const errorMark = "!"

// ErrorAnswer gives the answer to a raw question that is an error, a JSON
// object.
func ErrorAnswer(failure string) (answer string) { return errorMark + failure }

// AnsweredError gives the error that an answer is, if it is one.
func AnsweredError(answer string) (failure string, failed bool) {
	return strings.CutPrefix(answer, errorMark)
}

// refusalMark is what the kind of a question ends with whose handler wants to
// see a refusal.
const refusalMark = "?"

// HandlingRefusal gives the kind for a handler that wants to see refusals.
func (k Kind) HandlingRefusal() Kind { return k + refusalMark }

// HandlesRefusal reports whether the handler wants to see refusals.
func (k Kind) HandlesRefusal() bool { return strings.HasSuffix(string(k), refusalMark) }

// Base gives the kind without that mark.
func (k Kind) Base() Kind { return Kind(strings.TrimSuffix(string(k), refusalMark)) }
