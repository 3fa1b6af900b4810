package transcripts

import (
	"fmt"
	"strings"
)

// step is one line of a transcript, with the indented lines behind it. Lines of
// <any in a row are one step, with a line each in its text.
type step struct {
	first, last int   // line numbers, from 1
	only        build // the build that it is for; "" is both
	verb, text  string
}

// parse reads a transcript and gives the steps that are for a build.
func parse(transcript string, b build) ([]step, error) {
	steps, err := parseAll(transcript)
	if err != nil {
		return nil, err
	}
	var chosen []step
	for i, s := range steps {
		inRow := i > 0 && s.verb == "<any" && steps[i-1].verb == "<any" && steps[i-1].last == s.first-1
		if s.only != "" && s.only != b {
			continue
		}
		if last := len(chosen) - 1; inRow && last >= 0 && chosen[last].verb == "<any" {
			chosen[last].text += "\n" + s.text
			chosen[last].last = s.last
			continue
		}
		chosen = append(chosen, s)
	}
	return chosen, nil
}

// parseAll gives a step for each line that is one, of either build.
func parseAll(transcript string) ([]step, error) {
	var steps []step
	number := 0
	for line := range strings.Lines(transcript) {
		number++
		line = strings.TrimSuffix(line, "\n")
		continued := strings.TrimLeft(line, " \t")
		switch {
		case continued == "" || line[0] == '#':
		case continued == line:
			s, err := parseLine(line)
			if err != nil {
				return nil, fmt.Errorf("%d: %w", number, err)
			}
			s.first, s.last = number, number
			steps = append(steps, s)
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

func parseLine(line string) (step, error) {
	only, rest, err := cutBuild(line)
	if err != nil {
		return step{}, err
	}
	verb, text, _ := strings.Cut(rest, " ")
	if verbs[verb] == nil {
		return step{}, fmt.Errorf("there is no step %q", verb)
	}
	return step{only: only, verb: verb, text: text}, nil
}

// rewrite puts new texts in the place of steps, which are in order.
func rewrite(transcript string, changed []step) string {
	lines := strings.SplitAfter(transcript, "\n")
	var rewritten strings.Builder
	next := 0
	for _, s := range changed {
		rewritten.WriteString(strings.Join(lines[next:s.first-1], ""))
		if s.only != "" {
			rewritten.WriteString("[" + string(s.only) + "] ")
		}
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
