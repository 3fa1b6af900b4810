package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// ForwardedResult is another server's result, a JSON object, for aspects that
// stand in front of other servers. Nothing of it is checked, and it stays as it
// is, apart from what belongs to the era that is spoken: its resultType, and
// the server's identity in its _meta. What it says of caching counts in place
// of the aspect's Caching. A client of a protocol version before 2025-11-25
// gets what that version knows, as with a RawResult.
type ForwardedResult string

// AppendMembers implements Result.
func (forwarded ForwardedResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	if revision < protocol.V20251125 {
		return RawResult(forwarded).AppendMembers(dst, revision)
	}
	start := len(dst)
	dst, err := wire.AppendCompact(dst, string(forwarded))
	if err != nil {
		return nil, fmt.Errorf("forwarded result: %w", err)
	}
	if dst[start] != '{' {
		return nil, errors.New("forwarded result is no JSON object")
	}
	if revision.Legacy() && !strings.Contains(string(forwarded), "esultType") && !strings.Contains(string(forwarded), `\u`) {
		return append(dst[:start], dst[start+1:len(dst)-1]...), nil
	}
	object := string(dst[start:])
	dst = dst[:start]
	for member := range wire.Members(object) {
		if member.Name == "resultType" || member.Name == "_meta" && !revision.Legacy() {
			continue // the runner writes these
		}
		dst = wire.AppendString(append(dst, ','), member.Name)
		dst = append(append(dst, ':'), member.Value.Raw...)
	}
	return withoutComma(dst, start), nil
}

// ResultMeta gives the result's own _meta, where the runner writes that member.
func (forwarded ForwardedResult) ResultMeta() json.RawMessage {
	return RawResult(forwarded).ResultMeta()
}

// SaysCaching reports, for the runner, whether the result has the members that
// say how long it may be kept.
func (forwarded ForwardedResult) SaysCaching() bool {
	has := 0
	for member := range wire.Members(string(forwarded)) {
		if member.Name == "ttlMs" || member.Name == "cacheScope" {
			has++
		}
	}
	return has == 2
}

// Forward sends on a notification of another server that belongs to this call.
// The params are a JSON object, and stay as they are. Of progress the client is
// told if it has asked for it, under its own token and only while it rises; of
// log messages, those of the levels that it wants. A client of the modern era
// gets nothing else.
func (c *Call) Forward(method string, params json.RawMessage) {
	c.request.Forward(method, string(params))
}

// Forward sends on a notification of another server that belongs to no call.
// The params are a JSON object, or nil, and stay as they are. Of log messages
// the client gets those of the levels that it wants. A client of the modern era
// gets none. It does not wait for the client; see Post.
func (h Host) Forward(method string, params json.RawMessage) error {
	return h.host.Forward(method, string(params))
}
