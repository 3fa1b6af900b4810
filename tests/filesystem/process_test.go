//go:build unix && !aix

// Package filesystem tests MCPServer_filesystem as a process of its own and,
// with the build tag npmserver, beside the npm server whose place it can take:
// "run" fetches that one.
package filesystem

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// guard is how long a test waits for what must happen before it fails. Nothing
// is expected to happen within a time.
const guard = 2 * time.Minute

// binary is the server, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	directory, err := os.MkdirTemp("", "filesystem")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(directory)
	// Other users run the server, too.
	if err := os.Chmod(directory, 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = filepath.Join(directory, "MCPServer_filesystem")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, "mcpserver/cmd/MCPServer_filesystem")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the server: %v\n%s", err, output)
		return 1
	}
	defer func() {
		for _, path := range leftovers {
			os.RemoveAll(path)
		}
	}()
	return m.Run()
}

// leftovers are directories of all tests together.
var leftovers []string

type arguments map[string]any

// client is a client of a server that is a process of its own.
type client struct {
	t       testing.TB
	command *exec.Cmd
	in      io.WriteCloser
	lines   chan string // of stdout; closed at its end
	id      int
	// onlyCount has the lines come empty, and received add up their lengths, so
	// that what is measured is the server.
	onlyCount atomic.Bool
	received  atomic.Int64
}

// start starts a server and makes the handshake.
func start(t testing.TB, command *exec.Cmd) *client {
	t.Helper()
	c := &client{t: t, command: command, lines: make(chan string, 1<<16)}
	c.launch()
	c.handshake()
	return c
}

func (c *client) handshake() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	c.next(`"init"`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// launch starts the server, to which nothing is said.
func (c *client) launch() {
	c.t.Helper()
	if c.command.Env == nil {
		c.command.Env = os.Environ()
	}
	c.command.Env = append(c.command.Env, "TMPDIR="+c.t.TempDir())
	var err error
	if c.in, err = c.command.StdinPipe(); err != nil {
		c.t.Fatal(err)
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.command.Start(); err != nil {
		c.t.Fatal(err)
	}
	go c.read(out)
	c.t.Cleanup(c.kill)
}

// read takes the server's lines until its stdout ends.
func (c *client) read(out io.Reader) {
	defer close(c.lines)
	reader := bufio.NewReaderSize(out, 1<<20)
	var line []byte
	for {
		piece, err := reader.ReadSlice('\n')
		if c.onlyCount.Load() {
			c.received.Add(int64(len(piece)))
		} else {
			line = append(line, piece...)
		}
		switch {
		case err == nil:
			c.lines <- string(line)
			line = line[:0]
		case !errors.Is(err, bufio.ErrBufferFull):
			return
		}
	}
}

// kill ends the server at once, wherever it is.
func (c *client) kill() {
	_ = c.command.Process.Kill() // an error says that it has ended already
	for range c.lines {
	}
	_ = c.command.Wait() // its status is that it was killed
}

func (c *client) send(messages ...string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, strings.Join(messages, "\n")+"\n"); err != nil {
		c.t.Fatalf("sending %.200s: %v", messages, err)
	}
}

// next gives the answer of that id, or fails.
func (c *client) next(id string) gjson.Result {
	c.t.Helper()
	limit := time.After(guard)
	for {
		select {
		case line, open := <-c.lines:
			if !open {
				c.t.Fatal("the server has ended")
			}
			if message := gjson.Parse(line); message.Get("id").Raw == id && message.Get("method").Str == "" {
				return message
			}
		case <-limit:
			c.t.Fatalf("there is no answer %s", id)
		}
	}
}

// callOf makes a call of a tool with the next id.
func (c *client) callOf(tool string, given arguments) string {
	c.t.Helper()
	if given == nil {
		given = arguments{}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		c.t.Fatal(err)
	}
	c.id++
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, c.id, tool, raw)
}

// call calls a tool and gives its result or its error.
func (c *client) call(tool string, given arguments) gjson.Result {
	c.t.Helper()
	c.send(c.callOf(tool, given))
	answer := c.next(fmt.Sprint(c.id))
	if failure := answer.Get("error"); failure.Exists() {
		return failure
	}
	return answer.Get("result")
}

// text calls a tool, which must go well, and gives its text.
func (c *client) text(tool string, given arguments) string {
	c.t.Helper()
	result := c.call(tool, given)
	if result.Get("isError").Bool() || !result.Get("content").Exists() {
		c.t.Fatalf("%s %.200v gave %.500s", tool, given, result.Raw)
	}
	return result.Get("content.0.text").Str
}

func serve(t testing.TB, given ...string) *client {
	t.Helper()
	return start(t, exec.Command(binary, given...))
}

// folder makes a directory that everybody may look into.
func folder(t testing.TB) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range []string{filepath.Dir(path), path} {
		if err := os.Chmod(each, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// asNobody has a command run as a user who may do nothing, if the tests are
// run by one who may do everything.
func asNobody(command *exec.Cmd) *exec.Cmd {
	if os.Geteuid() == 0 {
		command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		command.Dir = "/"
	}
	return command
}
