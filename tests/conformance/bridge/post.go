package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	versionHeader = "Mcp-Protocol-Version"
	mostBody      = 64 << 20 // bytes
)

// post serves the POST of one message.
func (b *Bridge) post(w http.ResponseWriter, r *http.Request) {
	if status, problem := contentProblem(r.Header); problem != "" {
		refuse(w, status, message{}, codeInvalidRequest, problem)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		refuse(w, http.StatusBadRequest, message{}, codeParseError, "reading the body: "+err.Error())
		return
	}
	m, err := parseMessage(bytes.TrimSpace(body))
	if err != nil {
		code := codeInvalidRequest
		if errors.Is(err, errNotJSON) {
			code = codeParseError
		}
		refuse(w, http.StatusBadRequest, m, code, err.Error())
		return
	}
	if isModern(r.Header.Get(versionHeader), m) {
		b.postModern(w, r, m)
		return
	}
	b.postLegacy(w, r, m)
}

// isModern tells the era. A message says itself that it is of the modern one, or
// else its header does; an initialize that does not say so opens a session.
func isModern(header string, m message) bool {
	return m.get(pathProtocolVersion).Exists() || m.method != "initialize" && !mayBeLegacy(header)
}

// mayBeLegacy reports whether a version header is that of a legacy revision, or
// absent.
func mayBeLegacy(header string) bool {
	return slices.Contains([]string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}, header)
}

func contentProblem(header http.Header) (status int, problem string) {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		return http.StatusUnsupportedMediaType, "Content-Type must be application/json"
	}
	accepted := strings.Join(header.Values("Accept"), ",")
	for _, kind := range []string{"*/*", "application/json", "text/event-stream"} {
		if accepted == "" || strings.Contains(accepted, kind) {
			return 0, ""
		}
	}
	return http.StatusNotAcceptable, "Accept must have application/json and text/event-stream"
}

func isLocal(hostAndPort string) bool {
	host, _, err := net.SplitHostPort(hostAndPort)
	if err != nil {
		host = hostAndPort
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1", "[::1]"}, strings.ToLower(host))
}

func isLocalOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	from, err := url.Parse(origin)
	return err == nil && isLocal(from.Host)
}

// refuse answers in the place of a server of the HTTP transport.
func refuse(w http.ResponseWriter, status int, to message, code int, text string) {
	id := to.id
	if !to.isRequest() {
		id = "null"
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings always have a JSON form
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted)
}

// noAnswer says that the server has given none.
func noAnswer(w http.ResponseWriter, status int, err error) {
	http.Error(w, "bridge: "+err.Error(), status)
}

func notAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	w.WriteHeader(http.StatusMethodNotAllowed)
}
