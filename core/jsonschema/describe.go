package jsonschema

import (
	"strconv"

	"mcpserver/core/internal/wire"
)

// describer writes a shape as a JSON schema.
//
// There are two schemas of each shape: the one that clients are shown, and the
// one that is checked. Arguments that may be absent may be null, too, since
// models send it to say just that; but as a union of types it keeps some models
// from giving the argument at all, so clients are not shown that.
type describer struct {
	input, checking bool
}

// appendRoot appends the schema of a root; named are the shapes for $defs.
func (d describer) appendRoot(dst []byte, root *shape, named []*shape) []byte {
	dst = append(dst, '{')
	dst = d.appendBody(dst, root, false, "")
	if root.form == dictionaryForm {
		dst = append(dst, `,"properties":{}`...)
	}
	for i, s := range named {
		if i == 0 {
			dst = append(dst, `,"$defs":{`...)
		}
		dst = wire.AppendString(dst, s.name)
		dst = append(dst, `:{`...)
		dst = append(d.appendBody(dst, s, false, ""), `},`...)
		if d.checking {
			dst = wire.AppendString(dst, s.name+orNull)
			dst = append(dst, `:{`...)
			dst = append(d.appendBody(dst, s, true, ""), `},`...)
		}
		if i == len(named)-1 {
			dst[len(dst)-1] = '}'
		}
	}
	return append(dst, '}')
}

// orNull ends the names of definitions that allow null besides.
const orNull = " or null"

// appendUse appends the schema of a shape at some place.
func (d describer) appendUse(dst []byte, u use, optional bool, description string) []byte {
	nullable := u.nullable && !d.input || d.input && d.checking && (u.nullable || optional)
	dst = append(dst, '{')
	switch {
	case u.shape.name == "":
		dst = d.appendBody(dst, u.shape, nullable, description)
	case nullable && d.checking:
		dst = appendReference(dst, u.shape.name+orNull)
	case nullable:
		dst = appendReference(append(dst, `"anyOf":[{`...), u.shape.name)
		dst = append(dst, `},{"type":"null"}]`...)
		dst = appendText(dst, "description", description)
	default:
		dst = appendReference(dst, u.shape.name)
		dst = appendText(dst, "description", description)
	}
	return append(dst, '}')
}

func appendReference(dst []byte, name string) []byte {
	return wire.AppendString(append(dst, `"$ref":`...), "#/$defs/"+name)
}

// appendBody appends the members of a shape's schema.
func (d describer) appendBody(dst []byte, s *shape, nullable bool, description string) []byte {
	start := len(dst)
	switch jsonType := s.form.jsonType(); {
	case jsonType == "":
	case nullable:
		dst = append(dst, `"type":["`+jsonType+`","null"]`...)
	default:
		dst = append(dst, `"type":"`+jsonType+`"`...)
	}
	if description == "" {
		description = s.description
	}
	dst = appendText(dst, "description", description)
	dst = appendText(dst, "format", d.format(s))
	dst = appendText(dst, "contentEncoding", s.encoding)
	least, greatest := s.minimum, s.maximum
	if d.checking {
		least, greatest = s.least, s.greatest
	}
	dst = appendRaw(dst, "minimum", least)
	dst = appendRaw(dst, "maximum", greatest)
	switch s.form {
	case listForm:
		dst = d.appendUse(append(dst, `,"items":`...), *s.element, false, "")
		if s.length >= 0 {
			dst = appendRaw(dst, "minItems", strconv.Itoa(s.length))
			dst = appendRaw(dst, "maxItems", strconv.Itoa(s.length))
		}
	case dictionaryForm:
		dst = d.appendUse(append(dst, `,"additionalProperties":`...), *s.element, false, "")
		if d.checking && s.reader != "" {
			dst = appendText(append(dst, `,"propertyNames":{"type":"string"`...), "format", s.reader)
			dst = append(dst, '}')
		}
	case objectForm:
		dst = d.appendProperties(dst, s)
	}
	if len(dst) > start && dst[start] == ',' {
		dst = append(dst[:start], dst[start+1:]...)
	}
	return dst
}

// format gives the format that clients are shown, or, to check, a text's reader.
func (d describer) format(s *shape) string {
	switch {
	case !d.checking:
		return s.format
	case s.form == textForm:
		return s.reader
	}
	return ""
}

func (d describer) appendProperties(dst []byte, s *shape) []byte {
	dst = append(dst, `,"properties":{`...)
	required := []byte(nil)
	for i, f := range s.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(wire.AppendString(dst, f.name), ':')
		dst = d.appendUse(dst, f.value, f.optional, f.description)
		if !f.optional {
			required = append(wire.AppendString(required, f.name), ',')
		}
	}
	dst = append(dst, '}')
	if len(required) > 0 {
		dst = append(append(dst, `,"required":[`...), required[:len(required)-1]...)
		dst = append(dst, ']')
	}
	if d.input {
		// encoding/json would pass over what it does not know, and take names
		// in another case for the same.
		dst = append(dst, `,"additionalProperties":false`...)
	}
	return dst
}

func appendText(dst []byte, member, text string) []byte {
	if text == "" {
		return dst
	}
	return wire.AppendString(append(dst, `,"`+member+`":`...), text)
}

func appendRaw(dst []byte, member, value string) []byte {
	if value == "" {
		return dst
	}
	return append(append(dst, `,"`+member+`":`...), value...)
}
