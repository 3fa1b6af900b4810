//go:build unix && !aix

// Package process tests servers as processes of their own: descriptors, pipes,
// signals, files and memory as an operating system shows them.
package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// guard is how long a test waits for what must happen before it fails. Nothing
// is expected to happen within a time.
const guard = 60 * time.Second

// The binaries, built once.
var (
	binaries    string
	testServer  string
	helloWorld  string
	setReminder string
	allBinaries []string
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	directory, err := os.MkdirTemp("", "process")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(directory)
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", directory+string(filepath.Separator),
		"mcpserver/tests/process/testserver", "mcpserver/cmd/MCPServer_helloWorld",
		"mcpserver/cmd/MCPServer_setReminder", "mcpserver/cmd/MCPServer_wordArt")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the servers: %v\n%s", err, output)
		return 1
	}
	binaries = directory
	testServer = filepath.Join(directory, "testserver")
	helloWorld = filepath.Join(directory, "MCPServer_helloWorld")
	setReminder = filepath.Join(directory, "MCPServer_setReminder")
	allBinaries = []string{testServer, helloWorld, setReminder, filepath.Join(directory, "MCPServer_wordArt")}
	return m.Run()
}

// process is a running server on real pipes.
type process struct {
	t         *testing.T
	command   *exec.Cmd
	temporary string        // its TMPDIR
	in        *os.File      // the write end of its stdin
	out       *os.File      // the read end of its stdout
	err       *os.File      // the read end of its stderr
	lines     chan string   // of stdout, once it is read
	said      *transcript   // stderr, once it is read
	ended     chan struct{} // closed when the process has ended
}

// start runs a server and reads its stdout and stderr.
func start(t *testing.T, name string, arguments ...string) *process {
	t.Helper()
	p := prepare(t, name, arguments...)
	p.start()
	go p.readLines()
	go p.said.read(p.err)
	return p
}

// prepare makes a process that is not started, whose output nobody reads yet.
func prepare(t *testing.T, name string, arguments ...string) *process {
	t.Helper()
	p := &process{
		t:         t,
		command:   exec.Command(name, arguments...),
		temporary: t.TempDir(),
		lines:     make(chan string, 1<<16),
		said:      newTranscript(),
		ended:     make(chan struct{}),
	}
	p.command.Env = append(os.Environ(), "TMPDIR="+p.temporary)
	return p
}

// shell makes a process that a shell command prepares and then becomes: "$0" is
// the server.
func shell(t *testing.T, script, name string, arguments ...string) *process {
	t.Helper()
	return prepare(t, "sh", append([]string{"-c", script, name}, arguments...)...)
}

func (p *process) start() {
	p.t.Helper()
	pipe := func() (read, write *os.File) {
		read, write, err := os.Pipe()
		if err != nil {
			p.t.Fatal(err)
		}
		return read, write
	}
	var stdin, stdout, stderr *os.File
	stdin, p.in = pipe()
	p.out, stdout = pipe()
	p.err, stderr = pipe()
	if p.command.Stdin == nil {
		p.command.Stdin = stdin
	}
	if p.command.Stdout == nil {
		p.command.Stdout = stdout
	}
	p.command.Stderr = stderr
	if err := p.command.Start(); err != nil {
		p.t.Fatal(err)
	}
	for _, file := range []*os.File{stdin, stdout, stderr} {
		file.Close()
	}
	go func() {
		_ = p.command.Wait() // its status is in ProcessState
		close(p.ended)
	}()
	p.t.Cleanup(p.kill)
}

// kill ends what a test has left running.
func (p *process) kill() {
	_ = p.command.Process.Kill() // an error says that it has ended already
	<-p.ended
	for _, file := range []*os.File{p.in, p.out, p.err} {
		file.Close()
	}
}

// readLines takes the server's messages until its stdout ends.
func (p *process) readLines() {
	defer close(p.lines)
	reader := bufio.NewReaderSize(p.out, 64<<10)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			p.lines <- line
		}
		if err != nil {
			return
		}
	}
}

// send writes messages, each with its line feed, in one write.
func (p *process) send(messages ...string) {
	p.t.Helper()
	p.write(strings.Join(messages, "\n") + "\n")
}

func (p *process) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatalf("writing %.100q: %v", text, err)
	}
}

// next gives the next message.
func (p *process) next() gjson.Result {
	p.t.Helper()
	select {
	case line, open := <-p.lines:
		switch {
		case !open:
			p.t.Fatalf("stdout has ended, want a message; stderr:\n%s", p.said)
		case !strings.HasSuffix(line, "\n") || !gjson.Valid(line) || gjson.Get(line, "jsonrpc").Str != "2.0":
			p.t.Fatalf("stdout has a line that is no message: %.300q", line)
		}
		return gjson.Parse(line)
	case <-time.After(guard):
		p.t.Fatalf("no message; stderr:\n%s", p.said)
	}
	return gjson.Result{}
}

