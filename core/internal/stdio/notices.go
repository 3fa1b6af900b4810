package stdio

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	noticeQueue = 64      // lines that may wait to be written
	noticeLimit = 4 << 10 // bytes of a line; the rest is cut
)

// Notices writes lines for people, usually to stderr, from a goroutine of its
// own, so that a stderr nobody reads cannot stop who has something to say. Its
// methods may be called from any goroutine; a nil *Notices does nothing.
type Notices struct {
	writer io.Writer

	mu      sync.Mutex
	queue   chan notice   // filled with mu held, so that it is not closed meanwhile
	done    chan struct{} // closed when the goroutine ends; nil before it starts
	closed  bool
	dropped int64 // lines lost altogether
	untold  int64 // those of them that no later line tells of
}

// notice is a line and the number of those lost just before it.
type notice struct {
	line string
	lost int64
}

// NewNotices returns a Notices that writes to w, each line in one Write. Its
// goroutine starts with the first Post and ends with Close.
func NewNotices(w io.Writer) *Notices {
	return &Notices{writer: w, queue: make(chan notice, noticeQueue)}
}

// Post has a line written, and never waits. While 64 lines wait already it drops
// the line; the next one that gets through says how many were. Line breaks and
// control characters do not reach a terminal, and a line ends after 4 KiB.
func (n *Notices) Post(line string) {
	if n == nil {
		return
	}
	line = printable(line)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		n.dropped++
		return
	}
	if n.done == nil {
		n.done = make(chan struct{})
		go n.write()
	}
	select {
	case n.queue <- notice{line, n.untold}:
		n.untold = 0
	default:
		n.dropped++
		n.untold++
	}
}

// Dropped gives the number of lines lost so far: posted while the queue was
// full or after Close, or not taken by the writer.
func (n *Notices) Dropped() int64 {
	if n == nil {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dropped
}

// Close waits until what was posted is written, but no longer than wait. It then
// leaves the goroutine behind in its Write.
func (n *Notices) Close(wait time.Duration) {
	if n == nil {
		return
	}
	if done := n.end(); done != nil {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
		}
	}
}

// end takes no more lines. It returns what is closed when all are written, or
// nil if there never was one.
func (n *Notices) end() (done <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.closed {
		n.closed = true
		close(n.queue)
	}
	return n.done
}

// write is the goroutine. It ends when the queue is closed and empty.
func (n *Notices) write() {
	defer close(n.done)
	for next := range n.queue {
		text := next.line
		if next.lost > 0 {
			text += fmt.Sprintf(" (%d lines before this one were lost)", next.lost)
		}
		if _, err := io.WriteString(n.writer, text+"\n"); err != nil {
			n.lose(next.lost)
		}
	}
	n.mu.Lock()
	untold := n.untold
	n.mu.Unlock()
	if untold > 0 {
		// The last words; if they fail, there is nobody left to tell.
		_, _ = fmt.Fprintf(n.writer, "(%d lines were lost)\n", untold)
	}
}

// lose counts a line that was not written, and the lines it would have told of.
func (n *Notices) lose(before int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dropped++
	n.untold += before + 1
}

// printable gives a text as one line that does nothing to a terminal.
func printable(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if len(line) > noticeLimit {
		end := noticeLimit
		for end > noticeLimit-utf8.UTFMax && !utf8.RuneStart(line[end]) {
			end--
		}
		line = line[:end] + "…"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r
	}, line)
}
