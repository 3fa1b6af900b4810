package wire

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendString appends s as a JSON string. It escapes quotation marks,
// backslashes and control characters, nothing else, and writes U+FFFD for each
// byte that is not valid UTF-8. The result is one line.
func AppendString(dst []byte, s string) []byte {
	// Room for all of it and for a few escapes, such as the line ends of a text.
	dst = slices.Grow(dst, len(s)+len(s)/16+2)
	dst = append(dst, '"')
	for {
		end := plainRun(s, 0)
		dst = append(dst, s[:end]...)
		if end == len(s) {
			return append(dst, '"')
		}
		dst = appendEscaped(dst, s[end])
		s = s[end+1:]
	}
}

// AppendStrings appends an array of JSON strings.
func AppendStrings(dst []byte, texts []string) []byte {
	dst = append(dst, '[')
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, text)
	}
	return append(dst, ']')
}

// appendEscaped appends a byte that does not stand for itself in a string.
func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	if c < ' ' {
		const hex = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
	}
	return utf8.AppendRune(dst, utf8.RuneError)
}

// AppendInt appends n in decimal.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendFloat appends the shortest number that reads back as f, written as
// encoding/json writes it. JSON has no word for infinities and not-a-number;
// they become null.
func AppendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	size := math.Abs(f)
	if size == 0 || 1e-6 <= size && size < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// strconv pads the exponent to two digits: 1e-07.
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

// compactDepth is the deepest nesting that AppendCompact accepts.
const compactDepth = 10_000

// AppendCompact appends raw, which is JSON that others wrote, as one line:
// without the white space around and between its values, with U+FFFD for each
// byte in a string that is not valid UTF-8, and otherwise byte for byte. When
// raw is not one JSON value, or is nested deeper than 10,000 levels, dst comes
// back as it was, with a [*SyntaxError] or a [*DepthError].
func AppendCompact(dst []byte, raw string) ([]byte, error) {
	if !utf8.ValidString(raw) {
		raw = replaceInvalid(raw)
	}
	var objects [compactDepth/64 + 1]uint64
	n := nesting{limit: compactDepth, objects: objects[:]}
	start := skipSpace(raw, 0)
	end, f := n.scan(raw, start, 0)
	if f == fine && skipSpace(raw, end) < len(raw) {
		end, f = skipSpace(raw, end), noEnd
	}
	if f != fine {
		return dst, n.asError(end, f)
	}
	return appendDense(dst, raw[start:end]), nil
}

// replaceInvalid puts U+FFFD in the place of each byte that is not valid UTF-8.
func replaceInvalid(s string) string {
	var valid strings.Builder
	valid.Grow(len(s) + 2*utf8.UTFMax)
	for _, r := range s {
		valid.WriteRune(r)
	}
	return valid.String()
}

// appendDense appends a value that is known to be JSON, without its white
// space.
func appendDense(dst []byte, value string) []byte {
	dst = slices.Grow(dst, len(value))
	for len(value) > 0 {
		end := denseRun(value)
		dst = append(dst, value[:end]...)
		value = value[skipSpace(value, end):]
	}
	return dst
}

// denseRun gives the index of the first white space between values.
func denseRun(s string) int {
	i := 0
	for i < len(s) && !isSpace(s[i]) {
		if s[i] == '"' {
			i, _, _ = scanString(s, i)
		} else {
			i++
		}
	}
	return i
}
