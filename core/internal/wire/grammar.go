package wire

import (
	"math/bits"
	"unicode/utf8"
)

// The JSON grammar of RFC 8259, as functions of one shape: s[i] is where a
// piece of text begins, and the answer is the index behind it. On a fault the
// index is that of the byte at fault, and len(s) when the text is cut off.
//
//	skipSpace         white space, perhaps none
//	plainRun          characters that stand for themselves in a string
//	  plainASCII        its ASCII part, a word at a time
//	  multibyteRun      its UTF-8 sequences
//	scanString        "text"
//	  scanEscape        \n, \u00e4
//	scanNumber        -12.5e3
//	  scanDigits        12
//	scanLiteral       true, false, null
//	scanScalar        any of the values above
//	openObject        { up to the first name, or {}
//	memberName        "name": up to the value
//	nextMember        , up to the next name, or }
//	nesting.scan      any value; arrays and objects without recursion
//	  nesting.open      [ or { up to the first value, or an empty one
//	  nesting.follow    , up to the next value, or ] or }

// fault is what is wrong with a text.
type fault uint8

const (
	fine fault = iota
	cutOff
	noValue
	badLiteral
	badNumber
	badCharacter
	badUTF8
	badEscape
	noName
	noColon
	noComma
	noEnd
	tooDeep // becomes a DepthError
)

// reason words the fault for people.
func (f fault) reason() string {
	switch f {
	case cutOff:
		return "the text ends too early"
	case noValue:
		return "this is no JSON value"
	case badLiteral:
		return "true, false or null is misspelt"
	case badNumber:
		return "a number is malformed"
	case badCharacter:
		return "a control character in a string is not escaped"
	case badUTF8:
		return "a string is not valid UTF-8"
	case badEscape:
		return "a string has an unknown escape"
	case noName:
		return "a member name in quotation marks is missing"
	case noColon:
		return "a colon is missing"
	case noComma:
		return "a comma or closing bracket is missing"
	case noEnd:
		return "there is more text behind the value"
	}
	return "it is nested too deep"
}

