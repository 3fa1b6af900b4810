package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"mcpserver/core/internal/phrase"
	"mcpserver/core/internal/wire"
)

const (
	// maxAlternatives is the most names or enum values in a sentence.
	maxAlternatives = 20
)

// location says where a value stands: an argument of that name, or an item of
// an array in it. It is a path to push to and pop from, rather than a chain of
// pointers, so that it stays on the stack.
type location struct {
	argument string
	indexes  [maxNesting]int
	depth    int
}

// enter goes to the item of that index, and leave back to its array.
func (l *location) enter(index int) {
	l.indexes[l.depth] = index
	l.depth++
}

func (l *location) leave() {
	l.depth--
}

// sentence gives the complaint with the location before it, such as
// "tags[2]: must be a string, got null". Items count from 0.
func (l *location) sentence(complaint string) string {
	text := []byte(l.argument)
	for _, index := range l.indexes[:l.depth] {
		text = append(text, '[')
		text = strconv.AppendInt(text, int64(index), 10)
		text = append(text, ']')
	}
	return string(text) + ": " + complaint
}

// unknownArgument words the violation of a closed schema. A name that does not
// look like one is quoted, so that it cannot pose as part of the sentence.
func (o *Object) unknownArgument(name string) string {
	shown := name
	if len(name) > phrase.MaxQuoted || !isPlainName(name) {
		shown = phrase.Quote(name)
	}
	if len(o.Properties) == 0 {
		return shown + ": is not an argument of this tool (it takes none)"
	}
	known := make([]string, min(len(o.Properties), maxAlternatives))
	for i := range known {
		known[i] = o.Properties[i].Name
	}
	return shown + ": is not an argument of this tool (known: " + enumerate(known, len(o.Properties)) + ")"
}

func isPlainName(name string) bool {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.$", r) {
			return false
		}
	}
	return name != ""
}

// mismatch says what was sent where t was asked for: its kind, or the number
// itself when only its fraction is wrong.
func (t Type) mismatch(v wire.Value) string {
	switch v.Kind {
	case wire.Number:
		if t == Integer {
			return phrase.Shorten(v.Raw)
		}
		return "a number"
	case wire.String:
		return "a string"
	case wire.True, wire.False:
		return "a boolean"
	case wire.Array:
		return "an array"
	case wire.Object:
		return "an object"
	case wire.Null:
		return "null"
	}
	return "nothing"
}

func alternatives(enum []string) string {
	quoted := make([]string, min(len(enum), maxAlternatives))
	for i := range quoted {
		quoted[i] = phrase.Quote(enum[i])
	}
	return enumerate(quoted, len(enum))
}

// enumerate joins the words, which are the first of total.
func enumerate(words []string, total int) string {
	list := strings.Join(words, ", ")
	if more := total - len(words); more > 0 {
		return fmt.Sprintf("%s and %d more", list, more)
	}
	return list
}

func number(bound float64) string {
	return string(wire.AppendFloat(nil, bound))
}
