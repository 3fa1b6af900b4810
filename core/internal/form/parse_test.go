package form

import (
	"fmt"
	"strings"
	"testing"

	"mcpserver/core/internal/protocol"
)

// object makes a form with these properties and further members of its root.
func object(properties string, more ...string) string {
	return `{"type":"object","properties":{` + properties + `}` + strings.Join(append([]string{""}, more...), ",") + `}`
}

// What the official suite asks a server to send.
const (
	suiteDefaults = `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"User name","default":"John Doe"},` +
		`"age":{"type":"integer","description":"User age","default":30},` +
		`"score":{"type":"number","description":"User score","default":95.5},` +
		`"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},` +
		`"verified":{"type":"boolean","description":"Verification status","default":true}},"required":[]}`
	suiteEnums = `{"type":"object","properties":{` +
		`"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
		`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]},` +
		`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},` +
		`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
		`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]}}}}`
)

// Each row: what a property may be, what it is for the last three revisions in
// turn where that differs ("" where it cannot be asked), and otherwise as it
// stands.
var known = []struct {
	name, property, v20250618, v20251125, v20260728 string
}{
	{name: "string", property: `{"type":"string","title":"T","description":"D","minLength":1,"maxLength":5}`},
	{name: "email", property: `{"type":"string","format":"email"}`},
	{name: "uri", property: `{"format":"uri","type":"string"}`},
	{name: "date", property: `{"type":"string","format":"date"}`},
	{name: "date-time", property: `{"type":"string","format":"date-time"}`},
	{name: "number", property: `{"type":"number","minimum":-1.50,"maximum":1e3}`},
	{name: "integer", property: `{"type":"integer","minimum":0,"maximum":9007199254740992}`},
	{name: "boolean", property: `{"type":"boolean","default":false}`},
	{name: "enum", property: `{"type":"string","enum":["a","b"]}`},
	{name: "enum with names", property: `{"type":"string","enumNames":["A","B"],"enum":["a","b"]}`},
	{
		name:      "titled enum",
		property:  `{"type":"string","oneOf":[{"const":"a","title":"A"},{"title":"\"B\"","const":"b"}],"title":"T"}`,
		v20250618: `{"type":"string","enum":["a","b"],"enumNames":["A","\"B\""],"title":"T"}`,
		v20251125: `{"type":"string","oneOf":[{"const":"a","title":"A"},{"title":"\"B\"","const":"b"}],"title":"T"}`,
		v20260728: `{"type":"string","oneOf":[{"const":"a","title":"A"},{"title":"\"B\"","const":"b"}],"title":"T"}`,
	},
	{
		name:      "choices",
		property:  `{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}`,
		v20251125: `{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}`,
		v20260728: `{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}`,
	},
	{
		name:      "titled choices",
		property:  `{"type":"array","items":{"type":"string","title":"T","anyOf":[{"const":"a","title":"A"}]}}`,
		v20251125: `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`,
		v20260728: `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`,
	},
	{
		name:      "items with a description",
		property:  `{"type":"array","items":{"type":"string","description":"D","enum":["a"]}}`,
		v20251125: `{"type":"array","items":{"type":"string","enum":["a"]}}`,
		v20260728: `{"type":"array","items":{"type":"string","enum":["a"]}}`,
	},
	{
		name:      "default of a string",
		property:  `{"type":"string","default":"x"}`,
		v20250618: `{"type":"string"}`,
		v20251125: `{"type":"string","default":"x"}`,
		v20260728: `{"type":"string","default":"x"}`,
	},
	{
		name:      "default of a number",
		property:  `{"default":1.50,"type":"number"}`,
		v20250618: `{"type":"number"}`,
		v20251125: `{"default":1.50,"type":"number"}`,
		v20260728: `{"default":1.50,"type":"number"}`,
	},
	{
		name:      "pattern",
		property:  `{"type":"string","pattern":"^[a-z]+$","title":"T"}`,
		v20250618: `{"type":"string","title":"T"}`,
		v20251125: `{"type":"string","pattern":"^[a-z]+$","title":"T"}`,
		v20260728: `{"type":"string","title":"T"}`,
	},
	{
		name:      "comment",
		property:  `{"$comment":"C","type":"boolean"}`,
		v20250618: `{"type":"boolean"}`,
		v20251125: `{"type":"boolean"}`,
		v20260728: `{"type":"boolean"}`,
	},
}