func isSpace(c byte) bool {
	const spaces = 1<<' ' | 1<<'\t' | 1<<'\r' | 1<<'\n'
	return c <= ' ' && uint64(spaces)>>c&1 != 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHexDigit(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// delimits reports whether c may stand behind a number inside an array or
// object.
func delimits(c byte) bool { return c == ',' || c == '}' || c == ']' || isSpace(c) }

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// load64 gives the eight bytes of s from i on, the first one lowest. The
// compiler makes one load of it.
func load64(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// markSpecial sets the high bit of the bytes of word that are a quotation
// mark, a backslash, a control character, or not ASCII. A borrow may also mark
// bytes above the first of these, so only the lowest mark counts.
func markSpecial(word uint64) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	control := word - ones*' '
	quote := (word ^ ones*'"') - ones
	backslash := (word ^ ones*'\\') - ones
	return (word | control | quote | backslash) & high
}

// plainASCII gives the index of the first byte that is special in the sense of
// markSpecial.
func plainASCII(s string, i int) int {
	for ; i <= len(s)-8; i += 8 {
		if marks := markSpecial(load64(s, i)); marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for i < len(s) && ' ' <= s[i] && s[i] < utf8.RuneSelf && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// multibyteRun gives the index of the first byte that is ASCII or does not
// begin a valid UTF-8 sequence.
func multibyteRun(s string, i int) int {
	for i < len(s) && s[i] >= utf8.RuneSelf {
		// Most of the world's scripts take three bytes a character, and only
		// two lead bytes make demands on the second byte.
		if lead := s[i]; i+2 < len(s) && lead&0xF0 == 0xE0 && lead != 0xE0 && lead != 0xED &&
			s[i+1]&0xC0 == 0x80 && s[i+2]&0xC0 == 0x80 {
			i += 3
			continue
		}
		size := multibyteSize(s[i:])
		if size == 0 {
			break
		}
		i += size
	}
	return i
}

// multibyteSize gives the length of the UTF-8 sequence of two to four bytes
// that s begins with, or 0. The bounds for the second byte exclude overlong
// forms, surrogates, and what is above U+10FFFF.
func multibyteSize(s string) int {
	first, low, high, size := s[0], byte(0x80), byte(0xBF), 2
	switch {
	case first < 0xC2 || first > 0xF4:
		return 0
	case first < 0xE0:
	case first < 0xF0:
		size = 3
		if first == 0xE0 {
			low = 0xA0
		} else if first == 0xED {
			high = 0x9F
		}
	default:
		size = 4
		if first == 0xF0 {
			low = 0x90
		} else if first == 0xF4 {
			high = 0x8F
		}
	}
	if len(s) < size || s[1] < low || s[1] > high {
		return 0
	}
	for k := 2; k < size; k++ {
		if s[k]&0xC0 != 0x80 {
			return 0
		}
	}
	return size
}

// plainRun gives the index of the first byte that does not stand for itself in
// a string: a quotation mark, a backslash, a control character, or a byte that
// is not valid UTF-8.
func plainRun(s string, i int) int {
	for {
		i = plainASCII(s, i)
		if i == len(s) || s[i] < utf8.RuneSelf {
			return i
		}
		i = multibyteRun(s, i)
		if i == len(s) || s[i] >= utf8.RuneSelf {
			return i
		}
	}
}

// scanString scans the string whose opening quotation mark is s[i].
func scanString(s string, i int) (end int, escaped bool, f fault) {
	// Most strings are short, ASCII and without escapes.
	i = plainASCII(s, i+1)
	if i < len(s) && s[i] == '"' {
		return i + 1, false, fine
	}
	for {
		i = plainRun(s, i)
		switch {
		case i == len(s):
			return i, escaped, cutOff
		case s[i] == '"':
			return i + 1, escaped, fine
		case s[i] == '\\':
			escaped = true
			if i, f = scanEscape(s, i); f != fine {
				return i, escaped, f
			}
		case s[i] < ' ':
			return i, escaped, badCharacter
		default:
			return i, escaped, badUTF8
		}
	}
}

// scanEscape scans the escape whose backslash is s[i].
func scanEscape(s string, i int) (end int, f fault) {
	if i+1 == len(s) {
		return len(s), cutOff
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, fine
	case 'u':
	default:
		return i, badEscape
	}
	for end = i + 2; end < i+6; end++ {
		if end == len(s) {
			return end, cutOff
		}
		if !isHexDigit(s[end]) {
			return i, badEscape
		}
	}
	return end, fine
}

// scanNumber scans the number that begins at s[i].
func scanNumber(s string, i int) (end int, f fault) {
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if i, f = scanDigits(s, i); f != fine {
		return i, f
	}
	if i < len(s) && s[i] == '.' {
		if i, f = scanDigits(s, i+1); f != fine {
			return i, f
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		return scanDigits(s, i)
	}
	return i, fine
}

// scanDigits scans one digit or more.
func scanDigits(s string, i int) (end int, f fault) {
	end = i
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	switch {
	case end > i:
		return end, fine
	case end == len(s):
		return end, cutOff
	}
	return end, badNumber
}

// scanLiteral scans the word that must stand at s[i].
func scanLiteral(s string, i int, word string) (end int, f fault) {
	for k := range len(word) {
		if i+k == len(s) {
			return len(s), cutOff
		}
		if s[i+k] != word[k] {
			return i + k, badLiteral
		}
	}
	return i + len(word), fine
}

// scanScalar scans a value that is neither array nor object.
func scanScalar(s string, i int) (kind Kind, escaped bool, end int, f fault) {
	switch c := s[i]; c {
	case '"':
		end, escaped, f = scanString(s, i)
		return String, escaped, end, f
	case 't':
		end, f = scanLiteral(s, i, "true")
		return True, false, end, f
	case 'f':
		end, f = scanLiteral(s, i, "false")
		return False, false, end, f
	case 'n':
		end, f = scanLiteral(s, i, "null")
		return Null, false, end, f
	default:
		if c != '-' && !isDigit(c) {
			return Absent, false, i, noValue
		}
		end, f = scanNumber(s, i)
		return Number, false, end, f
	}
}

// openObject scans the brace at s[i] up to the first name; closed says that
// the object is empty and scanned.
func openObject(s string, i int) (next int, closed bool, f fault) {
	i = skipSpace(s, i+1)
	if i == len(s) {
		return i, false, cutOff
	}
	if s[i] == '}' {
		return i + 1, true, fine
	}
	return i, false, fine
}

// memberName scans a name and its colon, up to the value. The name is the
// string s[i:nameEnd].
func memberName(s string, i int) (nameEnd int, escaped bool, value int, f fault) {
	if i == len(s) {
		return 0, false, i, cutOff
	}
	if s[i] != '"' {
		return 0, false, i, noName
	}
	nameEnd, escaped, f = scanString(s, i)
	if f != fine {
		return 0, false, nameEnd, f
	}
	value = skipSpace(s, nameEnd)
	if value == len(s) {
		return 0, false, value, cutOff
	}
	if s[value] != ':' {
		return 0, false, value, noColon
	}
	return nameEnd, escaped, skipSpace(s, value+1), fine
}

// nextMember scans what follows the value of a member, up to the next name;
// closed says that the object ends there.
func nextMember(s string, i int) (next int, closed bool, f fault) {
	i = skipSpace(s, i)
	if i == len(s) {
		return i, false, cutOff
	}
	switch s[i] {
	case ',':
		return skipSpace(s, i+1), false, fine
	case '}':
		return i + 1, true, fine
	}
	return i, false, noComma
}

// nesting scans values within values. It keeps one bit a level, so that the
// depth of the text costs next to no memory and no stack.
type nesting struct {
	limit   int      // the deepest level allowed; the outermost array or object is level 1
	objects []uint64 // bit n-1 is set when level n is an object; room for limit levels
}

// nestingWords is the length of nesting.objects for that limit.
func nestingWords(limit int) int { return limit/64 + 1 }

// scan scans the value at s[i], which stands inside that many levels.
func (n *nesting) scan(s string, i, outer int) (end int, f fault) {
	level := outer
	for {
		closed := true
		switch {
		case i == len(s):
			return i, cutOff
		case s[i] == '{' || s[i] == '[':
			level++
			i, closed, f = n.open(s, i, level)
			if f == fine && closed {
				level--
			}
		default:
			_, _, i, f = scanScalar(s, i)
		}
		for f == fine && closed && level > outer {
			i, closed, f = n.follow(s, i, level)
			if f == fine && closed {
				level--
			}
		}
		if f != fine || level == outer {
			return i, f
		}
	}
}

// open scans the bracket at s[i], which opens that level, up to the first
// value; closed says that there is none.
func (n *nesting) open(s string, i, level int) (next int, closed bool, f fault) {
	if level > n.limit {
		return i, false, tooDeep
	}
	word, bit := &n.objects[(level-1)/64], uint64(1)<<((level-1)%64)
	if s[i] == '{' {
		*word |= bit
		next, closed, f = openObject(s, i)
		if f == fine && !closed {
			_, _, next, f = memberName(s, next)
		}
		return next, closed, f
	}
	*word &^= bit
	next = skipSpace(s, i+1)
	if next < len(s) && s[next] == ']' {
		return next + 1, true, fine
	}
	return next, false, fine
}

// follow scans what follows a value on that level, up to the next value;
// closed says that the level ends there.
func (n *nesting) follow(s string, i, level int) (next int, closed bool, f fault) {
	if n.objects[(level-1)/64]>>((level-1)%64)&1 != 0 {
		next, closed, f = nextMember(s, i)
		if f == fine && !closed {
			_, _, next, f = memberName(s, next)
		}
		return next, closed, f
	}
	i = skipSpace(s, i)
	if i == len(s) {
		return i, false, cutOff
	}
	switch s[i] {
	case ',':
		return skipSpace(s, i+1), false, fine
	case ']':
		return i + 1, true, fine
	}
	return i, false, noComma
}
