package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/jsonschema"
)

// list writes so many elements with commas between them.
func list(n int, element string) string {
	return strings.TrimSuffix(strings.Repeat(element+",", n), ",")
}

// numbered is like list, with the number of each element in it.
func numbered(n int, format string) string {
	elements := make([]string, n)
	for i := range elements {
		elements[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(elements, ",")
}

// What a schema makes out of small arguments must not take memory and time that
// nobody has: the check is given up, and says so.
func TestCheckGivesUpOnWhatCostsTooMuch(t *testing.T) {
	nested := strings.Repeat("[", 400) + strings.Repeat("]", 400)
	for name, test := range map[string]struct{ schema, value string }{
		"alternatives of another type":  {`{"items":{"anyOf":[` + list(200, `{"type":"string"}`) + `]}}`, `[` + list(6000, `1`) + `]`},
		"alternatives that are false":   {`{"items":{"oneOf":[` + list(200, `false`) + `]}}`, `[` + list(6000, `1`) + `]`},
		"missing members":               {`{"items":{"required":[` + numbered(1000, `"a%d"`) + `]}}`, `[` + list(1100, `{}`) + `]`},
		"missing members of dependents": {`{"items":{"dependentRequired":{"b":[` + numbered(1000, `"a%d"`) + `]}}}`, `[` + list(1100, `{"b":1}`) + `]`},
		"unevaluated members":           {`{"unevaluatedProperties":true,"allOf":[` + list(1000, `true`) + `]}`, `{` + numbered(1100, `"a%d":1`) + `}`},
		"two ways at each level":        {`{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"items":{"$ref":"#/$defs/a"}},{"items":{"$ref":"#/$defs/a"}}]}`, nested},
		"a pattern":                     {`{"items":{"pattern":"(a{9}b?){90}$"}}`, `["` + strings.Repeat("a", 4_000_000) + `"]`},
		"long items to be unique":       {`{"allOf":[` + list(100, `{"uniqueItems":true}`) + `]}`, `["` + strings.Repeat("a", 400_000) + `",1]`},
	} {
		t.Run(name, func(t *testing.T) {
			got := check(t, property(test.schema), `{"x":`+test.value+`}`)
			if !strings.Contains(got, "the object: it is too large, or fits too many alternatives, to be checked") {
				t.Errorf("got %.200s", got)
			}
		})
	}
}

// What would blow up elsewhere is checked in a time that grows with its length.
func TestCheckBearsWhatIsLarge(t *testing.T) {
	for name, test := range map[string]struct{ schema, value, want string }{
		"a pattern that would be tried without end": {`{"pattern":"^(a+)+$"}`, `"` + strings.Repeat("a", 50_000) + `b"`, "x: must match the pattern"},
		"many items to be unique":                   {`{"uniqueItems":true}`, `[` + numbered(50_000, `%d`) + `,{"a":1},{"a":1.0}]`, "x: must have no equal items, but items 50000 and 50001 are"},
		"many values allowed":                       {`{"items":{"enum":[` + numbered(20_000, `"a%d"`) + `]}}`, `[` + list(20_000, `"a19999"`) + `,"b"]`, "x[20000]: must be one of"},
		"many schemas for a value":                  {`{"allOf":[` + list(1000, `{"minimum":2}`) + `]}`, `1`, "x: must be at least 2, got 1"},
		"allOf in allOf":                            {strings.Repeat(`{"allOf":[`, 25) + `{"type":"string"}` + strings.Repeat(`]}`, 25), `1`, "x: must be a string"},
		"many items":                                {`{"items":{"type":"integer"}}`, `[` + list(100_000, `1`) + `]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := check(t, property(test.schema), `{"x":`+test.value+`}`)
			if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
				t.Errorf("got %.200s", got)
			}
		})
	}
}

// Documents of an ordinary kind are checked, also where the schema keeps account
// of what is yet to be evaluated.
func TestCheckBearsManyRecords(t *testing.T) {
	names := numbered(20, `"a%d"`)
	item := `"properties":{` + numbered(20, `"a%d":{"type":"string"}`) + `},"required":[` + names + `]`
	value := `{"x":[` + list(5000, `{`+numbered(20, `"a%d":"text"`)+`}`) + `]}`
	for name, schema := range map[string]core.Schema{
		"closed items":      property(`{"items":{` + item + `,"additionalProperties":false}}`),
		"unevaluated items": property(`{"items":{` + item + `,"unevaluatedProperties":false}}`),
		"unevaluated root":  jsonschema.Raw(`{"type":"object","unevaluatedProperties":false,"properties":{"x":{"items":{` + item + `}}}}`),
	} {
		if got := check(t, schema, value); got != "" {
			t.Errorf("%s: %.300s", name, got)
		}
	}
}

func TestValidateRefusesWhatIsTooLarge(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object","properties":{` + numbered(5001, `"a%d":true`) + `}}`, "more than 5000 schemas"},
		{`{"type":"object","properties":{"` + strings.Repeat("a", 5000) + `":{}}}`, "below names that are too long"},
		{`{"type":"object","not":` + strings.Repeat(`{"items":`, 900) + `{}` + strings.Repeat(`}`, 900) + `}`, "it is nested too deep"},
		{`{"type":"object","allOf":[` + strings.Repeat(`{"allOf":[`, 40) + `{}` + strings.Repeat(`]}`, 40) + `]}`, "more than 32 schemas apply"},
	} {
		err := jsonschema.Raw(test.schema).Validate()
		if err == nil || !strings.Contains(err.Error(), test.want) || len(err.Error()) > 1000 {
			t.Errorf("%.100s: Validate gave %.300v, want an error with %q", test.schema, err, test.want)
		}
	}
}
