//go:build unix && !aix

package process

import (
	"strings"
	"testing"
)

// A stderr whose reader has gone costs nothing: neither the server's own words
// nor those of a handler end the process.
func TestClosedStderr(t *testing.T) {
	p := prepare(t, testServer)
	p.start()
	go p.readLines()
	go p.said.read(p.err)
	p.ready() // by then SIGPIPE is caught
	p.err.Close()
	p.send(initialize, initialized, "Content-Length: 5", call(1, "spew", `{"bytes":100000}`), call(2, "print", "{}"), ping(3))
	seen := make(map[string]bool)
	for len(seen) < 4 {
		got := p.next()
		if id := got.Get("id").Raw; id != "" {
			seen[id] = true
		}
		if text := got.Get("result.content.0.text").Str; got.Get("id").Raw == "1" && !strings.Contains(text, "broken pipe") {
			t.Errorf("the handler's write to stderr says %q, want a broken pipe", text)
		}
	}
	p.in.Close()
	p.wantStatus(0)
}

// A stderr that nobody reads, and that is full, does not stop the protocol.
func TestUnreadStderr(t *testing.T) {
	p := prepare(t, testServer, "--grace=20ms", "--drain=20ms")
	p.start()
	go p.readLines()
	p.send(initialize, initialized)
	p.wantIDs(`"init"`)
	p.send(call(1, "spew", `{"bytes":1000000}`), ping(2))
	p.wantIDs("2")
	// Each of these has the server say something on stderr or in the trace.
	for id := 100; id < 300; id++ {
		p.send("Content-Length: 5", ping(id))
		if got := p.next(); got.Get("error.code").Int() != -32700 {
			t.Fatalf("got %.300s, want the error -32700", got.Raw)
		}
		if got := p.next(); got.Get("id").Int() != int64(id) {
			t.Fatalf("got %.300s, want the answer to %d", got.Raw, id)
		}
	}
	p.send(call(3, "echo", `{"text":"well"}`))
	p.wantText("3", "well")
	p.in.Close()
	p.wantFailure("1")
	p.wantSilence()
	p.wantStatus(0)
}
