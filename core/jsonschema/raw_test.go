package jsonschema_test

import (
	"slices"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
	"mcpserver/core/jsonschema"
)

// check checks an object and joins what is wrong with it.
func check(t *testing.T, schema core.Schema, object string) string {
	t.Helper()
	if err := schema.Validate(); err != nil {
		t.Fatalf("Validate: %v", err)
	}
	missing, violations := schema.Check(object, slices.Collect(wire.Members(object)))
	if missing != "" {
		violations = slices.Insert(violations, 0, "missing "+missing)
	}
	return strings.Join(violations, "; ")
}

// property makes a schema of an object with one property, x.
func property(schema string) core.Schema {
	return jsonschema.Raw(`{"type":"object","properties":{"x":` + schema + `}}`)
}

func TestCheckValue(t *testing.T) {
	for _, test := range []struct{ schema, value, want string }{
		{`{"type":"string"}`, `"a"`, ``},
		{`{"type":"string"}`, `1`, `x: must be a string, got a number`},
		{`{"type":"string"}`, `null`, `x: must be a string, got null`},
		{`{"type":["string","null"]}`, `null`, ``},
		{`{"type":["string","integer"]}`, `true`, `x: must be an integer or a string, got a boolean`},
		{`{"type":"object"}`, `[]`, `x: must be an object, got an array`},
		{`true`, `null`, ``},
		{`{}`, `null`, ``},
		{`false`, `1`, `x: is not allowed`},

		{`{"type":"integer"}`, `3`, ``},
		{`{"type":"integer"}`, `3.0`, ``},
		{`{"type":"integer"}`, `1e2`, ``},
		{`{"type":"integer"}`, `9007199254740993`, ``},
		{`{"type":"integer"}`, `123456789012345678901234567890`, ``},
		{`{"type":"integer"}`, `1.5`, `x: must be an integer, got 1.5`},
		{`{"type":"integer"}`, `9007199254740993.5`, `x: must be an integer, got 9007199254740993.5`},
		{`{"type":"integer"}`, `"3"`, `x: must be an integer, got a string`},
		{`{"maximum":9007199254740992}`, `9007199254740993`, `x: must be at most 9007199254740992, got 9007199254740993`},
		{`{"minimum":0.1}`, `0.1`, ``},
		{`{"minimum":0.1}`, `0.0999999999999999999999999`, `x: must be at least 0.1, got 0.0999999999999999999999999`},
		{`{"exclusiveMinimum":0}`, `0`, `x: must be more than 0, got 0`},
		{`{"exclusiveMaximum":5}`, `5.0`, `x: must be less than 5, got 5.0`},
		{`{"multipleOf":0.1}`, `0.3`, ``},
		{`{"multipleOf":0.1}`, `0.35`, `x: must be a multiple of 0.1, got 0.35`},
		{`{"const":9007199254740993}`, `9007199254740992`, `x: must be 9007199254740993, got 9007199254740992`},
		{`{"const":1.0}`, `1`, ``},

		{`{"enum":["big","small"]}`, `"b\u0069g"`, ``},
		{`{"enum":["big","small"]}`, `"huge"`, `x: must be one of "big", "small", got "huge"`},
		{`{"enum":["big",1,null,true]}`, `{}`, `x: must be one of "big", 1, null, true, got an object`},
		{`{"enum":[{"a":[1,2]}]}`, `{"a":[1.0,2]}`, ``},
		{`{"enum":[{"a":1,"b":2}]}`, `{"b":2,"a":1}`, ``},
		{`{"enum":["big"],"const":"big"}`, `"big"`, ``},
		{`{"enum":["big"],"const":"small"}`, `"small"`, `x: is not allowed`},
		{`{"enum":["1"]}`, `1`, `x: must be "1", got 1`},
		{`{"const":null}`, `null`, ``},
		{`{"const":null}`, `0`, `x: must be null, got 0`},

		{`{"minLength":2,"maxLength":4}`, `"äöü🙂"`, ``},
		{`{"minLength":2}`, `"\ud83d\ude42"`, `x: must be at least 2 characters long, got 1`},
		{`{"maxLength":1}`, `"ab"`, `x: must be at most 1 character long, got 2`},
		{`{"pattern":"^a"}`, `"b"`, `x: must match the pattern ^a, got "b"`},
		{`{"pattern":"^\\u0061\\\\u$"}`, `"a\\u"`, ``},
		{`{"format":"email"}`, `"not one"`, ``},

		{`{"items":{"type":"string"}}`, `["a",1,"b",null]`, `x[1]: must be a string, got a number; x[3]: must be a string, got null`},
		{`{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `["a",1,"b",2]`, `x[2]: must be an integer, got a string`},
		{`{"prefixItems":[true],"items":{"items":{"properties":{"y":{"type":"integer"}}}}}`, `[0,[{"y":1},{"y":"a"}]]`, `x[1][1].y: must be an integer, got a string`},
		{`{"prefixItems":[{},{}],"items":false}`, `[1,2,3]`, `x[2]: is not allowed`},
		{`{"minItems":2}`, `[1]`, `x: must have at least 2 items, got 1`},
		{`{"maxItems":1}`, `[1,2]`, `x: must have at most 1 item, got 2`},
		{`{"uniqueItems":true}`, `[1,"1",[1],{"a":1},null,true]`, ``},
		{`{"uniqueItems":true}`, `[{"a":1,"b":2},2,{"b":2.0,"a":1}]`, `x: must have no equal items, but items 0 and 2 are`},
		{`{"contains":{"const":1}}`, `[2]`, `x: must have an item like those that the schema asks for, got none`},
		{`{"contains":{"const":1},"minContains":2}`, `[1]`, `x: must have at least 2 items like those that the schema asks for, got 1`},
		{`{"contains":{"const":1},"maxContains":1}`, `[1,1]`, `x: must have at most 1 item like those that the schema counts, got 2`},
		{`{"prefixItems":[{}],"unevaluatedItems":false}`, `[1,2]`, `x[1]: is not allowed`},

		{`{"required":["a","b"]}`, `{}`, `x.a: is missing; x.b: is missing`},
		{`{"properties":{"a":{"type":"string"}},"additionalProperties":false}`, `{"b":1,"c d":2}`, `x.b: is not expected (known: a); x["c d"]: is not expected (known: a)`},
		{`{"additionalProperties":{"type":"string"}}`, `{"a":1}`, `x.a: must be a string, got a number`},
		{`{"patternProperties":{"^n":{"type":"number"}}}`, `{"n":"a"}`, `x.n: must be a number, got a string`},
		{`{"propertyNames":{"maxLength":3}}`, `{"abcd":1}`, `the name "abcd": must be at most 3 characters long, got 4`},
		{`{"minProperties":1}`, `{}`, `x: must have at least 1 member, got 0`},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, `x: must have at most 1 member, got 2`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `x.b: is missing (it must be given with "a")`},
		{`{"dependentSchemas":{"a":{"required":["c"]}}}`, `{"a":1}`, `x.c: is missing`},
		{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, `x.b: is not allowed`},

		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `true`, `x: must be a string or an integer, got a boolean`},
		{`{"anyOf":[{"type":"string"},{"type":"integer","minimum":3}]}`, `1`, `x: does not fit (x: must be at least 3, got 1)`},
		{`{"oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},{"properties":{"k":{"const":"b"}}}]}`, `{"k":"c"}`, `x: fits none of the 2 alternatives: (1) x.k: must be "a", got "c", (2) x.k: must be "b", got "c"`},
		{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, `x: must fit exactly one of the alternatives, but fits both number 1 and number 2`},
		{`{"not":{"type":"string"}}`, `"a"`, `x: is what the schema excludes`},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `"a"`, `x: must be at least 2 characters long, got 1`},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `1`, `x: must be at least 2, got 1`},
		{`{"allOf":[{"minimum":2},{"multipleOf":2},{"minimum":2}]}`, `1`, `x: must be at least 2, got 1; x: must be a multiple of 2, got 1`},

		{`{}`, `{"a":1,"a":2}`, `x.a: is given twice`},
		{`{}`, `[{"b c":1,"b c":2}]`, `x[0]["b c"]: is given twice`},
		{`{}`, `1e999999999999`, `x: must be a number of at most 400 digits`},
		{`{"multipleOf":3}`, `1e-999999999`, `x: must be a number of at most 400 digits`},
		{`{"type":"integer"}`, `1e300`, ``},
	} {
		if got := check(t, property(test.schema), `{"x":`+test.value+`}`); got != test.want {
			t.Errorf("%s on %s:\n got %s\nwant %s", test.schema, test.value, got, test.want)
		}
	}
}
