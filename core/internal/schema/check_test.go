package schema

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpserver/core/internal/wire"
)

func TestCheckValue(t *testing.T) {
	var (
		text     = Property{}
		style    = Property{Enum: []string{"big", "small"}}
		short    = Property{MinLength: 2, MaxLength: 4}
		integer  = Property{Type: Integer}
		count    = Property{Type: Integer, Minimum: bound(1), Maximum: bound(10)}
		ratio    = Property{Type: Number, Minimum: bound(0.1), Maximum: bound(0.7)}
		exact    = Property{Type: Integer, Maximum: bound(9007199254740992)}
		flag     = Property{Type: Boolean}
		options  = Property{Type: ObjectType}
		anything = Property{Type: Array}
		few      = Property{Type: Array, MinItems: 1, MaxItems: 2}
		single   = Property{Type: Array, MaxItems: 1}
		tags     = Property{Type: Array, Items: &Property{MaxLength: 3}}
		grid     = Property{Type: Array, Items: &Property{Type: Array, MaxItems: 3, Items: &Property{Type: Integer}}}
		objects  = Property{Type: Array, Items: &Property{Type: ObjectType}}
	)
	tests := []struct {
		property Property
		value    string
		want     string // "" when it conforms
	}{
		{text, `"a"`, ""},
		{text, `""`, ""},
		{text, `1`, "x: must be a string, got a number"},
		{text, `true`, "x: must be a string, got a boolean"},
		{text, `false`, "x: must be a string, got a boolean"},
		{text, `[]`, "x: must be a string, got an array"},
		{text, `{}`, "x: must be a string, got an object"},
		{text, `null`, ""},

		{style, `"big"`, ""},
		{style, `"b\u0069g"`, ""},
		{style, `"huge"`, `x: must be one of "big", "small", got "huge"`},
		{style, `"a\"b\n"`, `x: must be one of "big", "small", got "a\"b\n"`},
		{style, `""`, `x: must be one of "big", "small", got ""`},

		{short, `"ab"`, ""},
		{short, `"äöü🙂"`, ""},
		{short, `"\u00e4\ud83d\ude42"`, ""},
		{short, `"a"`, "x: must be at least 2 characters long, got 1"},
		{short, `"🙂"`, "x: must be at least 2 characters long, got 1"},
		{short, `"\ud83d\ude42"`, "x: must be at least 2 characters long, got 1"},
		{short, `"äöüäö"`, "x: must be at most 4 characters long, got 5"},
		{Property{MaxLength: 1}, `"ab"`, "x: must be at most 1 character long, got 2"},

		{integer, `3`, ""},
		{integer, `3.0`, ""},
		{integer, `1e2`, ""},
		{integer, `15e-1`, "x: must be an integer, got 15e-1"},
		{integer, `9007199254740993`, ""},
		{integer, `123456789012345678901234567890`, ""},
		{integer, `-0`, ""},
		{integer, `1.5`, "x: must be an integer, got 1.5"},
		{integer, `9007199254740993.5`, "x: must be an integer, got 9007199254740993.5"},
		{integer, `"3"`, "x: must be an integer, got a string"},

		{count, `1`, ""},
		{count, `10`, ""},
		{count, `10.0`, ""},
		{count, `1e1`, ""},
		{count, `12`, "x: must be at most 10, got 12"},
		{count, `0`, "x: must be at least 1, got 0"},
		{count, `-1e2`, "x: must be at least 1, got -1e2"},
		{count, `1e400`, "x: must be at most 10, got 1e400"},

		{ratio, `0.1`, ""},
		{ratio, `0.7`, ""},
		{ratio, `0.70000000000000000001`, "x: must be at most 0.7, got 0.70000000000000000001"},
		{ratio, `0.09999999999999999999999`, "x: must be at least 0.1, got 0.09999999999999999999999"},
		{ratio, `"0.5"`, "x: must be a number, got a string"},

		{exact, `9007199254740992`, ""},
		{exact, `9007199254740993`, "x: must be at most 9007199254740992, got 9007199254740993"},

		{flag, `true`, ""},
		{flag, `false`, ""},
		{flag, `"true"`, "x: must be a boolean, got a string"},
		{flag, `0`, "x: must be a boolean, got a number"},

		{options, `{}`, ""},
		{options, `{"a":{"b":[null,1.5]}}`, ""},
		{options, `"{}"`, "x: must be an object, got a string"},

		{anything, `[]`, ""},
		{anything, `[1,"a",null,{}]`, ""},
		{anything, `{}`, "x: must be an array, got an object"},
		{anything, `"[]"`, "x: must be an array, got a string"},

		{few, `[1]`, ""},
		{few, `[[1,2,3],{"a":1,"b":2}]`, ""},
		{few, `["a,b]","\",\""]`, ""},
		{few, `[ ]`, "x: must have at least 1 item, got 0"},
		{few, `[1,2,3]`, "x: must have at most 2 items, got 3"},
		{single, "[\n1 ,\t2]", "x: must have at most 1 item, got 2"},

		{tags, `[]`, ""},
		{tags, `["a", "b,c" ,"]"]`, ""},
		{tags, `["a",1]`, "x[1]: must be a string, got a number"},
		{tags, `["a",null]`, "x[1]: must be a string, got null"},
		{tags, `["abc","abcd"]`, "x[1]: must be at most 3 characters long, got 4"},

		{grid, `[]`, ""},
		{grid, `[[],[1],[1, 2.0 ,3]]`, ""},
		{grid, `[[1],[2,3.5]]`, "x[1][1]: must be an integer, got 3.5"},
		{grid, `[[1],2]`, "x[1]: must be an array, got a number"},
		{grid, `[[1],[1,2,3,4]]`, "x[1]: must have at most 3 items, got 4"},

		{objects, `[{"a":[1,2]},{}]`, ""},
		{objects, `[{},[]]`, "x[1]: must be an object, got an array"},
	}
	for _, test := range tests {
		t.Run(test.property.Type.String()+" "+test.value, func(t *testing.T) {
			object := one(test.property)
			if err := object.Validate(); err != nil {
				t.Fatalf("Validate: %v", err)
			}
			missing, violations := object.Check(members(t, `{"x":`+test.value+`}`))
			if missing != "" {
				t.Errorf("Check(x = %s): missing %q", test.value, missing)
			}
			if got := strings.Join(violations, "; "); got != test.want {
				t.Errorf("Check(x = %s):\n got %s\nwant %s", test.value, got, test.want)
			}
		})
	}
}

