//go:build unix && !aix

package process

import (
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
