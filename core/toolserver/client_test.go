package toolserver_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/server"
)

// client is a scripted MCP client of an aspect, over pipes in memory.
type client struct {
	t        *testing.T
	in       *io.PipeWriter
	messages *bufio.Scanner
	served   chan error
}

func connect(t *testing.T, aspect *core.Aspect) *client {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, in: toServer, messages: bufio.NewScanner(fromServer), served: make(chan error, 1)}
	c.messages.Buffer(nil, 1<<20)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the input
		c.served <- server.Serve(ctx, aspect, in, out, nil)
		out.Close()
		in.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		cancel()
		<-c.served
	})
	return c
}

// ready connects and makes a handshake with these capabilities of the client.
func ready(t *testing.T, aspect *core.Aspect, version, capabilities string) *client {
	t.Helper()
	c := connect(t, aspect)
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + capabilities + `,"clientInfo":{"name":"test","version":"1"}}}`)
	c.next("0")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *client) send(message string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, message+"\n"); err != nil {
		c.t.Fatalf("sending %s: %v", message, err)
	}
}

// next gives the next message, which must have that id, or that method.
func (c *client) next(id string) gjson.Result {
	c.t.Helper()
	if !c.messages.Scan() {
		c.t.Fatalf("the server ended (%v), want a message %s", c.messages.Err(), id)
	}
	message := gjson.Parse(strings.Clone(c.messages.Text()))
	if message.Get("id").Raw != id && message.Get("method").Str != id {
		c.t.Fatalf("the server sent %s, want a message %s", message.Raw, id)
	}
	return message
}

// call calls a tool and gives the result, or the error.
func (c *client) call(tool, arguments string) gjson.Result {
	c.t.Helper()
	c.send(callOf(1, tool, arguments, ""))
	return resultOf(c.next("1"))
}

func callOf(id int, tool, arguments, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, arguments, more)
}

func resultOf(message gjson.Result) gjson.Result {
	if failure := message.Get("error"); failure.Exists() {
		return failure
	}
	return message.Get("result")
}

// list gives the server's own tools, without those of the core.
func (c *client) list() (tools []gjson.Result) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	for _, tool := range c.next("2").Get("result.tools").Array() {
		name := tool.Get("name").Str
		if name != "about_tsar-mcp" && name != "readTrace" && name != "setReminder" {
			tools = append(tools, tool)
		}
	}
	return tools
}

func names(tools []gjson.Result) string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Get("name").Str)
	}
	return strings.Join(names, " ")
}

func wantJSON(t *testing.T, what string, got gjson.Result, want string) {
	t.Helper()
	if got.Raw != want {
		t.Errorf("%s is\n got %s\nwant %s", what, got.Raw, want)
	}
}
