package jsonschema

import (
	"encoding/json"
	"reflect"

	"mcpserver/core/internal/wire"
)

// reader tells whether a Go type can be read from a text, where a schema cannot
// say which texts those are.
type reader struct {
	// wanted says which texts they are; empty leaves that to the error.
	wanted string
	read   func(text string) error
}

// errUnreadable is what a rule says of a text that its reader refuses.
type errUnreadable struct {
	wanted string
	err    error
}

func (e errUnreadable) Error() string { return "cannot be read: " + e.err.Error() }

func (e errUnreadable) Unwrap() error { return e.err }

// textReader reads a type from a text.
func textReader(t reflect.Type, wanted string) reader {
	return reader{wanted, func(text string) error { return decodeAs(t, "", text, "") }}
}

// nameReader reads a map's key from a name.
func nameReader(key reflect.Type, wanted string) reader {
	table := reflect.MapOf(key, reflect.TypeFor[struct{}]())
	return reader{wanted, func(name string) error { return decodeAs(table, "{", name, ":{}}") }}
}

// quotedReader reads a field with the option "string".
func quotedReader(t reflect.Type) reader {
	holder := reflect.StructOf([]reflect.StructField{{Name: "Field", Type: t, Tag: `json:",string"`}})
	return reader{quotedWant(t), func(text string) error { return decodeAs(holder, `{"Field":`, text, "}") }}
}

// decodeAs decodes a text, with JSON around it, as encoding/json would later.
func decodeAs(t reflect.Type, before, text, behind string) error {
	document := append(wire.AppendString([]byte(before), text), behind...)
	return json.Unmarshal(document, reflect.New(t).Interface())
}

// quotedWant says what a text holds that a type is read from.
func quotedWant(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return `"true" or "false" in a text`
	case reflect.String:
		return "a JSON string in a text"
	case reflect.Float32, reflect.Float64:
		return "a number in a text"
	}
	return "an integer of " + t.String() + " in a text"
}
