package transport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// childMode names, in the environment, what the test binary is to do when it is
// started as somebody's child.
const childMode = "TRANSPORT_TEST_CHILD"

// childModes are the servers that the tests start.
var childModes = map[string]func(arguments []string){
	"echo":        func([]string) { echo() },
	"environment": func([]string) { fmt.Println(strings.Join(slices.Sorted(slices.Values(os.Environ())), "\x1f")) },
	"arguments":   func(arguments []string) { fmt.Println(strings.Join(arguments, "\x1f")) },
	"directory":   func([]string) { directory, _ := os.Getwd(); fmt.Println(directory) },
	"complain":    func([]string) { fmt.Fprintln(os.Stderr, "reading settings\nno such setting: colour"); os.Exit(3) },
	"last words":  func([]string) { fmt.Println("done"); fmt.Fprintln(os.Stderr, "good bye"); os.Exit(4) },
	"close":       func([]string) { os.Stdout.Close(); io.Copy(io.Discard, os.Stdin) },
	"spew":        func([]string) { io.Copy(os.Stderr, io.LimitReader(zeros{}, 10<<20)); echo() },
	"stubborn":    func(arguments []string) { ignoreSignals(); hold(arguments[0]) },
	"launcher":    func(arguments []string) { launch("stubborn", arguments[0]); echo() },
	"deaf":        func(arguments []string) { hold(arguments[0]) },
	"parent":      func(arguments []string) { parent(arguments[0]) },
}

// TestMain lets the test binary stand in for the servers.
func TestMain(m *testing.M) {
	if run := childModes[os.Getenv(childMode)]; run != nil {
		run(os.Args[1:])
		return
	}
	os.Exit(m.Run())
}

// child gives a transport that starts the test binary in that mode.
func child(t *testing.T, mode string, arguments ...string) *Stdio {
	t.Helper()
	return &Stdio{Command: self(t), Arguments: arguments, Environment: childEnvironmentOf(mode)}
}

// childEnvironmentOf has the test binary run a mode, and end at once when it is
// done: with the race detector it would sleep for a second first.
func childEnvironmentOf(mode string) map[string]string {
	return map[string]string{childMode: mode, "GORACE": "atexit_sleep_ms=0"}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// echo writes back each line until its input ends.
func echo() {
	input := bufio.NewReader(os.Stdin)
	for {
		line, err := input.ReadString('\n')
		if err != nil {
			return
		}
		fmt.Print(line)
	}
}

// zeros gives text without line breaks for ever.
type zeros struct{}

func (zeros) Read(buffer []byte) (int, error) {
	for i := range buffer {
		buffer[i] = '0'
	}
	return len(buffer), nil
}

func ignoreSignals() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT) }

// hold keeps a connection to a socket open until the process is killed. So
// whoever listens there sees the process's end.
func hold(socket string) {
	connection, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(connection, "here")
	fmt.Println("holding")
	runtime.KeepAlive(connection)
	<-make(chan struct{}) // not even the end of its input ends it
}

// launch starts a grandchild that shares our stdout and outlives us.
func launch(mode string, arguments ...string) {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	command := exec.Command(path, arguments...)
	command.Env = append(os.Environ(), childMode+"="+mode)
	command.Stdin, command.Stdout = os.Stdin, os.Stdout
	if err := command.Start(); err != nil {
		panic(err)
	}
}

// parent opens a link to a child that ends with it, and waits to be killed.
func parent(socket string) {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	server := &Stdio{
		Command: path, Arguments: []string{socket}, Environment: map[string]string{childMode: "deaf"},
		DieWithParent: true,
	}
	if _, err := server.Open(context.Background(), discard{}); err != nil {
		panic(err)
	}
	<-make(chan struct{})
}

// discard is a receiver that nobody looks at.
type discard struct{}

func (discard) Receive(string, string)       {}
func (discard) Broken(string, string, error) {}
func (discard) Failed(string, error)         {}

// witness listens on a socket for a process to hold.
type witness struct {
	path     string
	listener net.Listener
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	folder, err := os.MkdirTemp("", "witness") // t.TempDir's names are too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := folder + "/socket"
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return &witness{path: path, listener: listener}
}

// held waits until a process holds the socket.
func (w *witness) held(t *testing.T) io.Reader {
	t.Helper()
	connection, err := w.listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	reader := bufio.NewReader(connection)
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return reader
}
