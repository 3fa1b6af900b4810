package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// seen is one request that a test server got.
type seen struct {
	method string
	header http.Header
	body   string
}

// site is a scripted HTTP server that notes what it is asked.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

// newSite serves with a handler that is also given the body.
func newSite(t *testing.T, serve func(w http.ResponseWriter, r *http.Request, body string)) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.seen = append(s.seen, seen{r.Method, r.Header.Clone(), string(body)})
		s.mu.Unlock()
		serve(w, r, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// answer answers a request with JSON, and takes all else.
func answer(w http.ResponseWriter, body string) {
	id := gjson.Get(body, "id")
	if !id.Exists() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	fmt.Fprint(w, answerTo(id.Raw))
}

// streamHead begins a stream of events.
func streamHead(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
}

func say(w http.ResponseWriter, text string) {
	fmt.Fprint(w, text)
	w.(http.Flusher).Flush()
}

// client is a link with the contexts of its requests.
type client struct {
	Link
	*inbox
	t *testing.T
}

func openHTTP(t *testing.T, server *HTTP) *client {
	t.Helper()
	link, received := open(t, server)
	return &client{Link: link, inbox: received, t: t}
}

// request sends a request, whose context ends when it is answered.
func (c *client) request(id, method string, change func(*Message)) context.CancelCauseFunc {
	c.t.Helper()
	ctx, cancel := context.WithCancelCause(c.t.Context())
	c.mu.Lock()
	c.settled[id] = func() { cancel(ErrAnswered) }
	c.mu.Unlock()
	request := &Message{
		Body: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method), ID: id, Method: method, Version: "2025-11-25",
	}
	if change != nil {
		change(request)
	}
	if err := c.Send(ctx, request); err != nil {
		c.t.Fatalf("Send(%s): %v", method, err)
	}
	return cancel
}

func (c *client) expectAnswer(id string) {
	c.t.Helper()
	c.expect(c.t, answerTo(id))
}

func modern(m *Message) { m.Version, m.Modern = "2026-07-28", true }

func TestRequestsAndNotifications(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, _ *http.Request, body string) { answer(w, body) })
	t.Setenv("TEST_TOKEN", "t0p")
	c := openHTTP(t, &HTTP{
		URL: server.URL + "/mcp", Headers: map[string]string{"X-Tenant": "a", "Accept": "text/html"},
		BearerVariable: "TEST_TOKEN",
	})
	c.request("1", "tools/list", nil)
	c.expectAnswer("1")
	send(t, c, `{"jsonrpc":"2.0","method":"notifications/test"}`)
	for _, request := range server.requests() {
		for name, want := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"X-Tenant": "a", "Authorization": "Bearer t0p",
		} {
			if got := request.header.Get(name); got != want {
				t.Errorf("%s has the header %s: %q, want %q", request.body, name, got, want)
			}
		}
	}
}

func TestHeadersByEra(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		w.Header().Set("Mcp-Session-Id", "s1")
		answer(w, body)
	})
	c := openHTTP(t, &HTTP{URL: server.URL})
	c.request("1", "initialize", func(m *Message) { m.Version = "" })
	c.expectAnswer("1")
	c.request("2", "tools/call", func(m *Message) { m.Name = "x" })
	c.expectAnswer("2")
	c.request("3", "tools/call", func(m *Message) {
		modern(m)
		m.Name = "grüße"
		m.Parameters = []Parameter{{"Region", "us-west1"}, {"Text", " padded "}}
	})
	c.expectAnswer("3")
	names := []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Mcp-Param-Region", "Mcp-Param-Text"}
	for i, want := range [][]string{
		{"", "", "", "", "", ""},
		{"2025-11-25", "s1", "", "", "", ""},
		{"2026-07-28", "", "tools/call", "=?base64?Z3LDvMOfZQ==?=", "us-west1", "=?base64?IHBhZGRlZCA=?="},
	} {
		for j, name := range names {
			if got := server.requests()[i].header.Get(name); got != want[j] {
				t.Errorf("request %d has the header %s: %q, want %q", i+1, name, got, want[j])
			}
		}
	}
}

