package client

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// Options say how a client behaves. The zero value is good for most.
//
// All callbacks run one at a time, in the order of what they tell, on a
// goroutine of the client's own. A callback that takes long delays the others
// and nothing else; while 1,024 notifications wait, or 64 MiB of them, further
// ones are dropped and counted in the log.
type Options struct {
	// Name and Version are how the client introduces itself. Empty is
	// "mcpserver" and "0".
	Name, Version string
	// Handlers answer the server's requests, by method:
	// "sampling/createMessage", "elicitation/create", "roots/list". What has no
	// handler is refused. They run concurrently.
	Handlers map[string]Handler
	// Capabilities is the JSON object that is declared to servers; nil declares
	// what there are handlers for.
	Capabilities json.RawMessage
	// Log is told of what goes wrong without making a call fail; nil is nobody.
	// It is called on the goroutine that reads, so it must not block.
	Log *slog.Logger

	// OnNotification is given the server's notifications, apart from those that
	// the client deals with itself: progress, cancellation, changes of lists.
	OnNotification func(Notification)
	// OnChange is told that a list has changed. When it is that of the tools,
	// the new ones are in the cache already.
	OnChange func(Change)
	// OnState is told when the connection is lost, of each failed attempt to
	// connect anew, and when there is a connection again. It is not told of what
	// Connect and Disconnect do.
	OnState func(State)

	// ConnectTimeout bounds opening the transport together with the handshake,
	// and the first list of tools again. Zero is 30 seconds.
	ConnectTimeout time.Duration
	// ProbeTimeout bounds how long to wait for the answer to the first
	// server/discover before the server is taken for one of the legacy era. Zero
	// is 3 seconds.
	ProbeTimeout time.Duration
	// CallTimeout bounds how long a request may go without an answer and
	// without a sign of progress. Zero is 60 seconds, negative is for ever.
	CallTimeout time.Duration
	// MaxCallTimeout bounds a request whatever its progress. Zero is 30 minutes,
	// negative is for ever.
	MaxCallTimeout time.Duration
	// HealthInterval is how often a connection on which nothing is open is
	// tried. Zero is 30 seconds, negative is never. Two attempts in a row that
	// get no answer within HealthTimeout (zero is 10 seconds) end the
	// connection.
	HealthInterval, HealthTimeout time.Duration
	// Reconnect says what to do when the connection is lost.
	Reconnect Backoff
	// MaxRounds bounds how often one call may come back with questions. Zero is
	// 10.
	MaxRounds int
	// Era is what is known about the server from before: it saves the probing.
	Era Era
}

// Handler answers one request of the server. What it returns is the result, a
// JSON object. A *core.Error is sent as it is, any other error as -32603 with
// its text. The context ends when the server withdraws the request, and with
// the connection.
type Handler func(ctx context.Context, request ServerRequest) (json.RawMessage, error)

// ServerRequest is a request of the server.
type ServerRequest struct {
	Method string
	// Params is a JSON object, or nil.
	Params json.RawMessage
	// Tag is that of the call of ours that the request belongs to, and Key is
	// its key among the questions of that call in the modern era. Where the
	// protocol does not say which call it is, it is the newest one that is open;
	// Exact tells which case it is. Tag is nil when no call is open.
	Tag   any
	Key   string
	Exact bool
}

// Notification is a notification of the server. Tag and Exact are as in
// [ServerRequest].
type Notification struct {
	Method string
	// Params is a JSON object, or nil.
	Params json.RawMessage
	Tag    any
	Exact  bool
}

// ListKind names one of a server's lists.
type ListKind string

// The lists that can change.
const (
	ToolList     ListKind = "tools"
	PromptList   ListKind = "prompts"
	ResourceList ListKind = "resources" // templates included
)

// Change says that a list has changed.
type Change struct {
	List ListKind
	// Added and Removed are qualified names of tools, sorted. Tools whose
	// definition alone has changed are in neither.
	Added, Removed []string
}

// State is what has become of a connection.
type State struct {
	Connected bool
	// Reason tells why there is no connection.
	Reason error
	// Next is when the next attempt comes; negative when there will be none.
	Next time.Duration
}

// Era is one of the protocol's two eras.
type Era uint8

// The eras. EraUnknown has a client find out.
const (
	EraUnknown Era = iota
	EraLegacy      // up to 2025-11-25, with a handshake
	EraModern      // since 2026-07-28, without
)

// String gives the era's name.
func (e Era) String() string {
	switch e {
	case EraLegacy:
		return "legacy"
	case EraModern:
		return "modern"
	}
	return "unknown"
}

func (o *Options) connectTimeout() time.Duration {
	return defaultDuration(o.ConnectTimeout, 30*time.Second)
}

func (o *Options) probeTimeout() time.Duration { return defaultDuration(o.ProbeTimeout, 3*time.Second) }

func (o *Options) callTimeout() time.Duration { return defaultDuration(o.CallTimeout, time.Minute) }

func (o *Options) maxCallTimeout() time.Duration {
	return defaultDuration(o.MaxCallTimeout, 30*time.Minute)
}

func (o *Options) healthInterval() time.Duration {
	return defaultDuration(o.HealthInterval, 30*time.Second)
}

func (o *Options) healthTimeout() time.Duration {
	return defaultDuration(o.HealthTimeout, 10*time.Second)
}

func defaultDuration(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

func (o *Options) maxRounds() int {
	if o.MaxRounds <= 0 {
		return 10
	}
	return o.MaxRounds
}

func (o *Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}
