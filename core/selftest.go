package core

import (
	"encoding/json"
	"time"
)

// SelfTest is one request that "<binary> Test" sends through the same path as
// a client's, and what must come back.
type SelfTest struct {
	// Name says what the test shows. Required.
	Name string
	// Tool is called with Arguments, a JSON object ("" is none).
	Tool, Arguments string
	// Method and Params (a JSON object, "" is none) are for other requests;
	// Tool is empty then.
	Method, Params string
	// Era restricts the test to one era; a test of neither runs in each that the
	// binary serves.
	Era Era
	// Expect is what the answer must be.
	Expect Expect
	// Answers are the client's results to the server's questions, by method,
	// such as "sampling/createMessage". A question without one is refused.
	Answers map[string]json.RawMessage
	// Notification, if any, must arrive after the request was sent.
	Notification *ExpectNotification
}

// Era is one of the protocol's two eras.
type Era uint8

// The eras: by initialize handshake, and by what each request says of itself.
const (
	AnyEra Era = iota
	LegacyEra
	ModernEra
)

// Expect is what an answer must be. The zero Expect wants a result that is no
// error, neither of the protocol nor (isError) of the tool.
type Expect struct {
	// ErrorCode wants a JSON-RPC error of that code.
	ErrorCode int
	// ToolError wants a result with isError.
	ToolError bool
	// Values are what stands at gjson paths of the result (or of the error):
	// a string, a bool, an int or a float64.
	Values map[string]any
}

// ExpectNotification is a notification that must arrive.
type ExpectNotification struct {
	// Method is required.
	Method string
	// Values are what stands at gjson paths of its params.
	Values map[string]any
	// Within is the time limit; 0 is 5 seconds.
	Within time.Duration
}
