package core

import (
	"encoding/json"
	"fmt"

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

func appendStrings(dst []byte, values []string) []byte {
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendString(dst, value)
	}
	return append(dst, ']')
}

// withoutComma takes off the comma that the first of the members appended
// since start brought along.
func withoutComma(dst []byte, start int) []byte {
	if len(dst) > start && dst[start] == ',' {
		return append(dst[:start], dst[start+1:]...)
	}
	return dst
}
