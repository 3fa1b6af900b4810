package core

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcpserver/core/internal/wire"
)

// appendStringMember appends ,"name":"value". Names are ours and need no
// escapes.
func appendStringMember(dst []byte, name, value string) []byte {
	return wire.AppendString(appendName(dst, name), value)
}

func appendOptionalString(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return appendStringMember(dst, name, value)
}

// appendObjectMember appends ,"name":value for a JSON object that the aspect
// wrote, or nothing when it is empty.
func appendObjectMember(dst []byte, name string, value json.RawMessage) ([]byte, error) {
	if len(value) == 0 {
		return dst, nil
	}
	start := len(dst)
	dst = appendName(dst, name)
	opening := len(dst)
	dst, err := wire.AppendCompact(dst, string(value))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if dst[opening] != '{' {
		return dst[:start], fmt.Errorf("%s is no JSON object", name)
	}
	return dst, nil
}

func appendName(dst []byte, name string) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	return append(dst, `":`...)
}

// withoutComma takes off the comma that the first of the members appended
// since start brought along.
func withoutComma(dst []byte, start int) []byte {
	if len(dst) > start && dst[start] == ',' {
		return append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// appendChanged appends the members of a JSON object on one line, each with a
// comma before it and with its value as change appends it. A member of which
// change appends nothing is left out.
func appendChanged(dst []byte, object string, change func(dst []byte, name, value string) []byte) []byte {
	for member := range wire.Members(object) {
		start := len(dst)
		dst = append(wire.AppendString(append(dst, ','), member.Name), ':')
		value := len(dst)
		if dst = change(dst, member.Name, member.Value.Raw); len(dst) == value {
			dst = dst[:start]
		}
	}
	return dst
}

// appendChangedObject is appendChanged with the object's braces. What is no
// object stays as it is.
func appendChangedObject(dst []byte, object string, change func(dst []byte, name, value string) []byte) []byte {
	if !strings.HasPrefix(object, "{") {
		return append(dst, object...)
	}
	dst = append(dst, '{')
	start := len(dst)
	return append(withoutComma(appendChanged(dst, object, change), start), '}')
}

// repeatedMember gives the name of a member that an object within a JSON value
// has twice. Its time grows with the value's length alone, however deep that is.
func repeatedMember(value string) (name string, repeated bool) {
	type level struct {
		names map[string]bool // nil for an array
		named bool            // the value of a member comes next
	}
	levels := []level{{}}
	decoder := json.NewDecoder(strings.NewReader(value))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", false
		}
		top := &levels[len(levels)-1]
		if text, isText := token.(string); isText && top.names != nil && !top.named {
			if top.names[text] {
				return text, true
			}
			top.names[text], top.named = true, true
			continue
		}
		top.named = false
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{names: make(map[string]bool)})
		case json.Delim('['):
			levels = append(levels, level{})
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
		}
	}
}
