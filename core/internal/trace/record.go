package trace

import (
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"
)

// The second word of a record.
const (
	wordError = "ERROR"
	wordInfo  = "INFO"
	wordDebug = "DEBUG"
	wordIn    = "IN"
	wordOut   = "OUT"
)

const (
	textLimit  = 8 << 10                 // bytes of a record's text; the rest is cut
	visible    = textLimit + utf8.UTFMax // bytes of a longer text that can matter to the record
	timeLayout = "2006-01-02T15:04:05.000Z07:00"
)

// lineBreaks are dropped at the end of a text: a record is one line in any case.
const lineBreaks = "\r\n"

var newline = []byte{'\n'}

// newRecord gives one line: the time, the word and text that escape made.
func newRecord(word string, text []byte) []byte {
	line := make([]byte, 0, len(timeLayout)+len(word)+len(text)+3)
	line = time.Now().UTC().AppendFormat(line, timeLayout)
	line = append(line, ' ')
	line = append(line, word...)
	line = append(line, ' ')
	line = append(line, text...)
	return append(line, '\n')
}

// escape gives text as valid UTF-8 without line breaks and control characters,
// so that no text can pass for a record of its own. Text that grows beyond
// textLimit is cut between two characters, with a note of how many bytes are
// missing.
func escape(text string) []byte {
	return escapeHead(text, len(text))
}

// escapeHead is escape for a text of length bytes of which only the first
// visible ones need be given: no character becomes shorter, so what follows them
// is cut.
func escapeHead(text string, length int) []byte {
	escaped := make([]byte, 0, min(len(text), textLimit)+64)
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		before := len(escaped)
		escaped = appendEscaped(escaped, text[i:i+width], r)
		if len(escaped) > textLimit {
			return fmt.Appendf(escaped[:before], " … [%d bytes cut]", length-i)
		}
		i += width
	}
	return escaped
}

// appendEscaped appends one character, escaped if a terminal or an editor
// might do anything but show it.
func appendEscaped(line []byte, character string, r rune) []byte {
	switch {
	case r >= ' ' && r <= '~':
		return append(line, byte(r))
	case r == '\n':
		return append(line, `\n`...)
	case r == '\r':
		return append(line, `\r`...)
	case r == '\t':
		return append(line, `\t`...)
	case r == utf8.RuneError && len(character) == 1:
		return fmt.Appendf(line, `\x%02x`, character[0])
	case unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
		return fmt.Appendf(line, `\u%04x`, r)
	}
	return append(line, character...)
}
