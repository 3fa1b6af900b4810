package core

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// AppendDefinition appends the tool as the revision's tools/list has it.
func (t Tool) AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error) {
	if len(t.Raw) > 0 {
		return appendRawDefinition(dst, t.Raw, "name", t.Name, revision)
	}
	dst = wire.AppendString(append(dst, `{"name":`...), t.Name)
	if revision >= protocol.V20250618 {
		dst = appendOptionalString(dst, "title", t.Title)
	}
	dst = appendOptionalString(dst, "description", t.Description)
	if revision >= protocol.V20251125 {
		dst = AppendIcons(dst, t.Icons)
	}
	dst = append(dst, `,"inputSchema":`...)
	if t.Input != nil {
		dst = t.Input.AppendJSON(dst)
	} else {
		dst = append(dst, `{"type":"object","properties":{}}`...)
	}
	if t.Output != nil && revision >= protocol.V20250618 {
		dst = t.Output.AppendJSON(append(dst, `,"outputSchema":`...))
	}
	if t.Annotations != nil && revision >= protocol.V20250326 {
		dst = t.Annotations.append(dst)
	}
	if revision >= protocol.V20250618 {
		var err error
		if dst, err = appendObjectMember(dst, "_meta", t.Meta); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendRawDefinition appends a definition that somebody else wrote: it sets
// the member that it is found by, and leaves out what the revision does not
// know.
func appendRawDefinition(dst []byte, raw json.RawMessage, keyMember, key string, revision protocol.Revision) ([]byte, error) {
	definition, err := wire.AppendCompact(nil, string(raw))
	if err != nil {
		return nil, fmt.Errorf("raw definition: %w", err)
	}
	unknown := []string{"execution"}
	if revision < protocol.V20251125 {
		unknown = append(unknown, "icons")
	}
	if revision < protocol.V20250618 {
		unknown = append(unknown, "title", "outputSchema", "_meta")
	}
	// Tools have annotations since 2025-03-26; resources always had them.
	if revision < protocol.V20250326 && keyMember == "name" {
		unknown = append(unknown, "annotations")
	}
	dst = append(dst, '{')
	start, keyed := len(dst), false
	dst = appendChanged(dst, string(definition), func(dst []byte, name, value string) []byte {
		switch {
		case name == keyMember:
			keyed = true
			return wire.AppendString(dst, key)
		case slices.Contains(unknown, name):
			return dst
		case name == "outputSchema" && revision.Legacy() && !isObjectSchema(gjson.Parse(value)):
			return dst
		}
		return append(dst, value...)
	})
	if !keyed {
		dst = appendStringMember(dst, keyMember, key)
	}
	return append(withoutComma(dst, start), '}'), nil
}

func (a *ToolAnnotations) append(dst []byte) []byte {
	dst = append(dst, `,"annotations":{`...)
	start := len(dst)
	dst = appendOptionalString(dst, "title", a.Title)
	dst = appendHint(dst, "readOnlyHint", a.ReadOnlyHint)
	dst = appendHint(dst, "destructiveHint", a.DestructiveHint)
	dst = appendHint(dst, "idempotentHint", a.IdempotentHint)
	dst = appendHint(dst, "openWorldHint", a.OpenWorldHint)
	return append(withoutComma(dst, start), '}')
}

func appendHint(dst []byte, name string, hint *bool) []byte {
	switch {
	case hint == nil:
		return dst
	case *hint:
		return append(appendName(dst, name), "true"...)
	}
	return append(appendName(dst, name), "false"...)
}
