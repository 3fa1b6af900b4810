//go:build unix

package gateway_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"
)

// stubbornServer makes one that heeds neither the end of its input nor SIGTERM,
// and has a grandchild of that kind.
func stubbornServer(t *testing.T, name string) *fake {
	t.Helper()
	f := legacyServer(t, name, "x")
	f.deaf, f.options = true, []string{stubborn, launching}
	return f
}

// awaitHolder waits until the number-th grandchild is there, from 0.
func (f *fake) awaitHolder(number int) {
	f.t.Helper()
	f.await("a grandchild", func() bool { return len(f.holders) > number })
}

// mustBeReaped demands that no child of this process with the server's ids is
// left, not even as a zombie.
func (f *fake) mustBeReaped() {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.links {
		if err := syscall.Kill(l.greeting.PID, 0); !errors.Is(err, syscall.ESRCH) {
			f.t.Errorf("server %s: the process %d is still there: %v", f.name, l.greeting.PID, err)
		}
	}
}

// TestNothingSurvives the end of the gateway, whichever way it comes, and
// however its servers take it.
func TestNothingSurvives(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"end of input", "context", "context in a call"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			plain, deaf := legacyServer(t, "plain", "x"), legacyServer(t, "deaf", "x")
			deaf.deaf = true
			bad := stubbornServer(t, "bad")
			launcher := legacyServer(t, "launcher", "x")
			launcher.options = []string{launching}
			servers := []*fake{plain, deaf, bad, launcher}
			c := legacy(t, servers...)
			bad.awaitHolder(0)
			launcher.awaitHolder(0)
			id := c.request("tools/call", callParams("bad.x", ""))
			switch way {
			case "context":
				c.answer(id)
				c.end()
			case "context in a call":
				// It uses up most of the time that there is for the end.
				c.answer(id)
				bad.on("tools/call", silent)
				id = c.request("tools/call", callParams("bad.x", ""))
				bad.awaitSent("tools/call", 2)
				c.end()
				c.answer(id)
			default:
				c.in.Close()
				// What was asked before is answered, however long the end takes.
				c.answer(id)
			}
			c.wait()
			for _, f := range servers {
				f.mustBeReaped()
				f.mustBeGone()
			}
		})
	}
}

// TestAnswersDoNotWaitForTheEnd: a server that answers well and does not end is
// no reason to withhold its answers.
func TestAnswersDoNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	f := stubbornServer(t, "s")
	c := legacy(t, f)
	f.awaitHolder(0)
	release := make(chan struct{})
	f.on("tools/call", func(l *link, a arrival) string { <-release; return textResult("done") })
	id := c.request("tools/call", callParams("s.x", ""))
	f.awaitSent("tools/call", 1)
	c.in.Close()
	close(release)
	if got := c.answer(id).Get("result.content.0.text").Str; got != "done" {
		t.Errorf("the call gives %q", got)
	}
	c.wait()
	f.mustBeReaped()
}

// TestEndDuringTheStart: servers that have not answered yet, that have just
// failed, and that nobody has spoken to, are gone as well.
func TestEndDuringTheStart(t *testing.T) {
	t.Parallel()
	mute, probed, failed := stubbornServer(t, "mute"), stubbornServer(t, "probed"), stubbornServer(t, "failed")
	mute.on("initialize", silent)
	probed.on("server/discover", silent)
	failed.on("initialize", constant(`{"protocolVersion":"1999-01-01","capabilities":{}}`))
	c := connect(t, settings{flags: []string{"--list-wait=0"}}, mute, probed, failed)
	c.initialize(`{}`)
	mute.awaitSent("initialize", 1)
	probed.awaitSent("server/discover", 1)
	c.state("failed", "1999-01-01")
	for _, f := range []*fake{mute, probed, failed} {
		f.awaitHolder(0)
	}
	c.end()
	c.wait()
	for _, f := range []*fake{mute, probed, failed} {
		f.mustBeReaped()
		f.mustBeGone()
	}
}

// TestEndBeforeTheStart starts nothing.
func TestEndBeforeTheStart(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := connect(t, settings{}, f)
	c.fence()
	c.in.Close()
	c.wait()
	if f.starts() > 0 {
		t.Error("a server was started for nobody")
	}
}

// TestServersThatWereReplaced: what a server leaves behind when it dies goes
// with it.
func TestServersThatWereReplaced(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.options = []string{launching}
	c := legacy(t, f)
	f.awaitHolder(0)
	f.link(0).exit(1)
	f.mu.Lock()
	left := f.holders[0]
	f.mu.Unlock()
	<-left.gone
	f.awaitHolder(1)
	c.awaitTools(func(names []string) bool { return len(names) == 1 })
}

// process is a gateway in a process of its own.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startProcess(t *testing.T, servers ...*fake) *process {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(path, "--config="+configFile(t, servers...), "--list-wait=1m")
	command.Env = append(os.Environ(), childMode+"=gateway", "GORACE=atexit_sleep_ms=0", "TMPDIR="+t.TempDir())
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{command, in, bufio.NewReader(out)}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		for _, f := range servers {
			f.mustBeGone()
		}
	})
	p.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	p.answer(t, "2")
	return p
}

func (p *process) send(t *testing.T, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (p *process) answer(t *testing.T, id string) gjson.Result {
	t.Helper()
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			t.Fatalf("instead of the answer to %s there came %v", id, err)
		}
		if message := gjson.Parse(line); message.Get("id").Raw == id {
			return message
		}
	}
}

// TestSignals: SIGTERM ends the process, and all servers with it.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			servers := []*fake{legacyServer(t, "plain", "x"), stubbornServer(t, "bad")}
			p := startProcess(t, servers...)
			servers[1].awaitHolder(0)
			if err := p.command.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, p.out); err != nil {
				t.Error(err)
			}
			if err := p.command.Wait(); err != nil {
				t.Errorf("the process ended: %v", err)
			}
			for _, f := range servers {
				f.mustBeGone()
			}
		})
	}
}

// TestKilled: when the gateway itself is killed, its servers see the end of
// their input: none holds the other end of another one's open.
func TestKilled(t *testing.T) {
	t.Parallel()
	servers := []*fake{legacyServer(t, "a", "x"), legacyServer(t, "b", "x"), modernServer(t, "c", "x")}
	for _, f := range servers {
		f.options = []string{stubborn} // so that it is the end of the input that ends it
	}
	p := startProcess(t, servers...)
	if err := p.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, f := range servers {
		f.mustBeGone()
		f.await("the end of the input", func() bool { return f.links[0].ended })
	}
}
