//go:build unix && !aix

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The trace file is announced, named after the server and its process, and
// readable by its user alone, whatever the umask.
func TestTraceFile(t *testing.T) {
	p := shell(t, `umask 0; exec "$0"`, testServer)
	p.start()
	go p.readLines()
	go p.said.read(p.err)
	path := p.ready()
	if want := filepath.Join(p.temporary, fmt.Sprintf("MCPServer_test_%d.log", p.command.Process.Pid)); path != want {
		t.Errorf("the trace file is %s, want %s", path, want)
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 {
		t.Errorf("the trace file's mode is %v, want a regular file with 0600", info.Mode())
	}
	p.in.Close()
	p.wantStatus(0)
}

// With --trace the file has every message in and out; without, none.
func TestTraceHasTheMessages(t *testing.T) {
	for _, on := range []bool{false, true} {
		t.Run(fmt.Sprintf("trace=%t", on), func(t *testing.T) {
			p := start(t, testServer, fmt.Sprintf("--trace=%t", on))
			path := p.ready()
			p.send(call(1, "echo", `{"text":"to and fro"}`), "not json")
			seen := map[string]bool{p.next().Get("id").Raw: true, p.next().Get("id").Raw: true}
			if !seen["1"] || !seen[""] {
				t.Fatalf("got answers to %v, want to 1 and to none", seen)
			}
			p.in.Close()
			p.wantStatus(0)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, words := range []string{`IN {"jsonrpc":"2.0","id":1,"method":"tools/call"`, `OUT {"jsonrpc":"2.0","id":1,"result"`, "IN not json"} {
				if strings.Contains(string(text), words) != on {
					t.Errorf("the trace has %q: %t, want %t:\n%s", words, !on, on, text)
				}
			}
			if !strings.Contains(string(text), "ERROR") {
				t.Errorf("the trace does not tell of the message that was refused:\n%s", text)
			}
		})
	}
}

// A link that somebody planted in the place of the trace file is not followed;
// the server warns and serves.
func TestPlantedLinkIsNotFollowed(t *testing.T) {
	p := shell(t, `ln -s "$TMPDIR/victim" "$TMPDIR/MCPServer_test_$$.log"; exec "$0" --trace`, testServer)
	victim := filepath.Join(p.temporary, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.start()
	go p.readLines()
	go p.said.read(p.err)
	p.said.wait(t, "warning: no trace file")
	p.send(ping(1), call(2, "readTrace", "{}"))
	seen := map[string]bool{}
	for range 2 {
		got := p.next()
		seen[got.Get("id").Raw] = true
		if got.Get("id").Raw == "2" && !strings.Contains(got.Raw, "IN ") {
			t.Errorf("readTrace without a file gives %s, want what is in memory", got.Raw)
		}
	}
	p.in.Close()
	p.wantStatus(0)
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("the file behind the link has %q, %v; want it untouched", text, err)
	}
}

func TestTraceDirectoryThatIsNotThere(t *testing.T) {
	p := prepare(t, testServer)
	p.command.Env = append(p.command.Env, "TMPDIR="+filepath.Join(p.temporary, "nowhere"))
	p.start()
	go p.readLines()
	go p.said.read(p.err)
	p.said.wait(t, "warning: no trace file")
	p.send(ping(1))
	p.wantIDs("1")
	p.in.Close()
	p.wantStatus(0)
}

// readTrace gives exactly as many lines as asked for, or all there are.
func TestReadTraceCounts(t *testing.T) {
	p := start(t, testServer, "--trace")
	p.ready()
	read := func(arguments string) []string {
		t.Helper()
		p.send(call(1, "readTrace", arguments))
		text := p.next().Get("result.content.0.text").Str
		return strings.Split(text, "\n")
	}
	p.send(ping(-1), ping(-2))
	p.wantIDs("-1", "-2")
	few := read(`{"nLines":1000}`)
	if len(few) < 5 || len(few) > 20 {
		t.Fatalf("a young trace has %d lines, want the two pings, their answers and the request itself", len(few))
	}
	const pings = 3000
	for id := range pings {
		p.send(ping(id))
		p.wantIDs(fmt.Sprint(id))
	}
	for arguments, want := range map[string]int{
		`{}`: 50, `{"nLines":1}`: 1, `{"nLines":7}`: 7, `{"nLines":49,"tail":false}`: 49,
		`{"nLines":0}`: 50, `{"nLines":-3}`: 50, `{"nLines":5000}`: 5000, `{"nLines":5001}`: 5000,
		`{"nLines":1000000,"tail":false}`: 5000, `{"nLines":2e2}`: 200,
	} {
		if got := len(read(arguments)); got != want {
			t.Errorf("readTrace %s gives %d lines, want %d", arguments, got, want)
		}
	}
	head, tail := read(`{"nLines":3,"tail":false}`), read(`{"nLines":3}`)
	if strings.Join(head, "\n") != strings.Join(few[:3], "\n") {
		t.Errorf("the first lines are %q, want %q", head, few[:3])
	}
	if !strings.Contains(tail[2], `"nLines":3}`) || !strings.Contains(tail[2], " IN ") {
		t.Errorf("the last lines are %q, want the request itself as the last one", tail)
	}
}
