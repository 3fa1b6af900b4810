package trace

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// chunk is how much of a file's end is read at first to find its last lines.
const chunk = 64 << 10

// Head gives the first n lines of the trace, oldest first, or all there are.
// What the bound on the size has pushed out is no longer part of it.
func (t *Trace) Head(n int) []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for _, part := range t.parts() {
		if len(lines) >= n {
			break
		}
		more, err := firstLines(part, n-len(lines))
		t.noteUnread(err)
		lines = append(lines, more...)
	}
	return lines
}

// Tail gives the last n lines of the trace, oldest first, or all there are.
func (t *Trace) Tail(n int) []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for _, part := range slices.Backward(t.parts()) {
		if len(lines) >= n {
			break
		}
		more, err := lastLines(part, n-len(lines))
		t.noteUnread(err)
		lines = append(more, lines...)
	}
	return lines
}

// parts gives the trace, oldest part first: the old file, the file, and what
// cannot be written to it.
func (t *Trace) parts() []*io.SectionReader {
	var parts []*io.SectionReader
	if t.file != nil {
		if !t.closed {
			t.flushOrRetry()
		}
		parts = t.file.parts()
	}
	held := bytes.NewReader(t.held)
	return append(parts, io.NewSectionReader(held, 0, held.Size()))
}

// noteUnread records that a file could not be read back; whoever asks for the
// trace again is told.
func (t *Trace) noteUnread(err error) {
	if err != nil && !t.closed {
		t.hold(newRecord(wordError, escape("cannot read the trace file back: "+err.Error())))
	}
}

// firstLines gives at most n lines from the start of a part. A last line without
// an end is one that is written again elsewhere.
func firstLines(part *io.SectionReader, n int) ([]string, error) {
	var lines []string
	reader := bufio.NewReader(part)
	for len(lines) < n {
		line, err := reader.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines, nil
}

// lastLines gives at most n lines from the end of a part. It reads the end
// alone, more and more of it until that holds one line end more than asked for.
func lastLines(part *io.SectionReader, n int) ([]string, error) {
	for size := int64(chunk); ; size *= 2 {
		start := max(part.Size()-size, 0)
		text := make([]byte, part.Size()-start)
		read, err := part.ReadAt(text, start)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		text = text[:bytes.LastIndexByte(text[:read], '\n')+1]
		if len(text) == 0 && start == 0 {
			return nil, nil
		}
		if start == 0 || bytes.Count(text, newline) > n {
			lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			return lines[max(len(lines)-n, 0):], nil
		}
	}
}
