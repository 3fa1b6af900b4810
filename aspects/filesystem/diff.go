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
	// mostCompared is how many lines of both texts together are compared.
	mostCompared = 1_000_000
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
	begin, behind := unchanged(before, after)
	above := strings.Count(before[:begin], "\n")
	before, after = before[begin:len(before)-behind], after[begin:len(after)-behind]
	if strings.Count(before, "\n")+strings.Count(after, "\n") > mostCompared {
		fmt.Fprintf(&text, "… the diff is cut: from the first change to the last there are more than %d lines\n", mostCompared)
		return text.String()
	}
	writeHunks(&text, splitLines(before), splitLines(after), above)
	return text.String()
}

// unchanged gives how many bytes at the beginning and at the end of both texts
// are whole lines that are the same, but for those that a diff shows around a
// change. So what has to be kept of a large file is what has changed.
func unchanged(before, after string) (begin, behind int) {
	most := min(len(before), len(after))
	for begin < most && before[begin] == after[begin] {
		begin++
	}
	begin = strings.LastIndexByte(before[:begin], '\n') + 1
	for behind < most-begin && before[len(before)-behind-1] == after[len(after)-behind-1] {
		behind++
	}
	for range diffContext {
		begin = strings.LastIndexByte(before[:max(begin-1, 0)], '\n') + 1
	}
	for range 1 + diffContext { // the first of them may be part of a line
		length := strings.IndexByte(before[len(before)-behind:], '\n') + 1
		if length == 0 {
			return begin, 0
		}
		behind -= length
	}
	return begin, behind
}

// writeHunks writes the changes between lines, of which so many more are above.
func writeHunks(text *strings.Builder, old, new []string, above int) {
	changes := compare(old, new)
	for len(changes) > 0 {
		count := hunkLength(changes)
		hunk := newHunk(changes[:count], old, new)
		if text.Len()+hunk.size() > longestDiff {
			fmt.Fprintf(text, "… the diff is cut: %d more changes\n", len(changes))
			break
		}
		hunk.write(text, above)
		changes = changes[count:]
	}
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

func (h hunk) write(text *strings.Builder, above int) {
	fmt.Fprintf(text, "@@ -%s +%s @@\n", rangeText(h.before, above), rangeText(h.after, above))
	at := h.before.begin
	for _, c := range h.changes {
		writeLines(text, ' ', h.old[at:c.old.begin])
		writeLines(text, '-', h.old[c.old.begin:c.old.end])
		writeLines(text, '+', h.new[c.new.begin:c.new.end])
		at = c.old.end
	}
	writeLines(text, ' ', h.old[at:h.before.end])
}

func rangeText(s span, above int) string {
	begin, length := above+s.begin+1, s.end-s.begin
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
