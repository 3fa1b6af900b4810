package toolserver_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"mcpserver/core/toolserver"
)

func TestArgumentsAccessors(t *testing.T) {
	arguments := toolserver.ParseArguments(`{"text":"a\u00e9","n":3.0,"big":9007199254740993,"half":0.5,"yes":true,"no":false,"none":null,"a.b":"dot","list":[1]}`)
	type answer struct {
		value any
		err   string
	}
	of := func(value any, err error) answer {
		if err != nil {
			return answer{nil, err.Error()}
		}
		return answer{value, ""}
	}
	str := func(name string) answer { v, err := arguments.RequireString(name); return of(v, err) }
	num := func(name string) answer { v, err := arguments.RequireInt(name); return of(v, err) }
	yes := func(name string) answer { v, err := arguments.RequireBool(name); return of(v, err) }
	strOr := func(name, fallback string) answer { v, err := arguments.String(name, fallback); return of(v, err) }
	numOr := func(name string, fallback int64) answer { v, err := arguments.Int(name, fallback); return of(v, err) }
	yesOr := func(name string, fallback bool) answer { v, err := arguments.Bool(name, fallback); return of(v, err) }
	for i, test := range []struct{ got, want answer }{
		{str("text"), answer{"aé", ""}},
		{str("a.b"), answer{"dot", ""}},
		{str("a"), answer{nil, "a: the argument is missing"}},
		{str("none"), answer{nil, "none: must be a string"}},
		{str("n"), answer{nil, "n: must be a string"}},
		{num("n"), answer{int64(3), ""}},
		{num("big"), answer{int64(9007199254740993), ""}},
		{num("half"), answer{nil, "half: must be a whole number"}},
		{num("nope"), answer{nil, "nope: the argument is missing"}},
		{yes("yes"), answer{true, ""}},
		{yes("no"), answer{false, ""}},
		{yes("text"), answer{nil, "text: must be true or false"}},
		{strOr("nope", "f"), answer{"f", ""}},
		{strOr("none", "f"), answer{"f", ""}},
		{strOr("text", "f"), answer{"aé", ""}},
		{strOr("list", "f"), answer{nil, "list: must be a string"}},
		{numOr("nope", 7), answer{int64(7), ""}},
		{numOr("text", 7), answer{nil, "text: must be a whole number"}},
		{yesOr("none", true), answer{true, ""}},
		{yesOr("no", true), answer{false, ""}},
	} {
		if test.got != test.want {
			t.Errorf("accessor %d gave %+v, want %+v", i, test.got, test.want)
		}
	}
	if got := arguments.Value("list").Get("0").Int(); got != 1 {
		t.Errorf("Value(list) has %d at its beginning, want 1", got)
	}
	if arguments.Value("nope").Exists() || (toolserver.Arguments{}).Value("a").Exists() {
		t.Error("Value of what is not there exists")
	}
	if got := (toolserver.Arguments{}).JSON(); got != "{}" {
		t.Errorf("zero Arguments are %q, want {}", got)
	}
}

func TestArgumentsDecode(t *testing.T) {
	var into struct{ A int }
	if err := toolserver.ParseArguments(`{"a":1,"a":2}`).Decode(&into); err != nil || into.A != 2 {
		t.Errorf("Decode gave %d, %v, want 2", into.A, err)
	}
	err := toolserver.ParseArguments(`{"a":"x"}`).Decode(&into)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "the arguments do not fit: ") {
		t.Errorf("Decode of a text into an int gave %v", err)
	}
}

// FuzzParseArguments: whatever comes in, what a tool sees is one object in
// which each name stands once, the one that encoding/json would see; and what
// encoding/json takes for no object is empty.
func FuzzParseArguments(f *testing.F) {
	for _, arguments := range notObjects {
		f.Add(arguments)
	}
	for _, arguments := range []string{`{}`, `{"a":1,"b":[{}],"a":null}`, ` {"\u0061":"x"} `, `{"":0,"":1}`, `{"\ud800":1,"\udfff":2}`} {
		f.Add(arguments)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		text := toolserver.ParseArguments(raw).JSON()
		var got map[string]any
		if err := json.Unmarshal([]byte(text), &got); err != nil || got == nil || !utf8.ValidString(text) {
			t.Fatalf("ParseArguments(%q) = %q (%v), want a JSON object", raw, text, err)
		}
		if again := toolserver.ParseArguments(text).JSON(); again != text {
			t.Errorf("ParseArguments(%q) = %q, want what it came from", text, again)
		}
		var want map[string]any
		if json.Unmarshal([]byte(raw), &want) != nil {
			want = nil
		}
		if len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("ParseArguments(%q) says %v, want %v", raw, got, want)
		}
		if len(got) == 0 && len(want) > 0 && utf8.ValidString(raw) && strings.Count(raw, "{")+strings.Count(raw, "[") < 500 {
			t.Errorf("ParseArguments(%q) is empty, want %v", raw, want)
		}
	})
}
