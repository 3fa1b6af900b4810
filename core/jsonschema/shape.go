package jsonschema

import (
	"reflect"
	"strings"
)

// shape is the JSON that a Go type is read from or written as. Shapes of types
// that contain themselves do so, too.
type shape struct {
	form form
	// format and encoding are for people.
	format, encoding string
	// minimum and maximum are bounds that clients are shown; least and greatest
	// are those of the Go type, which are checked alone, since their digits are
	// more than some clients can read.
	minimum, maximum, least, greatest string
	description                       string
	fields                            []field
	// element is what lists and dictionaries hold.
	element *use
	// length is the number of a list's elements; -1 is any.
	length int
	// reader is the name of what tells whether a text, or a dictionary's name, can
	// be read; empty is any.
	reader string
	// name is what the shape is called in $defs; empty is nothing: it is written
	// where it is used. goName is what it is called in Go.
	name, goName string
}

// form is the kind of JSON that a shape is.
type form uint8

// The forms. An object has fields with names of their own, and a
// dictionary has members of one shape.
const (
	anyForm form = iota
	booleanForm
	integerForm
	numberForm
	textForm
	listForm
	objectForm
	dictionaryForm
)

// jsonType gives the form as a schema names it.
func (f form) jsonType() string {
	switch f {
	case booleanForm:
		return "boolean"
	case integerForm:
		return "integer"
	case numberForm:
		return "number"
	case textForm:
		return "string"
	case listForm:
		return "array"
	case objectForm, dictionaryForm:
		return "object"
	}
	return ""
}

// use is a shape at some place.
type use struct {
	shape *shape
	// nullable says that there is a pointer, which may be nil.
	nullable bool
}

// field is a member of an object.
type field struct {
	name, description string
	optional          bool
	value             use
}

// field gives the field of that name, or nil.
func (s *shape) field(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

// mostInline is the most shapes that are written where they are used; in a
// schema with more, those used twice are in $defs.
const mostInline = 500

// nameShapes gives names to the shapes that must be in $defs: those that
// contain themselves, and in a large schema those that are used more than once.
// It gives the shapes with names in the order in which they are met.
func nameShapes(root *shape) []*shape {
	n := namer{states: make(map[*shape]int), uses: make(map[*shape]int), sizes: make(map[*shape]int)}
	n.visit(root)
	if n.sizes[root] > mostInline {
		for s, uses := range n.uses {
			if uses > 1 && s.form == objectForm {
				n.recursive[s] = true
			}
		}
	}
	taken := make(map[string]bool)
	var named []*shape
	for _, s := range n.order {
		if !n.recursive[s] {
			continue
		}
		name := definitionName(s.goName)
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		s.name = name
		named = append(named, s)
	}
	return named
}

// namer looks at the shapes below a root.
type namer struct {
	states    map[*shape]int // 1 while it is looked into, 2 afterwards
	recursive map[*shape]bool
	uses      map[*shape]int
	sizes     map[*shape]int // of all that is below it, if it is written inline
	order     []*shape
}

func (n *namer) visit(s *shape) {
	if n.recursive == nil {
		n.recursive = make(map[*shape]bool)
	}
	n.uses[s]++
	switch n.states[s] {
	case 1:
		n.recursive[s] = true
		return
	case 2:
		return
	}
	n.states[s] = 1
	n.order = append(n.order, s)
	size := 1
	for _, f := range s.fields {
		n.visit(f.value.shape)
		size += n.sizes[f.value.shape]
	}
	if s.element != nil {
		n.visit(s.element.shape)
		size += n.sizes[s.element.shape]
	}
	n.sizes[s] = min(size, mostInline+1)
	n.states[s] = 2
}

// definitionName makes a name for $defs of a Go type's.
func definitionName(goName string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, goName)
	if name == "" {
		return "definition"
	}
	return name
}

// typeName names a type in an error.
func typeName(t reflect.Type) string { return t.String() }
