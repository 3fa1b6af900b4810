package filesystem

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mcpserver/core/toolserver"
)

const (
	// mostWork is how many bytes are looked through for all edits of a call
	// together.
	mostWork = 4 << 30
	// lenientWork is how much more work a lenient match is than an exact one.
	lenientWork = 16
	// replaceWork is how much work it is to replace one match, in bytes, and
	// lineWork to compare one line.
	replaceWork = 100
	lineWork    = 32
)

// edit replaces a text in a file.
type edit struct {
	OldText    *string `json:"oldText"`
	NewText    *string `json:"newText"`
	ReplaceAll bool    `json:"replaceAll"`
}

// edits are the arguments of edit_file.
type edits struct {
	Path       string `json:"path"`
	Edits      []edit `json:"edits"`
	DryRun     bool   `json:"dryRun"`
	ReplaceAll bool   `json:"replaceAll"`
}

func readEdits(arguments toolserver.Arguments) (edits, error) {
	if _, err := arguments.RequireString("path"); err != nil {
		return edits{}, err
	}
	var parsed edits
	if err := arguments.Decode(&parsed); err != nil {
		return edits{}, err
	}
	for i := range parsed.Edits {
		one := &parsed.Edits[i]
		if one.OldText == nil || one.NewText == nil {
			return edits{}, fmt.Errorf("edit %d: oldText and newText are both needed", i+1)
		}
		one.ReplaceAll = one.ReplaceAll || parsed.ReplaceAll
	}
	return parsed, nil
}

// editFile runs edit_file.
func (s *Server) editFile(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	parsed, err := readEdits(arguments)
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	var text string
	err = s.withLocked(a, wanted{given: parsed.Path, verb: "edit", changes: true}, func(found place) error {
		if err := a.hold(2 * found.size(a.settings.MaxRead)); err != nil {
			return err
		}
		var content strings.Builder
		if err := found.readInto(ctx, &content, a.settings.MaxRead); err != nil {
			return err
		}
		before := content.String()
		if isBinary(before) {
			return errors.New("is a binary file and no text")
		}
		after, err := apply(ctx, before, parsed.Edits, editLimits{length: 2 * a.settings.MaxRead, work: mostWork})
		if err != nil {
			return err
		}
		if !parsed.DryRun && after != before {
			if err := found.write([]byte(after)); err != nil {
				return err
			}
		}
		text = fenced(unifiedDiff(a.shown(parsed.Path), before, after))
		return nil
	})
	if err != nil {
		return toolserver.Outcome{}, about(parsed.Path, err)
	}
	return answer(text), nil
}

// byteOrderMark may stand before a text; edits do not see it.
const byteOrderMark = "\ufeff"

// editLimits bound the edits of a call: how long the text may become, and how
// much is looked through, in bytes.
type editLimits struct{ length, work int64 }

// apply applies edits one after the other. A text that grows over the limit is
// an error.
func apply(ctx context.Context, text string, edits []edit, most editLimits) (string, error) {
	body, marked := strings.CutPrefix(text, byteOrderMark)
	editing := &editing{text: body, marked: marked, left: most.work, length: most.length}
	for i, one := range edits {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err := editing.apply(*one.OldText, *one.NewText, one.ReplaceAll); err != nil {
			return "", fmt.Errorf("was not edited: edit %d: %w", i+1, err)
		}
	}
	if marked {
		return byteOrderMark + editing.text, nil
	}
	return editing.text, nil
}

// editing is a text between two edits.
type editing struct {
	text   string
	marked bool  // a byte order mark stands before it
	left   int64 // how much work may still be done, in bytes
	length int64 // how long the text may become
}

// fits reports, as an error, that the text would become too long.
func (e *editing) fits(length int64) error {
	if length > e.length {
		return fmt.Errorf("the file becomes longer than %d bytes", e.length)
	}
	return nil
}

// spend takes account of work.
func (e *editing) spend(work int64) error {
	if e.left -= work; e.left < 0 {
		return errors.New("these are too many edits for a file of this size; make fewer in one call")
	}
	return nil
}

// apply replaces the old text, or the lines that differ from it by white space
// at their ends alone. Line breaks of the arguments stand for those that the
// file has.
func (e *editing) apply(old, replacement string, all bool) error {
	old, replacement = withLF(old), withLF(replacement)
	if e.marked && strings.HasPrefix(old, byteOrderMark) && !strings.Contains(e.text, byteOrderMark) {
		// It was read with the text, and stays where it is.
		old, replacement = strings.TrimPrefix(old, byteOrderMark), strings.TrimPrefix(replacement, byteOrderMark)
	}
	if old == "" {
		if e.text != "" {
			return errors.New("oldText is empty, and so it matches everywhere")
		}
		e.text = replacement
		return e.fits(int64(len(replacement)))
	}
	if err := e.spend(int64(2*len(e.text) + len(old))); err != nil {
		return err
	}
	found := matches(e.text, old, all)
	switch {
	case len(found.spans) > mostMatches:
		return fmt.Errorf("oldText matches more than %d times, which is too often for one edit", mostMatches)
	case found.count == 1, found.count > 1 && all:
		return e.replace(found.spans, replacement)
	case found.count > 1:
		return fmt.Errorf("oldText matches %d times, and must match once, unless replaceAll is given; give more of what is around it", found.count)
	}
	if err := e.spend(int64(len(e.text)) * lenientWork); err != nil {
		return err
	}
	return e.applyLenient(old, replacement)
}

// replace puts a text in the place of spans, with the line breaks of where it
// comes to stand. The text may grow a lot: the limit is checked first.
func (e *editing) replace(spans []span, replacement string) error {
	if err := e.spend(int64(len(e.text)) + int64(len(spans))*replaceWork); err != nil {
		return err
	}
	texts := map[string]string{"\n": replacement, "\r\n": withBreaks(replacement, "\r\n")}
	breaks := newLineBreaks(e.text)
	made := make([]string, len(spans))
	length := int64(len(e.text))
	for i, s := range spans {
		made[i] = texts[breaks.at(s.begin)]
		length += int64(len(made[i]) - (s.end - s.begin))
	}
	if err := e.fits(length); err != nil {
		return err
	}
	var text strings.Builder
	text.Grow(int(length))
	at := 0
	for i, s := range spans {
		text.WriteString(e.text[at:s.begin])
		text.WriteString(made[i])
		at = s.end
	}
	text.WriteString(e.text[at:])
	e.text = text.String()
	return nil
}

// withLF gives a text in which a line ends with LF alone.
func withLF(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// withBreaks gives a text of lines that end with LF in which they end so.
func withBreaks(text, lineBreak string) string {
	if lineBreak == "\n" {
		return text
	}
	return strings.ReplaceAll(text, "\n", lineBreak)
}

// lineBreaks tells the line breaks of a text's places, which are asked for in
// their order.
type lineBreaks struct {
	text string
	next int // the end of the last place's line, without its break; at first -1
	last int // the last line break of all
}

func newLineBreaks(text string) *lineBreaks {
	return &lineBreaks{text: text, next: -1, last: strings.LastIndexByte(text, '\n')}
}

// at gives the line break that a place has: that of its line, or, in the last
// line, that of the one before.
func (b *lineBreaks) at(place int) string {
	if b.next < place {
		b.next = len(b.text)
		if length := strings.IndexByte(b.text[place:], '\n'); length >= 0 {
			b.next = place + length
		}
	}
	end := b.next
	if end == len(b.text) {
		end = b.last
	}
	if end > 0 && b.text[end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