func TestCheckArguments(t *testing.T) {
	properties := []Property{
		{Name: "name", Required: true},
		{Name: "count", Type: Integer, Maximum: bound(10)},
		{Name: "loud", Type: Boolean, Required: true},
	}
	tests := []struct {
		name       string
		closed     bool
		arguments  string
		missing    string
		violations []string
	}{
		{"all", true, `{"loud":true,"count":1,"name":"a"}`, "", nil},
		{"none", true, `{}`, "name", nil},
		{"first missing in declared order", false, `{"count":1}`, "name", nil},
		{"second missing", false, `{"name":"a"}`, "loud", nil},
		{"optional null", true, `{"name":"a","loud":true,"count":null}`, "", nil},
		{
			"required null", false, `{"name":null,"loud":null}`, "",
			[]string{"name: must be a string, got null", "loud: must be a boolean, got null"},
		},
		{"unknown allowed", false, `{"name":"a","loud":true,"foo":1}`, "", nil},
		{
			"unknown refused", true, `{"name":"a","loud":true,"foo":1}`, "",
			[]string{"foo: is not an argument of this tool (known: name, count, loud)"},
		},
		{
			"unknown null refused", true, `{"name":"a","loud":true,"Name":null}`, "",
			[]string{"Name: is not an argument of this tool (known: name, count, loud)"},
		},
		{
			"odd unknown name is quoted", true, `{"name":"a","loud":true,"a: b\n":1,"":2}`, "",
			[]string{
				`"a: b\n": is not an argument of this tool (known: name, count, loud)`,
				`"": is not an argument of this tool (known: name, count, loud)`,
			},
		},
		{
			"missing and violations, in the order sent", false, `{"count":12,"name":1}`, "loud",
			[]string{"count: must be at most 10, got 12", "name: must be a string, got a number"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			object := &Object{Properties: properties, Closed: test.closed}
			missing, violations := object.Check(members(t, test.arguments))
			if missing != test.missing {
				t.Errorf("Check(%s): missing %q, want %q", test.arguments, missing, test.missing)
			}
			if !slices.Equal(violations, test.violations) {
				t.Errorf("Check(%s):\n got %q\nwant %q", test.arguments, violations, test.violations)
			}
		})
	}
}

