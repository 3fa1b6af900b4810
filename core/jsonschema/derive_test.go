package jsonschema

import (
	"reflect"
	"strings"
	"testing"
)

// Mistakes in tags that "go vet" would see in a type of the source.
func TestDeriveRefusesTags(t *testing.T) {
	text := reflect.TypeFor[string]()
	for want, fields := range map[string][]reflect.StructField{
		`fields A and B have the same name in JSON, "x"`: {
			{Name: "A", Type: text, Tag: `json:"x"`},
			{Name: "B", Type: text, Tag: `json:"x"`},
		},
		"has fields, but none that JSON can have: they must be exported": {
			{Name: "secret", PkgPath: "mcpserver/core/jsonschema", Type: text},
		},
		`field A: its tag "json:a" is not of the form json:"…"`: {
			{Name: "A", Type: text, Tag: `json:a`},
		},
		`field A: its json tag has the option "omitemtpy"; there are omitempty, omitzero and string`: {
			{Name: "A", Type: text, Tag: `json:"a,omitemtpy"`},
		},
		`field A: its jsonschema tag "required,description=b" has a keyword`: {
			{Name: "A", Type: text, Tag: `jsonschema:"required,description=b"`},
		},
		"field secret: it has a tag for JSON, but it is not exported": {
			{Name: "secret", PkgPath: "mcpserver/core/jsonschema", Type: text, Tag: `json:"secret"`},
		},
		`field A: encoding/json cannot use the name "a\\b"`: {
			{Name: "A", Type: text, Tag: `json:"a\\b"`},
		},
	} {
		_, _, err := deriveRoot(reflect.StructOf(fields), true)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