// wantIDs takes one message for each id (as JSON), in that order.
func (p *process) wantIDs(ids ...string) {
	p.t.Helper()
	for _, id := range ids {
		if got := p.next(); got.Get("id").Raw != id {
			p.t.Fatalf("the next message is %.300s, want the one with id %s (of %v)", got.Raw, id, ids)
		}
	}
}

// wantText takes one message, the result of a tool call.
func (p *process) wantText(id, text string) {
	p.t.Helper()
	got := p.next()
	if got.Get("id").Raw != id || got.Get("result.content.0.text").Str != text || got.Get("result.isError").Bool() {
		p.t.Fatalf("got %.300s, want id %s with the text %.100q", got.Raw, id, text)
	}
}

// wantFailure takes one message, an error or a tool's error.
func (p *process) wantFailure(id string) {
	p.t.Helper()
	got := p.next()
	if got.Get("id").Raw != id || !got.Get("error").Exists() && !got.Get("result.isError").Bool() {
		p.t.Fatalf("got %.300s, want id %s with a failure", got.Raw, id)
	}
}

// wantSilence reads stdout to its end, which must come without another byte.
func (p *process) wantSilence() {
	p.t.Helper()
	select {
	case line, open := <-p.lines:
		if open {
			p.t.Fatalf("stdout has %.300q, want nothing more", line)
		}
	case <-time.After(guard):
		p.t.Fatal("stdout has not ended")
	}
}

// wantStatus waits for the process to end.
func (p *process) wantStatus(status int) {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(guard):
		p.t.Fatalf("the process has not ended; stderr:\n%s", p.said)
	}
	if got := p.command.ProcessState; got.ExitCode() != status {
		p.t.Fatalf("the process ended with %v, want status %d; stderr:\n%s", got, status, p.said)
	}
}

// signal sends a signal.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// ready waits for the announcement of the trace file, by when signals are
// caught as well, and gives the file's path.
func (p *process) ready() (path string) {
	p.t.Helper()
	line := p.said.wait(p.t, "trace: ")
	return strings.TrimPrefix(line, "trace: ")
}

// transcript is what a process writes to stderr.
type transcript struct {
	mu      sync.Mutex // guards what follows
	text    strings.Builder
	changed chan struct{} // closed at the next change
	ended   bool
}

func newTranscript() *transcript { return &transcript{changed: make(chan struct{})} }

func (s *transcript) read(from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		s.mu.Lock()
		s.text.Write(buffer[:n])
		s.ended = err != nil
		close(s.changed)
		s.changed = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String gives all there is so far.
func (s *transcript) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// whole waits for the end of stderr.
func (s *transcript) whole(t *testing.T) string {
	t.Helper()
	s.until(t, "its end", func(string) bool { return s.ended })
	return s.String()
}

// wait gives the first whole line that has these words in it.
func (s *transcript) wait(t *testing.T, words string) (line string) {
	t.Helper()
	s.until(t, words, func(text string) bool {
		for each := range strings.Lines(text) {
			if strings.Contains(each, words) && strings.HasSuffix(each, "\n") {
				line = strings.TrimSuffix(each, "\n")
				return true
			}
		}
		return false
	})
	return line
}

// until waits until the condition holds, which is asked with mu held.
func (s *transcript) until(t *testing.T, what string, holds func(text string) bool) {
	t.Helper()
	limit := time.After(guard)
	for {
		s.mu.Lock()
		done, ended, changed := holds(s.text.String()), s.ended, s.changed
		s.mu.Unlock()
		if done {
			return
		}
		if ended {
			t.Fatalf("stderr has ended without %q:\n%s", what, s)
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("stderr has no %q:\n%s", what, s)
		}
	}
}

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"process","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func ping(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)
}

// call is a tools/call request with these arguments, a JSON object.
func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// pipeGate is a named pipe that the tool "stubborn" waits for.
func pipeGate(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stubbornCall is a call that does not come back before openGate.
func stubbornCall(id int, gate string) string {
	return call(id, "stubborn", fmt.Sprintf(`{"path":%q}`, gate))
}

// openGate lets a stubborn call go, with that text.
func openGate(t *testing.T, gate, text string) {
	t.Helper()
	if err := os.WriteFile(gate, []byte(text), 0); err != nil {
		t.Fatal(err)
	}
}
