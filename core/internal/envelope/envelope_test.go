package envelope

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func directive(t testing.TB, object string) Directive {
	t.Helper()
	made, err := NewDirective(object)
	if err != nil {
		t.Fatalf("NewDirective(%s): %v", object, err)
	}
	return made
}

func TestJSON(t *testing.T) {
	for _, test := range []struct {
		name string
		of   Envelope
		want string
	}{
		{"nothing", Envelope{}, `{"result":"","directives":[]}`},
		{"text", Envelope{Result: "a\n\"b\""}, `{"result":"a\n\"b\"","directives":[]}`},
		{"failed", Envelope{Result: "no", IsError: true}, `{"result":"no","directives":[],"is_error":true}`},
		{"bytes that are no UTF-8", Envelope{Result: "a\xffb"}, `{"result":"a` + "\ufffd" + `b","directives":[]}`},
		{
			"directives in order",
			Envelope{Result: "r", Directives: []Directive{directive(t, "{ \"type\" : \"b\",\n\"n\":1.0}"), directive(t, `{"type":"a"}`), {}}},
			`{"result":"r","directives":[{"type":"b","n":1.0},{"type":"a"},{}]}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.of.JSON(); got != test.want {
				t.Errorf("JSON of %+v:\n got %s\nwant %s", test.of, got, test.want)
			}
		})
	}
}

func TestNewDirectiveRefusesWhatIsNoObject(t *testing.T) {
	for _, text := range []string{"", "[]", "1", "null", `"{}"`, "{", `{"a":1}{}`, `{"a":}`, strings.Repeat(`{"a":`, 20000)} {
		if made, err := NewDirective(text); err == nil {
			t.Errorf("NewDirective(%.40q) gave %s, want an error", text, made.JSON())
		}
	}
}

// sound are texts that Parse accepts, with what it gives.
var sound = []struct {
	text string
	want Envelope
}{
	{`{"result":""}`, Envelope{}},
	{" {\"result\" : \"a\\u00e9\\n\" }\n", Envelope{Result: "aé\n"}},
	{`{"result":"x","directives":null,"is_error":null}`, Envelope{Result: "x"}},
	{`{"result":"x","directives":[],"is_error":false}`, Envelope{Result: "x"}},
	{`{"is_error":true,"directives":[ {} , {"type": "a"}],"result":"x"}`, Envelope{Result: "x", IsError: true, Directives: []Directive{{json: "{}"}, {json: `{"type":"a"}`}}}},
	{`{"result":"x","other":[1],"other":2,"Result":3,"params":{"result":4},"arguments":{"a":1},"_meta":{}}`, Envelope{Result: "x"}},
}

// faulty are texts that Parse refuses, with words of its reason.
var faulty = []struct{ text, want string }{
	{"", "no JSON object"},
	{"null", "no JSON object"},
	{`"{}"`, "no JSON object"},
	{`[{"result":""}]`, "no JSON object"},
	{`{`, "byte 2"},
	{`{"result":"x"`, "byte 14"},
	{`{"result":"x"},"y":{}`, "something follows"},
	{`{"result":"x"}}`, "byte 15"},
	{"{\"result\":\"\xff\"}", "byte 11"},
	{`{}`, "result is missing or no string"},
	{`{"Result":"x"}`, "result is missing or no string"},
	{`{"result":1}`, "result is missing or no string"},
	{`{"result":null}`, "result is missing or no string"},
	{`{"result":"x","result":"y"}`, "result occurs twice"},
	{`{"result":"x","is_error":false,"is_error":true}`, "is_error occurs twice"},
	{`{"result":"x","is_error":"true"}`, "is_error is neither"},
	{`{"result":"x","directives":{}}`, "directives are no array"},
	{`{"result":"x","directives":[{},1]}`, "directives[1]: the directive is no JSON object"},
	{`{"result":"x","directives":[` + strings.Repeat("{},", 1000) + `{}]}`, "more than 1000 directives"},
	{`{"result":"x","directives":[` + strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat(`}`, 600) + `]}`, "deep"},
}

func TestParse(t *testing.T) {
	for _, test := range sound {
		got, err := Parse(test.text)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("Parse(%s) = %+v, %v, want %+v", test.text, got, err, test.want)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	for _, test := range faulty {
		got, err := Parse(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%.80q) = %+v, %v, want an error with %q", test.text, got, err, test.want)
		}
	}
}

// FuzzParse: what is accepted is written as JSON that reads back the same.
func FuzzParse(f *testing.F) {
	for _, test := range sound {
		f.Add(test.text)
	}
	for _, test := range faulty {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := Parse(text)
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("Parse(%q) accepted what is no JSON", text)
		}
		written := parsed.JSON()
		if !utf8.ValidString(written) || !json.Valid([]byte(written)) || strings.ContainsAny(written, "\r\n") {
			t.Errorf("Parse(%q).JSON() = %q, want one line of JSON", text, written)
		}
		again, err := Parse(written)
		if err != nil || again.JSON() != written {
			t.Errorf("Parse(%q) = %+v, %v, want what it was written from", written, again, err)
		}
	})
}

// FuzzJSON: any text at all survives, but for what is not UTF-8.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{"", "a", "\x00\x1f\"\\", "\xff\xc0\x80", "\u2028"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, result string, failed bool) {
		written := Envelope{Result: result, IsError: failed}.JSON()
		parsed, err := Parse(written)
		want := string([]rune(result))
		if err != nil || parsed.Result != want || parsed.IsError != failed {
			t.Errorf("Parse(%q) = %+v, %v, want the result %q", written, parsed, err, want)
		}
	})
}
