//go:build filesystem

// Package filesystem compares MCPServer_filesystem with the npm server whose
// place it can take, call by call and in speed. It needs what npm fetches for
// tests/clients, so it has a build tag of its own.
package filesystem

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"
)

const npmServer = "../clients/node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"

// ownServer is our binary, built once.
var ownServer string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if _, err := os.Stat(npmServer); err != nil {
		fmt.Fprintln(os.Stderr, "the npm server is missing; \"npm ci\" in tests/clients/node fetches it:", err)
		return 1
	}
	directory, err := os.MkdirTemp("", "filesystem")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(directory)
	ownServer = filepath.Join(directory, "MCPServer_filesystem")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", ownServer, "mcpserver/cmd/MCPServer_filesystem")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the server: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// kind is one of the two servers.
type kind struct {
	name    string
	command func(directory string) *exec.Cmd
}

var (
	ours = kind{"ours", func(directory string) *exec.Cmd { return exec.Command(ownServer, directory) }}
	npms = kind{"npm's", func(directory string) *exec.Cmd { return exec.Command("node", npmServer, directory) }}
)

// conversation is a client's, with a server that serves one directory.
type conversation struct {
	t       testing.TB
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	last    int
}

// start starts a server and makes the handshake.
func start(t testing.TB, server kind, directory string) *conversation {
	t.Helper()
	c := &conversation{t: t, command: server.command(directory)}
	in, err := c.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 1<<20)
	c.ask("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *conversation) send(message any) {
	c.t.Helper()
	line, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		c.t.Fatal(err)
	}
}

// read gives the next answer, and passes over notifications.
func (c *conversation) read() gjson.Result {
	c.t.Helper()
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatalf("the server's output ended: %v", err)
		}
		if answer := gjson.ParseBytes(line); !answer.Get("method").Exists() {
			return answer
		}
	}
}

func (c *conversation) ask(method string, params any) gjson.Result {
	c.t.Helper()
	c.last++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params})
	answer := c.read()
	if answer.Get("id").Int() != int64(c.last) {
		c.t.Fatalf("got %s, want the answer to request %d", answer.Raw, c.last)
	}
	return answer
}

func (c *conversation) call(tool string, arguments any) gjson.Result {
	c.t.Helper()
	return c.ask("tools/call", map[string]any{"name": tool, "arguments": arguments})
}

// end closes the server's input and waits for its end.
func (c *conversation) end() {
	c.t.Helper()
	if err := c.in.Close(); err != nil {
		c.t.Error(err)
	}
	if _, err := io.Copy(io.Discard, c.out); err != nil {
		c.t.Error(err)
	}
	if err := c.command.Wait(); err != nil {
		c.t.Error(err)
	}
}
