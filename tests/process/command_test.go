//go:build unix && !aix

package process

import (
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// output reads stdout to its end.
func (p *process) output() string {
	p.t.Helper()
	var text strings.Builder
	limit := time.After(guard)
	for {
		select {
		case line, open := <-p.lines:
			if !open {
				return text.String()
			}
			text.WriteString(line)
		case <-limit:
			p.t.Fatalf("stdout has not ended; it has %q", text.String())
		}
	}
}

// A command of the aspect's own has stdin and stdout, which nobody else gets at;
// the process ends with it, and by its error.
func TestCommands(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		status    int
		out, err  string
	}{
		{[]string{"Repeat"}, 0, "typed", "stray: repeating\n"},
		{[]string{"--debug", "rEPEAT", "--drain=5s"}, 0, "typed", "stray: repeating\n"},
		{[]string{"Repeat", "--", "--debug"}, 1, "", "MCPServer_test: it takes no argument \"--debug\"\n"},
		{[]string{"Repeat", "--nope"}, 2, "", "unknown flag: --nope"},
		{[]string{"--", "Repeat"}, 2, "", "it takes no argument \"Repeat\""},
	} {
		p := start(t, testServer, test.arguments...)
		// One that is refused has gone before it reads.
		if _, err := io.WriteString(p.in, "typed"); err != nil && test.status != 2 {
			t.Fatal(err)
		}
		p.in.Close()
		if got := p.output(); got != test.out {
			t.Errorf("%q prints %q, want %q", test.arguments, got, test.out)
		}
		p.wantStatus(test.status)
		if got := p.said.whole(t); !strings.Contains(got, test.err) {
			t.Errorf("%q says %q on stderr, want %q", test.arguments, got, test.err)
		}
	}
}

// The first signal ends a command's context, and not the process.
func TestSignalEndsACommandsContext(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		p := start(t, testServer, "Await")
		p.ready()
		if line := <-p.lines; line != "waiting\n" {
			t.Fatalf("the command prints %q", line)
		}
		p.signal(signal)
		p.wantStatus(1)
		if got := p.said.whole(t); !strings.Contains(got, "MCPServer_test: stopped waiting: context canceled\n") {
			t.Errorf("stderr has %q", got)
		}
	}
}
