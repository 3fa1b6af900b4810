// Package jsonschema makes schemas for tools out of JSON schemas (Raw) and out
// of Go types (Tool, Input, Output), and checks arguments and structured results
// against them.
//
// What it takes are JSON schemas of 2020-12, and of draft-07 if their $schema
// says so, whose root has "type":"object". Nothing is ever fetched or read from
// a file: what a $ref refers to must be in the schema. "format" and the
// "content" keywords are for people and are not checked. Regular expressions are
// Go's (RE2), which lack look-around and back-references.
//
// Numbers are taken by their digits: 9007199254740993 stays apart from its
// neighbours, and 3.0 and 1e2 are integers. A number may have 400 digits, and an
// object nested deeper than 1000 levels, or one that costs more than about a
// million steps to check, is refused: a check ends within about a second, and
// takes a few hundred megabytes at the very most. So is an object in which a name
// occurs twice, since not all who read JSON take the same one.
//
// A schema is at most 1 MiB long, with at most 5000 schemas in it, of which 32
// may apply to a value through each other. A panic of the validator is an error
// of the schema, or a violation, and ends nothing else.
//
// Schemas are safe from any goroutine. They are compiled once, raw ones by
// Validate and typed ones when they first check.
package jsonschema

import (
	"errors"
	"sync"
	"unicode/utf8"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// maxSchema is the longest schema, in bytes.
const maxSchema = 1 << 20

// Raw is a JSON schema verbatim: clients are shown its text without the white
// space between its values, and otherwise byte for byte.
//
// Null is a value like others, so it fits only where the schema allows null.
//
// Validate tells what is wrong with the schema: an unknown dialect, a $ref to
// something that is not in it, a reference to itself without end, a keyword with
// a value that it cannot have.
func Raw(schema string) core.Schema {
	return &raw{
		listed:   sync.OnceValues(func() ([]byte, error) { return compact(schema) }),
		compiled: sync.OnceValues(func() (*validator, error) { return newValidator(schema, nil) }),
	}
}

// raw is a Raw.
type raw struct {
	listed   func() ([]byte, error)
	compiled func() (*validator, error)
}

// AppendJSON implements core.Schema. Of a schema that Validate refuses for not
// being JSON it appends one that allows any object.
func (r *raw) AppendJSON(dst []byte) []byte {
	listed, err := r.listed()
	if err != nil {
		return append(dst, `{"type":"object","properties":{}}`...)
	}
	return append(dst, listed...)
}

// Validate implements core.Schema.
func (r *raw) Validate() error {
	if _, err := r.listed(); err != nil {
		return err
	}
	_, err := r.compiled()
	return err
}

// Check implements core.Schema.
func (r *raw) Check(object string, members []wire.Member) (missing string, violations []string) {
	return checkWith(r.compiled, object, members, false)
}

// checkWith checks an object with a validator that may have to be compiled
// first.
func checkWith(compiled func() (*validator, error), object string, members []wire.Member, hideNull bool) (missing string, violations []string) {
	v, err := compiled()
	if err != nil {
		return "", []string{rootName + ": cannot be checked, since the tool's schema is invalid: " + err.Error()}
	}
	return v.check(object, members, hideNull)
}

// compact gives a schema on one line.
func compact(schema string) ([]byte, error) {
	if err := checkText(schema); err != nil {
		return nil, err
	}
	return wire.AppendCompact(nil, schema)
}

func checkText(schema string) error {
	switch {
	case len(schema) > maxSchema:
		return errors.New("it is longer than 1 MiB")
	case !utf8.ValidString(schema):
		return errors.New("it is not valid UTF-8")
	}
	return nil
}
