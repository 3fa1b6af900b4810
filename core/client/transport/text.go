package transport

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// excerpt gives the beginning of a text that somebody else wrote, at most limit
// bytes, on one line and without control characters.
func excerpt(text string, limit int) string {
	cut := len(text) > limit
	if cut {
		text = text[:limit]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	text = printable(text)
	if cut {
		text += " …"
	}
	return text
}

// printable gives text on one line: runs of white space and of what cannot be
// shown become one space.
func printable(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
}
