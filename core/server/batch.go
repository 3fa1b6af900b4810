package server

import (
	"sync"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// maxBatch is the most messages of one batch: a short message can have an
// answer many times as long.
const maxBatch = 1000

// batch gathers the answers to one JSON-RPC batch. It is sent when each
// request in it has been answered or cancelled, as one array; not at all when
// there is nothing to answer.
type batch struct {
	connection *connection

	mu      sync.Mutex // guards what follows
	open    int        // requests without an answer, and the one who reads it
	answers []byte
}

// expect counts a request that will be answered or dropped.
func (b *batch) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

// add takes the answer to the request of that id. When all of them together
// become too large, an error stands in its place.
func (b *batch) add(id string, answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.answers)+len(answer) > b.connection.options.outputLimit() {
		answer = appendRefusal(nil, id, core.InternalError("the answers of the batch are too large together"))
	}
	separator := byte(',')
	if len(b.answers) == 0 {
		separator = '['
	}
	b.answers = append(append(b.answers, separator), answer...)
	b.closeOneLocked()
}

// drop says that a request will not be answered.
func (b *batch) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closeOneLocked()
}

func (b *batch) closeOneLocked() {
	b.open--
	if b.open > 0 || len(b.answers) == 0 {
		return
	}
	b.answers = append(b.answers, ']')
	if err := b.connection.send(&b.answers); err != nil {
		b.connection.trace.Debugf("a batch's answer was not sent: %v", err)
	}
}

// serveBatch serves an array of messages, which revision 2025-03-26 has.
func (r *reading) serveBatch(array string) {
	c := r.connection
	if c.session.Load().revision != protocol.V20250326 {
		c.refuse("", core.InvalidRequest("batches exist in protocol version 2025-03-26 alone"))
		return
	}
	elements, ok := wire.Elements(array, maxBatch)
	switch {
	case !ok:
		c.refuse("", core.InvalidRequest("the batch has too many messages"))
		return
	case len(elements) == 0:
		c.refuse("", core.InvalidRequest("the batch is empty"))
		return
	}
	b := &batch{connection: c, open: 1}
	r.batching = true
	defer func() { r.batching = false }()
	var m wire.Message
	for _, element := range elements {
		if err := r.scanner.Scan(element, &m); err != nil || m.Root.Kind != wire.Object {
			b.expect()
			b.add("", appendRefusal(nil, "", core.InvalidRequest("a member of the batch is no message")))
			continue
		}
		r.serveMessage(&m, b)
	}
	b.drop()
}
