package toolserver

import (
	"context"

	"mcpserver/core"
)

// Tool is one tool of a server.
type Tool struct {
	Definition Definition
	// Access is what the tool needs; writing unless it says Read.
	Access Access
	// AnchorKey gives the key under which a host keeps the result of such a
	// call in its model's context; "" is none. A nil AnchorKey is none for all
	// calls. It sees the arguments that Execute got, after Execute went well.
	AnchorKey func(arguments Arguments) string
	// Execute runs the tool. Required. It must be safe for concurrent use. An
	// error is for the model to read, so it says what to do differently. The
	// context ends when the caller has lost interest; Progress, Ask and
	// Approve take it.
	Execute func(ctx context.Context, arguments Arguments) (Outcome, error)
}

// Access says what a tool needs to be allowed.
type Access uint8

// The levels. What says nothing may write.
const (
	Write Access = iota
	Read
)

// String gives "read" or "write".
func (a Access) String() string {
	if a == Read {
		return "read"
	}
	return "write"
}

// Outcome is what a tool gives back.
type Outcome struct {
	// Result is for the model.
	Result string
	// Directives are for the host, in this order. Clients over MCP do not get
	// them: a host elsewhere is not this server's to steer.
	Directives []Directive
	// IsError says that the call failed, and Result says why, as when Execute
	// returns an error. Directives are dropped then.
	IsError bool

	// Content and Structured are for clients over MCP. Content, unless it is
	// empty, stands for Result there, and Structured is sent beside it; see
	// core.ToolResult. Hosts in this process see Result alone.
	Content    []core.Block
	Structured any
}

// Text is an outcome of one text, with directives for the host.
func Text(result string, directives ...Directive) Outcome {
	return Outcome{Result: result, Directives: directives}
}
