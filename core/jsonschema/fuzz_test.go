package jsonschema_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
	"mcpserver/core/jsonschema"
)

// FuzzSchema looks for schemas and objects that the validator cannot bear.
func FuzzSchema(f *testing.F) {
	f.Add(everything, `{"who":{"name":"a"},"items":[{"parts":[]}],"kind":"later"}`)
	f.Add(`{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]},"properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":{}}}`)
	f.Add(`{"type":"object","$dynamicAnchor":"n","properties":{"x":{"$dynamicRef":"#n"},"y":{"uniqueItems":true,"contains":{"pattern":"(a*)*b"}}}}`, `{"x":{"x":{}},"y":["aaaa",1.0,1]}`)
	f.Add(`{"type":"object","unevaluatedProperties":false,"if":{"properties":{"a":{"multipleOf":0.01}}},"then":{"oneOf":[true,false]}}`, `{"a":1e-30}`)
	f.Fuzz(func(t *testing.T, schema, object string) {
		raw := jsonschema.Raw(schema)
		if listed := raw.AppendJSON(nil); !json.Valid(listed) || listed[0] != '{' && raw.Validate() == nil {
			t.Errorf("listed as %s", listed)
		}
		if !isObject(object) {
			return
		}
		missing, violations := raw.Check(object, slices.Collect(wire.Members(object)))
		if raw.Validate() != nil && missing == "" && len(violations) == 0 {
			t.Error("an invalid schema takes arguments")
		}
	})
}

// isObject reports whether a text is what the runner hands on as arguments.
func isObject(text string) bool {
	_, err := wire.AppendCompact(nil, text)
	return err == nil && text[0] == '{'
}

type everyKind struct {
	base
	Flag   bool             `json:"flag,omitempty"`
	Int    int64            `json:"int,omitempty"`
	Small  int8             `json:"small,omitempty"`
	Word   uint64           `json:"word,omitempty"`
	Float  float32          `json:"float,omitempty"`
	Text   *string          `json:"text"`
	List   []int            `json:"list,omitempty"`
	Pair   [2]string        `json:"pair,omitempty"`
	Map    map[string]*tree `json:"map,omitempty"`
	Any    any              `json:"any,omitempty"`
	Number json.Number      `json:"number,omitempty"`
	Raw    json.RawMessage  `json:"raw,omitempty"`
	Texts  *texts           `json:"texts,omitempty"`
}

// FuzzTyped looks for arguments that fit the schema of a type and yet cannot be
// read into it, and for results that do not fit theirs.
func FuzzTyped(f *testing.F) {
	tool := jsonschema.Tool(core.Tool{Name: "t"}, func(_ context.Context, _ *core.Call, in everyKind) (everyKind, error) {
		return in, nil
	})
	f.Add(`{"id":"","flag":true,"int":-9.0e2,"small":1e1,"word":18446744073709551615,"float":1e38,"text":"\ud800","list":[1,2.0],"pair":["a","b"],"map":{"a":{"label":"x","children":[null]}},"any":[1.5,{}]}`)
	f.Add(`{"id":"a","text":null,"list":null,"word":-0,"number":-0.0e1,"raw":[1.50,null]}`)
	f.Add(`{"id":"","texts":{"when":"2026-07-28T12:00:00.5+02:00","data":"aG\nk=","level":"high","count":"-0","share":"1e-9","sure":"null","quote":"\"\\ud800\"","floors":{"+1":"a","01":"b"},"levels":{"high":""}}}`)
	f.Fuzz(func(t *testing.T, object string) {
		if !isObject(object) {
			return
		}
		missing, violations := tool.Input.Check(object, slices.Collect(wire.Members(object)))
		if missing != "" || len(violations) > 0 {
			return
		}
		call := core.NewCall(nil, "t", object, nil)
		result, err := tool.Handler(t.Context(), &call)
		if err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		if _, err := core.CheckOutput(tool.Output, result); err != nil {
			t.Errorf("%s: %v", object, err)
		}
	})
}
