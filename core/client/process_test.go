//go:build linux || darwin

package client

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpserver/core/client/transport"
)

// script gives a transport for a server that is a shell script. It has to read
// its input to the end.
func script(text string) *transport.Stdio {
	return &transport.Stdio{Command: "/bin/sh", Arguments: []string{"-c", text}, Grace: 200 * time.Millisecond}
}

// TestServersThatCannotServe: Connect tells at once what is wrong, as far as
// anybody can know.
func TestServersThatCannotServe(t *testing.T) {
	for _, test := range []struct {
		name   string
		server *transport.Stdio
		want   []string
	}{
		{"false", &transport.Stdio{Command: "false"}, []string{"false ended: exit status 1"}},
		{"complaint", script("echo 'bad flag --x' >&2; exit 3"), []string{"exit status 3", "bad flag --x"}},
		{"missing", &transport.Stdio{Command: "no-such-server"}, []string{`"no-such-server"`, "PATH"}},
		{"wrong version", script(`read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1999-01-01","capabilities":{}}}'; cat >/dev/null`), []string{"1999-01-01", "2025-11-25"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New("s", test.server)
			c.Options.Era = EraLegacy
			mustContain(t, c.Connect(t.Context()), append(test.want, `server "s"`)...)
			if c.IsConnected() || c.ListTools() != `[]` {
				t.Error("the client takes itself for connected")
			}
		})
	}
}

// TestStderrIsNoFailure: a server that logs there, very much and without a line
// break, serves all the same.
func TestStderrIsNoFailure(t *testing.T) {
	c := New("s", script(`head -c 262144 /dev/zero | tr '\0' x >&2; echo 'INFO ready' >&2; read line
		echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'; cat >/dev/null`))
	c.Options.Era = EraLegacy
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	disconnect(t, c)
}

// TestDisconnectDuringTheHandshake ends the server and what it has started.
func TestDisconnectDuringTheHandshake(t *testing.T) {
	held := t.TempDir() + "/pipe"
	// The grandchild holds the pipe open, and neither of them heeds anything but
	// SIGKILL.
	c := New("s", script(`mkfifo `+held+`; trap '' TERM; (trap '' TERM; exec 9>`+held+`; while :; do sleep 1; done) & while :; do sleep 1; done`))
	c.Options.Era = EraLegacy
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pipe := openWhenThere(t, held)
	disconnect(t, c)
	// The end of the pipe comes when the last of them is gone.
	if n, err := pipe.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("reading from the pipe gives %d bytes, %v; want its end", n, err)
	}
}

// openWhenThere opens a named pipe that somebody else is about to make. It
// returns when the other end is open as well.
func openWhenThere(t *testing.T, path string) *os.File {
	t.Helper()
	for t.Context().Err() == nil {
		file, err := os.Open(path)
		if err == nil {
			t.Cleanup(func() { file.Close() })
			return file
		}
		if !os.IsNotExist(err) {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	t.Fatal("the pipe was not made")
	return nil
}

// TestFailedHandshakesLeaveNothing: neither descriptors nor goroutines nor
// children.
func TestFailedHandshakesLeaveNothing(t *testing.T) {
	attempt := func() {
		c := New("s", script(`read line; echo '{"jsonrpc":"2.0","id":1,"resu'; cat >/dev/null`))
		c.Options.Era = EraLegacy
		mustContain(t, c.Connect(t.Context()), "cannot be read")
	}
	attempt()
	before := openDescriptors(t)
	var attempts sync.WaitGroup
	for range 10 {
		attempts.Go(func() {
			for range 50 {
				attempt()
			}
		})
	}
	attempts.Wait()
	if now := openDescriptors(t); now > before {
		t.Errorf("500 failed handshakes have left %d descriptors open", now-before)
	}
	if child, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("500 failed handshakes have left a child: %d, %v", child, err)
	}
	if left := goroutinesLeft(5 * time.Second); strings.Contains(left, "transport") {
		t.Errorf("500 failed handshakes have left goroutines:\n%s", left)
	}
}

// openDescriptors counts, where the system tells.
func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Logf("descriptors are not counted: %v", err)
	}
	return len(entries)
}
