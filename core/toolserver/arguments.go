package toolserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/wire"
)

const (
	// maxArguments is the longest text of arguments that Execute takes, in
	// bytes.
	maxArguments = 64 << 20
	// maxArgumentDepth is the deepest nesting of arguments, with the two
	// levels that scanArguments adds. It is what encoding/json reads.
	maxArgumentDepth = 10_000
)

// Arguments are those of one call: a JSON object, valid UTF-8, in which no
// name stands twice at the top. The zero Arguments are empty.
type Arguments struct {
	text    string
	members []wire.Member
}

// ParseArguments reads the arguments of a call as Execute does: what is no
// object (null, a text, a list, broken JSON, nothing at all) is the empty
// object, so that the tool can say what it misses. Broken are also bytes that
// are not valid UTF-8 and nesting deeper than some 10,000 levels. Of members with
// the same name, the last one counts.
func ParseArguments(raw string) Arguments {
	text := strings.Trim(raw, " \t\r\n")
	if !strings.HasPrefix(text, "{") {
		return Arguments{}
	}
	members, duplicate, ok := scanArguments(text)
	switch {
	case !ok:
		return Arguments{}
	case duplicate:
		return withoutDuplicates(members)
	}
	return Arguments{text: text, members: members}
}

// scanArguments lists the members of the object that text is, if it is one.
func scanArguments(text string) (members []wire.Member, duplicate, ok bool) {
	var view wire.Message
	err := wire.NewScanner(maxArgumentDepth).Scan(`{"params":{"arguments":`+text+`}}`, &view)
	if err != nil || view.Param("arguments").Raw != text {
		return nil, false, false
	}
	return view.Arguments, view.DuplicateIn != wire.NoScope, true
}

// withoutDuplicates keeps the last member of each name, in the place of the
// first: readers of JSON differ in which one they take.
func withoutDuplicates(members []wire.Member) Arguments {
	place := make(map[string]int, len(members))
	var kept []wire.Member
	for _, member := range members {
		if at, known := place[member.Name]; known {
			kept[at].Value = member.Value
			continue
		}
		place[member.Name] = len(kept)
		kept = append(kept, member)
	}
	dst := []byte{'{'}
	for i, member := range kept {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(wire.AppendString(dst, member.Name), ':')
		dst = append(dst, member.Value.Raw...)
	}
	return Arguments{text: string(append(dst, '}')), members: kept}
}

// JSON gives the object.
func (a Arguments) JSON() string {
	if a.text == "" {
		return "{}"
	}
	return a.text
}

// Value gives the argument of exactly that name; it does not exist when there
// is none.
func (a Arguments) Value(name string) gjson.Result {
	value := a.find(name)
	if value.Kind == wire.Absent {
		return gjson.Result{}
	}
	return gjson.Parse(value.Raw)
}

// Decode reads the arguments into a value as encoding/json does. The error is
// for the model to read.
func (a Arguments) Decode(into any) error {
	if err := json.Unmarshal([]byte(a.JSON()), into); err != nil {
		return fmt.Errorf("the arguments do not fit: %w", err)
	}
	return nil
}

// RequireString gives the argument of that name. The error, if it is missing or
// no text, is the one to return.
func (a Arguments) RequireString(name string) (string, error) {
	return required(a, name, "a string", textOf)
}

// RequireInt gives a whole number exactly; 3.0 and 1e2 are whole numbers.
func (a Arguments) RequireInt(name string) (int64, error) {
	return required(a, name, "a whole number", wire.Value.Int)
}

// RequireBool gives a truth value.
func (a Arguments) RequireBool(name string) (bool, error) {
	return required(a, name, "true or false", truthOf)
}

// String gives the argument of that name, or the fallback when it was not given
// (or null). The error, when it is no text, is the one to return.
func (a Arguments) String(name, fallback string) (string, error) {
	return optional(a, name, fallback, "a string", textOf)
}

// Int is String for a whole number.
func (a Arguments) Int(name string, fallback int64) (int64, error) {
	return optional(a, name, fallback, "a whole number", wire.Value.Int)
}

// Bool is String for a truth value.
func (a Arguments) Bool(name string, fallback bool) (bool, error) {
	return optional(a, name, fallback, "true or false", truthOf)
}

func (a Arguments) find(name string) wire.Value {
	for i := range a.members {
		if a.members[i].Name == name {
			return a.members[i].Value
		}
	}
	return wire.Value{}
}

func textOf(v wire.Value) (string, bool) { return v.Text(), v.Kind == wire.String }

func truthOf(v wire.Value) (bool, bool) {
	return v.Kind == wire.True, v.Kind == wire.True || v.Kind == wire.False
}

func required[T any](a Arguments, name, want string, read func(wire.Value) (T, bool)) (T, error) {
	value := a.find(name)
	if value.Kind == wire.Absent {
		var none T
		return none, fmt.Errorf("%s: the argument is missing", name)
	}
	return typed(name, value, want, read)
}

func optional[T any](a Arguments, name string, fallback T, want string, read func(wire.Value) (T, bool)) (T, error) {
	value := a.find(name)
	if value.Kind == wire.Absent || value.Kind == wire.Null {
		return fallback, nil
	}
	return typed(name, value, want, read)
}

func typed[T any](name string, value wire.Value, want string, read func(wire.Value) (T, bool)) (T, error) {
	result, ok := read(value)
	if !ok {
		return result, fmt.Errorf("%s: must be %s", name, want)
	}
	return result, nil
}
