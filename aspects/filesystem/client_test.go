package filesystem

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/server"
)

// client is a scripted MCP client of the aspect, over pipes in memory.
type client struct {
	t        *testing.T
	in       *io.PipeWriter
	messages *bufio.Scanner
	// aside has answers that came before the one that was waited for.
	aside map[string]gjson.Result
}

// connect serves the aspect with a command line of flags and directories.
func connect(t *testing.T, flags []string, directories ...string) *client {
	t.Helper()
	return connectTo(t, Aspect(), flags, directories...)
}

func connectTo(t *testing.T, aspect *core.Aspect, flags []string, directories ...string) *client {
	t.Helper()
	start := aspect.OnStartup
	aspect.OnStartup = func(ctx context.Context, host core.Host) error {
		set := flag.NewFlagSet("test", flag.ContinueOnError)
		aspect.Flags(set)
		return errors.Join(set.Parse(flags), start(ctx, host))
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := &client{t: t, in: toServer, messages: bufio.NewScanner(fromServer), aside: make(map[string]gjson.Result)}
	c.messages.Buffer(nil, 64<<20)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { // ends with the input
		served <- server.Serve(ctx, aspect, in, out, &server.Options{Arguments: directories})
		out.Close()
		in.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
		cancel()
		<-served
	})
	return c
}

// ready connects and makes a handshake with these capabilities of the client.
func ready(t *testing.T, capabilities string, flags []string, directories ...string) *client {
	t.Helper()
	c := connect(t, flags, directories...)
	c.handshake(capabilities)
	return c
}

func (c *client) handshake(capabilities string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"test","version":"1"}}}`)
	c.next("0")
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (c *client) send(messages ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(messages, "\n")+"\n"); err != nil {
		c.t.Fatalf("sending %s: %v", messages, err)
	}
}

// read gives the next message, whatever it is.
func (c *client) read() gjson.Result {
	c.t.Helper()
	if !c.messages.Scan() {
		c.t.Fatalf("the server has ended (%v), want a message", c.messages.Err())
	}
	return gjson.Parse(strings.Clone(c.messages.Text()))
}

// next gives the message that has that id or, a request or a notification, that
// method. Answers may come in any order.
func (c *client) next(want string) gjson.Result {
	c.t.Helper()
	if kept, found := c.aside[want]; found {
		delete(c.aside, want)
		return kept
	}
	for {
		message := c.read()
		id, method := message.Get("id").Raw, message.Get("method").Str
		switch {
		case method == want, method == "" && id == want:
			return message
		case method == "":
			c.aside[id] = message
		case method == "notifications/progress":
		default:
			c.t.Fatalf("the server sent %s, want a message %s", message.Raw, want)
		}
	}
}

// callOf makes a call of a tool; more are further members of its parameters.
func callOf(id int, tool string, given arguments, more string) string {
	raw, err := json.Marshal(given)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, raw, more)
}

// call calls a tool and gives its text, with "!" before that of a failure.
func (c *client) call(tool string, given arguments) string {
	c.t.Helper()
	c.send(callOf(1, tool, given, ""))
	return said(c.next("1"))
}

func said(message gjson.Result) string {
	text := message.Get("result.content.0.text").Str
	if failure := message.Get("error"); failure.Exists() {
		return "!" + failure.Get("message").Str
	}
	if message.Get("result.isError").Bool() {
		return "!" + text
	}
	return text
}

// answer answers a question of the server with a result.
func (c *client) answer(question gjson.Result, result string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":` + question.Get("id").Raw + `,"result":` + result + `}`)
}

// wants checks that a text has another in it.
func wants(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s gave %.1000q, want %q in it", what, got, want)
	}
}
