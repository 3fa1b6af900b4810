package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpserver/core/internal/wire"
)

// FuzzCheck looks for arguments that make Check panic, or that are taken apart
// otherwise than the scanner and encoding/json do.
func FuzzCheck(f *testing.F) {
	for _, arguments := range []string{
		`{}`,
		`{"text":"a","count":10,"tags":["a","b"],"grid":[[1],[2,3.0]],"loud":null}`,
		`{"text":"\ud83d\ude42","count":1e2,"tags":[ "a,]" , null ],"grid":[[[]]],"object":{"a":[]}}`,
		`{"text":1,"count":"1","tags":{},"grid":[1,[1.5]],"loud":0,"object":[],"foo":{}}`,
		`{"count":-1E-999999999999,"ratio":0.70000000000000000001,"text":"\"\\"}`,
	} {
		f.Add(arguments)
	}
	object := &Object{Closed: true, Properties: []Property{
		{Name: "text", Required: true, Enum: []string{"a", "\n"}, MinLength: 1, MaxLength: 3},
		{Name: "count", Type: Integer, Minimum: bound(0), Maximum: bound(10)},
		{Name: "ratio", Type: Number, Minimum: bound(0.1), Maximum: bound(0.7)},
		{Name: "loud", Type: Boolean},
		{Name: "object", Type: ObjectType},
		{Name: "tags", Type: Array, MinItems: 1, MaxItems: 3, Items: &Property{MaxLength: 2}},
		{Name: "grid", Type: Array, Items: &Property{Type: Array, Items: &Property{Type: Integer}}},
	}}
	f.Fuzz(func(t *testing.T, arguments string) {
		list, err := scan(arguments)
		if err != nil {
			t.Skip("the scanner refuses it")
		}
		_, violations := object.Check(list)
		if len(violations) > maxListed+1 {
			t.Errorf("Check(%s): %d sentences, want at most %d", arguments, len(violations), maxListed+1)
		}
		for _, member := range list {
			if got := valueOf(member.Value.Raw); got != member.Value {
				t.Errorf("valueOf(%s) = %+v, the scanner has %+v", member.Value.Raw, got, member.Value)
			}
			if member.Value.Kind == wire.Array {
				compareItems(t, member.Value.Raw)
			}
		}
	})
}

// compareItems holds the walk over an array against encoding/json.
func compareItems(t *testing.T, array string) {
	t.Helper()
	var want []json.RawMessage
	if err := json.Unmarshal([]byte(array), &want); err != nil {
		t.Fatalf("%s: %v", array, err)
	}
	i := 0
	for item, rest := firstItem(array); item != ""; item, rest = cutItem(rest) {
		if i >= len(want) || item != string(want[i]) {
			t.Fatalf("item %d of %s is %q, want one of %q", i, array, item, want)
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("%s has %d items, want %d", array, i, len(want))
	}
}

// FuzzAppendJSON looks for an Object that Validate accepts and AppendJSON does
// not make a schema of.
func FuzzAppendJSON(f *testing.F) {
	f.Add("name", "Whom to greet", "World", `"World"`, uint8(String), 1.0, 5, true)
	f.Add("a\"b", "\u00fc \\", "", "10", uint8(Integer), -0.5, 0, false)
	f.Add("list", "", "", "[ 1 ,\n2 ]", uint8(Array), 1e300, 3, true)
	f.Add("x\xff", "a\nb", "\x00", "{", uint8(9), 0.0, -1, true)
	f.Fuzz(func(t *testing.T, name, description, enum, value string, kind uint8, limit float64, most int, flag bool) {
		p := Property{Name: name, Description: description, Type: Type(kind), Default: value, Required: flag}
		switch p.Type {
		case String:
			p.Enum, p.MaxLength = []string{enum}, most
		case Integer, Number:
			p.Maximum = &limit
		case Array:
			p.MaxItems = most
			p.Items = &Property{Type: Number, Minimum: &limit}
		}
		object := &Object{Properties: []Property{p}, Closed: flag}
		if object.Validate() != nil {
			t.Skip("not a schema")
		}
		checkPublished(t, object)
	})
}

// checkPublished reads the published schema back.
func checkPublished(t *testing.T, object *Object) {
	t.Helper()
	text := object.AppendJSON(nil)
	if strings.ContainsAny(string(text), "\r\n") {
		t.Errorf("more than one line: %q", text)
	}
	var published struct {
		Type       string                     `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p := &object.Properties[0]
	if published.Type != "object" || len(published.Properties) != 1 || published.Properties[p.Name] == nil {
		t.Errorf("got %s, want an object with the property %q", text, p.Name)
	}
	if p.Required != (len(published.Required) == 1 && published.Required[0] == p.Name) {
		t.Errorf("got %s, want required %v", text, p.Required)
	}
}
