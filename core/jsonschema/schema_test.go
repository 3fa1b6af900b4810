package jsonschema_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"mcpserver/core/jsonschema"
)

func TestRawIsListedVerbatim(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object"}`, `{"type":"object"}`},
		{
			"{\n  \"type\": \"object\",\n\t\"properties\": { \"b\": { \"minimum\": 1.50 }, \"a\": { \"$ref\": \"#/$defs/x\" } },\n" +
				`"$defs":{"x":{"$anchor":"here","type":"string","x-own":[1, 2 ]}}, "additionalProperties": false }`,
			`{"type":"object","properties":{"b":{"minimum":1.50},"a":{"$ref":"#/$defs/x"}},` +
				`"$defs":{"x":{"$anchor":"here","type":"string","x-own":[1,2]}},"additionalProperties":false}`,
		},
		{
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"\u00e9/":{"enum":["<&>"],"uniqueItems":true,"format":"uri"}},"if":{"required":["a"]},"then":{},"else":true,"allOf":[{}]}`,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"\u00e9/":{"enum":["<&>"],"uniqueItems":true,"format":"uri"}},"if":{"required":["a"]},"then":{},"else":true,"allOf":[{}]}`,
		},
	} {
		schema := jsonschema.Raw(test.schema)
		for range 2 { // before and after it is compiled
			if got := string(schema.AppendJSON([]byte("+"))); got != "+"+test.want {
				t.Errorf("%s is listed as\n%s, want\n%s", test.schema, got, test.want)
			}
			if err := schema.Validate(); err != nil {
				t.Errorf("%s: %v", test.schema, err)
			}
		}
	}
	if got := string(jsonschema.Raw(`{`).AppendJSON(nil)); got != `{"type":"object","properties":{}}` {
		t.Errorf("what is no JSON is listed as %s", got)
	}
}

