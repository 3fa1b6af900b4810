package protocol

// Error codes of JSON-RPC 2.0.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// Error codes of the protocol.
const (
	// CodeResourceNotFound is of the legacy era alone.
	CodeResourceNotFound = -32002
	// CodeMissingCapability and CodeUnsupportedVersion are of the modern era.
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)