func TestCheckWithoutProperties(t *testing.T) {
	arguments := members(t, `{"foo":1}`)
	if missing, violations := new(Object).Check(arguments); missing != "" || violations != nil {
		t.Errorf("open: got missing %q, violations %q, want none", missing, violations)
	}
	closed := &Object{Closed: true}
	if missing, violations := closed.Check(nil); missing != "" || violations != nil {
		t.Errorf("closed, no arguments: got missing %q, violations %q, want none", missing, violations)
	}
	_, violations := closed.Check(arguments)
	want := []string{"foo: is not an argument of this tool (it takes none)"}
	if !slices.Equal(violations, want) {
		t.Errorf("closed: got %q, want %q", violations, want)
	}
}

func TestCheckListsTwentyViolations(t *testing.T) {
	object := one(Property{Type: Array, Items: &Property{Type: Integer}})
	tests := []struct {
		wrong int
		last  string
	}{
		{19, "x[18]: must be an integer, got a boolean"},
		{20, "x[19]: must be an integer, got a boolean"},
		{21, "and 1 more violation"},
		{500, "and 480 more violations"},
	}
	for _, test := range tests {
		arguments := `{"x":[` + strings.Repeat("true,", test.wrong) + `1]}`
		_, violations := object.Check(members(t, arguments))
		if want := min(test.wrong, 21); len(violations) != want {
			t.Errorf("%d wrong: got %d sentences, want %d", test.wrong, len(violations), want)
			continue
		}
		if got := violations[len(violations)-1]; got != test.last {
			t.Errorf("%d wrong: last is %q, want %q", test.wrong, got, test.last)
		}
	}
}

func TestCheckShortensWhatItQuotes(t *testing.T) {
	long := strings.Repeat("ä", 81)
	cut := strings.Repeat("ä", 79) + "…"
	digits := strings.Repeat("1", 100)
	object := &Object{Closed: true, Properties: []Property{
		{Name: "style", Enum: []string{"a"}},
		{Name: "count", Type: Integer, Maximum: bound(1)},
	}}
	tests := []struct{ arguments, want string }{
		{`{"style":"` + long + `"}`, `style: must be one of "a", got "` + cut + `"`},
		{`{"style":"` + long[2:] + `"}`, `style: must be one of "a", got "` + long[2:] + `"`},
		{`{"count":` + digits + `}`, "count: must be at most 1, got " + digits[:79] + "…"},
		{`{"` + long + `":1}`, `"` + cut + `": is not an argument of this tool (known: style, count)`},
	}
	for _, test := range tests {
		_, violations := object.Check(members(t, test.arguments))
		if len(violations) != 1 || violations[0] != test.want {
			t.Errorf("Check(%s):\n got %q\nwant %q", test.arguments, violations, test.want)
		}
	}
}

func TestCheckShortensLists(t *testing.T) {
	object := wide(30)
	object.Closed = true
	values := make([]string, 25)
	for i := range values {
		values[i] = fmt.Sprint("v", i)
	}
	object.Properties[0] = Property{Name: "style", Enum: values}
	_, violations := object.Check(members(t, `{"style":"w","foo":1}`))
	if len(violations) != 2 {
		t.Fatalf("got %q, want two violations", violations)
	}
	if want := `"v18", "v19" and 5 more, got "w"`; !strings.HasSuffix(violations[0], want) {
		t.Errorf("got %q, want the end %q", violations[0], want)
	}
	if want := "p18, p19 and 10 more)"; !strings.HasSuffix(violations[1], want) {
		t.Errorf("got %q, want the end %q", violations[1], want)
	}
}

