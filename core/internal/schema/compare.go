package schema

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"mcpserver/core/internal/wire"
)

// compare gives -1, 0 or 1 as the number is below, at or above the bound. No
// digit is lost, and it takes the bound as AppendJSON publishes it: 0.1 is at
// the bound 0.1 although the float64 is a little more.
//
// The two shortcuts are exact: between integers, and between floats that
// differ, since rounding keeps the order. Otherwise the digits decide.
func compare(v wire.Value, bound float64) int {
	if n, ok := v.Int(); ok && bound == math.Trunc(bound) && math.Abs(bound) <= 1<<53 {
		return cmp.Compare(n, int64(bound))
	}
	if rounded, ok := v.Float(); ok && rounded != bound {
		return cmp.Compare(rounded, bound)
	}
	var text [32]byte
	digits := strconv.AppendFloat(text[:0], bound, 'e', -1, 64)
	a, b := parseDecimal(v.Raw), parseDecimal(string(digits))
	return a.compare(&b)
}

// decimal is a number as 0.DIGITS × 10^exponent. The digits are those of whole
// followed by those of fraction; the first is not 0, and there are none when
// the number is 0.
type decimal struct {
	negative        bool
	whole, fraction string
	exponent        int64
}

// parseDecimal takes a JSON number apart. Its parts are substrings of it.
func parseDecimal(text string) decimal {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		d.exponent = parseExponent(text[at+1:])
		text = text[:at]
	}
	d.whole, d.fraction, _ = strings.Cut(text, ".")
	d.whole = strings.TrimLeft(d.whole, "0")
	if d.whole != "" {
		d.exponent += int64(len(d.whole))
		return d
	}
	significant := strings.TrimLeft(d.fraction, "0")
	if significant == "" {
		return decimal{}
	}
	d.exponent -= int64(len(d.fraction) - len(significant))
	d.fraction = significant
	return d
}

// parseExponent stops short of overflow: no number has enough digits to make up
// for an exponent of that size.
func parseExponent(text string) int64 {
	const largest = 1 << 40
	text = strings.TrimPrefix(text, "+")
	text, negative := strings.CutPrefix(text, "-")
	exponent := int64(0)
	for i := 0; i < len(text) && exponent < largest; i++ {
		exponent = exponent*10 + int64(text[i]-'0')
	}
	if negative {
		return -exponent
	}
	return exponent
}

func (d *decimal) compare(other *decimal) int {
	if order := cmp.Compare(d.sign(), other.sign()); order != 0 {
		return order
	}
	if d.negative {
		return other.compareMagnitude(d)
	}
	return d.compareMagnitude(other)
}

func (d *decimal) sign() int {
	switch {
	case d.length() == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d *decimal) compareMagnitude(other *decimal) int {
	if order := cmp.Compare(d.exponent, other.exponent); order != 0 {
		return order
	}
	for i := range max(d.length(), other.length()) {
		if order := cmp.Compare(d.digit(i), other.digit(i)); order != 0 {
			return order
		}
	}
	return 0
}

func (d *decimal) length() int {
	return len(d.whole) + len(d.fraction)
}

// digit gives the i-th digit; beyond the last one they are all 0.
func (d *decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	if i -= len(d.whole); i < len(d.fraction) {
		return d.fraction[i]
	}
	return '0'
}
