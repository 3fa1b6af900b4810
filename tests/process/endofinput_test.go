//go:build unix && !aix

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What was read is answered, however soon the input ends after it.
func TestNothingReadIsLostAtTheEndOfInput(t *testing.T) {
	session := strings.Join([]string{
		initialize, initialized,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		call(2, "echo", `{"text":"two"}`),
		call(3, "echo", `{"text":"three"}`),
	}, "\n")
	want := map[string]bool{`"init"`: true, "1": true, "2": true, "3": true}
	check := func(t *testing.T, p *process) {
		t.Helper()
		got := make(map[string]bool)
		for range want {
			got[p.next().Get("id").Raw] = true
		}
		for id := range want {
			if !got[id] {
				t.Errorf("request %s was not answered", id)
			}
		}
		p.wantSilence()
		p.wantStatus(0)
	}
	for _, end := range []string{"\n", "", "\r\n"} {
		t.Run("pipe", func(t *testing.T) {
			p := start(t, testServer)
			p.write(session + end)
			p.in.Close()
			check(t, p)
		})
		t.Run("file", func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "session")
			if err := os.WriteFile(path, []byte(session+end), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			p := prepare(t, testServer)
			p.command.Stdin = file
			p.start()
			go p.readLines()
			go p.said.read(p.err)
			check(t, p)
		})
	}
}

func TestEmptyInputs(t *testing.T) {
	for _, binary := range allBinaries {
		null, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		p := prepare(t, binary)
		p.command.Stdin = null
		p.start()
		go p.readLines()
		go p.said.read(p.err)
		p.wantSilence()
		p.wantStatus(0)
		for line := range strings.Lines(p.said.whole(t)) {
			if strings.Contains(line, "warning") {
				t.Errorf("%s: a short run ends with %q", filepath.Base(binary), line)
			}
		}
	}
}

// A call that is still running when the input ends is finished.
func TestRunningCallIsFinishedAfterTheEndOfInput(t *testing.T) {
	gate := pipeGate(t)
	p := start(t, testServer)
	p.send(stubbornCall(1, gate), ping(2))
	p.wantIDs("2")
	p.in.Close()
	openGate(t, gate, "finished")
	p.wantText("1", "finished")
	p.wantSilence()
	p.wantStatus(0)
}

// One that does not end within --drain gets an error, and is left behind.
func TestStubbornCallIsLeftBehindAtTheEndOfInput(t *testing.T) {
	shutdowns := filepath.Join(t.TempDir(), "shutdowns")
	p := start(t, testServer, "--drain=20ms", "--grace=20ms", "--shutdowns="+shutdowns)
	p.send(stubbornCall(1, pipeGate(t)), ping(2))
	p.wantIDs("2")
	p.in.Close()
	p.wantFailure("1")
	p.wantSilence()
	p.wantStatus(0)
	wantShutdowns(t, shutdowns, 1)
}

// A client that begins to read only after its input's end gets all its answers.
func TestSlowReaderGetsAllAnswers(t *testing.T) {
	const calls, size = 3, 1 << 20
	gate := pipeGate(t)
	// Next to nothing is left for the end, once all is written.
	p := prepare(t, testServer, "--drain=1h", "--grace=1ns")
	p.start()
	go p.said.read(p.err)
	p.send(stubbornCall(0, gate))
	for id := range calls {
		p.send(call(id+1, "big", fmt.Sprintf(`{"bytes":%d}`, size)))
	}
	p.in.Close()
	// The last call is over, and the answers do not fit into the pipe.
	openGate(t, gate, "done")
	go p.readLines()
	got := make(map[string]int)
	for range calls + 1 {
		answer := p.next()
		got[answer.Get("id").Raw] = len(answer.Get("result.content.0.text").Str)
	}
	for id, want := range map[string]int{"0": 4, "1": size, "2": size, "3": size} {
		if got[id] != want {
			t.Errorf("the answer to %s has %d bytes, want %d", id, got[id], want)
		}
	}
	p.wantSilence()
	p.wantStatus(0)
}

// Answers that nobody takes are told of, by the status as well.
func TestAnswersLeftUnreadAreAnError(t *testing.T) {
	p := prepare(t, testServer, "--drain=20ms", "--grace=20ms")
	p.start()
	go p.said.read(p.err)
	p.send(call(1, "big", `{"bytes":1000000}`))
	p.in.Close()
	p.wantStatus(1)
	if said := p.said.whole(t); !strings.Contains(said, "unread") {
		t.Errorf("stderr does not tell of what was left unread:\n%s", said)
	}
}
