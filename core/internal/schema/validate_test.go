package schema

import (
	"math"
	"strings"
	"testing"
)

func TestValidateAccepts(t *testing.T) {
	tests := []struct {
		name   string
		object *Object
	}{
		{"nothing", &Object{}},
		{"closed", &Object{Closed: true}},
		{"plain", one(Property{Title: "Größe", Description: "Wie groß? 🙂"})},
		{"enum with an empty text", one(Property{Enum: []string{"", "a"}, Default: `""`})},
		{"lengths", one(Property{MinLength: 2, MaxLength: 2, Default: `"äö"`})},
		{"least length alone", one(Property{MinLength: 2})},
		{"bounds that meet", one(Property{Type: Integer, Minimum: bound(1), Maximum: bound(1), Default: "1.0"})},
		{"default true", one(Property{Type: Boolean, Default: " true\n"})},
		{"default object", one(Property{Type: ObjectType, Default: `{"a":[1]}`})},
		{"default array", one(Property{Type: Array, Items: &Property{Type: Integer}, Default: "[ 1, 2 ]"})},
		{"deepest items", one(nested(maxNesting))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.object.Validate(); err != nil {
				t.Errorf("Validate: got %v, want nil", err)
			}
		})
	}
}

func TestValidateRefuses(t *testing.T) {
	loop := Property{Type: Array}
	loop.Items = &loop
	tests := []struct {
		name   string
		object *Object
		want   string
	}{
		{"no name", &Object{Properties: []Property{{Name: "a"}, {}}}, "property 2 has no name"},
		{"name twice", &Object{Properties: []Property{{Name: "a"}, {Name: "b"}, {Name: "a"}}}, `property "a": it is declared twice`},
		{"two mistakes", &Object{Properties: []Property{{Name: "a", MinItems: 1}, {Name: "b", Default: "x"}}}, "property \"b\": the default"},
		{"name with a control character", &Object{Properties: []Property{{Name: "a\x00"}}}, `property "a\x00": the name has a line break`},
		{"name not UTF-8", &Object{Properties: []Property{{Name: "a\xff"}}}, `property "a\xff": the name is not valid UTF-8`},
		{"line break in description", one(Property{Description: "a\nb"}), `property "x": the description has a line break or control character (U+000A)`},
		{"line separator in description", one(Property{Description: "a\u2028b"}), "(U+2028)"},
		{"next line in description", one(Property{Description: "a\u0085b"}), "(U+0085)"},
		{"description not UTF-8", one(Property{Description: "\xc3"}), "the description is not valid UTF-8"},
		{"tab in title", one(Property{Title: "a\tb"}), "the title has a line break"},
		{"unknown type", one(Property{Type: ObjectType + 1}), "type 6 is unknown"},
		{"enum of numbers", one(Property{Type: Integer, Enum: []string{"1"}}), "an enum is for a string, this is an integer"},
		{"enum value twice", one(Property{Enum: []string{"a", "b", "a"}}), `the enum lists "a" twice`},
		{"enum not UTF-8", one(Property{Enum: []string{"\xff"}}), "is not valid UTF-8"},
		{"bound of a string", one(Property{Minimum: bound(1)}), "a minimum or maximum is for a number, this is a string"},
		{"NaN", one(Property{Type: Number, Maximum: bound(math.NaN())}), "NaN is no minimum or maximum"},
		{"infinity", one(Property{Type: Number, Minimum: bound(math.Inf(-1))}), "-Inf is no minimum or maximum"},
		{"bounds crossed", one(Property{Type: Number, Minimum: bound(2), Maximum: bound(1.5)}), "the minimum 2 is above the maximum 1.5"},
		{"length of a number", one(Property{Type: Number, MaxLength: 1}), "a bound for the length is for a string, this is a number"},
		{"negative length", one(Property{MinLength: -1}), "a bound for the length is negative (-1)"},
		{"negative most length", one(Property{MinLength: 3, MaxLength: -2}), "a bound for the length is negative (-2)"},
		{"lengths crossed", one(Property{MinLength: 3, MaxLength: 2}), "the least length, 3, is above the most, 2"},
		{"number of items of a string", one(Property{MinItems: 1}), "a bound for the number of items is for an array, this is a string"},
		{"negative number of items", one(Property{Type: Array, MaxItems: -1}), "a bound for the number of items is negative (-1)"},
		{"numbers of items crossed", one(Property{Type: Array, MinItems: 2, MaxItems: 1}), "the least number of items, 2, is above the most, 1"},
		{"items of an object", one(Property{Type: ObjectType, Items: &Property{}}), "items are for an array, this is an object"},
		{"mistake in items", one(Property{Type: Array, Items: &Property{MinLength: -1}}), `property "x": items: a bound for the length is negative`},
		{"items too deep", one(nested(maxNesting + 1)), "items are nested more than 8 deep"},
		{"items in a loop", one(loop), "items are nested more than 8 deep"},
		{"default not UTF-8", one(Property{Default: "\"\xff\""}), `property "x": the default is not valid UTF-8`},
		{"default no JSON", one(Property{Default: "big"}), `property "x": the default is no JSON: `},
		{"default only whitespace", one(Property{Default: " "}), "the default is no JSON: "},
		{"default two values", one(Property{Type: Integer, Default: "1 2"}), "the default is no JSON: "},
		{"default of another type", one(Property{Type: Integer, Default: `"1"`}), `property "x": default: must be an integer, got a string`},
		{"default null", one(Property{Default: "null"}), "default: must be a string, got null"},
		{"default not in enum", one(Property{Enum: []string{"a"}, Default: `"b"`}), `default: must be one of "a", got "b"`},
		{"default above maximum", one(Property{Type: Number, Maximum: bound(1), Default: "1.5"}), "default: must be at most 1, got 1.5"},
		{"default with a bad item", one(Property{Type: Array, Items: &Property{}, Default: `["a",1]`}), "default[1]: must be a string, got a number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.object.Validate()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Validate: got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// nested gives an array with items in items, depth deep.
func nested(depth int) Property {
	p := Property{Type: Array}
	if depth > 0 {
		items := nested(depth - 1)
		p.Items = &items
	}
	return p
}
