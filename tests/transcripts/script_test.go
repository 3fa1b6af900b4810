package transcripts

import (
	"fmt"
	"strings"
)

// step is one line of a transcript, with the indented lines behind it. Lines of
// <any in a row are one step, with a line each in its text.
type step struct {
	first, last int // line numbers, from 1
	verb, text  string
}

// parse reads a transcript.
func parse(transcript string) ([]step, error) {
	var steps []step
	number := 0
	for line := range strings.Lines(transcript) {
		number++
		line = strings.TrimSuffix(line, "\n")
		continued := strings.TrimLeft(line, " \t")
		switch {
		case continued == "" || line[0] == '#':
		case continued == line:
			verb, text, _ := strings.Cut(line, " ")
			if verbs[verb] == nil {
				return nil, fmt.Errorf("%d: there is no step %q", number, verb)
			}
			if before := len(steps) - 1; verb == "<any" && before >= 0 && steps[before].verb == verb && steps[before].last == number-1 {
				steps[before].text += "\n" + text
				steps[before].last = number
				continue
			}
			steps = append(steps, step{first: number, last: number, verb: verb, text: text})
		case len(steps) == 0 || steps[len(steps)-1].last != number-1:
			return nil, fmt.Errorf("%d: an indented line goes on with no step", number)
		default:
			current := &steps[len(steps)-1]
			current.text += continued
			current.last = number
		}
	}
	return steps, nil
}

// rewrite puts new texts in the place of steps, which are in order.
func rewrite(transcript string, changed []step) string {
	lines := strings.SplitAfter(transcript, "\n")
	var rewritten strings.Builder
	next := 0
	for _, s := range changed {
		rewritten.WriteString(strings.Join(lines[next:s.first-1], ""))
		rewritten.WriteString(s.verb + " " + wrap(s.text) + "\n")
		next = s.last
	}
	rewritten.WriteString(strings.Join(lines[next:], ""))
	return rewritten.String()
}

// wrap breaks a long JSON text into lines: objects in an array begin one each,
// and what is still too long is broken behind commas.
func wrap(text string) string {
	const widest, indentation = 110, "\n    "
	if len(text) <= widest || text[0] != '{' && text[0] != '[' {
		return text
	}
	var wrapped strings.Builder
	width := 0
	for _, piece := range pieces(text) {
		if width > 0 && (width+len(piece) > widest || piece[0] == '{') {
			wrapped.WriteString(indentation)
			width = 0
		}
		wrapped.WriteString(piece)
		width += len(piece)
	}
	return wrapped.String()
}

// pieces cuts a JSON text behind the commas that are not part of a string, and
// before the objects in arrays.
func pieces(text string) []string {
	var pieces []string
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ',' || c == '[' && i > 0 && text[i+1] == '{'):
			pieces = append(pieces, text[start:i+1])
			start = i + 1
		}
	}
	return append(pieces, text[start:])
}
