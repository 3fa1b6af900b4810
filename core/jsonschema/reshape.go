package jsonschema

import (
	"encoding/json"
	"math/big"
	"strings"

	"mcpserver/core/internal/wire"
)

// reshaper rewrites JSON text where encoding/json and a schema disagree. The
// text is known to be valid; it is passed once.
type reshaper struct {
	// input says that the text is arguments: numbers that are integers by value
	// are written as Go reads them, 3.0 as 3 and -0 as 0. Otherwise it is a result, in which
	// a nil slice or map, which encoding/json writes as null, is empty.
	input bool
	text  string
	at    int
	dst   []byte
}

// reshape rewrites a text whose root has that shape.
func reshape(text string, root *shape, input bool) []byte {
	r := reshaper{input: input, text: text, dst: make([]byte, 0, len(text))}
	r.value(use{shape: root})
	return r.dst
}

// value passes the next value, with the white space around it.
func (r *reshaper) value(u use) {
	r.space()
	start := r.at
	switch r.text[r.at] {
	case '{':
		r.object(u.shape)
	case '[':
		r.list(u.shape)
	case '"':
		r.at += wire.StringLength(r.text[r.at:])
		r.dst = append(r.dst, r.text[start:r.at]...)
	default:
		r.at += wordLength(r.text[r.at:])
		r.dst = r.word(u, r.text[start:r.at])
	}
	r.space()
}

// word appends a number or a literal.
func (r *reshaper) word(u use, word string) []byte {
	switch {
	case r.input && u.shape.form == integerForm && (word == "-0" || strings.ContainsAny(word, ".eE")):
		if n, ok := new(big.Rat).SetString(word); ok && n.IsInt() {
			return n.Num().Append(r.dst, 10)
		}
	case r.input || word != "null" || u.nullable:
	case u.shape.form == listForm:
		return append(r.dst, "[]"...)
	case u.shape.form == dictionaryForm:
		return append(r.dst, "{}"...)
	case u.shape.encoding != "":
		return append(r.dst, `""`...)
	}
	return append(r.dst, word...)
}

func (r *reshaper) object(s *shape) {
	r.open()
	for r.text[r.at] != '}' {
		start := r.at
		r.at += wire.StringLength(r.text[r.at:])
		name := r.text[start:r.at]
		r.dst = append(append(r.dst, name...), ':')
		r.space()
		r.at++ // the colon
		r.value(s.member(name))
		r.separator()
	}
	r.close('}')
}

// unknown is what nothing is known of.
var unknown = use{shape: &shape{}}

// member gives what is known of the member with that name, which is a JSON
// string.
func (s *shape) member(name string) use {
	switch {
	case s.form == dictionaryForm:
		return *s.element
	case s.form != objectForm:
		return unknown
	}
	if f := s.field(wire.ValueOf(name).Text()); f != nil {
		return f.value
	}
	return unknown
}

func (r *reshaper) list(s *shape) {
	element := unknown
	if s.form == listForm {
		element = *s.element
	}
	r.open()
	for r.text[r.at] != ']' {
		r.value(element)
		r.separator()
	}
	r.close(']')
}

func (r *reshaper) open() {
	r.dst = append(r.dst, r.text[r.at])
	r.at++
	r.space()
}

func (r *reshaper) separator() {
	if r.text[r.at] == ',' {
		r.dst = append(r.dst, ',')
		r.at++
		r.space()
	}
}

func (r *reshaper) close(bracket byte) {
	r.dst = append(r.dst, bracket)
	r.at++
}

func (r *reshaper) space() {
	for r.at < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.at]) >= 0 {
		r.at++
	}
}

// wordLength gives the length of the number or literal that a text begins with.
func wordLength(text string) int {
	if end := strings.IndexAny(text, ",]} \t\r\n"); end >= 0 {
		return end
	}
	return len(text)
}

// encode writes a value as JSON, without null for nil slices and maps.
func encode(value any, root *shape) (json.RawMessage, error) {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return reshape(string(encoded), root, false), nil
}
