package client

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core/client/transport"
)

// fake is a transport whose server is a function of the test.
type fake struct {
	// serve is run for each link, in a goroutine of its own. The link ends when
	// it returns.
	serve  func(l *fakeLink)
	traits transport.Traits

	mu     sync.Mutex
	links  []*fakeLink
	refuse error // what Open gives, if it is set
}

func (f *fake) String() string { return "a fake" }

// Open starts the server.
func (f *fake) Open(_ context.Context, receiver transport.Receiver) (transport.Link, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuse != nil {
		return nil, f.refuse
	}
	l := &fakeLink{fake: f, receiver: receiver, number: len(f.links), done: make(chan struct{}), closed: make(chan struct{})}
	l.arrived = sync.NewCond(&l.mu)
	f.links = append(f.links, l)
	go func() {
		f.serve(l)
		l.die(&transport.ExitError{Status: "the fake ended"})
	}()
	return l, nil
}

func (f *fake) setRefuse(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refuse = err
}

// link gives the newest link, and how many there have been.
func (f *fake) link() (newest *fakeLink, all int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.links[len(f.links)-1], len(f.links)
}

// fakeLink is one link, from both ends.
type fakeLink struct {
	fake     *fake
	receiver transport.Receiver
	number   int // from 0
	done     chan struct{}
	closed   chan struct{}

	mu      sync.Mutex
	arrived *sync.Cond
	got     []*transport.Message // all that the client has sent
	taken   int
	err     error
	shut    bool
	muted   map[string]bool // methods that are not answered any more
}

// mute has the server of serveWith leave a method unanswered from now on.
func (l *fakeLink) mute(method string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.muted = map[string]bool{method: true}
}

func (l *fakeLink) isMuted(method string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.muted[method]
}

func (l *fakeLink) Send(_ context.Context, message *transport.Message) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	l.got = append(l.got, message)
	l.arrived.Broadcast()
	return nil
}

func (l *fakeLink) Traits() transport.Traits { return l.fake.traits }

func (l *fakeLink) Done() <-chan struct{} { return l.done }

func (l *fakeLink) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *fakeLink) Close() error {
	l.die(transport.ErrClosed)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.shut {
		l.shut = true
		close(l.closed)
	}
	return nil
}

// die ends the link from the server's side.
func (l *fakeLink) die(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = reason
	close(l.done)
	l.arrived.Broadcast()
}

// arrival is one message of the client as the server sees it.
type arrival struct {
	method, id string // "" is none
	params     gjson.Result
	body       gjson.Result
}

// next gives the client's next message; ok is false at the end of the link.
func (l *fakeLink) next() (a arrival, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.taken == len(l.got) && l.err == nil {
		l.arrived.Wait()
	}
	if l.err != nil {
		return arrival{}, false
	}
	body := gjson.ParseBytes(l.got[l.taken].Body)
	l.taken++
	return arrival{body.Get("method").Str, body.Get("id").Raw, body.Get("params"), body}, true
}

// sent gives all messages of the client with a method; "" is for responses.
func (l *fakeLink) sent(method string) (all []arrival) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, message := range l.got {
		body := gjson.ParseBytes(message.Body)
		if body.Get("method").Str == method {
			all = append(all, arrival{method, body.Get("id").Raw, body.Get("params"), body})
		}
	}
	return all
}

// count is how many messages the client has sent.
func (l *fakeLink) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.got)
}

// say sends one line to the client.
func (l *fakeLink) say(line string) { l.receiver.Receive(line, "") }

func (l *fakeLink) notify(method, params string) {
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

func (l *fakeLink) result(id, result string) {
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (l *fakeLink) fail(id string, code int, message string) {
	l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message))
}

// actions say what a server does about methods. An action that returns a text
// answers with that result.
type actions map[string]func(l *fakeLink, a arrival) string

// serveWith gives a server that does as the actions say and answers what they do
// not know with -32601.
func serveWith(all ...actions) func(l *fakeLink) {
	return func(l *fakeLink) {
		for {
			a, ok := l.next()
			if !ok {
				return
			}
			var action func(*fakeLink, arrival) string
			for _, some := range all {
				if some[a.method] != nil {
					action = some[a.method]
				}
			}
			switch {
			case l.isMuted(a.method):
			case action != nil:
				if result := action(l, a); result != "" {
					l.result(a.id, result)
				}
			case a.method != "" && a.id != "":
				l.fail(a.id, -32601, "Method not found")
			}
		}
	}
}

// constant is an action that always gives the same result.
func constant(result string) func(*fakeLink, arrival) string {
	return func(*fakeLink, arrival) string { return result }
}

const everything = `{"tools":{"listChanged":true},"prompts":{"listChanged":true},` +
	`"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}}`

// legacyServer answers initialize and has one tool.
func legacyServer(version string) actions {
	return actions{
		"initialize": constant(fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"f","version":"1"}}`, version, everything)),
		"tools/list": constant(oneTool),
	}
}

// modernServer answers server/discover and has one tool. It accepts any
// subscription.
func modernServer() actions {
	return actions{
		"server/discover": constant(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + everything +
			`,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"f","version":"1"}},"instructions":"Be kind."}`),
		"tools/list": constant(oneTool),
		"subscriptions/listen": func(l *fakeLink, a arrival) string {
			l.notify("notifications/subscriptions/acknowledged", fmt.Sprintf(
				`{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":%s}`, a.id, a.params.Get("notifications").Raw))
			return ""
		},
	}
}

const oneTool = `{"tools":[` + plainTool + `]}`

const plainTool = `{"name":"t","inputSchema":{"type":"object"}}`

// connect gives a client that is connected to the server.
func connect(t *testing.T, server *fake, options Options) *Client {
	t.Helper()
	c := New("s", server)
	c.Options = options
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { disconnect(t, c) })
	return c
}

func disconnect(t *testing.T, c *Client) {
	t.Helper()
	if err := c.Disconnect(); err != nil {
		t.Errorf("Disconnect: %v", err)
	}
}

// connectLegacy and connectModern save the probing.
func connectLegacy(t *testing.T, options Options, more ...actions) (*Client, *fake) {
	t.Helper()
	options.Era = EraLegacy
	server := &fake{serve: serveWith(append([]actions{legacyServer("2025-11-25")}, more...)...)}
	return connect(t, server, options), server
}

func connectModern(t *testing.T, options Options, more ...actions) (*Client, *fake) {
	t.Helper()
	options.Era = EraModern
	server := &fake{serve: serveWith(append([]actions{modernServer()}, more...)...)}
	return connect(t, server, options), server
}

// mustContain demands that an error says all of that.
func mustContain(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("there is no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q, want %q in it", err, part)
		}
	}
}
