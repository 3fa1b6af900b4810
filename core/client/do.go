package client

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"mcpserver/core/client/transport"
	"mcpserver/core/internal/protocol"
)

// Do sends a request and gives its result: a JSON object, byte for byte as the
// server wrote it, apart from bytes that are not valid UTF-8, which become
// U+FFFD. Questions that the server has about it are answered by the handlers.
//
// The error is or wraps a [*core.Error] when the server has answered with one, a
// [*TimeoutError] when a limit has passed, ErrInterrupted, the context's cause,
// or ErrNotConnected. A request that a limit or the context has ended is
// cancelled at the server. A request is sent once; one that is Repeatable is
// sent again after a lost session.
func (c *Client) Do(ctx context.Context, request *Request) (json.RawMessage, error) {
	if request.OnSent != nil {
		defer request.OnSent()
	}
	current, err := c.current()
	if err != nil {
		return nil, c.named(err)
	}
	ctx, release := c.running.enter(ctx)
	defer release()
	result := ""
	err = c.onConnection(ctx, current, request.Repeatable, func(n *connection) (err error) {
		result, err = n.perform(ctx, request)
		return err
	})
	if err != nil {
		return nil, c.named(err)
	}
	return json.RawMessage(result), nil
}

// onConnection does something on a connection and, if it may be repeated, once
// more on the next one when the server has lost the session meanwhile.
func (c *Client) onConnection(ctx context.Context, n *connection, mayRepeat bool, do func(*connection) error) error {
	err := do(n)
	if !mayRepeat || !errors.Is(err, transport.ErrSessionLost) {
		return err
	}
	next, gone := c.nextConnection(ctx, n)
	if gone != nil {
		return err
	}
	return do(next)
}

// nextConnection waits for the connection after a lost one, as long as one
// takes to be opened.
func (c *Client) nextConnection(ctx context.Context, lost *connection) (*connection, error) {
	c.mu.Lock()
	r := c.run
	c.mu.Unlock()
	if r == nil {
		return nil, ErrNotConnected
	}
	ctx, cancel := context.WithTimeout(ctx, c.Options.connectTimeout())
	defer cancel()
	return r.next(ctx, lost)
}

// perform sends a request with all its rounds.
func (n *connection) perform(ctx context.Context, request *Request) (string, error) {
	name := ""
	if n.link.Traits().Exchanges {
		name = headerName(request)
	}
	out := &outgoing{
		Request: request,
		name:    name,
		limits:  n.limitsOf(request),
	}
	if request.Method == "tools/call" && n.link.Traits().Exchanges && n.session.Load().modern() {
		return n.callWithParameters(ctx, out)
	}
	return n.rounds(ctx, out)
}

func (n *connection) limitsOf(request *Request) limits {
	return limits{
		quiet: defaultDuration(request.CallTimeout, n.client.Options.callTimeout()),
		total: defaultDuration(request.MaxCallTimeout, n.client.Options.maxCallTimeout()),
	}
}

// surround gives what goes around the params of a request in a session.
func (c *Client) surround(session *session, request *Request) *surroundings {
	surrounding := &surroundings{session: session}
	if !session.modern() {
		return surrounding
	}
	surrounding.clientInfo = c.identity()
	surrounding.capabilities = c.declared()
	if len(request.Capabilities) > 0 {
		if object, err := compactObject(request.Capabilities); err == nil {
			surrounding.capabilities = object
		}
	}
	surrounding.logLevel = request.LogLevel
	if surrounding.logLevel == "" && request.Method != "server/discover" {
		surrounding.logLevel = c.level.load()
	}
	return surrounding
}

// Notify sends a notification. Params is a JSON object, or nil.
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	connection, err := c.current()
	if err != nil {
		return c.named(err)
	}
	var object []byte
	if len(params) > 0 {
		text, err := compactObject(params)
		if err != nil {
			return c.named(err)
		}
		object = []byte(text)
	}
	if err := connection.notify(ctx, method, object); err != nil {
		return c.named(err)
	}
	return nil
}

// logLevel is the least level of log messages that the server is asked for.
type logLevel struct {
	mu   sync.Mutex
	name string
}

func (l *logLevel) load() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.name
}

func (l *logLevel) store(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.name = name
}

// SetLogLevel asks the server for log messages from a level on: "debug",
// "info", "notice", "warning", "error", "critical", "alert" or "emergency". In
// the modern era each request from now on says so; in the legacy one the server
// is told, and told again after a reconnect. A server that does not log is not
// asked, which is no error.
func (c *Client) SetLogLevel(ctx context.Context, level string) error {
	if _, ok := protocol.ParseLogLevel(level); !ok {
		return c.named(errors.New("there is no log level " + quoted(level)))
	}
	c.level.store(level)
	connection, err := c.current()
	if err != nil {
		return c.named(err)
	}
	ctx, release := c.running.enter(ctx)
	defer release()
	if err := connection.setLogLevel(ctx, level); err != nil {
		return c.named(err)
	}
	return nil
}

// setLogLevel tells a legacy server.
func (n *connection) setLogLevel(ctx context.Context, level string) error {
	session := n.session.Load()
	if level == "" || session.modern() || !session.has("logging") {
		return nil
	}
	params := append(appendMember([]byte{'{'}, "level", quoted(level)), '}')
	_, err := n.perform(ctx, &Request{Method: "logging/setLevel", Params: params})
	return err
}

// interrupts are the calls that Interrupt ends.
type interrupts struct {
	mu   sync.Mutex
	next int
	open map[int]func(reason error)
}

// enter gives a context that Interrupt ends.
func (i *interrupts) enter(ctx context.Context) (interruptible context.Context, release func()) {
	interruptible, cancel := context.WithCancelCause(ctx)
	key := i.add(cancel)
	return interruptible, func() {
		i.remove(key)
		cancel(nil)
	}
}

// add enters something that Interrupt ends, until it is removed by its key.
func (i *interrupts) add(cancel func(reason error)) (key int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	key = i.next
	i.next++
	if i.open == nil {
		i.open = map[int]func(error){}
	}
	i.open[key] = cancel
	return key
}

func (i *interrupts) remove(key int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.open, key)
}

// Interrupt ends all calls that are open, at once, with ErrInterrupted. The
// server is told to cancel them, and the connection stays usable.
func (c *Client) Interrupt() {
	c.running.mu.Lock()
	open := slices.Collect(maps.Values(c.running.open))
	c.running.mu.Unlock()
	for _, cancel := range open {
		cancel(ErrInterrupted)
	}
}
