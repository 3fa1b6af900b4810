package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcpserver/core"
	"mcpserver/core/client/transport"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// ErrNotConnected says that there is no connection to the server. Errors that
// wrap it may tell why.
var ErrNotConnected = errors.New("not connected")

// ErrInterrupted says that Client.Interrupt ended a call.
var ErrInterrupted = errors.New("interrupted")

// TimeoutError says that a limit of ours has passed.
type TimeoutError struct {
	// What took too long, and which limit it was.
	What  string
	Limit time.Duration
}

// Error gives what took too long and the limit.
func (e *TimeoutError) Error() string { return fmt.Sprintf("%s (limit: %s)", e.What, e.Limit) }

// Timeout is true. It makes the error one of net.Error's kind.
func (e *TimeoutError) Timeout() bool { return true }

// newServerError reads the error member of a response.
func newServerError(value string) error {
	members, err := objectMembers(value)
	if err != nil {
		return fmt.Errorf("the server answered with an error that is none: %w", err)
	}
	failure := &core.Error{Code: protocol.CodeInternalError, Message: "an error without a message"}
	for _, member := range members {
		switch member.Name {
		case "code":
			if code, ok := member.Value.Int(); ok {
				failure.Code = int(code)
			}
		case "message":
			failure.Message = member.Value.Text()
		case "data":
			failure.Data = json.RawMessage(member.Value.Raw)
		}
	}
	return failure
}

// statusServerError finds the JSON-RPC error in the body of an HTTP answer that
// tells of a failure.
func statusServerError(status *transport.StatusError) (failure *core.Error, ok bool) {
	var view wire.Message
	if wire.NewScanner(maxDepth).Scan(string(status.Body), &view) != nil || view.Error.Kind != wire.Object {
		return nil, false
	}
	return failure, errors.As(newServerError(view.Error.Raw), &failure)
}

// serverError gives the JSON-RPC error that an error is or carries.
func serverError(err error) (failure *core.Error, ok bool) {
	if errors.As(err, &failure) {
		return failure, true
	}
	var status *transport.StatusError
	if errors.As(err, &status) && !status.Unauthorized() {
		return statusServerError(status)
	}
	return nil, false
}

// hasCode reports whether an error is the server's, with that code.
func hasCode(err error, code int) bool {
	failure, ok := serverError(err)
	return ok && failure.Code == code
}

// IsNotFound reports whether an error says that a resource does not exist. The
// eras have different codes for that, and the modern one's says less.
func IsNotFound(err error) bool {
	return hasCode(err, protocol.CodeResourceNotFound) || hasCode(err, protocol.CodeInvalidParams)
}
