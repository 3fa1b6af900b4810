package server_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/server"
)

// patience is how long a client waits for a message that must come. Nearly all
// of these tests run in a synctest bubble, where it costs no time.
const patience = time.Minute

// The handshake that most tests begin with.
const (
	initialize  = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"elicitation":{},"roots":{}}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	// initialize2025 is for the revision that has batches.
	initialize2025 = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"sampling":{}}}}`
)

// client is a scripted client of one server, over pipes in memory. Its server
// ends with the test at the latest.
type client struct {
	t      *testing.T
	in     *io.PipeWriter // the server's input
	out    *io.PipeReader // the server's output
	lines  chan string    // what the server wrote; closed at its end
	served chan error     // what Serve returned
	signal context.CancelFunc
}

// connect starts a server whose output the client reads at once.
func connect(t *testing.T, aspect *core.Aspect, options *server.Options) *client {
	t.Helper()
	c := connectUnread(t, aspect, options)
	go c.read()
	return c
}

// connectUnread starts a server whose output nobody reads until the test calls
// go c.read().
func connectUnread(t *testing.T, aspect *core.Aspect, options *server.Options) *client {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{
		t:      t,
		in:     toServer,
		out:    fromServer,
		lines:  make(chan string, 1<<16),
		served: make(chan error, 1),
		signal: cancel,
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := server.Serve(ctx, aspect, in, out, options)
		in.CloseWithError(fmt.Errorf("serving has ended: %w", err))
		c.served <- err
		out.Close()
	}()
	t.Cleanup(func() {
		cancel()
		toServer.Close()
		fromServer.Close()
		<-ended
	})
	return c
}

// ready starts a server and makes the handshake.
func ready(t *testing.T, aspect *core.Aspect, options *server.Options) *client {
	t.Helper()
	c := connect(t, aspect, options)
	c.send(initialize)
	c.wantIDs(`"init"`)
	c.send(initialized, `{"jsonrpc":"2.0","id":"ready","method":"ping"}`)
	c.wantIDs(`"ready"`)
	return c
}

// read takes the server's messages until its output ends.
func (c *client) read() { c.readSlowly(64 << 10) }

// readSlowly takes so many bytes at a time.
func (c *client) readSlowly(most int) {
	defer close(c.lines)
	var partial strings.Builder
	buffer := make([]byte, most)
	for {
		n, err := c.out.Read(buffer)
		rest := string(buffer[:n])
		for {
			line, after, whole := strings.Cut(rest, "\n")
			partial.WriteString(line)
			if !whole {
				break
			}
			c.lines <- partial.String()
			partial.Reset()
			rest = after
		}
		if err != nil {
			return
		}
	}
}

// hear makes the server of a client that does not read yet take it for one
// that is there.
func (c *client) hear() {
	c.t.Helper()
	c.send(ping(0))
	if n, err := c.out.Read(make([]byte, 1<<10)); n == 0 || err != nil {
		c.t.Fatalf("reading the first answer: %d bytes, %v", n, err)
	}
	synctest.Wait()
}

// rest gives all further messages up to the end of the server's output.
func (c *client) rest() (messages []gjson.Result) {
	for line := range c.lines {
		messages = append(messages, gjson.Parse(line))
	}
	return messages
}

// send writes messages, all in one write.
func (c *client) send(messages ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(messages, "\n")+"\n"); err != nil {
		c.t.Fatalf("sending %.200q: %v", messages, err)
	}
}

// next gives the next message of the server.
func (c *client) next() gjson.Result {
	c.t.Helper()
	select {
	case line, open := <-c.lines:
		if !open {
			c.t.Fatal("the server's output has ended, want a message")
		}
		return gjson.Parse(line)
	case <-time.After(patience):
		c.t.Fatal("the server says nothing, want a message")
	}
	return gjson.Result{}
}

// wantIDs takes one message for each id (as JSON), which must come in that
// order.
func (c *client) wantIDs(ids ...string) {
	c.t.Helper()
	for _, id := range ids {
		if got := c.next(); got.Get("id").Raw != id {
			c.t.Fatalf("the next message is %.300s, want the one with id %s (of %v)", got.Raw, id, ids)
		}
	}
}

// skipTo takes messages up to the one with that id.
func (c *client) skipTo(id string) {
	c.t.Helper()
	for c.next().Get("id").Raw != id {
		continue
	}
}

// wantText takes the next message, which must be the result of a tool call.
func (c *client) wantText(id, text string) {
	c.t.Helper()
	got := c.next()
	if got.Get("id").Raw != id || got.Get("result.content.0.text").Str != text || got.Get("result.isError").Bool() {
		c.t.Fatalf("got %.300s, want id %s with the text %q", got.Raw, id, text)
	}
}

// wantError takes the next message, which must be a JSON-RPC error.
func (c *client) wantError(id string, code int, words string) {
	c.t.Helper()
	got := c.next()
	if got.Get("id").Raw != id || got.Get("error.code").Int() != int64(code) || !strings.Contains(got.Get("error.message").Str, words) {
		c.t.Fatalf("got %.300s, want id %s with the error %d saying %q", got.Raw, id, code, words)
	}
}

// wantToolError takes the next message, which must be a tool's error.
func (c *client) wantToolError(id, words string) {
	c.t.Helper()
	got := c.next()
	text := got.Get("result.content.0.text").Str
	if got.Get("id").Raw != id || !got.Get("result.isError").Bool() || !strings.Contains(text, words) {
		c.t.Fatalf("got %.300s, want id %s with isError and a text saying %q", got.Raw, id, words)
	}
}

// wantMethod takes the next message, which must be a request or notification.
func (c *client) wantMethod(method string) gjson.Result {
	c.t.Helper()
	got := c.next()
	if got.Get("method").Str != method {
		c.t.Fatalf("got %.300s, want a message with the method %s", got.Raw, method)
	}
	return got
}

// wantNothing makes sure that the server, when all in the bubble has come to
// rest, has written nothing more.
func (c *client) wantNothing() {
	c.t.Helper()
	synctest.Wait()
	select {
	case line, open := <-c.lines:
		if open {
			c.t.Fatalf("got %.300s, want no message", line)
		}
	default:
	}
}

// atOnce makes sure that the server has written as many messages once all in
// the bubble has come to rest, without any time going by.
func (c *client) atOnce(messages int) {
	c.t.Helper()
	synctest.Wait()
	if len(c.lines) < messages {
		c.t.Fatalf("%d messages came at once, want %d", len(c.lines), messages)
	}
}

// end closes the server's input and gives what Serve returned.
func (c *client) end() error {
	c.t.Helper()
	c.in.Close()
	return c.wait()
}

// wait gives what Serve returned.
func (c *client) wait() error {
	c.t.Helper()
	select {
	case err := <-c.served:
		return err
	case <-time.After(10 * patience):
		c.t.Fatal("Serve has not returned")
	}
	return nil
}

// wantEnd ends the server, which must be pleased.
func (c *client) wantEnd() {
	c.t.Helper()
	if err := c.end(); err != nil {
		c.t.Fatalf("Serve returned %v, want nil", err)
	}
}

// aspect is a server with these tools.
func aspect(tools ...core.Tool) *core.Aspect {
	return &core.Aspect{Name: "MCPServer_test", Version: "1", Tools: tools}
}

// fast is a tool that answers at once with its own name.
func fast(name string) core.Tool {
	return core.Tool{Name: name, Handler: func(context.Context, *core.Call) (core.Result, error) {
		return core.Text(name), nil
	}}
}

// held is a tool whose handler ignores its context until the gate opens.
func held(name string, g *gate) core.Tool {
	return core.Tool{Name: name, Handler: func(context.Context, *core.Call) (core.Result, error) {
		g.pass()
		return core.Text(name), nil
	}}
}

// waiting is a tool that answers when its context has ended, with the reason.
func waiting(name string, reasons chan<- error) core.Tool {
	return core.Tool{Name: name, Handler: func(ctx context.Context, _ *core.Call) (core.Result, error) {
		<-ctx.Done()
		reasons <- ctx.Err()
		return nil, ctx.Err()
	}}
}

// gate holds back handlers; it opens with the end of the test at the latest.
type gate struct {
	reached chan struct{} // one for each handler that came to it
	opened  chan struct{}
	once    sync.Once
}

func newGate(t *testing.T) *gate {
	g := &gate{reached: make(chan struct{}, 1<<20), opened: make(chan struct{})}
	t.Cleanup(g.open)
	return g
}

func (g *gate) pass() {
	g.reached <- struct{}{}
	<-g.opened
}

func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

// call is a tools/call request without arguments.
func call(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

func ping(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)
}

func list(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id)
}

func cancellation(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}
