package core

import (
	"encoding/json"
	"fmt"

	"mcpserver/core/internal/protocol"
)

// Error is a JSON-RPC error: the answer to a request that could not be served
// at all. A tool that failed returns an ordinary error instead, which the
// client's model gets to read.
type Error struct {
	Code    int
	Message string
	// Data is a JSON value, or nil.
	Data json.RawMessage
}

// Error gives message and code.
func (e *Error) Error() string {
	if e == nil {
		return "an error that is nil"
	}
	return fmt.Sprintf("%s (%d)", e.Message, e.Code)
}

// ParseError is an error with code -32700.
func ParseError(detail string) *Error {
	return newError(protocol.CodeParseError, "Parse Error", detail)
}

// InvalidRequest is an error with code -32600.
func InvalidRequest(detail string) *Error {
	return newError(protocol.CodeInvalidRequest, "Invalid Request", detail)
}

// MethodNotFound is an error with code -32601.
func MethodNotFound(method string) *Error {
	return newError(protocol.CodeMethodNotFound, "Method Not Found", method)
}

// InvalidParams is an error with code -32602.
func InvalidParams(detail string) *Error {
	return newError(protocol.CodeInvalidParams, "Invalid Params", detail)
}

// InternalError is an error with code -32603.
func InternalError(detail string) *Error {
	return newError(protocol.CodeInternalError, "Internal Error", detail)
}

func newError(code int, kind, detail string) *Error {
	if detail == "" {
		return &Error{Code: code, Message: kind}
	}
	return &Error{Code: code, Message: kind + " [" + detail + "]"}
}
