package client

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/envelope"
)

// Execute calls a tool by the server's own name for it and gives the envelope
// in which tool servers answer a host:
//
//	{"result":"…","directives":[]}
//
// and with "is_error":true at its end when the call failed: because the tool
// says so, the server answered with an error, a limit has passed, or there is no
// connection. Directives are always empty: an external server gives its host
// none. Arguments that are no JSON object become an empty one.
func (c *Client) Execute(ctx context.Context, tool, arguments string) string {
	object, err := compactObject(json.RawMessage(arguments))
	if err != nil {
		object = `{}`
	}
	result, err := c.CallTool(ctx, tool, json.RawMessage(object))
	if err != nil {
		return envelope.Envelope{Result: err.Error(), IsError: true}.JSON()
	}
	text, err := resultText(string(result))
	if err != nil {
		return envelope.Envelope{Result: c.named(err).Error(), IsError: true}.JSON()
	}
	return envelope.Envelope{Result: text, IsError: gjson.GetBytes(result, "isError").Bool()}.JSON()
}

// resultText gives a tool's result as text for a model. Blocks are joined by
// line breaks; one that is no text stands there as its JSON, with what is
// encoded in base64 replaced by its size. A result without content that has
// structuredContent is that.
func resultText(result string) (string, error) {
	content, structured := gjson.Get(result, "content"), gjson.Get(result, "structuredContent")
	switch {
	case content.IsArray() && len(content.Raw) > len("[]"), content.IsArray() && !structured.Exists():
	case structured.Exists():
		return structured.Raw, nil
	case content.Exists():
		return "", fmt.Errorf("the tool's result has a content that is no array: %s", beginningOf(content.Raw))
	default:
		return "", fmt.Errorf("the tool's result has no content: %s", beginningOf(result))
	}
	var parts []string
	for i, block := range content.Array() {
		if !block.IsObject() {
			return "", fmt.Errorf("the tool's result: content[%d] is no block: %s", i, beginningOf(block.Raw))
		}
		parts = append(parts, blockText(block))
	}
	return strings.Join(parts, "\n"), nil
}

// blockText gives one block as text.
func blockText(block gjson.Result) string {
	text := block.Get("text")
	switch block.Get("type").Str {
	case "text":
		if text.Type == gjson.String {
			return text.Str
		}
	case "resource":
		if inner := block.Get("resource.text"); inner.Type == gjson.String {
			return inner.Str
		}
		return withoutBase64(block.Raw, block.Get("resource.blob"))
	case "image", "audio":
		return withoutBase64(block.Raw, block.Get("data"))
	}
	return block.Raw
}

// withoutBase64 gives a block's JSON with the size of a value in the place of
// the value.
func withoutBase64(block string, value gjson.Result) string {
	at := strings.Index(block, value.Raw)
	if value.Type != gjson.String || at < 0 {
		return block
	}
	return block[:at] + quoted(fmt.Sprintf("(%d characters of base64)", len(value.Str))) + block[at+len(value.Raw):]
}
