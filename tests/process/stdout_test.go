//go:build unix && !aix

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever the aspect's code, its libraries or its children print, stdout has
// the protocol's messages alone; at every level of tracing.
func TestStrayOutputGoesToStderr(t *testing.T) {
	for _, level := range []string{"", "--info", "--debug", "--trace"} {
		t.Run("level "+level, func(t *testing.T) {
			var arguments []string
			if level != "" {
				arguments = append(arguments, level)
			}
			p := start(t, testServer, arguments...)
			p.send(initialize, initialized, call(1, "print", "{}"))
			p.wantIDs(`"init"`)
			p.wantText("1", "printed")
			p.in.Close()
			p.wantSilence()
			p.wantStatus(0)
			said := p.said.whole(t)
			for _, way := range []string{"starting", "fmt", "os.Stdout", "descriptor 1", "log", "child", "grandchild"} {
				if !strings.Contains(said, "stray: "+way+"\n") {
					t.Errorf("stderr lacks what was printed by way of %s:\n%s", way, said)
				}
			}
		})
	}
}

// A main function of its own, which takes the steps of server.Main one by one,
// comes to its own end, and what it prints does not reach stdout either.
func TestMainOfItsOwn(t *testing.T) {
	for argument, status := range map[string]int{"--info": 0, "--fail-startup": 1} {
		t.Run(argument, func(t *testing.T) {
			p := start(t, testServer, "--announce", argument)
			if status == 0 {
				p.send(ping(1))
				p.wantIDs("1")
			}
			p.in.Close()
			p.wantSilence()
			p.wantStatus(status)
			said := p.said.whole(t)
			for _, words := range []string{"stray: before Run\n", fmt.Sprintf("stray: after Deinit, status %d\n", status)} {
				if !strings.Contains(said, words) {
					t.Errorf("stderr lacks %q:\n%s", words, said)
				}
			}
		})
	}
}

// Nothing is written before a request was read.
func TestSilenceBeforeTheFirstRequest(t *testing.T) {
	for _, binary := range allBinaries {
		t.Run(filepath.Base(binary), func(t *testing.T) {
			p := start(t, binary)
			p.ready()
			p.in.Close()
			p.wantSilence()
			p.wantStatus(0)
		})
	}
}

// A server that cannot start says why on stderr alone.
func TestFailedStart(t *testing.T) {
	for _, test := range []struct {
		argument string
		status   int
		words    string
	}{
		{"--fail-startup", 1, "the database is not there"},
		{"--nope", 2, "--nope"},
		{"extra", 2, "extra"},
		{"--drain=soon", 2, "drain"},
	} {
		t.Run(test.argument, func(t *testing.T) {
			p := start(t, testServer, test.argument)
			p.wantSilence()
			p.wantStatus(test.status)
			said := p.said.whole(t)
			if !strings.Contains(said, test.words) {
				t.Errorf("stderr does not say %q:\n%s", test.words, said)
			}
			if test.status == 2 && !strings.Contains(said, "Usage:") {
				t.Errorf("stderr has no usage:\n%s", said)
			}
		})
	}
}

func TestHelpAndVersionGoToStdout(t *testing.T) {
	for _, test := range []struct{ argument, words string }{
		{"--help", "Usage:"},
		{"-h", "--drain"},
		{"/?", "--shutdowns"},
		{"--version", "MCPServer_test 1.2.3"},
	} {
		t.Run(test.argument, func(t *testing.T) {
			p := prepare(t, testServer, test.argument)
			p.start()
			go p.readLines()
			go p.said.read(p.err)
			var text strings.Builder
			for line := range p.lines {
				text.WriteString(line)
			}
			p.wantStatus(0)
			if !strings.Contains(text.String(), test.words) {
				t.Errorf("stdout does not say %q:\n%s", test.words, text.String())
			}
			if said := p.said.whole(t); said != "" {
				t.Errorf("stderr has %q, want nothing", said)
			}
		})
	}
}

// When the reader of stdout has gone, the server ends quietly at its next
// answer, though its stdin is open and a handler runs.
func TestClosedStdoutEndsTheServer(t *testing.T) {
	for _, busy := range []bool{false, true} {
		name := "idle"
		if busy {
			name = "busy"
		}
		t.Run(name, func(t *testing.T) {
			shutdowns := filepath.Join(t.TempDir(), "shutdowns")
			p := prepare(t, testServer, "--shutdowns="+shutdowns)
			p.start()
			go p.said.read(p.err)
			p.send(initialize)
			if _, err := p.out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if busy {
				p.send(stubbornCall(1, pipeGate(t)))
			}
			p.out.Close()
			p.send(ping(2))
			p.wantStatus(0)
			wantShutdowns(t, shutdowns, 1)
			for line := range strings.Lines(p.said.whole(t)) {
				if !strings.HasPrefix(line, "trace: ") && !strings.HasPrefix(line, "stray: ") && line != "OnShutdown runs\n" {
					t.Errorf("stderr says %q, want a quiet end", line)
				}
			}
		})
	}
}

// Descriptors that were closed before the start harm nobody.
func TestDescriptorsClosedAtTheStart(t *testing.T) {
	exchange := ping(1) + "\n" + call(2, "print", "{}") + "\n"
	for _, test := range []struct {
		name, redirections string
		answered           bool
	}{
		{"stdin", "<&-", false},
		{"stdout", ">&-", false},
		{"stderr", "2>&-", true},
		{"stdout and stderr", ">&- 2>&-", false},
		{"all", "<&- >&- 2>&-", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := shell(t, `exec "$0" `+test.redirections, testServer)
			p.start()
			go p.readLines()
			go p.said.read(p.err)
			// A server without stdin may have ended before this is written.
			_, _ = p.in.WriteString(exchange)
			p.in.Close()
			if test.answered {
				p.wantIDs("1", "2")
			}
			p.wantSilence()
			p.wantStatus(0)
		})
	}
}

// wantShutdowns reads the file to which OnShutdown appends a line.
func wantShutdowns(t *testing.T, path string, want int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), "\n"); got != want {
		t.Errorf("OnShutdown ran %d times, want %d", got, want)
	}
}
