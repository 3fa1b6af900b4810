package transport

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// Headers of the protocol.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	parameterHead = "Mcp-Param-"
	headerEventID = "Last-Event-ID"
)

// setHeaders sets what a message has repeated in headers. What there is to
// repeat differs by era.
func (m *Message) setHeaders(header http.Header, session string) {
	if m.Version != "" {
		header.Set(headerVersion, m.Version)
	}
	if !m.Modern {
		if session != "" && m.Method != "initialize" {
			header.Set(headerSession, session)
		}
		return
	}
	header.Set(headerMethod, m.Method)
	if m.Name != "" {
		header.Set(headerName, encodeHeader(m.Name))
	}
	for _, parameter := range m.Parameters {
		header.Set(parameterHead+parameter.Name, encodeHeader(parameter.Value))
	}
}

const (
	sentinelStart = "=?base64?"
	sentinelEnd   = "?="
)

// encodeHeader gives a text as a header's value: as it is where a header can
// carry it unchanged, else in base64 between marks.
func encodeHeader(text string) string {
	if plainHeader(text) {
		return text
	}
	return sentinelStart + base64.StdEncoding.EncodeToString([]byte(text)) + sentinelEnd
}

func plainHeader(text string) bool {
	if strings.HasPrefix(text, sentinelStart) && strings.HasSuffix(text, sentinelEnd) {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c > '~' {
			return false
		}
	}
	return strings.Trim(text, " \t") == text
}

// validSession reports whether a session id has nothing but visible ASCII
// characters, as the specification wants it, and a sensible length.
func validSession(id string) bool {
	const longest = 4096
	for i := range len(id) {
		if id[i] < '!' || id[i] > '~' {
			return false
		}
	}
	return id != "" && len(id) <= longest
}
