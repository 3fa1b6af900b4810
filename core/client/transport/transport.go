// Package transport carries messages between a client and one MCP server: to a
// child process over its stdin and stdout ([Stdio]), or to a server elsewhere
// over HTTP ([HTTP]). It knows nothing of what the messages mean, apart from
// what HTTP repeats of them in headers.
package transport

import (
	"context"
	"errors"
	"fmt"
)

// Transport knows how to reach one server. It can open any number of links,
// one after the other. Implementations must be safe for concurrent use.
type Transport interface {
	// Open starts the server, or finds out whether it can be reached, and gives
	// a link to it. The receiver may be given messages before Open returns. The
	// context bounds the opening alone.
	Open(ctx context.Context, receiver Receiver) (Link, error)
	// String says in a few words where the server is, without secrets.
	String() string
}

// Link is one connection to a server. All methods are safe for concurrent use.
type Link interface {
	// Send hands over one message, in the order of calls for messages sent from
	// one goroutine. For a request it returns as soon as the message is on its
	// way; what goes wrong later is told to Receiver.Failed. Where each request
	// has an exchange of its own, the context's end ends that exchange too, so
	// it must live until the request is answered.
	Send(ctx context.Context, message *Message) error
	// Traits tells what kind of link it is. It never changes.
	Traits() Traits
	// Done is closed when the link has ended and no more messages come: because
	// the server is gone, or by Close. Err tells why then.
	Done() <-chan struct{}
	Err() error
	// Close ends the link, and a child process with it. It returns when nothing
	// of the link is left, and takes a bounded time. It may be called more than
	// once.
	Close() error
}

// Traits are what a client must know of a kind of link.
type Traits struct {
	// LegacyOnly says that the kind of link is older than the modern era, so
	// that there is nothing to probe.
	LegacyOnly bool
	// Exchanges says that each request has an exchange of its own, the end of
	// whose context cancels it in the modern era.
	Exchanges bool
}

// Receiver takes what comes from a server. A link calls it from more than one
// goroutine. Its methods return promptly: while they run, nothing is read.
type Receiver interface {
	// Receive takes one message, which may turn out to be no message at all.
	// During is the id, as JSON text, of the request in whose exchange it came;
	// "" when there is no telling.
	Receive(message, during string)
	// Broken takes the beginning of a message that could not be read whole.
	Broken(beginning, during string, reason error)
	// Failed says that the request of that id gets no answer.
	Failed(id string, reason error)
}

// Message is one JSON-RPC message on its way to a server.
type Message struct {
	// Body is the message on one line, without a line ending. The link may keep
	// it.
	Body []byte
	// Method is "" for a response.
	Method string
	// ID is the JSON text of a request's or a response's id; "" for a
	// notification.
	ID string
	// Version is the protocol version that the message is sent under; "" before
	// that is settled.
	Version string
	// Modern says that the version is one without a handshake: 2026-07-28 or
	// later.
	Modern bool
	// Name is params.name or params.uri of a request that names a tool, a
	// prompt or a resource.
	Name string
	// Parameters are arguments that the tool's schema wants repeated as headers.
	Parameters []Parameter
}

// Parameter is one argument that is repeated as the header Mcp-Param-<Name>.
type Parameter struct{ Name, Value string }

// request reports whether the message wants an answer.
func (m *Message) request() bool { return m.Method != "" && m.ID != "" }

// ErrClosed is why a link ended that was closed from this side.
var ErrClosed = errors.New("the connection was closed")

// ErrSessionLost is why a link ended whose server does not know the session any
// more. Another link can be opened at once.
var ErrSessionLost = errors.New("the server has lost the session")

// ErrStreamBroken is why a request failed whose stream ended before the answer.
var ErrStreamBroken = errors.New("the stream ended before the answer")

// StatusError is an HTTP answer that carries no message.
type StatusError struct {
	Status int
	// Body is its beginning, at most 64 KiB.
	Body []byte
	// Challenge is the WWW-Authenticate header of a 401 or 403.
	Challenge string
}

// Error gives the status and a line of the body.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server answered with HTTP status %d", e.Status)
	if e.Unauthorized() {
		text += ", which asks for authorization"
	}
	if excerpt := excerpt(string(e.Body), 200); excerpt != "" {
		text += ": " + excerpt
	}
	return text
}

// Unauthorized reports whether the server wants other credentials.
func (e *StatusError) Unauthorized() bool { return e.Status == 401 || e.Status == 403 }

// ExitError is why a link to a child process ended.
type ExitError struct {
	// Status says how the process ended ("exit status 3"), or what it did
	// instead.
	Status string
	// Stderr is the end of what it wrote there.
	Stderr string
}

// Error gives the status and the last lines of stderr.
func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return e.Status
	}
	return e.Status + "; the end of its stderr: " + e.Stderr
}
