package wire

import (
	"errors"
	"io"
	"sync"
)

// keptBuffer is the most memory, in bytes, that a Writer keeps between bursts.
const keptBuffer = 1 << 20

// Writer gathers messages, one a line, and writes them to a sink. All methods
// are safe from any goroutine. One goroutine at a time writes, and only ever
// whole lines.
type Writer struct {
	sink  io.Writer
	limit int

	mu       sync.Mutex // guards what follows
	pending  []byte     // whole lines that wait to be written
	spare    []byte     // memory for the next pending
	inFlight int        // bytes of the write under way
	flushing bool       // some goroutine is in Flush's loop
	closed   bool       // nothing more is queued
	err      error      // the sink's first error; nothing is written after it
	failed   chan struct{}
	waiters  []chan struct{} // closed when the amount unwritten changes next
}

// NewWriter gives a writer for which more than limit bytes unwritten are too
// many.
func NewWriter(sink io.Writer, limit int) *Writer {
	return &Writer{sink: sink, limit: limit, failed: make(chan struct{})}
}

// errClosed is what Append gives after Close.
var errClosed = errors.New("the output is closed")

// Append takes the message in *message, adds its line ending, and queues it. It
// leaves memory for the next message in *message. After the sink has failed or
// Close, messages are dropped and an error is given.
func (w *Writer) Append(message *[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return errClosed
	}
	*message = append(*message, '\n')
	if len(w.pending) == 0 {
		w.pending, *message = *message, w.pending
		return nil
	}
	w.pending = append(w.pending, *message...)
	*message = (*message)[:0]
	return nil
}

// Close has further messages dropped. What is queued already can still be
// written.
func (w *Writer) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}

// Discard drops what is queued. A write that is under way goes on.
func (w *Writer) Discard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = nil
}

// Flush writes all that is queued, and what is queued meanwhile. When another
// goroutine is doing so already, it leaves the work to that one and returns.
func (w *Writer) Flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flushing {
		return
	}
	w.flushing = true
	for len(w.pending) > 0 && w.err == nil {
		w.writePendingLocked()
	}
	w.flushing = false
}

// FlushSoon is Flush for who must not wait for a reader that does not read. What
// the sink takes without waiting is written at once; the rest is left to a
// goroutine of its own, which ends when all is written.
func (w *Writer) FlushSoon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flushing || len(w.pending) == 0 || w.err != nil {
		return
	}
	if sink, ok := w.sink.(eagerSink); ok {
		written, err := sink.TryWrite(w.pending)
		w.wroteLocked(err)
		if err != nil {
			return
		}
		w.pending = w.pending[:copy(w.pending, w.pending[written:])]
	}
	if len(w.pending) > 0 {
		go w.Flush()
	}
}

// eagerSink is a sink that can write without waiting for its reader. It gives how
// much it has written.
type eagerSink interface {
	TryWrite(p []byte) (written int, err error)
}

// writePendingLocked gives up the lock while it writes.
func (w *Writer) writePendingLocked() {
	lines := w.pending
	w.pending, w.spare = w.spare, nil
	w.inFlight = len(lines)
	w.mu.Unlock()
	_, err := w.sink.Write(lines)
	w.mu.Lock()
	w.inFlight = 0
	if cap(lines) <= keptBuffer {
		w.spare = lines[:0]
	}
	w.wroteLocked(err)
}

// wroteLocked takes note of a write.
func (w *Writer) wroteLocked(err error) {
	if err != nil {
		w.err = err
		w.pending = nil
		close(w.failed)
	}
	for _, waiter := range w.waiters {
		close(waiter)
	}
	w.waiters = nil
}

// Unwritten is the number of bytes queued or being written.
func (w *Writer) Unwritten() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inFlight + len(w.pending)
}

// Full reports whether more than the limit is unwritten.
func (w *Writer) Full() bool { return w.Unwritten() > w.limit }

// WaitRoom waits until the writer is not Full, has failed, or stop is closed.
// Somebody else must flush.
func (w *Writer) WaitRoom(stop <-chan struct{}) { w.wait(w.limit, stop) }

// WaitEmpty waits until all is written, the writer has failed, or stop is
// closed, and reports whether all was written. Somebody else must flush.
func (w *Writer) WaitEmpty(stop <-chan struct{}) bool { return w.wait(0, stop) }

func (w *Writer) wait(most int, stop <-chan struct{}) bool {
	for {
		changed, enough := w.watch(most)
		if changed == nil {
			return enough
		}
		select {
		case <-changed:
		case <-stop:
			return false
		}
	}
}

// watch gives a channel that is closed at the next change, or nil when there
// is nothing to wait for.
func (w *Writer) watch(most int) (changed chan struct{}, enough bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, false
	}
	if w.inFlight+len(w.pending) <= most {
		return nil, true
	}
	changed = make(chan struct{})
	w.waiters = append(w.waiters, changed)
	return changed, false
}

// Failed is closed when the sink has failed; Err gives its error then.
func (w *Writer) Failed() <-chan struct{} { return w.failed }

// Err is the sink's first error, or nil.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}
