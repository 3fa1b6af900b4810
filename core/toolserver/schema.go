package toolserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/schema"
	"mcpserver/core/internal/wire"
)

// RawSchema is a JSON schema as it is, an object with "type":"object". The
// validator checks the arguments; its own JSON is not used. Where it is nil,
// the schema's required members and the types of its properties are checked,
// and whether a closed schema knows all members, but nothing that is deeper.
func RawSchema(raw json.RawMessage, validator core.Schema) core.Schema {
	made := &rawSchema{validator: validator}
	compact, err := compactObject(raw)
	if err == nil && gjson.GetBytes(compact, "type").Str != "object" {
		err = errors.New(`it has no "type":"object"`)
	}
	if err != nil {
		made.problem = err
		return made
	}
	made.json = compact
	made.readShallow(gjson.ParseBytes(compact))
	return made
}

type rawSchema struct {
	json      []byte
	problem   error
	validator core.Schema

	// What is checked without a validator. Properties without a type, or with
	// several, are not among those here, but may be required.
	required   []string
	properties schema.Object
}

// AppendJSON implements core.Schema.
func (s *rawSchema) AppendJSON(dst []byte) []byte {
	if s.problem != nil {
		return append(dst, `{"type":"object"}`...)
	}
	return append(dst, s.json...)
}

// Validate implements core.Schema.
func (s *rawSchema) Validate() error {
	if s.problem == nil && s.validator != nil {
		return s.validator.Validate()
	}
	return s.problem
}

// Check implements core.Schema.
func (s *rawSchema) Check(object string, arguments []wire.Member) (missing string, violations []string) {
	if s.validator != nil {
		return s.validator.Check(object, arguments)
	}
	given := make(map[string]bool, len(arguments))
	for i := range arguments {
		given[arguments[i].Name] = true
	}
	for _, name := range s.required {
		if !given[name] {
			return name, nil
		}
	}
	_, violations = s.properties.Check(arguments)
	return "", violations
}

func (s *rawSchema) readShallow(object gjson.Result) {
	for _, name := range object.Get("required").Array() {
		s.required = append(s.required, name.String())
	}
	types := []schema.Type{schema.String, schema.Integer, schema.Number, schema.Boolean, schema.Array, schema.ObjectType}
	complete := !object.Get("patternProperties").Exists()
	object.Get("properties").ForEach(func(name, property gjson.Result) bool {
		at := slices.IndexFunc(types, func(known schema.Type) bool { return property.Get("type").Str == known.String() })
		if at < 0 {
			complete = false
			return true
		}
		s.properties.Properties = append(s.properties.Properties, schema.Property{
			Name: name.String(), Type: types[at], Required: slices.Contains(s.required, name.String()),
		})
		return true
	})
	s.properties.Closed = complete && object.Get("additionalProperties").Type == gjson.False
}

// checkArguments gives the error for arguments that do not fit: of the
// protocol, where one is missing, and otherwise for the model to read.
func checkArguments(input core.Schema, object string, arguments []wire.Member) error {
	missing, violations := input.Check(object, arguments)
	if missing != "" {
		return core.InvalidParams("Missing parameter: " + missing)
	}
	if len(violations) > 0 {
		return fmt.Errorf("the arguments do not fit: %s", strings.Join(violations, "; "))
	}
	return nil
}
