package wire

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// gatedSink takes each write when it is let, and remembers it.
type gatedSink struct {
	let    chan error
	mu     sync.Mutex
	writes []string
}

func (s *gatedSink) Write(p []byte) (int, error) {
	if err := <-s.let; err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, string(p))
	return len(p), nil
}

func queue(t *testing.T, w *Writer, text string) {
	t.Helper()
	message := []byte(text)
	if err := w.Append(&message); err != nil {
		t.Fatalf("Append(%q): %v", text, err)
	}
}

// What is queued during a write goes out with the next one, whole lines each
// time, and by the one goroutine that writes already.
func TestWriterGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &gatedSink{let: make(chan error)}
		w := NewWriter(sink, 8)
		queue(t, w, "one")
		go w.Flush()
		synctest.Wait()
		queue(t, w, "two")
		queue(t, w, "three")
		w.Flush() // leaves it to the other goroutine
		if !w.Full() || w.Unwritten() != len("one\ntwo\nthree\n") {
			t.Errorf("Unwritten = %d, Full = %t; want all three lines, more than the limit", w.Unwritten(), w.Full())
		}
		sink.let <- nil
		sink.let <- nil
		if !w.WaitEmpty(nil) {
			t.Error("WaitEmpty = false, want all written")
		}
		if got, want := fmt.Sprintf("%q", sink.writes), `["one\n" "two\nthree\n"]`; got != want {
			t.Errorf("the sink got %s, want %s", got, want)
		}
	})
}

func TestWriterAfterAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &gatedSink{let: make(chan error, 1)}
		w := NewWriter(sink, 8)
		gone := errors.New("gone")
		sink.let <- gone
		queue(t, w, "one")
		w.FlushSoon()
		<-w.Failed()
		message := []byte("two")
		if err := w.Append(&message); !errors.Is(err, gone) || !errors.Is(w.Err(), gone) {
			t.Errorf("Append = %v, Err = %v; want the sink's error", err, w.Err())
		}
		if w.WaitEmpty(nil) || w.Unwritten() != 0 {
			t.Error("what could not be written is still waited for")
		}
	})
}

func TestWriterClosed(t *testing.T) {
	var sink strings.Builder
	w := NewWriter(&sink, 8)
	queue(t, w, "one")
	w.Close()
	message := []byte("two")
	if err := w.Append(&message); err == nil {
		t.Error("Append after Close gave no error")
	}
	w.Flush()
	if sink.String() != "one\n" {
		t.Errorf("the sink got %q, want what was queued before Close", sink.String())
	}
}

// Waiting for room ends with the write that makes some, or with stop.
func TestWriterWaitRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &gatedSink{let: make(chan error)}
		w := NewWriter(sink, 2)
		queue(t, w, "long")
		go w.Flush()
		stop := make(chan struct{})
		close(stop)
		w.WaitRoom(stop)
		waited := make(chan struct{})
		go func() {
			w.WaitRoom(nil)
			close(waited)
		}()
		synctest.Wait()
		select {
		case <-waited:
			t.Error("WaitRoom came back while there was none")
		default:
		}
		sink.let <- nil
		<-waited
	})
}

// eager is a sink that takes some bytes without waiting.
type eager struct {
	gatedSink
	room   int
	failed error
	tried  []string
}

func (s *eager) TryWrite(p []byte) (int, error) {
	taken := min(s.room, len(p))
	s.room -= taken
	s.tried = append(s.tried, string(p[:taken]))
	return taken, s.failed
}

// What a sink takes without waiting is written at once; a goroutine writes the
// rest, in order, and what is queued meanwhile.
func TestWriterWritesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &eager{gatedSink: gatedSink{let: make(chan error)}, room: len("one\nt")}
		w := NewWriter(sink, 1<<10)
		queue(t, w, "one")
		w.FlushSoon()
		if w.Unwritten() != 0 {
			t.Errorf("%d bytes are unwritten, though the sink takes them", w.Unwritten())
		}
		queue(t, w, "two")
		w.FlushSoon()
		synctest.Wait()
		queue(t, w, "three")
		w.FlushSoon() // a write is under way, which must come first
		sink.let <- nil
		sink.let <- nil
		if !w.WaitEmpty(nil) {
			t.Error("WaitEmpty = false, want all written")
		}
		if got, want := fmt.Sprintf("%q %q", sink.tried, sink.writes), `["one\n" "t"] ["wo\n" "three\n"]`; got != want {
			t.Errorf("the sink got %s, want %s", got, want)
		}
	})
}

// A sink that fails at once has failed.
func TestWriterThatFailsAtOnce(t *testing.T) {
	broken := errors.New("broken")
	w := NewWriter(&eager{failed: broken}, 1<<10)
	queue(t, w, "one")
	w.FlushSoon()
	<-w.Failed()
	if !errors.Is(w.Err(), broken) || w.Unwritten() != 0 {
		t.Errorf("Err = %v with %d bytes unwritten, want %v", w.Err(), w.Unwritten(), broken)
	}
}
