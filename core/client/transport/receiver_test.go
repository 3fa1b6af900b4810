package transport

import (
	"fmt"
	"sync"
	"testing"
)

// incoming is one thing that a link has told its receiver.
type incoming struct {
	what   string // "message", "broken" or "failed"
	text   string // the message, its beginning, or the id
	during string
	err    error
}

// inbox is a receiver that keeps what it is told, in order.
type inbox struct {
	queue chan incoming
	// settled are called when a request is answered or has failed, by its id.
	// What comes for a request that is not open any more is ignored.
	mu      sync.Mutex
	settled map[string]func()
}

func newInbox() *inbox {
	return &inbox{queue: make(chan incoming, 1000), settled: map[string]func(){}}
}

// settle ends a request, and reports whether it was open.
func (i *inbox) settle(id string) bool {
	i.mu.Lock()
	done := i.settled[id]
	delete(i.settled, id)
	i.mu.Unlock()
	if done != nil {
		done()
	}
	return done != nil
}

func (i *inbox) Receive(message, during string) {
	if message == answerTo(during) {
		i.settle(during)
	}
	i.queue <- incoming{what: "message", text: message, during: during}
}

func (i *inbox) Broken(beginning, during string, reason error) {
	i.queue <- incoming{what: "broken", text: beginning, during: during, err: reason}
}

func (i *inbox) Failed(id string, reason error) {
	if i.settle(id) {
		i.queue <- incoming{what: "failed", text: id, err: reason}
	}
}

// next gives what came next.
func (i *inbox) next() incoming { return <-i.queue }

// expect demands that what comes next is a message.
func (i *inbox) expect(t *testing.T, message string) {
	t.Helper()
	if got := i.next(); got.what != "message" || got.text != message {
		t.Fatalf("the link gave %s %.200q (%v), want the message %.200q", got.what, got.text, got.err, message)
	}
}

// expectFailure demands that what comes next is the failure of a request.
func (i *inbox) expectFailure(t *testing.T, id string) error {
	t.Helper()
	got := i.next()
	if got.what != "failed" || got.text != id {
		t.Fatalf("the link gave %s %.200q, want the failure of request %s", got.what, got.text, id)
	}
	return got.err
}

// answerTo is how the test servers answer the request of that id.
func answerTo(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
}

func message(text string) *Message { return &Message{Body: []byte(text), Method: "notifications/test"} }
