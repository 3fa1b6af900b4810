package client

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// scan is what one goroutine needs to look at messages.
type scan struct {
	scanner *wire.Scanner
	view    wire.Message
}

func newScan() *scan { return &scan{scanner: wire.NewScanner(maxDepth)} }

// maxBatch bounds the messages of a batch.
const maxBatch = 1000

// Receive implements transport.Receiver. Nothing that comes in is ever answered
// with an error because of its form: two sides that did so could go on for
// ever.
func (n *connection) Receive(message, during string) {
	s, _ := n.scanners.Get().(*scan)
	defer n.scanners.Put(s)
	n.receive(s, message, during, true)
}

func (n *connection) receive(s *scan, message, during string, whole bool) {
	err := s.scanner.Scan(message, &s.view)
	if err != nil && !utf8.ValidString(message) {
		message = replaceInvalid(message)
		err = s.scanner.Scan(message, &s.view)
	}
	view := &s.view
	switch {
	case err != nil:
		n.broken(view, message, during, err)
	case view.Root.Kind == wire.Array && whole && n.mayBatch():
		n.receiveBatch(s, view.Root.Raw, during)
	case view.Root.Kind != wire.Object:
		n.stray(message, "it is no message")
	case view.DuplicateIn == wire.InMessage:
		n.broken(view, message, during, fmt.Errorf("it has the member %q twice", view.DuplicateName))
	case view.JSONRPC.Text() != "2.0":
		n.stray(message, "it is not JSON-RPC 2.0")
	case view.Method.Kind == wire.String && view.ID.Kind == wire.Absent:
		n.notified(view, during)
	case view.Method.Kind == wire.String:
		n.asked(view, message, during)
	case view.Method.Kind != wire.Absent:
		n.stray(message, "its method is no string")
	default:
		n.answered(view, message)
	}
}

// replaceInvalid puts U+FFFD in the place of each byte that is not valid UTF-8.
func replaceInvalid(text string) string {
	var valid strings.Builder
	valid.Grow(len(text) + utf8.UTFMax)
	for _, r := range text {
		valid.WriteRune(r)
	}
	return valid.String()
}

// mayBatch reports whether messages may come together: in one revision alone.
func (n *connection) mayBatch() bool {
	session := n.session.Load()
	return session != nil && session.revision == protocol.V20250326
}

func (n *connection) receiveBatch(s *scan, array, during string) {
	messages, all := wire.Elements(array, maxBatch)
	for _, message := range messages {
		n.receive(s, message, during, false)
	}
	if !all {
		n.stray("", fmt.Sprintf("a batch has more than %d messages", maxBatch))
	}
}

// answered settles the call that a response belongs to. A late or unknown one
// is nobody's.
func (n *connection) answered(view *wire.Message, message string) {
	id, ok := view.ID.Int()
	if !ok {
		n.stray(message, "it is a response without the id of a request")
		return
	}
	c := n.calls.take(id)
	switch {
	case c == nil:
		n.log.Debug("a response came for a request that is not open", "id", id)
	case (view.Result.Kind == wire.Absent) == (view.Error.Kind == wire.Absent):
		c.settle("", &shapeError{problem: "the server's response to " + c.method + " has neither or both of result and error"})
	case view.Error.Kind != wire.Absent:
		c.settle("", newServerError(view.Error.Raw))
	case view.Result.Kind != wire.Object:
		c.settle("", &shapeError{problem: "the server's result of " + c.method + " is no JSON object"})
	default:
		c.settle(view.Result.Raw, nil)
	}
}

// broken deals with a message that is not whole. If it can be told whose
// response it would have been, that call has failed.
func (n *connection) broken(view *wire.Message, message, during string, reason error) {
	n.stray(message, reason.Error())
	if view.Method.Kind != wire.Absent {
		return
	}
	id, ok := view.ID.Int()
	if !ok || strconv.FormatInt(id, 10) != view.ID.Raw {
		return
	}
	if during != "" && during != view.ID.Raw {
		return
	}
	if c := n.calls.take(id); c != nil {
		c.settle("", &shapeError{problem: "the server's response to " + c.method + " cannot be read", cause: reason})
	}
}

// Broken implements transport.Receiver.
func (n *connection) Broken(beginning, during string, reason error) {
	s, _ := n.scanners.Get().(*scan)
	defer n.scanners.Put(s)
	// Only what comes before the break is of interest, so the fault is not.
	_ = s.scanner.Scan(beginning, &s.view)
	n.broken(&s.view, beginning, during, reason)
}

// Failed implements transport.Receiver.
func (n *connection) Failed(id string, reason error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return
	}
	if c := n.calls.take(number); c != nil {
		if failure, ok := serverError(reason); ok {
			reason = &answeredByStatus{status: reason, failure: failure}
		}
		c.settle("", reason)
	}
}

// answeredByStatus is a JSON-RPC error that came with an HTTP status other than
// 200. It is both.
type answeredByStatus struct{ status, failure error }

func (e *answeredByStatus) Error() string { return e.failure.Error() }

func (e *answeredByStatus) Unwrap() []error { return []error{e.failure, e.status} }

// strays counts what came from the server and is no message.
type strays struct {
	mu    sync.Mutex
	count uint64
}

// shownStray is how much of a stray message the log shows, in bytes.
const shownStray = 200

// stray notes something that is no message. Of many, few are logged: the first
// ten, and then each time that their number has doubled.
func (n *connection) stray(message, reason string) {
	n.strays.mu.Lock()
	n.strays.count++
	count := n.strays.count
	n.strays.mu.Unlock()
	n.client.strays.Add(1)
	if count <= 10 || bits.OnesCount64(count) == 1 {
		n.log.Warn("the server wrote something that is no message",
			"reason", reason, "text", beginningOf(message), "count", count)
	}
}

// beginningOf gives the beginning of a text, for the log.
func beginningOf(text string) string {
	if len(text) <= shownStray {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:shownStray], "\uFFFD") + " …"
}
