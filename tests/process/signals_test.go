//go:build unix && !aix

package process

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var terminations = map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP}

// An idle server ends although it sits in a read.
func TestSignalEndsAnIdleServer(t *testing.T) {
	for name, signal := range terminations {
		t.Run(name, func(t *testing.T) {
			shutdowns := filepath.Join(t.TempDir(), "shutdowns")
			p := start(t, testServer, "--shutdowns="+shutdowns)
			p.ready()
			p.send(initialize)
			p.wantIDs(`"init"`)
			p.signal(signal)
			p.wantSilence()
			p.wantStatus(0)
			wantShutdowns(t, shutdowns, 1)
		})
	}
}

// Every open request is answered before the end, whether its handler honours
// its context or not.
func TestSignalDuringCalls(t *testing.T) {
	for name, signal := range terminations {
		t.Run(name, func(t *testing.T) {
			shutdowns := filepath.Join(t.TempDir(), "shutdowns")
			p := start(t, testServer, "--grace=20ms", "--shutdowns="+shutdowns)
			p.ready()
			p.send(call(1, "wait", "{}"), stubbornCall(2, pipeGate(t)), ping(3))
			p.wantIDs("3")
			p.signal(signal)
			failed := make(map[string]bool)
			for range 2 {
				got := p.next()
				failed[got.Get("id").Raw] = got.Get("error").Exists() || got.Get("result.isError").Bool()
			}
			if !failed["1"] || !failed["2"] {
				t.Errorf("the open requests failed: %v, want 1 and 2", failed)
			}
			p.wantSilence()
			p.wantStatus(0)
			wantShutdowns(t, shutdowns, 1)
		})
	}
}

// In the grace after a signal a call can still finish.
func TestSignalLetsACallFinish(t *testing.T) {
	gate := pipeGate(t)
	p := start(t, testServer, "--grace=1h", "--info")
	p.ready()
	p.send(stubbornCall(1, gate), ping(2))
	p.wantIDs("2")
	p.signal(syscall.SIGTERM)
	p.awaitSignalTaken()
	openGate(t, gate, "in time")
	p.wantText("1", "in time")
	p.wantStatus(0)
}

// awaitSignalTaken waits until the trace shows that a signal has begun the
// grace, in which the server still answers. The server needs --info.
func (p *process) awaitSignalTaken() {
	p.t.Helper()
	for range 1_000_000 {
		p.send(call(99, "readTrace", "{}"))
		if got := p.next(); strings.Contains(got.Get("result.content.0.text").Str, "ending on") {
			return
		}
	}
	p.t.Fatal("the trace does not show the signal")
}

// A second signal ends the process at once, in the middle of the grace and in
// the middle of OnShutdown.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	for name, second := range terminations {
		status := 128 + int(second)
		t.Run(name+" in the grace", func(t *testing.T) {
			p := start(t, testServer, "--grace=1h", "--info")
			p.ready()
			p.send(stubbornCall(1, pipeGate(t)), ping(2))
			p.wantIDs("2")
			p.signal(syscall.SIGTERM)
			p.awaitSignalTaken()
			p.signal(second)
			p.wantSilence()
			p.wantStatus(status)
		})
		t.Run(name+" in OnShutdown", func(t *testing.T) {
			shutdowns := filepath.Join(t.TempDir(), "shutdowns")
			p := start(t, testServer, "--grace=1h", "--linger", "--shutdowns="+shutdowns)
			p.ready()
			p.signal(syscall.SIGINT)
			p.said.wait(t, "OnShutdown runs")
			p.signal(second)
			p.wantSilence()
			p.wantStatus(status)
			wantShutdowns(t, shutdowns, 1)
		})
	}
}

// An OnShutdown that does not come back holds the process for the grace alone.
func TestLingeringShutdownIsLeftBehind(t *testing.T) {
	p := start(t, testServer, "--grace=20ms", "--linger")
	p.ready()
	p.signal(syscall.SIGTERM)
	p.wantSilence()
	p.wantStatus(0)
}

// A start-up that does not come back holds the process for the grace alone.
func TestSignalDuringStartup(t *testing.T) {
	for name, signal := range terminations {
		t.Run(name, func(t *testing.T) {
			p := start(t, testServer, "--grace=20ms", "--slow-startup="+pipeGate(t))
			p.ready()
			p.signal(signal)
			p.wantSilence()
			p.wantStatus(0)
		})
	}
}
