package filesystem

import (
	"fmt"
	"strings"
)

const (
	// diffContext is how many lines a diff shows around a change.
	diffContext = 4
	// longestDiff is how long a diff may be, in bytes.
	longestDiff = 1 << 20
)

// fenced gives a diff as a block of Markdown.
func fenced(diff string) string {
	fence := "```"
	for strings.Contains(diff, fence) {
		fence += "`"
	}
	return fence + "diff\n" + diff + fence + "\n\n"
}

// unifiedDiff gives how a text has changed, as lines. One that is too long is
// cut at a hunk's beginning, and says so.
func unifiedDiff(path, before, after string) string {
	path = escaped(path)
	var text strings.Builder
	fmt.Fprintf(&text, "Index: %s\n%s\n--- %s\toriginal\n+++ %s\tmodified\n", path, strings.Repeat("=", 67), path, path)
	old, new := splitLines(before), splitLines(after)
	changes := compare(old, new)
	for len(changes) > 0 {
		count := hunkLength(changes)
		hunk := newHunk(changes[:count], old, new)
		if text.Len()+hunk.size() > longestDiff {
			fmt.Fprintf(&text, "… the diff is cut: %d more changes\n", len(changes))
			break
		}
		hunk.write(&text)
		changes = changes[count:]
	}
	return text.String()
}

// splitLines gives the lines of a text with their line breaks.
func splitLines(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// hunkLength gives how many changes are so near to each other that they are
// shown together.
func hunkLength(changes []change) int {
	count := 1
	for count < len(changes) && changes[count].old.begin-changes[count-1].old.end <= 2*diffContext {
		count++
	}
	return count
}

// hunk is a part of a diff: changes and the lines around them.
type hunk struct {
	changes  []change
	old, new []string // all lines
	// before and after are the parts of old and new that it is about.
	before, after span
}

func newHunk(changes []change, old, new []string) hunk {
	first, last := changes[0], changes[len(changes)-1]
	head := min(diffContext, first.old.begin)
	foot := min(diffContext, len(old)-last.old.end)
	return hunk{
		changes: changes, old: old, new: new,
		before: span{first.old.begin - head, last.old.end + foot},
		after:  span{first.new.begin - head, last.new.end + foot},
	}
}

// size is about how long its text is.
func (h hunk) size() int {
	size := 64
	for _, line := range h.old[h.before.begin:h.before.end] {
		size += len(line) + 32
	}
	for _, c := range h.changes {
		for _, line := range h.new[c.new.begin:c.new.end] {
			size += len(line) + 32
		}
	}
	return size
}

func (h hunk) write(text *strings.Builder) {
	fmt.Fprintf(text, "@@ -%s +%s @@\n", rangeText(h.before), rangeText(h.after))
	at := h.before.begin
	for _, c := range h.changes {
		writeLines(text, ' ', h.old[at:c.old.begin])
		writeLines(text, '-', h.old[c.old.begin:c.old.end])
		writeLines(text, '+', h.new[c.new.begin:c.new.end])
		at = c.old.end
	}
	writeLines(text, ' ', h.old[at:h.before.end])
}

func rangeText(s span) string {
	begin, length := s.begin+1, s.end-s.begin
	if length == 0 {
		begin--
	}
	return fmt.Sprintf("%d,%d", begin, length)
}

func writeLines(text *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		text.WriteByte(mark)
		line, ended := strings.CutSuffix(line, "\n")
		text.WriteString(strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\ufffd"))
		text.WriteByte('\n')
		if !ended {
			text.WriteString("\\ No newline at end of file\n")
		}
	}
}
