package transport

import (
	"io"
	"strings"
	"sync"
)

// maxTail is how much of a process's stderr is kept for error messages, in
// bytes.
const maxTail = 4 << 10

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte // at most 2 × maxTail, so that most writes need not move it
}

func (t *tail) add(text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(text) >= maxTail {
		t.kept = append(t.kept[:0], text[len(text)-maxTail:]...)
		return
	}
	t.kept = append(t.kept, text...)
	if len(t.kept) > 2*maxTail {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-maxTail:]...)
	}
}

// shownLines is how many lines of stderr an error message ends with.
const shownLines = 5

// lastLines gives the last lines that are not blank, joined by " | ". Where an
// error is named further up, as before a stack trace, that line comes first.
func (t *tail) lastLines() string {
	t.mu.Lock()
	text := string(t.kept[max(0, len(t.kept)-maxTail):])
	t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(text) {
		if line = printable(line); line != "" {
			lines = append(lines, line)
		}
	}
	shown := lines[max(0, len(lines)-shownLines):]
	for i := len(lines) - len(shown) - 1; i >= 0; i-- {
		if namesError(lines[i]) {
			return lines[i] + " | … | " + strings.Join(shown, " | ")
		}
	}
	return strings.Join(shown, " | ")
}

// namesError reports whether a line says what went wrong, as the runtimes of most
// languages write it: "Error: …", "TypeError: …", "panic: …".
func namesError(line string) bool {
	name, _, found := strings.Cut(line, ": ")
	return found && (strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || name == "error" || name == "panic")
}

// drain reads source to its end, so that a process that writes much to stderr
// never blocks. What is read goes to the tail and to sink, if there is one; a
// sink that fails is given nothing more.
func (t *tail) drain(source io.Reader, sink io.Writer) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := source.Read(buffer)
		t.add(buffer[:n])
		if sink != nil && n > 0 {
			if _, failure := sink.Write(buffer[:n]); failure != nil {
				sink = nil
			}
		}
		if err != nil {
			return
		}
	}
}