func TestEncodeHeader(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"us-west1", "us-west1"},
		{"", ""},
		{"a b\tc", "a b\tc"},
		{"Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="},
		{" padded ", "=?base64?IHBhZGRlZCA=?="},
		{"line1\nline2", "=?base64?bGluZTEKbGluZTI=?="},
		{"=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="},
	} {
		if got := encodeHeader(test.text); got != test.want {
			t.Errorf("encodeHeader(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name  string
		serve func(w http.ResponseWriter)
		want  []string
	}{
		{"401", func(w http.ResponseWriter) { w.WriteHeader(401) }, []string{"401", "authorization"}},
		{"500", func(w http.ResponseWriter) { http.Error(w, "out of\x1b[1m cheese", 500) }, []string{"500", "out of [1m cheese"}},
		{"plain text", func(w http.ResponseWriter) { fmt.Fprint(w, "hello") }, []string{"text/plain", "instead of a message"}},
		{"202 for a request", func(w http.ResponseWriter) { w.WriteHeader(202) }, []string{"202"}},
		{"empty stream", streamHead, []string{"ended before the answer"}},
		{"another's answer", func(w http.ResponseWriter) { answer(w, `{"id":9}`) }, []string{"not that of the request"}},
		{"too long", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, strings.Repeat(" ", 2000))
		}, []string{"longer than 1000 bytes"}},
		{"too long an event", func(w http.ResponseWriter) {
			streamHead(w)
			say(w, "data: "+strings.Repeat("x", 2000)+"\n\n")
		}, []string{"longer than 1000 bytes"}},
		{"redirect elsewhere", func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://elsewhere.example/mcp")
			w.WriteHeader(307)
		}, []string{"another origin", "https://elsewhere.example"}},
		{"redirect that loses the message", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/other")
			w.WriteHeader(302)
		}, []string{"307 or 308"}},
		{"endless redirect", func(w http.ResponseWriter) {
			w.Header().Set("Location", "/again")
			w.WriteHeader(308)
		}, []string{"more than 5 times"}},
		{"cut off", func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
		}, []string{"ended before the answer"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := newSite(t, func(w http.ResponseWriter, _ *http.Request, _ string) { test.serve(w) })
			c := openHTTP(t, &HTTP{URL: server.URL + "?key=secret", MaxMessage: 1000})
			c.request("1", "tools/call", modern)
			got := c.next()
			for got.what != "failed" {
				got = c.next()
			}
			for _, want := range append(test.want, "") {
				if !strings.Contains(got.err.Error(), want) || strings.Contains(got.err.Error(), "secret") {
					t.Errorf("the request failed with %q, want %q in it, and no secret", got.err, want)
				}
			}
		})
	}
}

func TestRedirectWithinTheOrigin(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.URL.Path == "/mcp" {
			http.Redirect(w, r, "/mcp/", http.StatusPermanentRedirect)
			return
		}
		answer(w, body)
	})
	c := openHTTP(t, &HTTP{URL: server.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer x"}})
	c.request("1", "tools/list", nil)
	c.expectAnswer("1")
	if got := server.requests()[1].header.Get("Authorization"); got != "Bearer x" {
		t.Errorf("the redirected request has the authorization %q", got)
	}
}

func TestServerThatCannotBeReached(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	address := server.URL
	server.Close()
	c := openHTTP(t, &HTTP{URL: address + "?key=secret"})
	c.request("1", "tools/list", nil)
	if err := c.expectFailure(t, "1"); strings.Contains(err.Error(), "secret") {
		t.Errorf("the error %q has the secret in it", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct {
		server HTTP
		want   string
	}{
		{HTTP{URL: "ftp://example.com"}, "not that of an HTTP server"},
		{HTTP{URL: "example.com/mcp"}, "not that of an HTTP server"},
		{HTTP{URL: "http://\x00/"}, "invalid control character"},
		{HTTP{URL: "https://example.com?key=secret", BearerVariable: "NO_SUCH_VARIABLE"}, "NO_SUCH_VARIABLE"},
	} {
		_, err := test.server.Open(t.Context(), newInbox())
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Open(%q) gives the error %v, want %q in it, and no secret", test.server.URL, err, test.want)
		}
	}
}

func TestStreamWithNotifications(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		streamHead(w)
		say(w, ": hello\r\n\r\nevent: message\r\ndata: {\"a\":\r\n")
		say(w, "data: 1}\r\n\r\nevent: other\r\ndata: no\r\n\r\ndata: "+answerTo("1")+"\r\n\r\n")
	})
	c := openHTTP(t, &HTTP{URL: server.URL})
	c.request("1", "tools/call", modern)
	if got := c.next(); got.text != "{\"a\":\n1}" || got.during != "1" {
		t.Errorf("the first message is %q, during %q", got.text, got.during)
	}
	c.expectAnswer("1")
}

