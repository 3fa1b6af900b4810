package core

import (
	"encoding/json"
	"errors"
	"fmt"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// ForwardedResult is another server's result, a JSON object, for aspects that
// stand in front of other servers. Nothing of it is checked, and it stays as it
// is, byte for byte but for white space, apart from what belongs to the era that
// is spoken: its resultType, and the server's identity in its _meta. What it
// says of caching counts in place of the aspect's Caching; if it says only half
// of it, the other half is as careful as can be. A client of a protocol version
// before 2025-11-25 gets what that version knows, as with a RawResult.
type ForwardedResult string

// AppendMembers implements Result.
func (forwarded ForwardedResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	object, err := forwarded.object()
	if err != nil {
		return nil, err
	}
	return object.AppendMembers(dst, revision)
}

func (forwarded ForwardedResult) object() (forwardedObject, error) {
	compact, err := wire.AppendCompact(make([]byte, 0, len(forwarded)), string(forwarded))
	if err != nil {
		return "", fmt.Errorf("forwarded result: %w", err)
	}
	if compact[0] != '{' {
		return "", errors.New("forwarded result is no JSON object")
	}
	return forwardedObject(compact), nil
}

// forwardedObject is a forwarded result that is known to be a JSON object, on
// one line.
type forwardedObject string

// AppendMembers implements Result.
func (object forwardedObject) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	start := len(dst)
	if revision < protocol.V20251125 {
		own := withoutComma(object.appendOwn([]byte{'{'}, revision), 1)
		return withoutComma(appendKnown(dst, string(append(own, '}')), revision), start), nil
	}
	return withoutComma(object.appendOwn(dst, revision), start), nil
}

// appendOwn appends the members that are the other server's own, each with a
// comma before it.
func (object forwardedObject) appendOwn(dst []byte, revision protocol.Revision) []byte {
	for member, text := range wire.MembersAndTexts(string(object)) {
		switch member.Name {
		case "resultType":
			continue // where there is one, the runner writes it
		case "_meta":
			if revision.Legacy() {
				dst = appendMetaMember(dst, text, member.Value.Raw)
			}
			continue
		}
		dst = append(append(dst, ','), text...)
	}
	return dst
}

// appendMetaMember appends a _meta member of the legacy era, which knows no
// identity there.
func appendMetaMember(dst []byte, text, meta string) []byte {
	start, identified := len(dst), false
	dst = append(append(dst, ','), text[:len(text)-len(meta)]...)
	dst = append(dst, '{')
	opened := len(dst)
	for member, own := range wire.MembersAndTexts(meta) {
		if member.Name == protocol.MetaServerInfo {
			identified = true
			continue
		}
		dst = append(append(dst, ','), own...)
	}
	switch {
	case !identified:
		return append(append(dst[:start], ','), text...)
	case len(dst) == opened:
		return dst[:start]
	}
	return append(withoutComma(dst, opened), '}')
}

// ResultMeta gives the result's own _meta, where the runner writes that member;
// nil if it is no object.
func (object forwardedObject) ResultMeta() (meta json.RawMessage) {
	for member := range wire.Members(string(object)) {
		if member.Name == "_meta" && member.Value.Kind == wire.Object {
			meta = json.RawMessage(member.Value.Raw)
		}
	}
	return meta
}

// SaysCaching reports, for the runner, which of the two members the result has
// that say how long it may be kept, and by whom.
func (object forwardedObject) SaysCaching() (lifetime, scope bool) {
	for member := range wire.Members(string(object)) {
		lifetime = lifetime || member.Name == "ttlMs"
		scope = scope || member.Name == "cacheScope"
	}
	return lifetime, scope
}

// Forward sends on a notification of another server that belongs to this call.
// The params are a JSON object, or nil, and stay as they are. Of progress the
// client is told if it has asked for it, under its own token and only while it
// rises (and in 2024-11-05 without the message, which does not exist there); of
// log messages, those of the levels that it wants. A client of the modern era
// gets nothing else. Nothing is sent after the answer.
func (c *Call) Forward(method string, params json.RawMessage) {
	c.request.Forward(method, string(params))
}

// Forward sends on a notification of another server that belongs to no call.
// The params are a JSON object, or nil, and stay as they are. Of log messages
// the client gets those of the levels that it wants; the others go to the trace
// alone, and are no error. A client of the modern era gets nothing. It does not
// wait for the client; see Post.
func (h Host) Forward(method string, params json.RawMessage) error {
	return h.host.Forward(method, string(params))
}
