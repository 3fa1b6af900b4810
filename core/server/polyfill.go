//go:build !nopolyfill

package server

import (
	"slices"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/wire"
)

// The prompt tools let a model use prompts in clients that show it tools alone.

// promptTools are listPrompts and getPrompt.
func promptTools() []*tool {
	readOnly := &core.ToolAnnotations{ReadOnlyHint: core.Hint(true), OpenWorldHint: core.Hint(false)}
	return []*tool{
		{
			Tool: core.Tool{
				Name:        "listPrompts",
				Description: "Lists the prompts of this server, with their arguments, as JSON. getPrompt gives one of them.",
				Annotations: readOnly,
			},
			builtIn: (*request).listPromptsAsTool,
		},
		{
			Tool: core.Tool{
				Name:        "getPrompt",
				Description: "Gives all messages of a prompt, each with its role.",
				Input: core.Object(
					core.String("name", "The prompt's name, as listPrompts has it").Required(),
					core.AnyObject("arguments", "The prompt's arguments, a text each"),
				),
				Annotations: readOnly,
			},
			builtIn:     (*request).getPromptAsTool,
			callsAspect: true,
			render:      renderPrompt,
		},
	}
}

// listPromptsAsTool serves the tool listPrompts.
func (q *request) listPromptsAsTool() (core.Result, error) {
	list := []byte{'['}
	for i, entry := range q.connection.tables.prompts.state().order {
		if i > 0 {
			list = append(list, ',')
		}
		extended, err := define(q.connection, list, entry, q.session.revision)
		if err != nil {
			return nil, err
		}
		list = extended
	}
	return core.Text(string(append(list, ']'))), nil
}

// getPromptAsTool serves the tool getPrompt.
func (q *request) getPromptAsTool() (core.Result, error) {
	name, err := q.call.RequireString("name")
	if err != nil {
		return nil, err
	}
	arguments := q.call.Arguments().Get("arguments").Raw
	if arguments == "null" {
		arguments = ""
	}
	call := core.NewCall(promptRequest{q, name, arguments}, name, arguments, slices.Collect(wire.Members(arguments)))
	if failure := q.connection.checkPromptCall(&call); failure != nil {
		return nil, failure
	}
	return q.servePrompt(&call)
}

// promptRequest shows a call of getPrompt to the prompt's handler as the
// prompts/get that it stands for.
type promptRequest struct {
	*request
	name, arguments string
}

// Method implements link.Request.
func (promptRequest) Method() string { return "prompts/get" }

// Params implements link.Request.
func (p promptRequest) Params() string {
	params := wire.AppendString([]byte(`{"name":`), p.name)
	if p.arguments != "" {
		params = append(append(params, `,"arguments":`...), p.arguments...)
	}
	if meta := gjson.Get(p.request.params, "_meta"); meta.Exists() {
		params = append(append(params, `,"_meta":`...), meta.Raw...)
	}
	return string(append(params, '}'))
}

// renderPrompt makes the messages of a prompt the content of a tool's result.
func renderPrompt(result core.Result) core.Result {
	rendered := &core.ToolResult{}
	switch result := result.(type) {
	case *core.PromptResult:
		for _, message := range result.Messages {
			for _, block := range message.Content {
				rendered.Content = appendSpoken(rendered.Content, message.Role, block)
			}
		}
	case core.RawResult:
		messages := gjson.GetBytes(result, "messages")
		if !messages.IsArray() {
			return result
		}
		for _, message := range messages.Array() {
			content := message.Get("content")
			block := core.Block(core.RawBlock(content.Raw))
			if content.Get("type").Str == "text" {
				block = core.TextBlock{Text: content.Get("text").Str}
			}
			rendered.Content = appendSpoken(rendered.Content, message.Get("role").Str, block)
		}
	default:
		return result
	}
	return rendered
}

// appendSpoken appends a block with the role of who speaks before it.
func appendSpoken(content []core.Block, role string, block core.Block) []core.Block {
	if text, ok := block.(core.TextBlock); ok {
		text.Text = role + ": " + text.Text
		return append(content, text)
	}
	return append(content, core.TextBlock{Text: role + ":"}, block)
}
