package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// remote is a server that is reached over HTTP. It writes all its JSON on many
// lines.
type remote struct {
	*httptest.Server
	mu      sync.Mutex
	headers []http.Header
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	r := &remote{}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *remote) serve(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	r.headers = append(r.headers, request.Header.Clone())
	r.mu.Unlock()
	if request.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, _ := io.ReadAll(request.Body)
	message := gjson.ParseBytes(body)
	if !message.Get("id").Exists() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := map[string]string{
		"initialize":               `{"protocolVersion":"2025-11-25","capabilities":` + everything + `}`,
		"tools/list":               `{"tools":[{"name":"x","inputSchema":{"type":"object"},"_meta":{"k":[1.0]}}]}`,
		"prompts/list":             `{"prompts":[{"name":"p","_meta":{"k":[1.0]}}]}`,
		"resources/list":           `{"resources":[{"uri":"r://1","name":"n","_meta":{"k":[1.0]}}]}`,
		"resources/templates/list": `{"resourceTemplates":[]}`,
		"tools/call":               `{"content":[],"structuredContent":{"a":[1.0]}}`,
		"prompts/get":              `{"messages":[],"_meta":{"k":1.0}}`,
		"resources/read":           `{"contents":[],"_meta":{"k":1.0}}`,
	}[message.Get("method").Str]
	answer := `{"jsonrpc":"2.0","id":` + message.Get("id").Raw + `,"result":` + result + `}`
	if result == "" {
		answer = `{"jsonrpc":"2.0","id":` + message.Get("id").Raw + `,"error":{"code":-32601,"message":"no"}}`
	}
	if message.Get("method").Str != "tools/call" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, indented(answer))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + message.Get("params._meta.progressToken").Raw + `,"progress":1,"x-new":[1.0]}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"a":[1.0]}}}`,
		answer,
	} {
		fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(indented(event), "\n", "\ndata: "))
	}
}

func indented(text string) string {
	var wide bytes.Buffer
	_ = json.Indent(&wide, []byte(text), "", "  ")
	return wide.String()
}

// TestJSONOnManyLines of a server over HTTP is on one line for the client.
func TestJSONOnManyLines(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	c := connect(t, settings{config: writeConfig(t, `{"servers":{"s":{"url":"`+r.URL+`"}}}`)})
	c.initialize(fullClient)
	c.settle()
	for method, test := range map[string]struct{ params, path, want string }{
		"tools/list":     {`{}`, "tools.0", `{"name":"s.x","inputSchema":{"type":"object"},"_meta":{"k":[1.0]}}`},
		"prompts/list":   {`{}`, "prompts.0", `{"name":"s.p","_meta":{"k":[1.0]}}`},
		"resources/list": {`{}`, "resources.0", `{"uri":"r://1","name":"n","_meta":{"k":[1.0]}}`},
		"tools/call":     {`{"name":"s.x","_meta":{"progressToken":"p"}}`, "@this", `{"content":[],"structuredContent":{"a":[1.0]}}`},
		"prompts/get":    {`{"name":"s.p"}`, "@this", `{"messages":[],"_meta":{"k":1.0}}`},
		"resources/read": {`{"uri":"r://1"}`, "@this", `{"contents":[],"_meta":{"k":1.0}}`},
	} {
		if got := c.result(method, test.params).Get(test.path).Raw; got != test.want {
			t.Errorf("%s gives\n%s, want\n%s", method, got, test.want)
		}
	}
	if got := c.message("notifications/progress").Get("params").Raw; got != `{"progressToken":"p","progress":1,"x-new":[1.0]}` {
		t.Errorf("progress comes as %s", got)
	}
	if got := c.message("notifications/message").Get("params").Raw; got != `{"logger":"s","level":"error","data":{"a":[1.0]}}` {
		t.Errorf("a log message comes as %s", got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, message := range c.messages {
		if !gjson.Valid(message.Raw) {
			t.Errorf("the client has got %q", message.Raw)
		}
	}
}

// TestHeaders of an entry are on each request, whatever it is.
func TestHeaders(t *testing.T) {
	t.Parallel()
	r := newRemote(t)
	config := writeConfig(t, `{"inputs":[{"id":"token","default":"secret"}],"mcpServers":{"s":{"type":"http","url":"`+r.URL+`","headers":{"X-Key":"a b","Authorization":"Bearer ${input:token}"}}}}`)
	c := connect(t, settings{config: config})
	c.initialize(`{}`)
	c.settle()
	c.call("s.x", "")
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, header := range r.headers {
		if header.Get("X-Key") != "a b" || header.Get("Authorization") != "Bearer secret" {
			t.Errorf("a request has the headers %v", header)
		}
	}
	if len(r.headers) < 5 {
		t.Errorf("there were %d requests", len(r.headers))
	}
}

// TestRemoteServersThatCannotBeReached are named with the reason, and without
// their secrets.
func TestRemoteServersThatCannotBeReached(t *testing.T) {
	t.Parallel()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	t.Cleanup(refusing.Close)
	config := writeConfig(t, `{"mcpServers":{"closed":{"url":"http://127.0.0.1:1/?key=hidden"},"refusing":{"url":"`+refusing.URL+`/?key=hidden","headers":{"Authorization":"Bearer hidden"}}}}`)
	c := connect(t, settings{config: config})
	c.initialize(`{}`)
	c.settle()
	about := c.about()
	for _, want := range []string{"Server closed: not connected: ", "refused", "Server refusing: not connected: ", "HTTP status 401", "who are you?"} {
		if !strings.Contains(about, want) {
			t.Errorf("about_tsar-mcp has no %q:\n%s", want, about)
		}
	}
	if strings.Contains(about, "hidden") {
		t.Errorf("a secret is shown:\n%s", about)
	}
}

// TestLostSession: a tool whose calls may be repeated is called once more when a
// remote server has forgotten the session, and no other.
func TestLostSession(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	sessions, calls := 0, map[string]int{}
	forgetful := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		message := gjson.ParseBytes(body)
		mu.Lock()
		defer mu.Unlock()
		result := `{"tools":[{"name":"reads","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"writes","inputSchema":{"type":"object"}}]}`
		switch method := message.Get("method").Str; {
		case request.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		case method == "server/discover":
			w.WriteHeader(http.StatusBadRequest)
			return
		case method == "initialize":
			sessions++
			w.Header().Set("Mcp-Session-Id", fmt.Sprint(sessions))
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`
		case !message.Get("id").Exists():
			w.WriteHeader(http.StatusAccepted)
			return
		case method == "tools/call":
			name := message.Get("params.name").Str
			if calls[name]++; calls[name] == 1 {
				http.Error(w, "which session?", http.StatusNotFound)
				return
			}
			result = textResult(name)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":`+message.Get("id").Raw+`,"result":`+result+`}`)
	}))
	t.Cleanup(forgetful.Close)
	c := connect(t, settings{config: writeConfig(t, `{"servers":{"s":{"url":"`+forgetful.URL+`"}}}`)})
	c.initialize(`{}`)
	c.settle()
	c.wantText("s.reads", "reads")
	c.awaitTools(func(names []string) bool { return len(names) == 2 })
	c.wantToolError("s.writes", `server "s"`, "session")
	mu.Lock()
	defer mu.Unlock()
	if calls["reads"] != 2 || calls["writes"] != 1 {
		t.Errorf("the tools were called %v", calls)
	}
}
