package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Request is one request to the server.
type Request struct {
	// Method is required.
	Method string
	// Params is a JSON object, or nil. What it says is sent as it is, apart from
	// the members of _meta that the client sets itself: the progress token, and
	// in the modern era version, capabilities and identity.
	Params json.RawMessage
	// OnProgress is told of progress; nil asks for none. OnNotification is given
	// the notifications that belong to this request, as a Tag would, instead of
	// Options.OnNotification; nil leaves them to that.
	//
	// Both run on a goroutine of the request's own, one at a time and in the
	// server's order, and have been given all that came before the answer when
	// the request returns. Three things are the exception: an answer waits a
	// quarter of a second at most for them to return; of more than 1,024 that wait,
	// or 64 MiB, the oldest is dropped; and nothing is waited for when a limit, the
	// context or Interrupt ends the request. A lost notification is logged.
	OnProgress     func(Progress)
	OnNotification func(Notification)
	// CallTimeout and MaxCallTimeout are as in Options; zero is what stands
	// there.
	CallTimeout, MaxCallTimeout time.Duration
	// Unanswered hands out a result that asks for input as it is, instead of
	// having the handlers answer it. The caller sends the next round itself,
	// with inputResponses and requestState among the params.
	Unanswered bool
	// Tag comes back in what the server asks and tells about this request.
	Tag any
	// Capabilities is declared with this request instead of what is declared
	// otherwise; nil is no difference. It is of the modern era alone.
	Capabilities json.RawMessage
	// LogLevel asks for log messages about this request, in the modern era; ""
	// is what SetLogLevel has set.
	LogLevel string
	// OnSent is called when the request has been handed to the transport, which
	// sends in this order, or will not be. It is called at least once, also for
	// each further round.
	OnSent func()
	// Repeatable says that nothing is lost if the server serves the request
	// twice. Such a request is sent once more when a session was lost.
	Repeatable bool
}

// asks reports whether a server may ask something while it serves the method.
func asks(method string) bool {
	switch method {
	case "tools/call", "prompts/get", "resources/read":
		return true
	}
	return false
}

// surroundings are what goes around the params of one request.
type surroundings struct {
	session      *session
	capabilities string // JSON objects
	clientInfo   string
	logLevel     string
	token        int64 // the progress token; 0 is none
}

// appendParams appends the params object of a request with its _meta, on one
// line.
func (e *surroundings) appendParams(dst []byte, params json.RawMessage) ([]byte, error) {
	if len(params) == 0 {
		params = json.RawMessage(`{}`)
	}
	start := len(dst)
	dst, err := wire.AppendCompact(dst, string(params))
	if err == nil && dst[start] != '{' {
		err = errors.New("it is no JSON object")
	}
	object := string(dst[start:])
	if err == nil {
		err = checkRepeated(object)
	}
	if err != nil {
		return nil, fmt.Errorf("the params cannot be sent: %w", err)
	}
	dst = append(dst[:start], '{')
	meta := ""
	for member := range wire.Members(object) {
		if member.Name != "_meta" {
			dst = appendMember(dst, member.Name, member.Value.Raw)
			continue
		}
		if member.Value.Kind != wire.Object && member.Value.Kind != wire.Null {
			return nil, errors.New("the params cannot be sent: _meta is no JSON object")
		}
		if err := checkRepeated(member.Value.Raw); err != nil {
			return nil, fmt.Errorf("_meta cannot be sent: %w", err)
		}
		meta = member.Value.Raw
	}
	return append(e.appendMeta(dst, meta), '}'), nil
}

// checkRepeated says that an object has a member twice: each reader may take
// another one of them.
func checkRepeated(object string) error {
	var few [16]string
	names := few[:0]
	for member := range wire.Members(object) {
		if slices.Contains(names, member.Name) {
			return fmt.Errorf("it has the member %q twice", member.Name)
		}
		if names = append(names, member.Name); len(names) > maxMembers {
			return fmt.Errorf("it has more than %d members", maxMembers)
		}
	}
	return nil
}

// maxMembers is how many members params and _meta can have.
const maxMembers = 1000

// ownMeta are the members of _meta that are ours to set.
var ownMeta = []string{protocol.MetaProgressToken}

// modernMeta are those of them that every request of the modern era has, or may
// have.
var modernMeta = []string{protocol.MetaProtocolVersion, protocol.MetaClientCapabilities, protocol.MetaClientInfo, protocol.MetaLogLevel}

// appendMeta appends the member _meta, if there is anything in it. Given is what
// the caller has put there, an object on one line, or "".
func (e *surroundings) appendMeta(dst []byte, given string) []byte {
	if given == "" && e.token == 0 && !e.session.modern() {
		return dst
	}
	meta := []byte{'{'}
	for member := range wire.Members(given) {
		if !slices.Contains(ownMeta, member.Name) && !slices.Contains(modernMeta, member.Name) {
			meta = appendMember(meta, member.Name, member.Value.Raw)
		}
	}
	if e.token != 0 {
		meta = wire.AppendInt(appendMember(meta, protocol.MetaProgressToken, ""), e.token)
	}
	if e.session.modern() {
		meta = appendMember(meta, protocol.MetaProtocolVersion, quoted(e.session.revision.String()))
		meta = appendMember(meta, protocol.MetaClientCapabilities, e.capabilities)
		meta = appendMember(meta, protocol.MetaClientInfo, e.clientInfo)
		if e.logLevel != "" {
			meta = appendMember(meta, protocol.MetaLogLevel, quoted(e.logLevel))
		}
	}
	if len(meta) == 1 {
		return dst
	}
	return appendMember(dst, "_meta", string(append(meta, '}')))
}

// compactObject gives a JSON object that somebody has configured, on one line.
func compactObject(object json.RawMessage) (string, error) {
	compact, err := wire.AppendCompact(nil, string(object))
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(string(compact), "{") {
		return "", errors.New("it is no JSON object")
	}
	return string(compact), nil
}
