package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core/client/transport"
)

// site is a scripted server on real HTTP.
type site struct {
	// serve answers a request; what it does not answer is a 202.
	serve func(w http.ResponseWriter, r *http.Request, message gjson.Result) (answered bool)

	mu   sync.Mutex
	seen []seen
}

// seen is one request that a site got.
type seen struct {
	method, session, version string
	message                  gjson.Result
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	message := gjson.ParseBytes(body)
	s.mu.Lock()
	s.seen = append(s.seen, seen{r.Method, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version"), message})
	s.mu.Unlock()
	if !s.serve(w, r, message) {
		w.WriteHeader(http.StatusAccepted)
	}
}

// got gives the requests whose message has a method.
func (s *site) got(method string) (all []seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.seen {
		if one.message.Get("method").Str == method {
			all = append(all, one)
		}
	}
	return all
}

// answer answers a request with what there is for its method, and reports whether
// the message was a request.
func (s *site) answer(w http.ResponseWriter, message gjson.Result, results map[string]string) bool {
	id := message.Get("id").Raw
	if id == "" {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	result, known := results[message.Get("method").Str]
	if !known {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		return true
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	return true
}

var legacyResults = map[string]string{
	"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"}}`,
	"tools/list": `{"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},` +
		`{"name":"write","inputSchema":{"type":"object"}}]}`,
	"tools/call": `{"content":[]}`,
}

var modernResults = map[string]string{
	"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`,
	"tools/list":      legacyResults["tools/list"],
	"tools/call":      `{"resultType":"complete","content":[]}`,
}

// visit starts a site and gives a client for it that is not connected.
func visit(t *testing.T, s *site, options Options) *Client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := New("s", &transport.HTTP{URL: server.URL + "/mcp"})
	c.Options = options
	t.Cleanup(func() { disconnect(t, c) })
	return c
}

// TestProbeOverHTTP: what answers to server/discover mean there.
func TestProbeOverHTTP(t *testing.T) {
	status := func(code int, kind, body string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	for _, test := range []struct {
		name     string
		discover func(http.ResponseWriter, *http.Request)
		era      Era
		wrong    string // of the error; "" is none
	}{
		{"nothing", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, EraLegacy, ""},
		{"400 in plain text", status(400, "text/plain", "Bad Request: no session"), EraLegacy, ""},
		{"404", status(404, "text/plain", "nothing here"), EraLegacy, ""},
		{"500", status(500, "text/html", "<html>"), EraLegacy, ""},
		{"406", status(406, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`), EraLegacy, ""},
		{"a page", status(200, "text/html", "<html>"), EraLegacy, ""},
		{"401", status(401, "application/json", `{"error":"no token"}`), 0, "authorization"},
		{"403", status(403, "text/plain", "forbidden"), 0, "authorization"},
		{"400 with newer versions", status(400, "application/json",
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2030-01-01"]}}}`), 0, "2030-01-01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &site{}
			s.serve = func(w http.ResponseWriter, r *http.Request, message gjson.Result) bool {
				if message.Get("method").Str == "server/discover" {
					test.discover(w, r)
					return true
				}
				return s.answer(w, message, legacyResults)
			}
			options := Options{ProbeTimeout: time.Minute}
			if test.name == "nothing" {
				options.ProbeTimeout = 50 * time.Millisecond
			}
			c := visit(t, s, options)
			err := c.Connect(t.Context())
			if test.wrong != "" {
				mustContain(t, err, test.wrong)
				if len(s.got("initialize")) > 0 {
					t.Error("the client falls back to initialize")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if info, _ := c.Server(); info.Era != test.era {
				t.Errorf("the era is %s, want %s", info.Era, test.era)
			}
		})
	}
}

// TestSessionIsForgotten: calls at the same time begin one new session, what may
// be repeated is sent once more under it, and the other call gets an error.
func TestSessionIsForgotten(t *testing.T) {
	var mu sync.Mutex
	session, waiting := 0, make(chan struct{})
	calls := 0
	s := &site{}
	s.serve = func(w http.ResponseWriter, r *http.Request, message gjson.Result) bool {
		mu.Lock()
		if message.Get("method").Str == "initialize" {
			session++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint("session-", session))
		}
		first := session == 1
		if first && message.Get("method").Str == "tools/call" {
			if calls++; calls == 3 {
				close(waiting)
			}
		}
		mu.Unlock()
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return true
		case first && message.Get("method").Str == "tools/call":
			<-waiting // until all are there
			w.WriteHeader(http.StatusNotFound)
			return true
		}
		return s.answer(w, message, legacyResults)
	}
	c := visit(t, s, Options{Era: EraLegacy})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	for _, tool := range []string{"read", "read", "write"} {
		callers.Go(func() {
			_, err := c.CallTool(t.Context(), tool, nil)
			if tool == "read" && err != nil || tool == "write" && !errors.Is(err, transport.ErrSessionLost) {
				t.Errorf("the call of %s gives %v", tool, err)
			}
		})
	}
	callers.Wait()
	if handshakes, repeated := len(s.got("initialize")), len(s.got("tools/call")); handshakes != 2 || repeated != 5 {
		t.Errorf("there have been %d handshakes and %d calls, want 2 and 5", handshakes, repeated)
	}
	for _, call := range s.got("tools/call")[3:] {
		if call.session != "session-2" || call.version != "2025-11-25" || call.message.Get("params.name").Str != "read" {
			t.Errorf("%s was called in %q under %q", call.message.Get("params.name"), call.session, call.version)
		}
	}
}

// TestOwnStreamIsOpenFirst: a server that asks on its own stream has somebody to
// ask from the first call on.
func TestOwnStreamIsOpenFirst(t *testing.T) {
	for range 20 {
		var opened atomic.Bool
		s := &site{}
		s.serve = func(w http.ResponseWriter, r *http.Request, message gjson.Result) bool {
			if r.Method == http.MethodGet {
				opened.Store(true)
				w.Header().Set("Content-Type", "text/event-stream")
				if http.NewResponseController(w).Flush() == nil {
					<-r.Context().Done()
				}
				return true
			}
			if message.Get("method").Str == "tools/list" && !opened.Load() {
				t.Error("the client has a request before the server's stream is open")
			}
			return s.answer(w, message, legacyResults)
		}
		c := visit(t, s, Options{Era: EraLegacy})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		disconnect(t, c)
	}
}

// TestHeartbeatsAreNoAnswer: a stream that says nothing but comments does not
// hold a call beyond its limit, whatever the era, and cancelling it is told as the
// era has it.
func TestHeartbeatsAreNoAnswer(t *testing.T) {
	for _, era := range []Era{EraLegacy, EraModern} {
		t.Run(era.String(), func(t *testing.T) {
			hungUp := make(chan struct{})
			s := &site{}
			s.serve = func(w http.ResponseWriter, r *http.Request, message gjson.Result) bool {
				if r.Method != http.MethodPost {
					w.WriteHeader(http.StatusMethodNotAllowed)
					return true
				}
				if message.Get("method").Str != "tools/call" {
					return s.answer(w, message, map[Era]map[string]string{EraLegacy: legacyResults, EraModern: modernResults}[era])
				}
				defer close(hungUp)
				w.Header().Set("Content-Type", "text/event-stream")
				for r.Context().Err() == nil {
					fmt.Fprint(w, ": still here\n\n")
					if http.NewResponseController(w).Flush() != nil {
						break
					}
				}
				return true
			}
			c := visit(t, s, Options{Era: era})
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, err := c.Do(t.Context(), &Request{
				Method: "tools/call", Params: []byte(`{"name":"write"}`), CallTimeout: 100 * time.Millisecond,
			})
			var late *TimeoutError
			if !errors.As(err, &late) {
				t.Errorf("the call gives %v, want a time-out", err)
			}
			<-hungUp // the exchange is over on the server's side too
			disconnect(t, c)
			cancellations := s.got("notifications/cancelled")
			if era == EraModern && len(cancellations) > 0 {
				t.Error("the modern server was told with a notification")
			}
			if calls := s.got("tools/call"); len(calls) != 1 {
				t.Errorf("the call was sent %d times", len(calls))
			}
		})
	}
}

// TestOldTransport: a server that knows HTTP+SSE alone is reached, without being
// configured as such, and asks and answers there.
func TestOldTransport(t *testing.T) {
	messages := make(chan string, 100)
	s := &site{}
	s.serve = func(w http.ResponseWriter, r *http.Request, message gjson.Result) bool {
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: endpoint\ndata: messages?for=1\n\n")
			for {
				if http.NewResponseController(w).Flush() != nil {
					return true
				}
				select {
				case text := <-messages:
					fmt.Fprintf(w, "event: message\ndata: %s\n\n", text)
				case <-r.Context().Done():
					return true
				}
			}
		case r.URL.Path == "/mcp":
			w.WriteHeader(http.StatusMethodNotAllowed)
			return true
		case message.Get("method").Str == "tools/call":
			messages <- `{"jsonrpc":"2.0","id":"q","method":"roots/list"}`
		case message.Get("id").Str == "q":
			call := s.got("tools/call")[0].message
			messages <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, call.Get("id").Raw, message.Get("result").Raw)
		case message.Get("id").Exists():
			result := strings.Replace(legacyResults[message.Get("method").Str], "2025-11-25", "2024-11-05", 1)
			messages <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, message.Get("id").Raw, result)
		}
		return false
	}
	c := visit(t, s, Options{Handlers: map[string]Handler{
		"roots/list": func(context.Context, ServerRequest) (json.RawMessage, error) {
			return json.RawMessage(`{"roots":[]}`), nil
		},
	}})
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, _ := c.Server(); info.Version != "2024-11-05" {
		t.Errorf("the version is %s", info.Version)
	}
	result, err := c.CallTool(t.Context(), "read", nil)
	if string(result) != `{"roots":[]}` || err != nil {
		t.Errorf("the call gives %s, %v", result, err)
	}
}
