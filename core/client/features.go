package client

import (
	"context"
	"encoding/json"

	"mcpserver/core/internal/wire"
)

// CallTool calls a tool by the server's own name for it. Arguments is a JSON
// object; nil is an empty one. The result is a CallToolResult, byte for byte; it
// may have isError set, which is no error here. See Do for errors.
//
// When the server has lost the session, a tool that is annotated as read-only or
// idempotent is called once more.
func (c *Client) CallTool(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	return c.Do(ctx, c.toolCall(name, arguments))
}

func (c *Client) toolCall(name string, arguments json.RawMessage) *Request {
	params := appendMember([]byte{'{'}, "name", quoted(name))
	params = append(appendMember(params, "arguments", string(defaultObject(arguments))), '}')
	return &Request{Method: "tools/call", Params: params, Repeatable: c.MayRepeat(name)}
}

// MayRepeat reports whether a tool is annotated as read-only or idempotent, so
// that a call of it may be repeated.
func (c *Client) MayRepeat(tool string) bool {
	found := c.tools.load().byName[tool]
	return found != nil && found.repeatable()
}

// GetPrompt gets a prompt by the server's own name for it. The result is a
// GetPromptResult, byte for byte.
func (c *Client) GetPrompt(ctx context.Context, name string, arguments map[string]string) (json.RawMessage, error) {
	params := appendMember([]byte{'{'}, "name", quoted(name))
	if len(arguments) > 0 {
		params = appendMember(params, "arguments", stringMap(arguments))
	}
	return c.Do(ctx, &Request{Method: "prompts/get", Params: append(params, '}'), Repeatable: true})
}

// ReadResource reads a resource. The result is a ReadResourceResult, byte for
// byte. IsNotFound tells whether the error is that there is none.
func (c *Client) ReadResource(ctx context.Context, uri string) (json.RawMessage, error) {
	params := append(appendMember([]byte{'{'}, "uri", quoted(uri)), '}')
	return c.Do(ctx, &Request{Method: "resources/read", Params: params, Repeatable: true})
}

// Reference names what an argument to be completed belongs to: a prompt, or the
// template of a resource. One of them is set.
type Reference struct{ Prompt, Template string }

// Complete asks for completions of an argument's value. Given are the other
// arguments as far as they are known; nil is none. The result is a
// CompleteResult, byte for byte.
func (c *Client) Complete(ctx context.Context, reference Reference, argument, value string, given map[string]string) (json.RawMessage, error) {
	ref := `{"type":"ref/prompt","name":` + quoted(reference.Prompt) + `}`
	if reference.Template != "" {
		ref = `{"type":"ref/resource","uri":` + quoted(reference.Template) + `}`
	}
	params := appendMember([]byte{'{'}, "ref", ref)
	params = appendMember(params, "argument", `{"name":`+quoted(argument)+`,"value":`+quoted(value)+`}`)
	if len(given) > 0 {
		params = appendMember(params, "context", `{"arguments":`+stringMap(given)+`}`)
	}
	return c.Do(ctx, &Request{Method: "completion/complete", Params: append(params, '}'), Repeatable: true})
}

// stringMap gives a JSON object of strings, its members sorted.
func stringMap(values map[string]string) string {
	object := []byte{'{'}
	for _, name := range sortedKeys(values) {
		object = appendMember(object, name, string(wire.AppendString(nil, values[name])))
	}
	return string(append(object, '}'))
}
