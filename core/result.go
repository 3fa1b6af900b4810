package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Result is what a handler answers with: for a tool Text, ToolError or a
// *ToolResult, for a prompt a *PromptResult, for a resource a ResourceResult;
// for all of them RawResult, ForwardedResult, Pending, or what Call.RequireInput
// gives.
type Result interface {
	// AppendMembers appends the members of the result object, without its
	// braces, as the revision has them. An error means that the result cannot
	// be written as JSON.
	AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error)
}

// Text is a tool result of one text.
func Text(text string) Result { return textResult(text) }

// ToolError is a tool result that says what went wrong, for the client's model
// to read.
func ToolError(text string) Result {
	return &ToolResult{Content: []Block{TextBlock{Text: text}}, IsError: true}
}

// ToolResult is a tool result of any content.
type ToolResult struct {
	Content []Block
	// Structured is sent as structuredContent, where the revision has that. It is
	// a value that encoding/json writes as an object; clients of 2026-07-28 alone
	// take other values. When Content is empty, its JSON is sent as a text too,
	// for clients that read only text.
	Structured any
	IsError    bool
	// Meta is a JSON object for the result's _meta member, or nil.
	Meta json.RawMessage
}

// RawResult is a result object verbatim. Members that the revision of the
// request does not know are left out, and a tool's result without content gets
// some; everything else stays as it is. One with a member twice is an error.
type RawResult json.RawMessage

// Pending is what a handler returns after Call.Defer: the answer comes later.
const Pending pending = 0

type (
	textResult string
	pending    uint8
)

// AppendMembers implements Result.
func (text textResult) AppendMembers(dst []byte, _ protocol.Revision) ([]byte, error) {
	dst = append(dst, `"content":[{"type":"text","text":`...)
	dst = wire.AppendString(dst, string(text))
	return append(dst, `}]`...), nil
}

// AppendMembers implements Result; a pending result has none.
func (pending) AppendMembers([]byte, protocol.Revision) ([]byte, error) {
	return nil, fmt.Errorf("a handler returned Pending without calling Defer")
}

// AppendMembers implements Result.
func (r *ToolResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	content, structured := r.Content, []byte(nil)
	if r.Structured != nil && !r.IsError {
		var err error
		if structured, err = marshal(r.Structured); err != nil {
			return nil, fmt.Errorf("structured content: %w", err)
		}
		if structured[0] != '{' && revision.Legacy() {
			return nil, fmt.Errorf("structured content is no JSON object")
		}
		if len(content) == 0 {
			content = []Block{TextBlock{Text: string(structured)}}
		}
	}
	dst, err := appendContent(append(dst, `"content":`...), content, revision)
	if err != nil {
		return nil, err
	}
	if structured != nil && revision >= protocol.V20250618 {
		dst = append(append(dst, `,"structuredContent":`...), structured...)
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	return appendResultMeta(dst, r.Meta, revision)
}

// ResultMeta gives the aspect's own _meta, where the runner writes that
// member.
func (r *ToolResult) ResultMeta() json.RawMessage { return r.Meta }

// ResultMeta gives the aspect's own _meta, where the runner writes that
// member.
func (r *PromptResult) ResultMeta() json.RawMessage { return r.Meta }

// ResultMeta gives the aspect's own _meta, where the runner writes that
// member.
func (raw RawResult) ResultMeta() json.RawMessage {
	return json.RawMessage(gjson.GetBytes(raw, "_meta").Raw)
}

// appendResultMeta appends a result's _meta member in the legacy era. In the
// modern era the runner has keys of its own for it.
func appendResultMeta(dst []byte, meta json.RawMessage, revision protocol.Revision) ([]byte, error) {
	if !revision.Legacy() {
		return dst, nil
	}
	return appendObjectMember(dst, "_meta", meta)
}

// marshal writes a value as valid UTF-8 on one line, also what the value has in
// it as JSON already: of that, encoding/json takes the white space, and passes
// through what is not UTF-8.
func marshal(value any) ([]byte, error) {
	encoded, err := json.Marshal(value)
	if err != nil || utf8.Valid(encoded) {
		return encoded, err
	}
	return wire.AppendCompact(make([]byte, 0, len(encoded)), string(encoded))
}

func appendContent(dst []byte, content []Block, revision protocol.Revision) ([]byte, error) {
	dst = append(dst, '[')
	for i, block := range content {
		if i > 0 {
			dst = append(dst, ',')
		}
		if block == nil {
			return nil, fmt.Errorf("content[%d] is nil", i)
		}
		var err error
		if dst, err = block.AppendBlock(dst, revision); err != nil {
			return nil, fmt.Errorf("content[%d]: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

// AppendMembers implements Result.
func (raw RawResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	object, err := raw.object()
	if err != nil {
		return nil, err
	}
	start := len(dst)
	return withoutComma(appendKnown(dst, object, revision), start), nil
}

// object gives the result on one line. A member that is there twice is an
// error, since each reader may take another one of them.
func (raw RawResult) object() (string, error) {
	compact, err := wire.AppendCompact(nil, string(raw))
	if err != nil {
		return "", fmt.Errorf("raw result: %w", err)
	}
	if compact[0] != '{' {
		return "", errors.New("raw result is no JSON object")
	}
	object := string(compact)
	names := make(map[string]bool)
	for member := range wire.Members(object) {
		if names[member.Name] {
			return "", fmt.Errorf("raw result: the member %q occurs twice", member.Name)
		}
		names[member.Name] = true
	}
	if !absentOr(gjson.Parse(object), "_meta", gjson.Result.IsObject) {
		return "", errors.New("raw result: its _meta is no object")
	}
	return object, nil
}

// blockText gives the text of a text block, or of all text blocks of an array.
func blockText(content gjson.Result) string {
	if content.IsObject() {
		if content.Get("type").Str == "text" {
			return content.Get("text").Str
		}
		return ""
	}
	var texts []string
	for _, block := range content.Array() {
		if block.Get("type").Str == "text" {
			texts = append(texts, block.Get("text").Str)
		}
	}
	return strings.Join(texts, "\n")
}
