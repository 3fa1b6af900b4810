package gateway

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// appendRaw appends a member to an object that is not closed yet; key and value
// are JSON.
func appendRaw(object []byte, key, value string) []byte {
	if len(object) > 1 {
		object = append(object, ',')
	}
	object = append(object, key...)
	return append(append(object, ':'), value...)
}

// withMember gives an object with one more member, in JSON.
func withMember(object json.RawMessage, name, value string) json.RawMessage {
	open := append([]byte{}, object[:len(object)-1]...)
	return append(appendRaw(open, quoted(name), value), '}')
}

// quoted gives a text as JSON.
func quoted(text string) string { return string(gjson.AppendJSONString(nil, text)) }

// withURI gives an object with another uri, and otherwise as it is.
func withURI(object, uri string) string {
	return replaced(object, gjson.Get(object, "uri"), quoted(uri))
}

// replaced gives JSON with something else in the place of a value of it.
func replaced(text string, old gjson.Result, value string) string {
	return text[:old.Index] + value + text[old.Index+len(old.Raw):]
}

// shorten makes a name of the client's fit to be quoted in a message.
func shorten(name string) string {
	most := 80
	if len(name) <= most {
		return name
	}
	for most > 0 && !utf8.RuneStart(name[most]) {
		most--
	}
	return name[:most] + "…"
}
