package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// typed is the schema of a Go type.
type typed struct {
	input    bool
	derived  func() (derivation, error)
	compiled func() (*validator, error)
}

// derivation is what there is to know of a type.
type derivation struct {
	root   *shape
	listed []byte
	// checked is the schema that values are checked against.
	checked string
	readers map[string]reader
}

func newTyped(t reflect.Type, input bool) typed {
	s := typed{input: input}
	s.derived = sync.OnceValues(func() (derivation, error) {
		root, readers, err := deriveRoot(t, input)
		if err != nil {
			return derivation{}, err
		}
		named := nameShapes(root)
		return derivation{
			root:    root,
			listed:  describer{input: input}.appendRoot(nil, root, named),
			checked: string(describer{input: input, checking: true}.appendRoot(nil, root, named)),
			readers: readers,
		}, nil
	})
	s.compiled = sync.OnceValues(func() (*validator, error) {
		derived, err := s.derived()
		if err != nil {
			return nil, err
		}
		return newValidator(derived.checked, derived.readers)
	})
	return s
}

// AppendJSON implements core.Schema. Of a type that Validate refuses it appends
// a schema that allows any object.
func (s typed) AppendJSON(dst []byte) []byte {
	derived, err := s.derived()
	if err != nil {
		return append(dst, `{"type":"object","properties":{}}`...)
	}
	return append(dst, derived.listed...)
}

// Validate implements core.Schema: it tells which type or field has no JSON.
func (s typed) Validate() error {
	derived, err := s.derived()
	if err == nil && len(derived.checked) > largeSchema {
		_, err = s.compiled()
	}
	return err
}

// largeSchema is how long the schema of a type may be, in bytes, without a look
// at whether it is within the limits.
const largeSchema = 64 << 10

// Check implements core.Schema.
func (s typed) Check(object string, members []wire.Member) (missing string, violations []string) {
	return checkWith(s.compiled, object, members, s.input)
}

// Input is the schema of arguments that are read into a T, a struct or a map.
//
// A field's name is that of its json tag, and its description is the jsonschema
// tag. A field with omitempty or omitzero, or of a pointer type, is optional;
// null for it counts as not given. Arguments that T does not have are refused,
// also those whose names differ from a field's in upper and lower case.
//
// What fits can be read: a text must be one that its field can be read from, such
// as a time, base64, or what the type's UnmarshalText takes. The check calls that
// method for itself, so it must do nothing but read.
type Input[T any] struct{ typed }

// NewInput makes the schema. Validate tells if there is none of T.
func NewInput[T any]() *Input[T] {
	return &Input[T]{newTyped(reflect.TypeFor[T](), true)}
}

// Read reads the arguments of a call that fit the schema, as the runner checks
// before it runs a handler. An error is one to return from the handler.
func (in *Input[T]) Read(call *core.Call) (T, error) {
	var value T
	derived, err := in.derived()
	if err != nil {
		return value, err
	}
	arguments := call.Arguments().Raw
	// A type that reads JSON by a method of its own may still refuse it.
	if err := json.Unmarshal(reshape(arguments, derived.root, true), &value); err != nil {
		return value, fmt.Errorf("the arguments do not fit: %w", err)
	}
	return value, nil
}

// Output is the schema of structured results that are written from a T, a
// struct or a map.
//
// A field without omitempty or omitzero is always there. A pointer may be null;
// a slice or map that is nil is empty.
type Output[T any] struct{ typed }

// NewOutput makes the schema. Validate tells if there is none of T.
func NewOutput[T any]() *Output[T] {
	return &Output[T]{newTyped(reflect.TypeFor[T](), false)}
}

// Result makes a tool's result of a value: structured content, and the same JSON
// as a text. The error, when the value has no JSON, is one to return from the
// handler.
func (out *Output[T]) Result(value T) (core.Result, error) {
	derived, err := out.derived()
	if err != nil {
		return nil, err
	}
	encoded, err := encode(&value, derived.root)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the tool's result cannot be written as JSON: %w", err)
	case encoded[0] != '{':
		return nil, errors.New("the tool's result is nil")
	}
	return &core.ToolResult{Structured: encoded}, nil
}
