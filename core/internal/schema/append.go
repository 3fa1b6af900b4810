package schema

import (
	"strconv"

	"mcpserver/core/internal/wire"
)

// AppendJSON appends the schema as JSON on one line. It is for an Object that
// Validate accepts: a default that is no JSON is left out, and items nested
// beyond the limit of Validate are any.
func (o *Object) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":"object","properties":{`...)
	for i := range o.Properties {
		if i > 0 {
			dst = append(dst, ',')
		}
		p := &o.Properties[i]
		dst = wire.AppendString(dst, p.Name)
		dst = append(dst, ':')
		dst = p.appendJSON(dst, 0)
	}
	dst = append(dst, '}')
	dst = o.appendRequired(dst)
	if o.Closed {
		dst = append(dst, `,"additionalProperties":false`...)
	}
	return append(dst, '}')
}

// appendRequired leaves the member out when nothing is required: some clients
// refuse an empty list.
func (o *Object) appendRequired(dst []byte) []byte {
	var required []string
	for i := range o.Properties {
		if o.Properties[i].Required {
			required = append(required, o.Properties[i].Name)
		}
	}
	if len(required) == 0 {
		return dst
	}
	return wire.AppendStrings(append(dst, `,"required":`...), required)
}

func (p *Property) appendJSON(dst []byte, depth int) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, p.Type.String()...)
	dst = append(dst, '"')
	dst = appendText(dst, `,"title":`, p.Title)
	dst = appendText(dst, `,"description":`, p.Description)
	if len(p.Enum) > 0 {
		dst = wire.AppendStrings(append(dst, `,"enum":`...), p.Enum)
	}
	dst = appendBound(dst, `,"minimum":`, p.Minimum)
	dst = appendBound(dst, `,"maximum":`, p.Maximum)
	dst = appendCount(dst, `,"minLength":`, p.MinLength)
	dst = appendCount(dst, `,"maxLength":`, p.MaxLength)
	dst = appendCount(dst, `,"minItems":`, p.MinItems)
	dst = appendCount(dst, `,"maxItems":`, p.MaxItems)
	if p.Type == Array {
		dst = p.appendItems(dst, depth)
	}
	dst = appendDefault(dst, p.Default)
	return append(dst, '}')
}

// appendItems writes the member even when items may be anything: some clients
// and model services refuse an array without it.
func (p *Property) appendItems(dst []byte, depth int) []byte {
	dst = append(dst, `,"items":`...)
	if p.Items == nil || depth == maxNesting {
		return append(dst, `{}`...)
	}
	return p.Items.appendJSON(dst, depth+1)
}

func appendDefault(dst []byte, value string) []byte {
	if value == "" {
		return dst
	}
	start := len(dst)
	extended, err := wire.AppendCompact(append(dst, `,"default":`...), value)
	if err != nil {
		return dst[:start]
	}
	return extended
}

func appendText(dst []byte, member, text string) []byte {
	if text == "" {
		return dst
	}
	return wire.AppendString(append(dst, member...), text)
}

func appendBound(dst []byte, member string, bound *float64) []byte {
	if bound == nil {
		return dst
	}
	return wire.AppendFloat(append(dst, member...), *bound)
}

func appendCount(dst []byte, member string, count int) []byte {
	if count == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, member...), int64(count), 10)
}
