package wire

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind tells what a JSON value is.
type Kind uint8

// The kinds of a [Value]. The zero Kind says that there is no value.
const (
	Absent Kind = iota
	Null
	False
	True
	Number
	String
	Object
	Array
)

// Value is one JSON value where it lies in its line. Its methods take Raw to
// be what [Scanner.Scan] has accepted; they are safe for concurrent use.
type Value struct {
	Kind    Kind
	Escaped bool   // a string with a backslash in it
	Raw     string // as sent; strings with their quotation marks
}

// Text gives the decoded string: a substring of the line when nothing in it is
// escaped. A surrogate escape that is not half of a pair becomes U+FFFD. For
// any other kind it gives "".
func (v Value) Text() string {
	if v.Kind != String || len(v.Raw) < 2 {
		return ""
	}
	inner := v.Raw[1 : len(v.Raw)-1]
	if !v.Escaped {
		return inner
	}
	return unescape(inner)
}

// unescape decodes the inside of a string whose escapes have been checked.
func unescape(s string) string {
	var text strings.Builder
	text.Grow(len(s))
	for {
		backslash := strings.IndexByte(s, '\\')
		if backslash < 0 || backslash+1 == len(s) {
			text.WriteString(s)
			return text.String()
		}
		text.WriteString(s[:backslash])
		r, size := decodeEscape(s[backslash:])
		text.WriteRune(r)
		s = s[backslash+size:]
	}
}

// decodeEscape decodes the escape that s begins with: the character, and the
// number of bytes it takes.
func decodeEscape(s string) (r rune, size int) {
	switch s[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return decodeUnicodeEscape(s)
	}
	return rune(s[1]), 2
}

// decodeUnicodeEscape decodes the \u escape that s begins with, or the two
// that make a surrogate pair.
func decodeUnicodeEscape(s string) (r rune, size int) {
	r = hexRune(s)
	if !utf16.IsSurrogate(r) {
		return r, min(6, len(s))
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

// hexRune gives the number in the \uXXXX that s begins with.
func hexRune(s string) rune {
	if len(s) < 6 {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// Int gives a number that is an integer by value, taken exactly by its digits:
// 1, 1.0, 1e3, 10e-1, -0, 9007199254740993. It is false for a fraction, for
// what an int64 does not hold, and for another kind. The cost is linear in
// len(Raw) whatever the exponent says.
func (v Value) Int() (int64, bool) {
	if v.Kind != Number {
		return 0, false
	}
	// The common case, and the reason for its bound: 18 digits never overflow.
	if len(v.Raw) <= 18 {
		if n, ok := plainInt(v.Raw); ok {
			return n, true
		}
	}
	return parseDecimal(v.Raw).int64()
}

// plainInt reads up to 18 digits with nothing but a minus sign before them.
func plainInt(s string) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	n := int64(0)
	for i := range len(digits) {
		c := digits[i]
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(s) {
		n = -n
	}
	return n, true
}

// IsInteger reports whether a number is an integer by value, of any size:
// 1e400 is, 1.5 and 1e-1 are not. The cost is linear in len(Raw).
func (v Value) IsInteger() bool {
	return v.Kind == Number && parseDecimal(v.Raw).isInteger()
}

// Float gives a number as the nearest float64. It is false for what a float64
// does not hold, and for another kind.
func (v Value) Float() (float64, bool) {
	if v.Kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Raw, 64)
	if err != nil {
		return 0, false
	}
	return f, true
}

// maxExponent is where exponents stop being told apart. It is beyond the
// length of any text, so that no number of written digits can make up for it.
const maxExponent = 1 << 40

// decimal is the number whole·fraction × 10^exponent, where whole and fraction
// are the digits of one integer in two pieces, without zeros at either end.
type decimal struct {
	negative        bool
	whole, fraction string
	exponent        int64
}

// parseDecimal takes a number apart by the JSON grammar.
func parseDecimal(s string) decimal {
	var d decimal
	s, d.negative = strings.CutPrefix(s, "-")
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		d.exponent = parseExponent(s[e+1:])
		s = s[:e]
	}
	d.whole, d.fraction, _ = strings.Cut(s, ".")

	d.fraction = strings.TrimRight(d.fraction, "0")
	d.exponent -= int64(len(d.fraction))
	if d.fraction == "" {
		all := len(d.whole)
		d.whole = strings.TrimRight(d.whole, "0")
		d.exponent += int64(all - len(d.whole))
	}
	d.whole = strings.TrimLeft(d.whole, "0")
	if d.whole == "" {
		d.fraction = strings.TrimLeft(d.fraction, "0")
	}
	return d
}

// parseExponent reads an exponent with or without sign, up to maxExponent.
func parseExponent(s string) int64 {
	digits := strings.TrimLeft(s, "+-")
	n := int64(0)
	for i := 0; i < len(digits) && n < maxExponent; i++ {
		n = n*10 + int64(digits[i]-'0')
	}
	if strings.HasPrefix(s, "-") {
		return -n
	}
	return n
}

func (d decimal) isZero() bool { return d.whole == "" && d.fraction == "" }

func (d decimal) isInteger() bool { return d.isZero() || d.exponent >= 0 }

// int64 gives d exactly, or false.
func (d decimal) int64() (int64, bool) {
	const maxDigits = 19 // of an int64
	if d.isZero() {
		return 0, true
	}
	if d.exponent < 0 || int64(len(d.whole)+len(d.fraction))+d.exponent > maxDigits {
		return 0, false
	}
	magnitude := uint64(0) // 19 digits fit
	for _, digits := range [...]string{d.whole, d.fraction} {
		for i := range len(digits) {
			magnitude = magnitude*10 + uint64(digits[i]-'0')
		}
	}
	for range d.exponent {
		magnitude *= 10
	}
	switch {
	case magnitude <= math.MaxInt64 && d.negative:
		return -int64(magnitude), true
	case magnitude <= math.MaxInt64:
		return int64(magnitude), true
	case magnitude == 1<<63 && d.negative:
		return math.MinInt64, true
	}
	return 0, false
}
