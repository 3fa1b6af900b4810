package core

import (
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Call is one request that a handler answers. Its methods are safe from any
// goroutine, and stay safe after the request was answered; what is sent then
// is dropped.
type Call struct {
	request   link.Request
	name      string
	arguments string
	members   []wire.Member
	variables map[string][]string
}

// NewCall makes the call for a request of the runner. The name is that of the
// tool or the prompt (or "" for other methods), the arguments are a JSON object or "".
func NewCall(request link.Request, name, arguments string, members []wire.Member) Call {
	return Call{request: request, name: name, arguments: arguments, members: members}
}

// Name is the name of the tool or the prompt; empty for other methods.
func (c *Call) Name() string { return c.name }

// URI is the URI that resources/read asks for.
func (c *Call) URI() string { return c.Params().Get("uri").Str }

// WithVariables gives the call with what a URI template's variables stand for,
// for the runner.
func (c Call) WithVariables(variables map[string][]string) Call {
	c.variables = variables
	return c
}

// Variable gives what a variable of the template stands for in the URI that
// resources/read asks for; the first value, if the template lists several, and
// "" if there is none.
func (c *Call) Variable(name string) string {
	if values := c.variables[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// Variables gives all values that a variable of the template has in the URI.
func (c *Call) Variables(name string) []string { return c.variables[name] }

// Method is the request's method, such as "tools/call".
func (c *Call) Method() string { return c.request.Method() }

// Arguments gives the arguments; an empty object when the client sent none.
// A name with special characters must be escaped to be used as a gjson path.
func (c *Call) Arguments() gjson.Result {
	return gjson.Parse(c.ArgumentsText())
}

// Params gives the request's params as the client sent them; it does not exist
// when there were none.
func (c *Call) Params() gjson.Result { return gjson.Parse(c.request.Params()) }

// Meta gives the request's _meta object; it does not exist when there was none.
func (c *Call) Meta() gjson.Result { return c.Params().Get("_meta") }

// ProtocolVersion is the revision that this request is served under, such as
// "2025-11-25".
func (c *Call) ProtocolVersion() string { return c.request.Revision().String() }

// Stateless reports whether the request is of the modern era, in which a server
// sends nothing after the answer but to those who subscribe.
func (c *Call) Stateless() bool { return !c.request.Revision().Legacy() }

// ClientCapabilities gives what the client declared.
func (c *Call) ClientCapabilities() gjson.Result {
	return gjson.Parse(c.request.ClientCapabilities())
}

// ClientInfo gives the client's name and version.
func (c *Call) ClientInfo() gjson.Result { return gjson.Parse(c.request.ClientInfo()) }

// Host gives the way back to the runner.
func (c *Call) Host() Host { return NewHost(c.request.Host()) }

// ArgumentsText gives the arguments as sent; "{}" when the client sent none. It
// is for the runner.
func (c *Call) ArgumentsText() string {
	if c.arguments == "" {
		return "{}"
	}
	return c.arguments
}

// Members gives the arguments one by one, in the order sent, for the runner.
func (c *Call) Members() []wire.Member { return c.members }

// RequireString gives the argument of that name. The error, if it is missing
// or no text, is the one to return.
func (c *Call) RequireString(name string) (string, error) {
	return required(c, name, "a string", textOf)
}

// RequireInt gives a whole number exactly; 3.0 and 1e2 are whole numbers.
func (c *Call) RequireInt(name string) (int64, error) {
	return required(c, name, "a whole number", wire.Value.Int)
}

// RequireFloat gives a number.
func (c *Call) RequireFloat(name string) (float64, error) {
	return required(c, name, "a number", wire.Value.Float)
}

// RequireBool gives a truth value.
func (c *Call) RequireBool(name string) (bool, error) {
	return required(c, name, "true or false", truthOf)
}

// String gives the argument of that name, or the fallback when it was not
// given (or null). The error, when it is no text, is the one to return.
func (c *Call) String(name, fallback string) (string, error) {
	return optional(c, name, fallback, "a string", textOf)
}

// Int is String for a whole number.
func (c *Call) Int(name string, fallback int64) (int64, error) {
	return optional(c, name, fallback, "a whole number", wire.Value.Int)
}

// Float is String for a number.
func (c *Call) Float(name string, fallback float64) (float64, error) {
	return optional(c, name, fallback, "a number", wire.Value.Float)
}

// Bool is String for a truth value.
func (c *Call) Bool(name string, fallback bool) (bool, error) {
	return optional(c, name, fallback, "true or false", truthOf)
}

func textOf(v wire.Value) (string, bool) { return v.Text(), v.Kind == wire.String }

func truthOf(v wire.Value) (bool, bool) {
	return v.Kind == wire.True, v.Kind == wire.True || v.Kind == wire.False
}

func required[T any](c *Call, name, want string, read func(wire.Value) (T, bool)) (T, error) {
	var none T
	value := c.argument(name)
	if value.Kind == wire.Absent {
		return none, InvalidParams("Missing parameter: " + name)
	}
	return typed(name, value, want, read)
}

func optional[T any](c *Call, name string, fallback T, want string, read func(wire.Value) (T, bool)) (T, error) {
	value := c.argument(name)
	if value.Kind == wire.Absent || value.Kind == wire.Null {
		return fallback, nil
	}
	return typed(name, value, want, read)
}

func typed[T any](name string, value wire.Value, want string, read func(wire.Value) (T, bool)) (T, error) {
	typed, ok := read(value)
	if !ok {
		return typed, fmt.Errorf("%s: must be %s", name, want)
	}
	return typed, nil
}

func (c *Call) argument(name string) wire.Value {
	for i := range c.members {
		if c.members[i].Name == name {
			return c.members[i].Value
		}
	}
	return wire.Value{}
}

// Progress tells the client how far the call is; a total of 0 is unknown. It
// is sent only if the client asked for progress, and only while it rises.
func (c *Call) Progress(progress, total float64, message string) {
	c.request.Progress(progress, total, message)
}

// Log sends a log message that belongs to this call. The data is anything that
// encoding/json can write. See Host.Log.
func (c *Call) Log(level LogLevel, logger string, data any) {
	c.request.Log(level.level(), logger, encodeData(data))
}

// Defer keeps the call open after its handler returns Pending. The handle
// answers it from any goroutine.
func (c *Call) Defer() *Deferred {
	c.request.Defer()
	return &Deferred{request: c.request}
}

// Deferred is a call that will be answered later.
type Deferred struct {
	request link.Request
}

// Complete answers the call, with what a handler could return: a result, an
// error, or what RequireInput gave. It reports an error when the call was
// answered before, or cancelled, or serving has ended; nothing is sent then.
// When it returns nil, the answer precedes whatever is sent afterwards. It waits
// while the client has left too much unread, unless the aspect Relays.
func (d *Deferred) Complete(result Result, err error) error {
	return d.request.Complete(result, err)
}

// LogLevel is a level of log messages to the client, as syslog has them.
type LogLevel uint8

// The levels, least severe first.
const (
	LogDebug LogLevel = iota
	LogInfo
	LogNotice
	LogWarning
	LogError
	LogCritical
	LogAlert
	LogEmergency
)

// LevelOf gives the level of the protocol's own kind, for the runner.
func LevelOf(level protocol.LogLevel) LogLevel { return LogLevel(level) }

// String gives the level's name, such as "warning".
func (l LogLevel) String() string { return l.level().String() }

func (l LogLevel) level() protocol.LogLevel {
	return min(protocol.LogLevel(l), protocol.Emergency)
}

// encodeData gives the data of a log message as JSON; what cannot be written
// as JSON is described in a text, so that no message is lost.
func encodeData(data any) string {
	if text, ok := data.(string); ok {
		return string(wire.AppendString(nil, text))
	}
	encoded, err := marshal(data)
	if err != nil {
		return string(wire.AppendString(nil, fmt.Sprintf("%+v (%v)", data, err)))
	}
	return string(encoded)
}