func TestCancellationEndsTheExchange(t *testing.T) {
	ended := make(chan struct{})
	server := newSite(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		streamHead(w)
		say(w, "data: {}\n\n")
		<-r.Context().Done()
		close(ended)
	})
	c := openHTTP(t, &HTTP{URL: server.URL})
	cancel := c.request("1", "tools/call", modern)
	c.expect(t, "{}")
	cancel(errors.New("not wanted"))
	<-ended
	if all := len(server.requests()); all != 1 {
		t.Errorf("the server got %d requests, want 1", all)
	}
}

// TestStreamIsResumed: in the legacy era a stream goes on behind the event that
// came last, and not before the server wants it to.
func TestStreamIsResumed(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		streamHead(w)
		switch r.Header.Get("Last-Event-ID") {
		case "":
			say(w, "retry: 1\nid: e1\ndata:\n\ndata: {}\n\n")
		case "e1":
			say(w, "id: e2\n\n")
		case "e2":
			say(w, "data: "+answerTo("1")+"\n\n")
		}
	})
	c := openHTTP(t, &HTTP{URL: server.URL})
	c.request("1", "tools/call", nil)
	c.expect(t, "{}")
	c.expectAnswer("1")
	for i, want := range []string{"POST", "GET", "GET"} {
		if got := server.requests()[i].method; got != want {
			t.Errorf("request %d is a %s, want a %s", i+1, got, want)
		}
	}
}

func TestStreamThatCannotBeResumed(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Message)
		first  string
		status int // of a GET
		gets   int
	}{
		{"modern", modern, "retry: 1\nid: e1\ndata: {}\n\n", 200, 0},
		{"without an id", nil, "retry: 1\ndata: {}\n\n", 200, 0},
		{"refused", nil, "retry: 1\nid: e1\ndata: {}\n\n", 405, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := newSite(t, func(w http.ResponseWriter, r *http.Request, _ string) {
				if r.Method == http.MethodGet {
					w.WriteHeader(test.status)
					return
				}
				streamHead(w)
				say(w, test.first)
			})
			c := openHTTP(t, &HTTP{URL: server.URL})
			c.request("1", "tools/call", test.change)
			c.expect(t, "{}")
			if err := c.expectFailure(t, "1"); !errors.Is(err, ErrStreamBroken) {
				t.Errorf("the request failed with %v, want %v", err, ErrStreamBroken)
			}
			if got := len(server.requests()) - 1; got != test.gets {
				t.Errorf("the stream was asked for again %d times, want %d", got, test.gets)
			}
		})
	}
}

