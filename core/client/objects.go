package client

import (
	"errors"
	"fmt"
	"strings"

	"mcpserver/core/internal/wire"
)

// maxDepth is the deepest nesting of JSON that is read from a server.
const maxDepth = 512

// objectMembers lists the members of a JSON object. The scanner lists those of
// params, so the object is put there.
func objectMembers(object string) ([]wire.Member, error) {
	view, err := scanObject(object)
	if err != nil {
		return nil, err
	}
	return view.ParamMembers, nil
}

// scanObject gives a view in which an object's members are ParamMembers and
// those of its _meta are Meta.
func scanObject(object string) (*wire.Message, error) {
	object = strings.Trim(object, " \t\r\n")
	view := &wire.Message{}
	if err := wire.NewScanner(maxDepth+1).Scan(`{"params":`+object+`}`, view); err != nil {
		return nil, err
	}
	if view.Params.Kind != wire.Object || view.Params.Raw != object {
		return nil, errors.New("it is no JSON object")
	}
	if view.DuplicateIn != wire.NoScope {
		return nil, fmt.Errorf("it has the member %q twice", view.DuplicateName)
	}
	return view, nil
}

// find gives the member of that name, or an Absent value.
func find(members []wire.Member, name string) wire.Value {
	for _, member := range members {
		if member.Name == name {
			return member.Value
		}
	}
	return wire.Value{}
}

// appendMember appends "name":value, with a comma before it unless it is the
// first of its object.
func appendMember(dst []byte, name, value string) []byte {
	if len(dst) > 0 && dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(wire.AppendString(dst, name), ':')
	return append(dst, value...)
}

// quoted gives a text as a JSON string.
func quoted(text string) string { return string(wire.AppendString(nil, text)) }
