package toolserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// TextObject is structured content of one member, which is a text, such as
// {"content":"…"}. Where an outcome's content begins with the same text, the
// text is encoded once for both, so that long texts take little memory.
type TextObject struct {
	Name, Text string
}

// MarshalJSON implements json.Marshaler.
func (o TextObject) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{o.Name: o.Text})
}

// textResult is a result whose structured content is a text with which its
// content begins. What it writes is, byte for byte, what the core.ToolResult of
// the same content and structured content does.
type textResult struct {
	object TextObject
	after  []core.Block
}

// textResult gives the outcome as one, if it is such: it went well, and the
// text is the first of the content and valid UTF-8, since for bytes that are
// not encoding/json writes something else than content has.
func (o Outcome) textResult() (made textResult, ok bool) {
	object, ok := o.Structured.(TextObject)
	if !ok || o.IsError || len(o.Content) == 0 || slices.Contains(o.Content, nil) {
		return textResult{}, false
	}
	first, ok := o.Content[0].(core.TextBlock)
	if !ok || first.Text != object.Text || first.Annotations != nil || first.Meta != nil || !utf8.ValidString(object.Name) || !utf8.ValidString(object.Text) {
		return textResult{}, false
	}
	return textResult{object, o.Content[1:]}, true
}

// AppendMembers implements core.Result.
func (r textResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst = append(r.grow(dst), `"content":[{"type":"text","text":`...)
	begin := len(dst)
	dst = wire.AppendString(dst, r.object.Text)
	end := len(dst)
	dst = append(dst, '}')
	for i, block := range r.after {
		var err error
		if dst, err = block.AppendBlock(append(dst, ','), revision); err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i+1, err)
		}
	}
	dst = append(dst, ']')
	if revision < protocol.V20250618 {
		return dst, nil
	}
	dst = appendForHTML(append(dst, `,"structuredContent":{`...), wire.AppendString(nil, r.object.Name))
	dst = appendForHTML(append(dst, ':'), dst[begin:end])
	return append(dst, '}'), nil
}

// around is room for what stands beside the text and behind the result, in
// bytes.
const around = 1 << 10

// grow gives dst room for the whole result, so that a long text is not copied
// each time that there is no more.
func (r textResult) grow(dst []byte) []byte {
	text := r.object.Text
	length := len(text)
	for _, escaped := range []string{"\n", "\t", "\r", `"`, `\`} {
		length += strings.Count(text, escaped)
	}
	forHTML := 0
	for _, escaped := range []string{"<", ">", "&"} {
		forHTML += strings.Count(text, escaped) * len(`u003c`)
	}
	return slices.Grow(dst, length+length+forHTML+around)
}

// appendForHTML appends a text of JSON with the escapes that encoding/json has
// beyond it, for what means something in HTML and JavaScript.
func appendForHTML(dst, encoded []byte) []byte {
	const hex = "0123456789abcdef"
	done := 0
	for i, c := range encoded {
		switch {
		case c == '<', c == '>', c == '&':
			dst = append(append(dst, encoded[done:i]...), `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&0xF])
			done = i + 1
		case c == 0xE2 && bytes.HasPrefix(encoded[i:], []byte("\u2028")), c == 0xE2 && bytes.HasPrefix(encoded[i:], []byte("\u2029")):
			dst = append(append(dst, encoded[done:i]...), `\u202`...)
			dst = append(dst, encoded[i+2]-0xA8+'8')
			done = i + len("\u2028")
		}
	}
	return append(dst, encoded[done:]...)
}
