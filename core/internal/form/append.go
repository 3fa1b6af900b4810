package form

import (
	"fmt"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Supports tells why the revision cannot ask the form; nil when it can.
func (f *Form) Supports(revision protocol.Revision) error {
	if revision >= protocol.V20251125 {
		return nil
	}
	for i := range f.properties {
		if p := &f.properties[i]; p.kind == choices || p.kind == titledChoices {
			return inProperty(p.name, fmt.Errorf("protocol version %s has no arrays of choices", revision))
		}
	}
	return nil
}

// AppendJSON appends the form as a revision that supports it has it. What the
// revision knows is as its author wrote it, but for white space.
func (f *Form) AppendJSON(dst []byte, revision protocol.Revision) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for keyword := range wire.Members(f.text) {
		switch keyword.Name {
		case "type", "required":
			dst = append(appendName(dst, start, keyword.Name), keyword.Value.Raw...)
		case "$schema":
			if revision >= protocol.V20251125 {
				dst = append(appendName(dst, start, keyword.Name), keyword.Value.Raw...)
			}
		case "properties":
			dst = f.appendProperties(appendName(dst, start, keyword.Name), revision)
		}
	}
	return append(dst, '}')
}

func (f *Form) appendProperties(dst []byte, revision protocol.Revision) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for i := range f.properties {
		p := &f.properties[i]
		dst = p.appendJSON(appendName(dst, start, p.name), revision)
	}
	return append(dst, '}')
}

func (p *property) appendJSON(dst []byte, revision protocol.Revision) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, keyword := range p.keywords {
		switch {
		case !p.isKnown(keyword.Name, revision):
		case keyword.Name == "oneOf" && revision < protocol.V20251125:
			// The same in the words of that revision.
			dst = wire.AppendStrings(appendName(dst, start, "enum"), p.options)
			dst = wire.AppendStrings(appendName(dst, start, "enumNames"), p.titles)
		case keyword.Name == "items":
			dst = p.appendItems(appendName(dst, start, "items"))
		default:
			dst = append(appendName(dst, start, keyword.Name), keyword.Value.Raw...)
		}
	}
	return append(dst, '}')
}

// isKnown reports whether the revision has the keyword, in its own words at
// least.
func (p *property) isKnown(keyword string, revision protocol.Revision) bool {
	switch keyword {
	case "$comment":
		return false
	case "default":
		return p.kind == boolean || revision >= protocol.V20251125
	case "pattern":
		return revision == protocol.V20251125
	}
	return true
}

func (p *property) appendItems(dst []byte) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for _, keyword := range p.items {
		switch {
		case keyword.Name == "enum", keyword.Name == "anyOf", keyword.Name == "type" && p.kind == choices:
			dst = append(appendName(dst, start, keyword.Name), keyword.Value.Raw...)
		}
	}
	return append(dst, '}')
}

// appendName appends a member's name and colon, after a comma unless it is the
// first of the object whose inside begins at start.
func appendName(dst []byte, start int, name string) []byte {
	if len(dst) > start {
		dst = append(dst, ',')
	}
	return append(wire.AppendString(dst, name), ':')
}
