package schema

import (
	"strings"

	"mcpserver/core/internal/wire"
)

const whitespace = " \t\r\n"

// firstItem gives the first item of a valid JSON array, and the rest for
// cutItem. An empty item is the end. Items are walked in place rather than
// gathered in a slice, which for a hostile array would be many times its size.
func firstItem(array string) (item, rest string) {
	return cutItem(strings.TrimSuffix(strings.TrimPrefix(array, "["), "]"))
}

// cutItem gives the item at the start of rest and what comes after its comma.
func cutItem(list string) (item, rest string) {
	depth := 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '"':
			i += wire.StringLength(list[i:]) - 1
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				return strings.Trim(list[:i], whitespace), list[i+1:]
			}
		}
	}
	return strings.Trim(list, whitespace), ""
}

// valueOf gives a valid JSON value without whitespace around it the form in
// which the scanner hands out arguments.
func valueOf(raw string) wire.Value {
	v := wire.Value{Kind: kindOf(raw), Raw: raw}
	v.Escaped = v.Kind == wire.String && strings.IndexByte(raw, '\\') >= 0
	return v
}

func kindOf(raw string) wire.Kind {
	if raw == "" {
		return wire.Absent
	}
	switch raw[0] {
	case 'n':
		return wire.Null
	case 'f':
		return wire.False
	case 't':
		return wire.True
	case '"':
		return wire.String
	case '{':
		return wire.Object
	case '[':
		return wire.Array
	}
	return wire.Number
}