func TestSessionIsLost(t *testing.T) {
	for status, body := range map[int]string{
		404: "", 410: "gone", 400: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`,
	} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			server := newSite(t, func(w http.ResponseWriter, r *http.Request, request string) {
				if r.Header.Get("Mcp-Session-Id") != "" {
					w.WriteHeader(status)
					fmt.Fprint(w, body)
					return
				}
				w.Header().Set("Mcp-Session-Id", "s1")
				answer(w, request)
			})
			c := openHTTP(t, &HTTP{URL: server.URL})
			c.request("1", "initialize", nil)
			c.expectAnswer("1")
			c.request("2", "tools/list", nil)
			if err := c.expectFailure(t, "2"); !errors.Is(err, ErrSessionLost) {
				t.Errorf("the request failed with %v, want %v", err, ErrSessionLost)
			}
			<-c.Done()
			if !errors.Is(c.Err(), ErrSessionLost) {
				t.Errorf("the link ended with %v, want %v", c.Err(), ErrSessionLost)
			}
		})
	}
}

func TestSessionIsEndedByClose(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, r *http.Request, body string) {
		w.Header().Set("Mcp-Session-Id", "s1")
		answer(w, body)
	})
	c := openHTTP(t, &HTTP{URL: server.URL})
	c.request("1", "initialize", nil)
	c.expectAnswer("1")
	c.Close()
	c.Close()
	all := server.requests()
	last := all[len(all)-1]
	if len(all) != 2 || last.method != http.MethodDelete || last.header.Get("Mcp-Session-Id") != "s1" {
		t.Errorf("after Close the server has got %d requests, the last one a %s for session %q; want 2, a DELETE for s1",
			len(all), last.method, last.header.Get("Mcp-Session-Id"))
	}
}

// TestServersOwnStream: once the legacy handshake is over, the link listens for
// messages that belong to no request, and asks for the stream again when it
// ends.
func TestServersOwnStream(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method != http.MethodGet:
			answer(w, body)
		case r.Header.Get("Last-Event-ID") == "":
			streamHead(w)
			say(w, "retry: 0\nid: 1\ndata: {}\n\n")
		default:
			streamHead(w)
			say(w, "data: [1]\n\n")
			<-r.Context().Done()
		}
	})
	c := openHTTP(t, &HTTP{URL: server.URL})
	initialized := &Message{Body: []byte(`{}`), Method: "notifications/initialized", Version: "2025-11-25"}
	if err := c.Send(t.Context(), initialized); err != nil {
		t.Fatal(err)
	}
	c.expect(t, "{}")
	c.expect(t, "[1]")
}

// eventSite speaks HTTP+SSE: all answers come on the stream.
func eventSite(t *testing.T, endpoint string) *site {
	t.Helper()
	answers := make(chan string, 10)
	return newSite(t, func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/sse":
			streamHead(w)
			say(w, "event: endpoint\ndata: "+endpoint+"\n\n")
			for {
				select {
				case text := <-answers:
					say(w, "event: message\ndata: "+text+"\n\n")
				case <-r.Context().Done():
					return
				}
			}
		case r.Method == http.MethodPost && r.URL.Path == "/messages":
			w.WriteHeader(http.StatusAccepted)
			answers <- answerTo(gjson.Get(body, "id").Raw)
		default:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	})
}

func TestFallingBackToEvents(t *testing.T) {
	for _, first := range []bool{false, true} {
		t.Run(fmt.Sprintf("EventsFirst %t", first), func(t *testing.T) {
			server := eventSite(t, "/messages?session=1")
			c := openHTTP(t, &HTTP{URL: server.URL + "/sse", EventsFirst: first})
			c.request("1", "initialize", nil)
			c.expectAnswer("1")
			c.request("2", "tools/list", nil)
			c.expectAnswer("2")
			if got := c.Traits().LegacyOnly; got != first {
				t.Errorf("the link's LegacyOnly is %t, want %t", got, first)
			}
			server.CloseClientConnections()
			<-c.Done()
			if !errors.Is(c.Err(), ErrStreamBroken) {
				t.Errorf("the link ended with %v, want %v", c.Err(), ErrStreamBroken)
			}
		})
	}
}

func TestEventsFirstMeetsStreamableHTTP(t *testing.T) {
	server := newSite(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		answer(w, body)
	})
	c := openHTTP(t, &HTTP{URL: server.URL, EventsFirst: true})
	c.request("1", "initialize", nil)
	c.expectAnswer("1")
}

func TestEndpointIsRefused(t *testing.T) {
	for _, test := range []struct{ endpoint, want string }{
		{"https://elsewhere.example/messages", "another origin"},
		{"//elsewhere.example/messages", "another origin"},
		{":", "no URL"},
	} {
		server := eventSite(t, test.endpoint)
		_, err := (&HTTP{URL: server.URL + "/sse", EventsFirst: true}).Open(t.Context(), newInbox())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("with the endpoint %q Open gives the error %v, want %q in it", test.endpoint, err, test.want)
		}
	}
}

func TestOpeningIsBoundedByItsContext(t *testing.T) {
	asked := make(chan struct{})
	server := newSite(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		streamHead(w)
		say(w, ": nothing\n\n")
		close(asked)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	go func() { <-asked; cancel(enough) }()
	if _, err := (&HTTP{URL: server.URL, EventsFirst: true}).Open(ctx, newInbox()); err == nil {
		t.Error("Open gives no error when its context has ended")
	}
}

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"http://a/x", "http://A:80/y", true},
		{"https://a", "https://a:443", true},
		{"http://a", "https://a", false},
		{"http://a", "http://a:8080", false},
		{"http://a", "http://b", false},
	} {
		a, errA := url.Parse(test.a)
		b, errB := url.Parse(test.b)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := sameOrigin(a, b); got != test.want {
			t.Errorf("sameOrigin(%q, %q) = %t, want %t", test.a, test.b, got, test.want)
		}
	}
}
