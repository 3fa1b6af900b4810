package schema

import (
	"encoding/json"
	"testing"
)

func TestAppendJSON(t *testing.T) {
	tests := []struct {
		name   string
		object *Object
		want   string
	}{
		{"no properties", &Object{}, `{"type":"object","properties":{}}`},
		{
			"closed without properties", &Object{Closed: true},
			`{"type":"object","properties":{},"additionalProperties":false}`,
		},
		{
			"declared order, required and closed",
			&Object{
				Closed: true,
				Properties: []Property{
					{Name: "zeta", Required: true},
					{Name: "alpha", Type: Integer},
					{Name: "mid", Type: Boolean, Required: true},
				},
			},
			`{"type":"object","properties":{"zeta":{"type":"string"},"alpha":{"type":"integer"},"mid":{"type":"boolean"}},` +
				`"required":["zeta","mid"],"additionalProperties":false}`,
		},
		{
			"string",
			one(Property{
				Title: "Style", Description: `How "big"`, Enum: []string{"big", "a\nb"}, MinLength: 1, MaxLength: 5, Default: ` "big" `,
			}),
			`{"type":"object","properties":{"x":{"type":"string","title":"Style","description":"How \"big\"",` +
				`"enum":["big","a\nb"],"minLength":1,"maxLength":5,"default":"big"}}}`,
		},
		{
			"bounds", one(Property{Type: Number, Minimum: bound(-0.5), Maximum: bound(10)}),
			`{"type":"object","properties":{"x":{"type":"number","minimum":-0.5,"maximum":10}}}`,
		},
		{
			"bound of zero", one(Property{Type: Integer, Minimum: bound(0)}),
			`{"type":"object","properties":{"x":{"type":"integer","minimum":0}}}`,
		},
		{
			"default over several lines", one(Property{Type: ObjectType, Default: "{\n \"a\": 1\n}"}),
			`{"type":"object","properties":{"x":{"type":"object","default":{"a":1}}}}`,
		},
		{
			"array without items", one(Property{Type: Array, MinItems: 1, MaxItems: 3}),
			`{"type":"object","properties":{"x":{"type":"array","minItems":1,"maxItems":3,"items":{}}}}`,
		},
		{
			"array of arrays, names and required of items unused",
			one(Property{Type: Array, Items: &Property{
				Name: "unused", Required: true, Type: Array, Items: &Property{Type: Number},
			}}),
			`{"type":"object","properties":{"x":{"type":"array","items":{"type":"array","items":{"type":"number"}}}}}`,
		},
		{
			"name with escapes", &Object{Properties: []Property{{Name: `a"b`, Required: true}}},
			`{"type":"object","properties":{"a\"b":{"type":"string"}},"required":["a\"b"]}`,
		},
		{
			"default that is no JSON is left out", one(Property{Default: `{"a":`, Type: ObjectType}),
			`{"type":"object","properties":{"x":{"type":"object"}}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := string(test.object.AppendJSON([]byte("before ")))
			if want := "before " + test.want; got != want {
				t.Errorf("AppendJSON:\n got %s\nwant %s", got, want)
			}
			if !json.Valid([]byte(test.want)) {
				t.Errorf("not JSON: %s", test.want)
			}
		})
	}
}

func TestAppendJSONOfPropertyThatContainsItself(t *testing.T) {
	loop := Property{Type: Array}
	loop.Items = &loop
	got := one(loop).AppendJSON(nil)
	if !json.Valid(got) {
		t.Errorf("AppendJSON gave no JSON: %s", got)
	}
}

// one gives an Object with that property, named x.
func one(p Property) *Object {
	p.Name = "x"
	return &Object{Properties: []Property{p}}
}

func bound(value float64) *float64 {
	return &value
}
