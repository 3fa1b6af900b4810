package jsonschema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpserver/core"
	"mcpserver/core/jsonschema"
)

// level is read from a text by a method of its own.
type level int

func (l *level) UnmarshalText(text []byte) error {
	if string(text) != "high" {
		return errors.New("there is no such level")
	}
	*l = 3
	return nil
}

// texts has what is read from texts, of which a schema cannot say which.
type texts struct {
	When   *time.Time       `json:"when"`
	Data   []byte           `json:"data,omitempty"`
	Level  level            `json:"level,omitempty"`
	Count  int8             `json:"count,string,omitempty"`
	Share  *float64         `json:"share,string"`
	Sure   bool             `json:"sure,string,omitempty"`
	Quote  string           `json:"quote,string,omitempty"`
	Floors map[int8]string  `json:"floors,omitempty"`
	Levels map[level]string `json:"levels,omitempty"`
}

// What the check takes, the handler can read; what it refuses is told with its
// place.
func TestTextsThatCannotBeRead(t *testing.T) {
	schema := jsonschema.NewInput[texts]()
	for _, test := range []struct{ object, want string }{
		{`{"when":"2026-07-28T12:00:00+02:00","data":"aGk=","level":"high","count":"-128","share":"0.5","sure":"true","quote":"\"a\"","floors":{"-1":"cellar"},"levels":{"high":"up"}}`, ``},
		{`{"when":null,"data":null,"level":null,"count":null,"share":null,"floors":null}`, ``},
		{`{"when":"noon"}`, `when: must be a date and time such as "2006-01-02T15:04:05Z", got "noon"`},
		{`{"when":"2026-02-30T12:00:00Z"}`, `when: must be a date and time such as "2006-01-02T15:04:05Z", got "2026-02-30T12:00:00Z"`},
		{`{"data":"?"}`, `data: must be a text in base64, got "?"`},
		{`{"level":"low"}`, `level: cannot be read (there is no such level), got "low"`},
		{`{"count":"128"}`, `count: must be an integer of int8 in a text, got "128"`},
		{`{"count":1}`, `count: must be a string, got a number`},
		{`{"share":"half"}`, `share: must be a number in a text, got "half"`},
		{`{"sure":"yes"}`, `sure: must be "true" or "false" in a text, got "yes"`},
		{`{"quote":"a"}`, `quote: must be a JSON string in a text, got "a"`},
		{`{"floors":{"128":"roof"}}`, `the name "128": must be an integer from -128 to 127, got "128"`},
		{`{"levels":{"low":"down"}}`, `the name "low": cannot be read (there is no such level), got "low"`},
	} {
		got := check(t, schema, test.object)
		if got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.object, got, test.want)
		}
		call := core.NewCall(nil, "t", test.object, nil)
		if _, err := schema.Read(&call); got == "" && err != nil {
			t.Errorf("%s: Read gave %v", test.object, err)
		}
	}
	if got := listed(schema); !strings.Contains(got, `"when":{"type":"string","format":"date-time"}`) || strings.Contains(got, "reader") {
		t.Errorf("listed as %s", got)
	}
}

// odd reads itself from JSON, which no schema knows of.
type odd int

func (n *odd) UnmarshalJSON(text []byte) error {
	if len(text)%2 == 0 {
		return errors.New("not odd")
	}
	return nil
}

func TestReadTellsWhatATypeRefuses(t *testing.T) {
	schema := jsonschema.NewInput[struct{ N odd }]()
	call := core.NewCall(nil, "t", `{"N":10}`, nil)
	if _, err := schema.Read(&call); err == nil || !strings.Contains(err.Error(), "the arguments do not fit: not odd") {
		t.Errorf("the error is %v", err)
	}
}

// Arguments that are absent are those of an empty object.
func TestReadWithoutArguments(t *testing.T) {
	schema := jsonschema.NewInput[texts]()
	call := core.NewCall(nil, "t", "", nil)
	if missing, violations := schema.Check(call.ArgumentsText(), call.Members()); missing != "" || len(violations) > 0 {
		t.Errorf("Check gave %q, %q", missing, violations)
	}
	if got, err := schema.Read(&call); err != nil || got.When != nil {
		t.Errorf("Read gave %v, %v", got, err)
	}
}

// Integers are read by their value, however they are written, and exactly.
func TestIntegersAreExact(t *testing.T) {
	schema := jsonschema.NewInput[struct {
		Signed   int64
		Unsigned uint64
		Small    uint8
	}]()
	for _, test := range []struct{ object, want, got string }{
		{`{"Signed":-9223372036854775808,"Unsigned":18446744073709551615,"Small":255}`, ``, `{-9223372036854775808 18446744073709551615 255}`},
		{`{"Signed":9007199254740993,"Unsigned":9.007199254740993e15,"Small":1.0}`, ``, `{9007199254740993 9007199254740993 1}`},
		{`{"Signed":-0,"Unsigned":-0,"Small":-0.0e1}`, ``, `{0 0 0}`},
		{`{"Signed":9223372036854775808,"Unsigned":0,"Small":0}`, `Signed: must be at most 9223372036854775807, got 9223372036854775808`, ``},
		{`{"Signed":0,"Unsigned":18446744073709551616,"Small":0}`, `Unsigned: must be at most 18446744073709551615, got 18446744073709551616`, ``},
		{`{"Signed":0,"Unsigned":-1,"Small":256}`, `Unsigned: must be at least 0, got -1; Small: must be at most 255, got 256`, ``},
		{`{"Signed":0.5,"Unsigned":1e-400,"Small":1e400}`, `Unsigned: must be a number of at most 400 digits; Small: must be a number of at most 400 digits`, ``},
	} {
		if got := check(t, schema, test.object); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.object, got, test.want)
		}
		if test.want != "" {
			continue
		}
		call := core.NewCall(nil, "t", test.object, nil)
		if got, err := schema.Read(&call); err != nil || fmt.Sprint(got) != test.got {
			t.Errorf("%s was read as %v, %v", test.object, got, err)
		}
	}
}

// encoding/json takes a name in another case for a field's; the schema does not.
func TestNamesAreCaseSensitive(t *testing.T) {
	type inner struct {
		Key string `json:"key,omitempty"`
	}
	schema := jsonschema.NewInput[struct {
		Name  string `json:"name,omitempty"`
		Inner inner  `json:"inner"`
	}]()
	for _, test := range []struct{ object, want string }{
		{`{"name":"a","Name":"b","inner":{}}`, `Name: is not expected (known: inner, name)`},
		{`{"name":"a","name":"b","inner":{}}`, `name: is given twice`},
		{`{"inner":{"KEY":"a"}}`, `inner.KEY: is not expected (known: key)`},
		{`{"\u006eame":"a","inner":{"ke\u0079":"b"}}`, ``},
		{`{"nam\u212a":"a","inner":{"\u212aey":"b"}}`, "nam\u212a: is not expected (known: inner, name); inner.\u212aey: is not expected (known: key)"},
	} {
		if got := check(t, schema, test.object); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.object, got, test.want)
		}
	}
}
