package client

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
)

// session is what the client and a server have agreed upon. It never changes.
type session struct {
	revision protocol.Revision
	// capabilities and serverInfo are the server's, JSON objects.
	capabilities, serverInfo string
	instructions             string
}

// modern reports whether there is a session of the modern era; nil is none.
func (s *session) modern() bool { return s != nil && !s.revision.Legacy() }

// version gives the revision as it stands on the wire; "" for no session.
func (s *session) version() string {
	if s == nil {
		return ""
	}
	return s.revision.String()
}

// has reports whether the server has declared a capability, by its path:
// "tools", "resources.subscribe". Null and false are a no.
func (s *session) has(path string) bool {
	value := gjson.Get(s.capabilities, path)
	return value.Exists() && value.Type != gjson.Null && value.Type != gjson.False
}

// ServerInfo is what a server has said about itself.
type ServerInfo struct {
	Era Era
	// Version is the protocol version that is spoken.
	Version string
	// Capabilities is a JSON object, and so is Info, the server's own account of
	// its name and version, which may be nil.
	Capabilities, Info json.RawMessage
	Instructions       string
}

func (s *session) info() ServerInfo {
	info := ServerInfo{
		Era:          EraLegacy,
		Version:      s.version(),
		Capabilities: json.RawMessage(s.capabilities),
		Instructions: s.instructions,
	}
	if s.modern() {
		info.Era = EraModern
	}
	if s.serverInfo != "" {
		info.Info = json.RawMessage(s.serverInfo)
	}
	return info
}

// objectText gives the JSON text of a value that is an object, or otherwise.
func objectText(value gjson.Result, otherwise string) string {
	if !value.IsObject() {
		return otherwise
	}
	return value.Raw
}
