package jsonschema

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcpserver/core/internal/phrase"
)

// member is a member of a struct as encoding/json sees it.
type member struct {
	name, description string
	goName            string // the field's, with those that it is embedded in
	goType            reflect.Type
	optional          bool
	quoted            bool // by the option "string"
	tagged            bool // the name is from a tag
	index             []int
}

// embedding is a struct whose fields are taken for those of another.
type embedding struct {
	goType   reflect.Type
	goName   string
	index    []int
	optional bool // it is behind a pointer
}

// membersOf gives the members of a struct in the order of its fields. As in Go,
// fields hide those of the same name that are embedded deeper.
func membersOf(t reflect.Type, input bool) ([]member, error) {
	var all []member
	seen := make(map[reflect.Type]bool)
	hidden := make(map[string]bool)
	level := []embedding{{goType: t}}
	fields := 0
	for len(level) > 0 {
		var found []member
		var deeper []embedding
		for _, e := range level {
			if seen[e.goType] {
				continue
			}
			fields += e.goType.NumField()
			members, embedded, err := e.look(input)
			if err != nil {
				return nil, err
			}
			found, deeper = append(found, members...), append(deeper, embedded...)
		}
		for _, e := range level {
			seen[e.goType] = true
		}
		visible, err := resolve(found, hidden)
		if err != nil {
			return nil, err
		}
		all = append(all, visible...)
		level = deeper
	}
	if fields > 0 && len(all) == 0 && !skipsAll(t) {
		return nil, fmt.Errorf("%s has fields, but none that JSON can have: they must be exported", typeName(t))
	}
	slices.SortFunc(all, func(a, b member) int { return slices.Compare(a.index, b.index) })
	return all, nil
}

// skipsAll reports whether a struct's fields are all left out on purpose.
func skipsAll(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") != "-" && t.Field(i).Name != "_" {
			return false
		}
	}
	return true
}

// resolve chooses among members of one level. Of two with the same name, one
// that has it from a tag counts.
func resolve(found []member, hidden map[string]bool) ([]member, error) {
	byName := make(map[string][]member)
	for _, m := range found {
		byName[m.name] = append(byName[m.name], m)
	}
	var visible []member
	for _, m := range found {
		if hidden[m.name] {
			continue
		}
		rivals := byName[m.name]
		if len(rivals) > 1 {
			tagged := slices.DeleteFunc(slices.Clone(rivals), func(m member) bool { return !m.tagged })
			if len(tagged) != 1 {
				return nil, fmt.Errorf("fields %s and %s have the same name in JSON, %q", rivals[0].goName, rivals[1].goName, m.name)
			}
			m = tagged[0]
		}
		hidden[m.name] = true
		visible = append(visible, m)
	}
	return visible, nil
}

// look gives the members that are fields of the struct itself, and what is
// embedded in it.
func (e embedding) look(input bool) (members []member, embedded []embedding, err error) {
	for i := range e.goType.NumField() {
		f := e.goType.Field(i)
		goName := strings.TrimPrefix(e.goName+"."+f.Name, ".")
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(slices.Clip(e.index), i)
		if f.Tag.Get("json") == "-" {
			continue
		}
		if inner, pointer, is := embeddedStruct(f); is && name == "" {
			if pointer && !f.IsExported() && input {
				return nil, nil, fmt.Errorf("field %s: a pointer to an unexported struct cannot be embedded in what is read", goName)
			}
			embedded = append(embedded, embedding{inner, goName, index, e.optional || pointer})
			continue
		}
		m, err := newMember(f, name, strings.Split(options, ","))
		if err != nil {
			return nil, nil, fmt.Errorf("field %s: %w", goName, err)
		}
		if !f.IsExported() {
			continue
		}
		m.goName, m.index, m.optional = goName, index, m.optional || e.optional
		members = append(members, m)
	}
	return members, embedded, nil
}

// embeddedStruct gives the struct whose fields a field stands for.
func embeddedStruct(f reflect.StructField) (inner reflect.Type, pointer, is bool) {
	inner = f.Type
	if inner.Kind() == reflect.Pointer {
		inner, pointer = inner.Elem(), true
	}
	return inner, pointer, f.Anonymous && inner.Kind() == reflect.Struct
}

// newMember reads a field's tags.
func newMember(f reflect.StructField, name string, options []string) (member, error) {
	m := member{name: f.Name, goType: f.Type, tagged: name != ""}
	if err := checkTag(f.Tag, options); err != nil {
		return member{}, err
	}
	description, described := f.Tag.Lookup("jsonschema")
	if !f.IsExported() {
		if _, hasJSON := f.Tag.Lookup("json"); hasJSON || described {
			return member{}, errors.New("it has a tag for JSON, but it is not exported")
		}
		return m, nil
	}
	if m.tagged {
		if !isTagName(name) {
			return member{}, fmt.Errorf("encoding/json cannot use the name %q", name)
		}
		m.name = name
	}
	if described {
		if err := checkDescription(description); err != nil {
			return member{}, err
		}
		m.description = description
	}
	m.optional = slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero")
	m.quoted = slices.Contains(options, "string") && isQuotable(f.Type)
	return m, nil
}

// checkTag refuses a tag that cannot be read, and options of its json part that
// there are not: encoding/json passes over both.
func checkTag(tag reflect.StructTag, options []string) error {
	for _, key := range []string{"json", "jsonschema"} {
		if _, found := tag.Lookup(key); !found && regexp.MustCompile(`\b`+key+`\b`).MatchString(string(tag)) {
			return fmt.Errorf("its tag %q is not of the form %s:\"…\"", string(tag), key)
		}
	}
	for _, option := range options {
		switch option {
		case "", "omitempty", "omitzero", "string":
		default:
			return fmt.Errorf("its json tag has the option %q; there are omitempty, omitzero and string", option)
		}
	}
	return nil
}

// isTagName reports whether encoding/json takes a name from a tag.
func isTagName(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// isQuotable reports whether the option "string" has an effect.
func isQuotable(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 || t.Kind() == reflect.String
}

// checkDescription refuses descriptions that are none. Other libraries take
// a word and "=" in it for a keyword.
func checkDescription(description string) error {
	switch {
	case strings.TrimSpace(description) == "":
		return errors.New("its jsonschema tag is empty")
	case !utf8.ValidString(description), strings.ContainsFunc(description, unicode.IsControl):
		return errors.New("its jsonschema tag has a line break or control character")
	case regexp.MustCompile(`(^|,)[A-Za-z_]+=`).MatchString(description):
		return fmt.Errorf("its jsonschema tag %q has a keyword; it is the description and nothing else", phrase.Shorten(description))
	}
	return nil
}
