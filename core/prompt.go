package core

import (
	"encoding/json"
	"fmt"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Prompt is one entry of an aspect's prompt table.
type Prompt struct {
	// Name is required.
	Name, Title, Description string
	Icons                    []Icon
	Arguments                []PromptArgument
	// Meta is a JSON object for the definition's _meta member.
	Meta json.RawMessage
	// Raw is the prompt's definition verbatim, a JSON object, in place of the
	// members above except Name.
	Raw json.RawMessage
	// Handler answers prompts/get with a *PromptResult. Required.
	Handler Handler
}

// PromptArgument is an argument of a prompt; its value is a text.
type PromptArgument struct {
	// Name is required.
	Name, Title, Description string
	Required                 bool
	// Complete, if any, suggests values: it answers completion/complete with a
	// *Completion.
	Complete Handler
}

// PromptResult answers prompts/get.
type PromptResult struct {
	Description string
	Messages    []Message
	Meta        json.RawMessage
}

// AppendMembers implements Result. A prompt's message has one block; one of
// several becomes several messages.
func (r *PromptResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	dst, err := appendMessages(append(dst, `"messages":`...), r.Messages, revision, true)
	if err != nil {
		return nil, err
	}
	dst = appendOptionalString(dst, "description", r.Description)
	return appendResultMeta(dst, r.Meta, revision)
}

// AppendDefinition appends the prompt as the revision's prompts/list has it.
func (p Prompt) AppendDefinition(dst []byte, revision protocol.Revision) ([]byte, error) {
	if len(p.Raw) > 0 {
		return appendRawDefinition(dst, p.Raw, "name", p.Name, revision)
	}
	dst = wire.AppendString(append(dst, `{"name":`...), p.Name)
	if revision >= protocol.V20250618 {
		dst = appendOptionalString(dst, "title", p.Title)
	}
	dst = appendOptionalString(dst, "description", p.Description)
	if revision >= protocol.V20251125 {
		dst = AppendIcons(dst, p.Icons)
	}
	if len(p.Arguments) > 0 {
		dst = append(dst, `,"arguments":[`...)
		for i, argument := range p.Arguments {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = argument.append(dst, revision)
		}
		dst = append(dst, ']')
	}
	if revision >= protocol.V20250618 {
		var err error
		if dst, err = appendObjectMember(dst, "_meta", p.Meta); err != nil {
			return nil, fmt.Errorf("prompt %s: %w", p.Name, err)
		}
	}
	return append(dst, '}'), nil
}

func (a PromptArgument) append(dst []byte, revision protocol.Revision) []byte {
	dst = wire.AppendString(append(dst, `{"name":`...), a.Name)
	if revision >= protocol.V20250618 {
		dst = appendOptionalString(dst, "title", a.Title)
	}
	dst = appendOptionalString(dst, "description", a.Description)
	if a.Required {
		dst = append(dst, `,"required":true`...)
	}
	return append(dst, '}')
}
