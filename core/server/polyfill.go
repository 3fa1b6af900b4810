//go:build !nopolyfill

package server

import (
	"encoding/json"
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
	members := slices.Collect(wire.Members(arguments))
	if name, twice := repeated(members); twice {
		return nil, core.InvalidParams("the member " + shorten(name) + " occurs twice in arguments")
	}
	call := core.NewCall(promptRequest{q, name, arguments}, name, arguments, members)
	if failure := q.connection.checkPromptCall(&call); failure != nil {
		return nil, failure
	}
	return q.servePrompt(&call)
}

// repeated gives the name of a member that is there twice.
func repeated(members []wire.Member) (name string, twice bool) {
	seen := make(map[string]bool, len(members))
	for _, member := range members {
		if seen[member.Name] {
			return member.Name, true
		}
		seen[member.Name] = true
	}
	return "", false
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

// renderPrompt makes the messages of a prompt the content of a tool's result,
// as prompts/get would send them.
func renderPrompt(q *request, result core.Result) (core.Result, error) {
	result, err := core.CheckResult("prompts/get", result)
	if err != nil {
		return nil, err
	}
	with, isPrompt := result.(interface{ ResultMeta() json.RawMessage })
	if !isPrompt {
		return result, nil
	}
	encoded, err := result.AppendMembers([]byte{'{'}, q.session.revision)
	if err != nil {
		return nil, err
	}
	rendered := &core.ToolResult{Meta: with.ResultMeta()}
	for _, message := range gjson.GetBytes(append(encoded, '}'), "messages").Array() {
		role, content := message.Get("role").Str, message.Get("content")
		if content.Get("type").Str != "text" {
			rendered.Content = append(rendered.Content, core.TextBlock{Text: role + ":"}, core.RawBlock(content.Raw))
			continue
		}
		rendered.Content = append(rendered.Content, spokenText(role, content.Raw))
	}
	return rendered, nil
}

// spokenText is a text block with the role of who speaks before its text.
func spokenText(role, block string) core.RawBlock {
	dst := []byte{'{'}
	for member := range wire.Members(block) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(wire.AppendString(dst, member.Name), ':')
		if member.Name == "text" {
			dst = wire.AppendString(dst, role+": "+member.Value.Text())
		} else {
			dst = append(dst, member.Value.Raw...)
		}
	}
	return core.RawBlock(append(dst, '}'))
}