func TestPropertiesByRevision(t *testing.T) {
	for _, test := range known {
		f, err := Parse(object(`"p":` + test.property))
		if err != nil {
			t.Errorf("%s: Parse: %v", test.name, err)
			continue
		}
		same := test.v20251125 == ""
		for revision, want := range map[protocol.Revision]string{
			protocol.V20250618: test.v20250618,
			protocol.V20251125: test.v20251125,
			protocol.V20260728: test.v20260728,
		} {
			if same {
				want = test.property
			}
			err := f.Supports(revision)
			if want == "" {
				if err == nil || !strings.Contains(err.Error(), `"p"`) || !strings.Contains(err.Error(), revision.String()) {
					t.Errorf("%s: Supports(%s) = %v, want an error that names the property and the revision", test.name, revision, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: Supports(%s): %v", test.name, revision, err)
			}
			if got := string(f.AppendJSON(nil, revision)); got != object(`"p":`+want) {
				t.Errorf("%s: under %s the form is %s, want %s", test.name, revision, got, object(`"p":`+want))
			}
		}
	}
}

func TestSuiteFormsAreSentVerbatim(t *testing.T) {
	for _, text := range []string{suiteDefaults, suiteEnums} {
		f, err := Parse(text)
		if err != nil {
			t.Fatalf("Parse(%s): %v", text, err)
		}
		for _, revision := range []protocol.Revision{protocol.V20251125, protocol.V20260728} {
			if err := f.Supports(revision); err != nil {
				t.Errorf("Supports(%s): %v", revision, err)
			}
			if got := string(f.AppendJSON(nil, revision)); got != text {
				t.Errorf("under %s the form is %s, want %s", revision, got, text)
			}
		}
	}
}

func TestRoots(t *testing.T) {
	const plain, dialect = `{"type":"object","properties":{}}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{}}`
	for _, test := range []struct{ text, old, later string }{
		{` { "type" : "object", "properties": { } } `, plain, plain},
		{dialect, plain, dialect},
		{`{"type":"object","title":"T","description":"D","$comment":"C","properties":{},"additionalProperties":false}`, plain, plain},
		{`{"type":"object","required":["a"],"properties":{"a":{"type":"boolean"}}}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"boolean"}}}`, `{"type":"object","required":["a"],"properties":{"a":{"type":"boolean"}}}`},
	} {
		f, err := Parse(test.text)
		if err != nil {
			t.Errorf("Parse(%s): %v", test.text, err)
			continue
		}
		if got := string(f.AppendJSON(nil, protocol.V20250618)); got != test.old {
			t.Errorf("%s is %s under 2025-06-18, want %s", test.text, got, test.old)
		}
		if got := string(f.AppendJSON(nil, protocol.V20251125)); got != test.later {
			t.Errorf("%s is %s under 2025-11-25, want %s", test.text, got, test.later)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	properties := strings.Builder{}
	for i := range maxProperties + 1 {
		fmt.Fprintf(&properties, `,"p%d":{"type":"string"}`, i)
	}
	for _, test := range []struct{ text, words string }{
		{``, "JSON"},
		{`{`, "JSON"},
		{`[]`, "object"},
		{`"x"`, "object"},
		{`{}`, `"type":"object"`},
		{`{"type":"string"}`, `"type":"object"`},
		{`{"type":"object"}`, "properties"},
		{`{"type":"object","properties":[]}`, "properties"},
		{`{"type":"object","type":"object","properties":{}}`, `"type" twice`},
		{`{"type":"object","properties":{},"allOf":[]}`, `"allOf"`},
		{`{"type":"object","properties":{},"additionalProperties":{}}`, "additionalProperties"},
		{`{"type":"object","properties":{},"$schema":1}`, "$schema"},
		{`{"type":"object","properties":{},"required":"a"}`, "required is no array"},
		{`{"type":"object","properties":{},"required":["a"]}`, `"a" is required`},
		{`{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a","a"]}`, `"a" twice`},
		{object(`"a":{"type":"boolean"},"a":{"type":"boolean"}`), `"a"`},
		{object(`"":{"type":"boolean"}`), "no name"},
		{object(`"a\nb":{"type":"boolean"}`), "line break"},
		{object(properties.String()[1:]), "more than 100 properties"},
		{object(`"p":{"type":"string","title":"` + strings.Repeat("x", maxSize) + `"}`), "over the limit"},
		{strings.Repeat(`[`, maxSize), "nested deeper"},
	} {
		wantRefused(t, test.text, test.words)
	}
}

func TestParseRefusesProperties(t *testing.T) {
	many := strings.Builder{}
	for i := range maxKeywords + 1 {
		fmt.Fprintf(&many, `,"k%d":1`, i)
	}
	for _, test := range []struct{ property, words string }{
		{`true`, "object"},
		{`{}`, "no type"},
		{`{"type":"object","properties":{}}`, `"object"`},
		{`{"type":"null"}`, `"null"`},
		{`{"type":["string","null"]}`, `["string","null"]`},
		{`{"type":1}`, "type 1"},
		{`{"type":"string","type":"string"}`, `"type" twice`},
		{`{` + many.String()[1:] + `}`, "more than 32 keywords"},
		{`{"type":"string","title":1}`, "title"},
		{`{"type":"boolean","description":null}`, "description"},
		{`{"type":"string","examples":["a"]}`, `"examples"`},
		{`{"type":"string","const":"a"}`, `"const"`},
		{`{"type":"string","minimum":1}`, `"minimum"`},
		{`{"type":"string","minLength":-1}`, "minLength"},
		{`{"type":"string","minLength":1.5}`, "minLength"},
		{`{"type":"string","maxLength":0}`, "maxLength"},
		{`{"type":"string","maxLength":1e30}`, "maxLength"},
		{`{"type":"string","maxLength":"5"}`, "maxLength"},
		{`{"type":"string","minLength":3,"maxLength":2}`, "above"},
		{`{"type":"string","format":"uuid"}`, `"uuid"`},
		{`{"type":"string","format":1}`, "format"},
		{`{"type":"string","pattern":1}`, "pattern"},
		{`{"type":"integer","multipleOf":2}`, `"multipleOf"`},
		{`{"type":"number","exclusiveMinimum":2}`, `"exclusiveMinimum"`},
		{`{"type":"number","enum":[1]}`, `"enum"`},
		{`{"type":"number","minimum":"1"}`, "minimum"},
		{`{"type":"number","minimum":1e999}`, "minimum"},
		{`{"type":"integer","maximum":9007199254740993}`, "digits"},
		{`{"type":"number","maximum":0.1000000000000000000001}`, "digits"},
		{`{"type":"number","minimum":2,"maximum":1}`, "above"},
		{`{"type":"boolean","enum":[true]}`, `"enum"`},
		{`{"type":"string","enum":[]}`, "nothing to choose"},
		{`{"type":"string","enum":["a","a"]}`, "twice"},
		{`{"type":"string","enum":["a",1]}`, "no string: 1"},
		{`{"type":"string","enum":"a"}`, "enum is no array"},
		{`{"type":"string","enum":["a"],"minLength":1}`, `"minLength"`},
		{`{"type":"string","enum":["a"],"oneOf":[]}`, `"oneOf"`},
		{`{"type":"string","enum":["a"],"enumNames":["A","B"]}`, "2 enumNames for 1"},
		{`{"type":"string","enum":["a"],"enumNames":[]}`, "0 enumNames for 1"},
		{`{"type":"string","enum":["a"],"enumNames":[1]}`, "enumNames"},
		{`{"type":"string","enumNames":["A"]}`, `"enumNames"`},
		{`{"type":"string","oneOf":[]}`, "nothing to choose"},
		{`{"type":"string","oneOf":{}}`, "oneOf is no array"},
		{`{"type":"string","oneOf":["a"]}`, "oneOf[0]"},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]}`, "oneOf[1]"},
		{`{"type":"string","oneOf":[{"const":1,"title":"A"}]}`, "oneOf[0]"},
		{`{"type":"string","oneOf":[{"const":"a","title":"A","type":"string"}]}`, "oneOf[0]"},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"a","title":"B"}]}`, "twice"},
		{`{"type":"string","anyOf":[{"const":"a","title":"A"}]}`, `"anyOf"`},
		{`{"type":"array"}`, "items"},
		{`{"type":"array","items":[]}`, "items"},
		{`{"type":"array","items":{}}`, "items"},
		{`{"type":"array","items":{"type":"string"}}`, "nothing to choose"},
		{`{"type":"array","items":{"enum":["a"]}}`, `"type":"string"`},
		{`{"type":"array","items":{"type":"number","enum":[1]}}`, `"type":"string"`},
		{`{"type":"array","items":{"type":"integer","anyOf":[{"const":"a","title":"A"}]}}`, `"type":"string"`},
		{`{"type":"array","items":{"type":"string","enum":[]}}`, "nothing to choose"},
		{`{"type":"array","items":{"type":"string","enum":["a","a"]}}`, "twice"},
		{`{"type":"array","items":{"type":"string","enum":["a"],"anyOf":[{"const":"a","title":"A"}]}}`, `"enum"`},
		{`{"type":"array","items":{"anyOf":[{"const":"a"}]}}`, "anyOf[0]"},
		{`{"type":"array","items":{"type":"string","enum":["a"],"maxLength":1}}`, `"maxLength"`},
		{`{"type":"array","items":{"type":"object","properties":{}}}`, "items"},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true}`, `"uniqueItems"`},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"maxItems":0}`, "maxItems"},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"minItems":2,"maxItems":1}`, "above"},
		{`{"type":"string","default":1}`, "default"},
		{`{"type":"string","default":null}`, "default"},
		{`{"type":"string","default":"abc","maxLength":2}`, "default"},
		{`{"type":"string","default":"abc","format":"email"}`, "default"},
		{`{"type":"string","default":"abc","pattern":"^x"}`, "default"},
		{`{"type":"integer","default":1.5}`, "default"},
		{`{"type":"number","default":3,"maximum":2}`, "default"},
		{`{"type":"boolean","default":"true"}`, "default"},
		{`{"type":"string","enum":["a"],"default":"b"}`, "default"},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"A"}`, "default"},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"default":"a"}`, "default"},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"default":["b"]}`, "default"},
		{`{"type":"array","items":{"type":"string","enum":["a"]},"default":["a"],"minItems":2}`, "default"},
	} {
		wantRefused(t, object(`"good":{"type":"string"},"bad":`+test.property), `"bad"`, test.words)
	}
}

func wantRefused(t *testing.T, text string, words ...string) {
	t.Helper()
	_, err := Parse(text)
	if err == nil {
		t.Errorf("Parse(%.200s) gave no error", text)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("Parse(%.200s) = %q, want %q in it", text, err, word)
		}
	}
}
