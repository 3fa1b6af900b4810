package filesystem

import (
	"fmt"
	"slices"
	"strings"
)

// span is a part of a text.
type span struct {
	begin, end int
}

// mostMatches is how many matches one edit may replace.
const mostMatches = 1_000_000

// found is where a text was found in another: how often, and all spans, in
// order and none over another, or only the first. With more spans than
// mostMatches it may have been found more often still.
type found struct {
	count int
	spans []span
}

// matches finds a text, whose lines end with LF, in one whose lines end in
// either way.
func matches(text, old string, all bool) found {
	result := occurrences(text, old, all, func(at int) bool {
		// The LF of a CRLF is no line break of its own.
		return old[0] != '\n' || at == 0 || text[at-1] != '\r'
	})
	if !strings.Contains(old, "\n") {
		return result
	}
	windows := occurrences(text, withBreaks(old, "\r\n"), all, func(int) bool { return true })
	result.count += windows.count
	result.spans = append(result.spans, windows.spans...)
	if all {
		result.spans = apart(result.spans)
		result.count = len(result.spans)
	}
	return result
}

// apart puts spans in order and leaves out those that begin in the one before.
func apart(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.begin - b.begin })
	end := 0
	return slices.DeleteFunc(spans, func(s span) bool {
		over := s.begin < end
		if !over {
			end = s.end
		}
		return over
	})
}

func occurrences(text, old string, all bool, counts func(at int) bool) (result found) {
	for from := 0; len(result.spans) <= mostMatches; {
		at := strings.Index(text[from:], old)
		if at < 0 {
			return result
		}
		at += from
		if !counts(at) {
			from = at + 1
			continue
		}
		from = at + len(old)
		result.count++
		if all || result.count == 1 {
			result.spans = append(result.spans, span{at, from})
		}
	}
	return result
}

// applyLenient replaces lines that differ from those of the old text by white
// space at their beginnings and ends alone, and indents the new ones likewise.
func (e *editing) applyLenient(old, replacement string) error {
	wanted := strings.Split(old, "\n")
	trimmed := make([]string, len(wanted))
	for i, line := range wanted {
		trimmed[i] = strings.TrimSpace(line)
	}
	count, first := 0, span{}
	for begin := 0; begin <= len(e.text); {
		end, compared, ok := matchLines(e.text, begin, trimmed)
		if ok {
			if count++; count == 1 {
				first = span{begin, end}
			}
		}
		if err := e.spend(int64(end - begin + compared*lineWork)); err != nil {
			return err
		}
		next := strings.IndexByte(e.text[begin:], '\n')
		if next < 0 {
			break
		}
		begin += next + 1
	}
	switch {
	case count == 0:
		return fmt.Errorf("oldText has no match: %s", quoted(old))
	case count > 1:
		return fmt.Errorf("oldText has no exact match, and %d that differ by indentation alone, where one is needed: %s", count, quoted(old))
	}
	return e.replace([]span{first}, indented(e.text[first.begin:], wanted, replacement))
}

// matchLines reports whether the lines of a text from begin on are these, but
// for white space around them. It gives how many of them it compared, and where
// the last of those ends, without its line break.
func matchLines(text string, begin int, trimmed []string) (end, compared int, ok bool) {
	end = begin
	for i, want := range trimmed {
		if begin > len(text) {
			return end, i, false
		}
		length := strings.IndexByte(text[begin:], '\n')
		if length < 0 {
			length = len(text) - begin
		}
		end = begin + length
		if strings.TrimSpace(text[begin:end]) != want {
			return end, i + 1, false
		}
		if i == len(trimmed)-1 && length > 0 && end < len(text) && text[end-1] == '\r' {
			end--
		}
		begin += length + 1
	}
	return end, len(trimmed), true
}

// indented gives the new text indented as the old one is where it was found: each
// line by as much more or less than the line in its place as the new text has
// it; lines beyond those, than the last of them that is not blank.
func indented(found string, wanted []string, replacement string) string {
	lines := strings.Split(replacement, "\n")
	own, was := "", ""
	for i, line := range lines {
		if i < len(wanted) {
			there, rest, _ := strings.Cut(found, "\n")
			found = rest
			if strings.TrimSpace(there) != "" || i == 0 {
				own, was = indentation(there), indentation(wanted[i])
			}
		}
		is := indentation(line)
		switch {
		case line == is || line == is+"\r": // blank
		case strings.HasPrefix(is, was):
			lines[i] = own + is[len(was):] + line[len(is):]
		default:
			lines[i] = own[:max(0, len(own)-(len(was)-len(is)))] + line[len(is):]
		}
	}
	return strings.Join(lines, "\n")
}

// indentation gives the spaces and tabs that a line begins with.
func indentation(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
