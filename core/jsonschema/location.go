package jsonschema

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcpserver/core/internal/phrase"
)

const (
	// maxAlternatives is the most names or values in a sentence.
	maxAlternatives = 20
)

// at gives the value at a location in a decoded value; false if there is none.
func at(value any, location []string) (any, bool) {
	for _, step := range location {
		switch container := value.(type) {
		case map[string]any:
			member, present := container[step]
			if !present {
				return nil, false
			}
			value = member
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index < 0 || index >= len(container) {
				return nil, false
			}
			value = container[index]
		default:
			return nil, false
		}
	}
	return value, true
}

// path writes a location in a decoded value, such as "tags[2].name"; the root
// goes by its own name. A name that does not look like one is quoted, so that
// it cannot pose as part of a sentence.
func path(root any, location []string, rootName string) string {
	if len(location) == 0 {
		return rootName
	}
	var b strings.Builder
	value := root
	for i, step := range location {
		switch _, isArray := value.([]any); {
		case isArray:
			b.WriteString("[" + step + "]")
		case !isPlainName(step) && i == 0:
			b.WriteString(phrase.Quote(step))
		case !isPlainName(step):
			b.WriteString("[" + phrase.Quote(step) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
		value, _ = at(value, location[i:i+1])
	}
	return shortenPath(b.String())
}

// shortenPath keeps the end of a path, where the matter is.
func shortenPath(path string) string {
	const most = 200
	if len(path) <= most {
		return path
	}
	return "…" + strings.ToValidUTF8(path[len(path)-most:], "")
}

func isPlainName(name string) bool {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-$", r) {
			return false
		}
	}
	return name != "" && len(name) <= phrase.MaxQuoted
}

// compareLocations orders locations: arguments as they were given, items by
// their numbers, and other members by their names.
func compareLocations(a, b []string, given map[string]int) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		if given != nil {
			first, known := given[x]
			second, alsoKnown := given[y]
			given = nil
			switch {
			case known && alsoKnown:
				return cmp.Compare(first, second)
			case known != alsoKnown:
				return boolToInt(alsoKnown) - boolToInt(known)
			}
		}
		m, errM := strconv.Atoi(x)
		n, errN := strconv.Atoi(y)
		if errM == nil && errN == nil {
			return cmp.Compare(m, n)
		}
		return strings.Compare(x, y)
	})
}

func boolToInt(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// show writes a value for a sentence: what it is if it is short, and what kind
// of value it is otherwise.
func show(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return phrase.Quote(value)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return phrase.Shorten(canonicalText(value))
}

// canonicalText writes a number as it was given, or a truth value.
func canonicalText(value any) string {
	if number, isNumber := value.(interface{ String() string }); isNumber {
		return number.String()
	}
	return canonical(value)
}

// enumerate joins words, at most maxAlternatives of them.
func enumerate(words []string, separator string) string {
	more := len(words) - maxAlternatives
	if more <= 0 {
		return strings.Join(words, separator)
	}
	return strings.Join(words[:maxAlternatives], separator) + " and " + strconv.Itoa(more) + " more"
}
