package config

import (
	"bytes"
	"unicode/utf8"
)

// place is a place in a file, counted from 1. The column is in characters.
type place struct{ line, column int }

// locator finds the places of offsets in a text. It goes on from the offset
// before, so that offsets in ascending order cost one pass over the text.
type locator struct {
	text []byte
	at   int
	place
}

func newLocator(text []byte) *locator { return &locator{text: text, place: place{1, 1}} }

func (l *locator) locate(offset int) place {
	if offset < l.at {
		*l = *newLocator(l.text)
	}
	between := l.text[l.at:offset]
	l.at = offset
	if lines := bytes.Count(between, []byte("\n")); lines > 0 {
		l.line += lines
		l.column = 1
		between = between[bytes.LastIndexByte(between, '\n')+1:]
	}
	l.column += utf8.RuneCount(between)
	return l.place
}
