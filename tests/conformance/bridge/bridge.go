// Package bridge serves an MCP server that speaks over stdin and stdout to HTTP
// clients, so that a test suite that knows HTTP alone can judge it.
//
// What only the HTTP transport asks for is the bridge's part: local names in Host
// and Origin, headers that agree with the body, status codes, sessions, event
// streams. All else is the server's. Messages pass as they were written, but for
// the ids that must differ where the requests of many HTTP clients share one
// server process; and where the server gives no answer, what the bridge says
// instead is no JSON-RPC, so that it cannot pass for one.
//
// In turn the bridge sees what no HTTP client can: how the server keeps to the
// stdio transport, and whether each request gets one answer under its own id. Its
// [Findings] are that.
//
// A legacy session, which initialize opens, has a process of its own. All
// requests of the modern era share one, which shows that no request of theirs
// depends on another.
//
// It is a test's instrument: it trusts the server with memory, and listens to
// local clients alone.
package bridge

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Options say how to start the server, and how patient to be with it.
type Options struct {
	// Command is the server's program and its arguments.
	Command []string
	// Environment is the server's, each entry as "name=value"; nil is our own.
	Environment []string
	// Stderr gets what the servers write there; nil discards it. Processes write
	// to it concurrently.
	Stderr io.Writer
	// Recordings is a folder that gets the conversation with each process, as a
	// file that the client tests can check; "" records nothing.
	Recordings string
	// Patience is how long a request may stay unanswered, and how long a server
	// may take to exit; 0 is eight seconds.
	Patience time.Duration
}

// Bridge is an [http.Handler] that serves one MCP server at the path /mcp. Its
// methods may be called concurrently.
type Bridge struct {
	options    Options
	findings   *recorder
	parameters parameterHeaders

	mu        sync.Mutex // guards what follows
	closed    bool
	modern    *modernServer // nil before the first request of the modern era
	sessions  map[string]*session
	processes []*process // all that were started

	ending sync.WaitGroup // the processes of sessions that have ended
}

// New makes a bridge. It starts no process before there is a request for it.
func New(options Options) *Bridge {
	if options.Patience == 0 {
		options.Patience = 8 * time.Second
	}
	return &Bridge{options: options, findings: &recorder{}, sessions: make(map[string]*session)}
}

// Close ends all server processes and gives what was found. The HTTP server must
// have been closed before. The error is the recordings'.
func (b *Bridge) Close() (Findings, error) {
	b.mu.Lock()
	b.closed = true
	processes := b.processes
	b.mu.Unlock()

	for _, p := range processes {
		b.ending.Go(p.end)
	}
	b.ending.Wait()
	var failures []error
	for _, p := range processes {
		failures = append(failures, p.recording.close())
	}
	return b.findings.all(), errors.Join(failures...)
}

// ServeHTTP implements [http.Handler].
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isLocal(r.Host) || !isLocalOrigin(r.Header.Get("Origin")) {
		refuse(w, http.StatusForbidden, message{}, codeInvalidRequest, "Host and Origin must be local")
		return
	}
	if r.URL.Path != "/mcp" {
		http.NotFound(w, r)
		return
	}
	switch r.Method {
	case http.MethodPost:
		b.post(w, r)
	case http.MethodGet:
		b.openStandaloneStream(w, r)
	case http.MethodDelete:
		b.endSession(w, r)
	default:
		notAllowed(w, "GET, POST, DELETE")
	}
}

var errClosed = errors.New("the bridge is closed")

// add begins to read what a process writes. The caller holds b.mu.
func (b *Bridge) add(p *process) {
	b.processes = append(b.processes, p)
	go p.read()
}
