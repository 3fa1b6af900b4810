package everything_test

import (
	"bufio"
	"fmt"
	"io"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/aspects/everything"
	"mcpserver/core/server"
)

// client talks to the aspect in the same process.
type client struct {
	t          *testing.T
	toServer   io.WriteCloser
	fromServer *bufio.Reader
}

// connect serves the aspect until the client ends.
func connect(t *testing.T, options *server.Options) *client {
	received, toServer := io.Pipe()
	fromServer, sent := io.Pipe()
	go func() {
		if err := server.Serve(t.Context(), everything.Aspect(), received, sent, options); err != nil {
			t.Error(err)
		}
		sent.Close()
	}()
	return &client{t, toServer, bufio.NewReader(fromServer)}
}

// initialize does the handshake as a client with these capabilities.
func (c *client) initialize(capabilities string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"initialize","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"test","version":"1"}}}`, capabilities)
	c.answer()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (c *client) send(format string, arguments ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.toServer, format+"\n", arguments...); err != nil {
		c.t.Fatal(err)
	}
}

// next gives the server's next message.
func (c *client) next() gjson.Result {
	c.t.Helper()
	line, err := c.fromServer.ReadString('\n')
	if err != nil {
		c.t.Fatalf("instead of a message there came %v", err)
	}
	return gjson.Parse(line)
}

// answer gives the server's next message, which must be a result.
func (c *client) answer() gjson.Result {
	c.t.Helper()
	message := c.next()
	if !message.Get("result").Exists() {
		c.t.Fatalf("got %s, want a result", message.Raw)
	}
	return message.Get("result")
}

// want compares what stands at a path of a message.
func want(t *testing.T, message gjson.Result, path, text string) {
	t.Helper()
	if got := message.Get(path).String(); got != text {
		t.Errorf("%s of %s is %q, want %q", path, message.Raw, got, text)
	}
}

// end ends the conversation; the server must have nothing more to say.
func (c *client) end() {
	c.t.Helper()
	c.toServer.Close()
	if line, err := c.fromServer.ReadString('\n'); err != io.EOF {
		c.t.Errorf("at the end there came %q (%v)", line, err)
	}
}
