package gateway

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// closed is a channel that is.
var closed = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

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
func withURI(object json.RawMessage, uri string) json.RawMessage {
	return replaced(object, gjson.GetBytes(object, "uri"), quoted(uri))
}

// replaced gives JSON with something else in the place of a value of it.
func replaced(text json.RawMessage, old gjson.Result, value string) json.RawMessage {
	changed := append(json.RawMessage{}, text[:old.Index]...)
	changed = append(changed, value...)
	return append(changed, text[old.Index+len(old.Raw):]...)
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
