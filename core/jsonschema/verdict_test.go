package jsonschema_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	library "github.com/santhosh-tekuri/jsonschema/v6"

	"mcpserver/core/internal/wire"
	"mcpserver/core/jsonschema"
)

// FuzzVerdicts looks for schemas and objects of which the package says something
// else than the library alone, whose verdicts are those of the official tests:
// parts of the schema are checked by rules in their place.
func FuzzVerdicts(f *testing.F) {
	f.Add("a schema", "an object")
	f.Add("\x0b\x03\x01\x0c\x02\x09\x00\x05\x0f\x02\x0e\x01\x07", "\x01\x05\x04\x02\x03\x06")
	f.Add("\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b", "\x05\x06\x05\x06\x00\x01\x02\x03\x04")
	f.Fuzz(func(t *testing.T, schemaChoices, objectChoices string) {
		compareVerdicts(t, schemaChoices, objectChoices)
	})
}

func TestVerdictsAreThoseOfTheLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	choices := func(most int) string {
		bytes := make([]byte, random.IntN(most))
		for i := range bytes {
			bytes[i] = byte(random.Uint32())
		}
		return string(bytes)
	}
	compared := 0
	for range 500 {
		if compareVerdicts(t, choices(60), choices(30)) {
			compared++
		}
	}
	if compared < 100 {
		t.Errorf("only %d schemas were valid", compared)
	}
}

// compareVerdicts makes a schema and an object, and compares what is said of
// them. It reports whether there was something to compare.
func compareVerdicts(t *testing.T, schemaChoices, objectChoices string) bool {
	choose := chooser{choices: schemaChoices}
	schema := `{"type":"object","$defs":{"a":` + choose.schema(3) + `},"properties":{"a":` + choose.schema(4) + `},"allOf":[` + choose.schema(4) + `]}`
	choose = chooser{choices: objectChoices}
	object := choose.object(4)

	raw := jsonschema.Raw(schema)
	alone, err := compiledAlone(schema)
	switch {
	case err != nil && raw.Validate() == nil:
		t.Errorf("%s is taken, but the library refuses it: %v", schema, err)
		return false
	case raw.Validate() != nil:
		return false
	}
	value, err := library.UnmarshalJSON(strings.NewReader(object))
	if err != nil {
		t.Fatal(err)
	}
	missing, violations := raw.Check(object, slices.Collect(wire.Members(object)))
	if strings.Contains(strings.Join(violations, ""), "too large, or fits") {
		return false
	}
	fits := missing == "" && len(violations) == 0
	if err := alone.Validate(value); fits != (err == nil) {
		t.Errorf("%s on %s:\nCheck gave %q %q, the library alone %v", schema, object, missing, violations, err)
	}
	return true
}

// compiledAlone compiles a schema as the library has it.
func compiledAlone(schema string) (*library.Schema, error) {
	value, err := library.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return nil, err
	}
	c := library.NewCompiler()
	if err := c.AddResource("schema:///", value); err != nil {
		return nil, err
	}
	return c.Compile("schema:///")
}

// chooser makes schemas and values out of choices, one byte each.
type chooser struct{ choices string }

func (c *chooser) next(options int) int {
	if c.choices == "" {
		return 0
	}
	choice := int(c.choices[0]) % options
	c.choices = c.choices[1:]
	return choice
}

// schema gives a schema of up to three keywords.
func (c *chooser) schema(depth int) string {
	if depth == 0 {
		return []string{`{}`, `true`, `false`, `{"type":"string"}`, `{"minimum":1}`}[c.next(5)]
	}
	used := make(map[string]bool)
	var members []string
	for range 1 + c.next(3) {
		keyword, value := c.keyword(depth - 1)
		if !used[keyword] {
			members = append(members, strconv.Quote(keyword)+":"+value)
		}
		used[keyword] = true
	}
	return "{" + strings.Join(members, ",") + "}"
}

// keyword gives a keyword with a value for it.
func (c *chooser) keyword(depth int) (keyword, value string) {
	single := []string{
		"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
	}
	lists := []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	others := [][2]string{
		{"$ref", `"#/$defs/a"`},
		{"$ref", `"#/properties/a"`},
		{"dependentRequired", `{"a":["b","c"]}`},
		{"format", `"email"`},
		{"maxContains", `1`},
		{"maxItems", `2`},
		{"maxLength", `1`},
		{"maximum", `1.0`},
		{"minContains", `2`},
		{"minProperties", `2`},
		{"multipleOf", `0.5`},
		{"pattern", `"^[ab]*$"`},
		{"required", `["a"]`},
		{"type", `["string","integer","array"]`},
		{"type", `"object"`},
		{"uniqueItems", `true`},
	}
	switch choice := c.next(len(single) + len(lists) + len(others) + 5); {
	case choice < len(single):
		return single[choice], c.schema(depth)
	case choice < len(single)+len(lists):
		return lists[choice-len(single)], "[" + c.schema(depth) + "," + c.schema(depth) + "]"
	case choice < len(single)+len(lists)+len(others):
		other := others[choice-len(single)-len(lists)]
		return other[0], other[1]
	default:
		switch choice % 5 {
		case 0:
			return "const", c.value(depth)
		case 1:
			return "enum", "[" + c.value(depth) + "," + c.value(depth) + "]"
		case 2:
			return "dependentSchemas", `{"b":` + c.schema(depth) + `}`
		case 3:
			return "patternProperties", `{"^[ab]":` + c.schema(depth) + `}`
		}
		return "properties", `{"a":` + c.schema(depth) + `,"b":` + c.schema(depth) + `}`
	}
}

// value gives a JSON value.
func (c *chooser) value(depth int) string {
	words := []string{`null`, `true`, `1`, `1.0`, `-0`, `2.5`, `9007199254740993`, `""`, `"a"`, `"\u0061b"`}
	choice := c.next(len(words) + 4)
	switch {
	case choice < len(words):
		return words[choice]
	case depth == 0:
		return "[]"
	case choice%2 == 0:
		return c.object(depth - 1)
	}
	items := make([]string, c.next(4))
	for i := range items {
		items[i] = c.value(depth - 1)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (c *chooser) object(depth int) string {
	var members []string
	for _, name := range []string{"a", "b", "c"} {
		if c.next(3) > 0 {
			members = append(members, strconv.Quote(name)+":"+c.value(depth))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}
