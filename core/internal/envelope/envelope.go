// Package envelope is the JSON in which a tool server, in this process or in
// another, answers a host:
//
//	{"result":"…","directives":[{…},…]}
//
// and for a call that failed the same with "is_error":true at its end.
package envelope

import (
	"errors"
	"fmt"
	"strings"

	"mcpserver/core/internal/wire"
)

const (
	// maxDepth is the deepest nesting that is read. One level of it is the
	// wrapping that members adds.
	maxDepth = 512
	// maxDirectives is the most directives that Parse accepts.
	maxDirectives = 1000
)

// Envelope is the answer to one call of a tool. The zero Envelope is an empty
// result of a call that went well.
type Envelope struct {
	// Result is for the model. In JSON each byte that is not valid UTF-8 is
	// written as U+FFFD.
	Result string
	// Directives are for the host, in the order in which it is to follow them.
	Directives []Directive
	// IsError says that the call failed; Result tells why then.
	IsError bool
}

// Directive is one JSON object on one line. The zero Directive is {}.
type Directive struct {
	json string
}

// NewDirective takes a JSON object. Its white space between values goes, and
// bytes that are not valid UTF-8 become U+FFFD; all else stays byte for byte.
// The error says that it is no JSON object.
func NewDirective(object string) (Directive, error) {
	compact, err := wire.AppendCompact(nil, object)
	if err != nil {
		return Directive{}, fmt.Errorf("the directive is no JSON: %w", err)
	}
	if compact[0] != '{' {
		return Directive{}, errors.New("the directive is no JSON object")
	}
	return Directive{json: string(compact)}, nil
}

// JSON gives the object.
func (d Directive) JSON() string {
	if d.json == "" {
		return "{}"
	}
	return d.json
}

// JSON gives the envelope on one line of valid UTF-8, its members always in
// the order result, directives, is_error, the last one only when it is true.
func (e Envelope) JSON() string {
	dst := wire.AppendString([]byte(`{"result":`), e.Result)
	dst = append(dst, `,"directives":[`...)
	for i, directive := range e.Directives {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, directive.JSON()...)
	}
	dst = append(dst, ']')
	if e.IsError {
		dst = append(dst, `,"is_error":true`...)
	}
	return string(append(dst, '}'))
}

// Parse reads an envelope that somebody else may have written. result must be
// there; directives and is_error may be absent or null; other members are
// passed over. The error says what is wrong with the text: it is no JSON in
// strict UTF-8, nested deeper than some 500 levels, a member occurs twice or is
// of another type, or there are more than 1,000 directives.
func Parse(text string) (Envelope, error) {
	members, err := members(text)
	if err != nil {
		return Envelope{}, fmt.Errorf("the tool's answer is no envelope: %w", err)
	}
	var parsed Envelope
	result := find(members, "result")
	if result.Kind != wire.String {
		return Envelope{}, errors.New("the tool's answer is no envelope: its result is missing or no string")
	}
	parsed.Result = result.Text()
	switch failed := find(members, "is_error"); failed.Kind {
	case wire.Absent, wire.Null, wire.False:
	case wire.True:
		parsed.IsError = true
	default:
		return Envelope{}, errors.New("the tool's answer is no envelope: is_error is neither true nor false")
	}
	if parsed.Directives, err = directives(find(members, "directives")); err != nil {
		return Envelope{}, fmt.Errorf("the tool's answer is no envelope: %w", err)
	}
	return parsed, nil
}

// members lists the members of the object that text is. The scanner lists
// those of params, so the text is put there.
func members(text string) ([]wire.Member, error) {
	text = strings.Trim(text, " \t\r\n")
	if !strings.HasPrefix(text, "{") {
		return nil, errors.New("it is no JSON object")
	}
	const before = `{"params":`
	var view wire.Message
	if err := wire.NewScanner(maxDepth).Scan(before+text+"}", &view); err != nil {
		return nil, shifted(err, len(before))
	}
	if view.Params.Raw != text {
		return nil, errors.New("something follows its JSON object")
	}
	for i, member := range view.ParamMembers {
		if known(member.Name) && find(view.ParamMembers[:i], member.Name).Kind != wire.Absent {
			return nil, fmt.Errorf("its member %s occurs twice", member.Name)
		}
	}
	return view.ParamMembers, nil
}

// shifted gives the error of the scanner for the text without what was put
// before it.
func shifted(err error, before int) error {
	switch err := err.(type) {
	case *wire.SyntaxError:
		return &wire.SyntaxError{Offset: err.Offset - before, Reason: err.Reason}
	case *wire.DepthError:
		return &wire.DepthError{Offset: err.Offset - before, Limit: err.Limit - 1}
	}
	return err
}

func known(name string) bool {
	return name == "result" || name == "directives" || name == "is_error"
}

func find(members []wire.Member, name string) wire.Value {
	for _, member := range members {
		if member.Name == name {
			return member.Value
		}
	}
	return wire.Value{}
}

func directives(list wire.Value) ([]Directive, error) {
	switch list.Kind {
	case wire.Absent, wire.Null:
		return nil, nil
	case wire.Array:
	default:
		return nil, errors.New("its directives are no array")
	}
	elements, ok := wire.Elements(list.Raw, maxDirectives)
	if !ok {
		return nil, fmt.Errorf("it has more than %d directives", maxDirectives)
	}
	var parsed []Directive
	for i, element := range elements {
		directive, err := NewDirective(element)
		if err != nil {
			return nil, fmt.Errorf("directives[%d]: %w", i, err)
		}
		parsed = append(parsed, directive)
	}
	return parsed, nil
}
