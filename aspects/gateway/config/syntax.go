package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// SyntaxError tells why a text is no JSON with comments.
type SyntaxError struct {
	// Line and Column are where the text goes wrong, from 1; the column is in
	// characters.
	Line, Column int
	// Sentence says what was expected there.
	Sentence string
}

// Error gives the place and the sentence.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Sentence)
}

// fault is a syntax error at an offset.
type fault struct {
	at       int
	sentence string
	// open is what the end of the file leaves open, or nil.
	open *opening
}

// opening is the bracket that an object or array begins with.
type opening struct {
	at      int
	bracket byte
}

// checker goes over a text once and tells whether it is JSON. Comments and
// trailing commas have been blanked before, apart from a comment without end.
type checker struct {
	text []byte
	at   int
	open []opening
}

// checkSyntax gives nil for a text that is one JSON value, which gjson may then
// be trusted with: it finds no faults itself and has no limit for nesting.
func checkSyntax(text []byte) *fault {
	if at := invalidUTF8(text); at >= 0 {
		return &fault{at: at, sentence: fmt.Sprintf("expected UTF-8, found the byte 0x%02x; save the file as UTF-8", text[at])}
	}
	c := &checker{text: text}
	c.skipSpace()
	if c.at == len(text) {
		return &fault{at: c.at, sentence: `expected an object such as {"servers": {...}}, but the file is empty`}
	}
	if fault := c.value(); fault != nil {
		return fault
	}
	c.skipSpace()
	if c.at < len(text) {
		return c.unexpected("the end of the file")
	}
	return nil
}

// invalidUTF8 gives the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func (c *checker) skipSpace() {
	for c.at < len(c.text) && (c.text[c.at] == ' ' || c.text[c.at] == '\t' || c.text[c.at] == '\r' || c.text[c.at] == '\n') {
		c.at++
	}
}

// next skips white space and gives the byte that follows, or 0 at the end.
func (c *checker) next() byte {
	c.skipSpace()
	if c.at == len(c.text) {
		return 0
	}
	return c.text[c.at]
}

func (c *checker) value() *fault {
	switch first := c.next(); {
	case first == '{':
		return c.within(first, c.object)
	case first == '[':
		return c.within(first, c.array)
	case first == '"':
		return c.string()
	case first == '-' || '0' <= first && first <= '9':
		return c.number()
	}
	word := c.text[c.at:]
	if end := bytes.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	switch string(word) {
	case "true", "false", "null":
		c.at += len(word)
		return nil
	}
	if len(word) > 0 || c.at < len(c.text) && c.text[c.at] == '\'' {
		fault := c.unexpected("a value")
		fault.sentence += "; a string stands in double quotes"
		return fault
	}
	return c.unexpected("a value")
}

// within checks what is between two brackets.
func (c *checker) within(bracket byte, check func() *fault) *fault {
	if len(c.open) == maxDepth {
		return &fault{at: c.at, sentence: fmt.Sprintf("expected no more than %d objects and arrays within each other", maxDepth)}
	}
	c.open = append(c.open, opening{c.at, bracket})
	c.at++
	if fault := check(); fault != nil {
		return fault
	}
	c.open = c.open[:len(c.open)-1]
	return nil
}

func (c *checker) object() *fault {
	if c.next() == '}' {
		c.at++
		return nil
	}
	for expected := "a name in double quotes or }"; ; expected = "a name in double quotes" {
		if c.next() != '"' {
			return c.unexpected(expected)
		}
		if fault := c.string(); fault != nil {
			return fault
		}
		if c.next() != ':' {
			return c.unexpected("a colon after the name")
		}
		c.at++
		if fault := c.value(); fault != nil {
			return fault
		}
		switch c.next() {
		case ',':
			c.at++
		case '}':
			c.at++
			return nil
		default:
			return c.unexpected("a comma or }")
		}
	}
}

func (c *checker) array() *fault {
	if c.next() == ']' {
		c.at++
		return nil
	}
	for {
		if fault := c.value(); fault != nil {
			return fault
		}
		switch c.next() {
		case ',':
			c.at++
		case ']':
			c.at++
			return nil
		default:
			return c.unexpected("a comma or ]")
		}
	}
}

func (c *checker) string() *fault {
	start := c.at
	for c.at++; c.at < len(c.text); c.at++ {
		switch b := c.text[c.at]; {
		case b == '"':
			c.at++
			return nil
		case b == '\n' || b == '\r':
			return unclosedString(start)
		case b == '\t':
			return &fault{at: c.at, sentence: `expected no tab in a string; write \t`}
		case b < ' ':
			return &fault{at: c.at, sentence: fmt.Sprintf(`expected no control character in a string; write \u%04x`, b)}
		case b == '\\':
			if fault := c.escape(); fault != nil {
				return fault
			}
		}
	}
	return unclosedString(start)
}

func unclosedString(start int) *fault {
	return &fault{at: start, sentence: `expected " before the end of the line: the string that begins here is not closed`}
}

// escape checks an escape and stays at its last byte.
func (c *checker) escape() *fault {
	rest := c.text[c.at+1:]
	switch {
	case len(rest) > 0 && bytes.IndexByte([]byte(`"\/bfnrt`), rest[0]) >= 0:
		c.at++
		return nil
	case len(rest) > 0 && rest[0] == 'u':
		if len(rest) < 5 || !isHexadecimal(rest[1:5]) {
			return &fault{at: c.at, sentence: `expected four hexadecimal digits after \u; a backslash itself is written \\`}
		}
		c.at += 5
		return nil
	}
	return &fault{at: c.at, sentence: `expected one of " \ / b f n r t u after a backslash; a backslash itself is written \\`}
}

func isHexadecimal(digits []byte) bool {
	_, err := strconv.ParseUint(string(digits), 16, 16)
	return err == nil && digits[0] != '+' && digits[0] != '-'
}

func (c *checker) number() *fault {
	start := c.at
	for c.at < len(c.text) && bytes.IndexByte([]byte("0123456789+-.eE"), c.text[c.at]) >= 0 {
		c.at++
	}
	if !json.Valid(c.text[start:c.at]) {
		return &fault{at: start, sentence: "expected a number such as 10, -1 or 2.5"}
	}
	return nil
}

// unexpected says what was expected where the checker stands, and what is
// there: never more of it than one character, since a value may be a secret.
func (c *checker) unexpected(expected string) *fault {
	rest := c.text[c.at:]
	if len(rest) == 0 {
		at := &fault{at: c.at, sentence: "expected " + expected + ", but the file ends"}
		if len(c.open) > 0 {
			at.open = &c.open[len(c.open)-1]
		}
		return at
	}
	r, _ := utf8.DecodeRune(rest)
	found := strconv.QuoteRune(r)
	if !unicode.IsPrint(r) {
		found = fmt.Sprintf("the character %U", r)
	}
	switch {
	case bytes.HasPrefix(rest, []byte("/*")):
		return &fault{at: c.at, sentence: "expected */: the comment that begins here is not closed"}
	case r == '#' || r == '/':
		found += "; a comment begins with // or /*"
	}
	return &fault{at: c.at, sentence: "expected " + expected + ", found " + found}
}