func TestCheckWideTables(t *testing.T) {
	for _, width := range []int{
		scannedProperties - 1, scannedProperties, scannedProperties + 1,
		trackedProperties, trackedProperties + 1, 300,
	} {
		object := wide(width)
		object.Closed = true
		object.Properties[width-1].Required = true
		last := object.Properties[width-1].Name

		missing, violations := object.Check(members(t, `{"p0":"a"}`))
		if missing != last || violations != nil {
			t.Errorf("%d properties: got missing %q, violations %q, want %q missing", width, missing, violations, last)
		}
		missing, violations = object.Check(members(t, `{"p0":"a","`+last+`":1,"p":1}`))
		if missing != "" || len(violations) != 2 || violations[0] != last+": must be a string, got a number" {
			t.Errorf("%d properties: got missing %q, violations %q, want one for %q and one for p", width, missing, violations, last)
		}
	}
}

// A schema that nobody validated must not cost more than wrong verdicts.
func TestCheckOfInvalidSchema(t *testing.T) {
	loop := Property{Type: Array}
	loop.Items = &loop
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	if _, violations := one(loop).Check(members(t, `{"x":`+deep+`}`)); violations != nil {
		t.Errorf("items in a loop: got %q, want none", violations)
	}
	_, violations := one(loop).Check(members(t, `{"x":[[],[[],1]]}`))
	if want := []string{"x[1][1]: must be an array, got a number"}; !slices.Equal(violations, want) {
		t.Errorf("items in a loop: got %q, want %q", violations, want)
	}
	_, violations = one(Property{Type: ObjectType + 1}).Check(members(t, `{"x":{}}`))
	if len(violations) != 1 {
		t.Errorf("unknown type: got %q, want one violation", violations)
	}
}

func TestCheckIsSafeFromSeveralGoroutines(t *testing.T) {
	object := wide(scannedProperties + 1)
	arguments := members(t, `{"p0":"a","p16":1}`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, violations := object.Check(arguments); len(violations) != 1 {
				t.Errorf("got %q, want one violation", violations)
			}
		})
	}
	group.Wait()
}

func TestCheckCountsHostileArguments(t *testing.T) {
	const unknown = 100_000
	arguments := make([]wire.Member, unknown)
	for i := range arguments {
		arguments[i] = wire.Member{Name: fmt.Sprint("unknown", i), Value: wire.Value{Kind: wire.Null, Raw: "null"}}
	}
	for _, width := range []int{1, scannedProperties, 300} {
		object := wide(width)
		if _, violations := object.Check(arguments); violations != nil {
			t.Errorf("%d properties, open: got %q, want none", width, violations)
		}
		object = wide(width)
		object.Closed = true
		_, violations := object.Check(arguments)
		if want := "and 99980 more violations"; len(violations) != maxListed+1 || violations[maxListed] != want {
			t.Errorf("%d properties, closed: got %d sentences, want %d with %q last", width, len(violations), maxListed+1, want)
		}
	}
}

// wide gives an Object of that many strings p0, p1, ….
func wide(properties int) *Object {
	object := new(Object)
	for i := range properties {
		object.Properties = append(object.Properties, Property{Name: fmt.Sprint("p", i)})
	}
	return object
}

// members gives the members of a JSON object as the scanner finds them in a
// call.
func members(tb testing.TB, object string) []wire.Member {
	tb.Helper()
	list, err := scan(object)
	if err != nil {
		tb.Fatalf("arguments %s: %v", object, err)
	}
	return list
}

func scan(arguments string) ([]wire.Member, error) {
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":` + arguments + `}}`
	var message wire.Message
	if err := wire.NewScanner(512).Scan(line, &message); err != nil {
		return nil, err
	}
	return message.Arguments, nil
}