func TestValidateNamesTheMistake(t *testing.T) {
	deep := strings.Repeat(`{"items":`, 1000) + `{}` + strings.Repeat(`}`, 1000)
	chain := ""
	for i := range 33 {
		chain += fmt.Sprintf(`"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
	}
	for _, test := range []struct{ schema, want string }{
		{``, "invalid JSON"},
		{`{`, "invalid JSON"},
		{"{\"type\":\"object\",\"title\":\"\xff\"}", "not valid UTF-8"},
		{`[]`, `"type":"object"`},
		{`{}`, `"type":"object"`},
		{`true`, `"type":"object"`},
		{`{"type":"string"}`, `"type":"object"`},
		{`{"type":["object"]}`, `"type":"object"`},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, `"type":"object"`},
		{`{"type":"object","title":"` + strings.Repeat("a", 1<<20) + `"}`, "longer than 1 MiB"},
		{`{"type":"object","type":"object"}`, "type: is given twice"},
		{`{"type":"object","properties":{"a":{},"a":{}}}`, "properties.a: is given twice"},
		{`{"type":"object","not":` + deep + `}`, "nested too deep"},
		{`{"type":"object","anyOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`, "more than 5000 schemas"},

		{`{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}`, `$schema is "http://json-schema.org/draft-04/schema#"`},
		{`{"type":"object","$schema":"https://json-schema.org/draft/2019-09/schema"}`, "supported are 2020-12"},
		{`{"type":"object","$schema":"https://example.com/own"}`, "supported are 2020-12"},
		{`{"type":"object","$schema":1}`, "$schema is 1"},
		{`{"type":"object","properties":{"a":{"$schema":"http://json-schema.org/draft-07/schema#"}}}`, "at #/properties/a: a part of the schema has a $schema"},

		{`{"type":"object","$ref":"#/$defs/a"}`, `#/$defs/a`},
		{`{"type":"object","properties":{"a":{"$ref":"#nowhere"}}}`, `nowhere`},
		{`{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`, `"https://example.com/a.json", which is not in the schema`},
		{`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, `"file:///etc/passwd", which is not in the schema`},
		{`{"type":"object","properties":{"a":{"$ref":"other.json#/x"}}}`, `which is not in the schema`},
		{`{"type":"object","$id":"https://example.com/a","properties":{"a":{"$ref":"b"}}}`, `"https://example.com/b", which is not in the schema`},
		{`{"type":"object","properties":{"a":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`, `which is not in the schema`},
		{`{"type":"object","x-parts":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/x-parts/a"}}}`, "#/x-parts/a, which is no place for a schema"},
		{`{"type":"object","x-parts":{"a":{"format":"email","uniqueItems":true}},"properties":{"a":{"$ref":"#/x-parts/a"}}}`, "#/x-parts/a, which is no place for a schema"},
		{`{"type":"object","x-parts":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{}},"properties":{"a":{"$ref":"#/x-parts/a"}}}`, "#/x-parts/a, which is no place for a schema"},
		{`{"type":"object","$ref":"#"}`, "# refers to itself without end"},
		{`{"type":"object","properties":{"a":{"$ref":"#/properties/b"},"b":{"allOf":[{"$ref":"#/properties/a"}]}}}`, "refers to itself without end"},
		{`{"type":"object","$dynamicAnchor":"a","anyOf":[{"$dynamicRef":"#a"}]}`, "refers to itself without end"},
		{`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"$ref":"#"}}}`, "refers to itself without end"},
		{`{"type":"object","$ref":"#/$defs/a0","$defs":{` + chain + `"a33":{}}}`, "more than 32 schemas apply"},

		{`{"type":"object","properties":{"a":{"type":"strng"}}}`, `properties.a.type: must be one of`},
		{`{"type":"object","properties":{"a":1}}`, `properties.a: must be`},
		{`{"type":"object","required":"a"}`, `required: must be an array, got a string`},
		{`{"type":"object","required":["a","a"]}`, `required: must have no equal items, but items 0 and 1 are`},
		{`{"type":"object","properties":{"a":{"minLength":-1}}}`, `properties.a.minLength: must be at least 0, got -1`},
		{`{"type":"object","properties":{"a":{"minLength":12345678901234567890}}}`, `at #/properties/a/minLength: it is too large`},
		{`{"type":"object","properties":{"a":{"multipleOf":0}}}`, `properties.a.multipleOf: must be more than 0`},
		{`{"type":"object","properties":{"a":{"multipleOf":1e999999999}}}`, `properties.a.multipleOf: must be a number of at most 400 digits`},
		{`{"type":"object","properties":{"a":{"maximum":1e-999999999}}}`, `properties.a.maximum: must be a number of at most 400 digits`},
		{`{"type":"object","properties":{"a":{"enum":1}}}`, `at #/properties/a/enum: it must be an array`},
		{`{"type":"object","properties":{"a":{"uniqueItems":1}}}`, `at #/properties/a/uniqueItems: it must be true or false`},
		{`{"type":"object","properties":{"a/b~c":{"pattern":"(?=a)"}}}`, `at #/properties/a~1b~0c/pattern: its regular expression cannot be used in Go: "(?=a)"`},
		{`{"type":"object","patternProperties":{"[":{}}}`, `at #/patternProperties/[: its regular expression cannot be used in Go`},
		{`{"type":"object","properties":{"a":{"pattern":"((a{100}){100}){9}"}}}`, `its regular expression cannot be used in Go:`},
		{`{"type":"object","$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, `x`},
	} {
		err := jsonschema.Raw(test.schema).Validate()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.200s:\nValidate gave %v, want an error with %q", test.schema, err, test.want)
		}
		if err != nil && (len(err.Error()) > 2000 || strings.Contains(err.Error(), "schema:///")) {
			t.Errorf("%.200s: the error is %.300v", test.schema, err)
		}
		if _, violations := jsonschema.Raw(test.schema).Check(`{}`, nil); len(violations) == 0 {
			t.Errorf("%.200s: Check took it for a schema", test.schema)
		}
	}
}

// everything has the keywords that other tests do not look at one by one.
const everything = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/order","type":"object",
	"properties":{"who":{"$ref":"#person"},"items":{"type":"array","items":{"$ref":"#/$defs/item"},"minItems":1},"kind":{"enum":["now","later"]},"when":{"type":"string"}},
	"required":["who","items"],
	"if":{"properties":{"kind":{"const":"later"}},"required":["kind"]},"then":{"required":["when"]},"else":{"properties":{"when":false}},
	"allOf":[{"anyOf":[{"required":["who"]},{"required":["kind"]}]}],
	"$defs":{"person":{"$anchor":"person","type":"object","properties":{"name":{"type":"string"}},"required":["name"]},
		"item":{"type":"object","properties":{"parts":{"type":"array","items":{"$ref":"#/$defs/item"}},"price":{"type":"number","minimum":0}},"additionalProperties":false}}}`

func TestCheckWholeSchema(t *testing.T) {
	schema := jsonschema.Raw(everything)
	for _, test := range []struct{ object, want string }{
		{`{"who":{"name":"a"},"items":[{}]}`, ``},
		{`{"who":{"name":"a"},"items":[{"parts":[{"parts":[]},{"price":1}]}],"kind":"later","when":"soon"}`, ``},
		{`{}`, `missing who; the object: fits none of the 2 alternatives: (1) who: is missing, (2) kind: is missing; items: is missing`},
		{``, `missing who; the object: fits none of the 2 alternatives: (1) who: is missing, (2) kind: is missing; items: is missing`},
		{`{"items":[{}],"kind":"now"}`, `missing who`},
		{`{"items":[],"who":{}}`, `items: must have at least 1 item, got 0; who.name: is missing`},
		{`{"who":null,"items":[{"parts":[{"price":-1}]}]}`, `who: must be an object, got null; items[0].parts[0].price: must be at least 0, got -1`},
		{`{"who":{"name":"a"},"items":[{}],"kind":"later"}`, `when: is missing`},
		{`{"who":{"name":"a"},"items":[{}],"kind":"now","when":"x"}`, `when: is not allowed`},
		{`{"who":{"name":"a"},"items":[{"weight":1}],"extra":1}`, `items[0].weight: is not expected (known: parts, price)`},
	} {
		if got := check(t, schema, test.object); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.object, got, test.want)
		}
	}
}

func TestCheckDraft07(t *testing.T) {
	schema := jsonschema.Raw(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
		"definitions":{"name":{"$id":"#name","type":"string"}},
		"properties":{"a":{"$ref":"#/definitions/name","minLength":5},"b":{"$ref":"#name"},
			"c":{"items":[{"type":"string"},{"type":"integer"}],"additionalItems":{"type":"boolean"}},
			"d":{"items":[{}],"additionalItems":false},"e":{"prefixItems":[{"type":"string"}],"format":"email"}},
		"dependencies":{"a":["b"],"c":{"required":["d"]}}}`)
	for _, test := range []struct{ object, want string }{
		{`{"a":"x","b":"y"}`, ``},
		{`{"e":[1]}`, ``},
		{`{"e":"no address"}`, ``},
		{`{"a":1}`, `a: must be a string, got a number; b: is missing (it must be given with "a")`},
		{`{"b":1}`, `b: must be a string, got a number`},
		{`{"c":["x",1,true,2],"d":[]}`, `c[3]: must be a boolean, got a number`},
		{`{"c":["x","y"],"d":[]}`, `c[1]: must be an integer, got a string`},
		{`{"c":[]}`, `d: is missing`},
		{`{"d":[1,2,3]}`, `d: must have at most 1 item, got 3`},
	} {
		if got := check(t, schema, test.object); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.object, got, test.want)
		}
	}
}

func TestCheckListsAtMostTwenty(t *testing.T) {
	schema := property(`{"items":{"type":"string"}}`)
	got := strings.Split(check(t, schema, `{"x":[`+strings.Repeat("1,", 24)+`1]}`), "; ")
	if len(got) != 21 || got[19] != "x[19]: must be a string, got a number" || got[20] != "and 5 more violations" {
		t.Errorf("got %d sentences: %q", len(got), got)
	}
	long := strings.Repeat("ä", 5000)
	for _, object := range []string{`{"x":["` + long + `"]}`, `{"` + long + `":1}`} {
		schema := jsonschema.Raw(`{"type":"object","properties":{"x":{"items":{"const":1}}},"additionalProperties":false}`)
		if got := check(t, schema, object); got == "" || len(got) > 600 {
			t.Errorf("the sentence has %d bytes: %.700s", len(got), got)
		}
	}
}

func TestCheckFromManyGoroutines(t *testing.T) {
	schema := jsonschema.Raw(everything)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				_, violations := schema.Check(`{"who":{"name":1},"items":[{}]}`, nil)
				if got := strings.Join(violations, "; "); !strings.Contains(got, "who.name: must be a string, got a number") {
					t.Errorf("got %s", got)
				}
			}
		})
	}
	all.Wait()
}
