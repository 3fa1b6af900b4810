package core

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// Sampling asks the client's model (sampling/createMessage).
type Sampling struct {
	// Messages is required; UserText makes the common case.
	Messages []Message
	// MaxTokens is required.
	MaxTokens    int
	SystemPrompt string
	// Preferences say what model is wanted; nil is no preference.
	Preferences *ModelPreferences
	// IncludeContext is "none", "thisServer" or "allServers"; empty is left out.
	IncludeContext string
	// Temperature is left out when nil.
	Temperature   *float64
	StopSequences []string
	// Metadata is a JSON object for the model's provider, or nil.
	Metadata json.RawMessage
	// Tools is a JSON array of tools that the model may use, and ToolChoice a
	// JSON object; nil for none. The client must declare sampling.tools.
	Tools, ToolChoice json.RawMessage
}

// Message is one message of a conversation with a model.
type Message struct {
	// Role is "user" or "assistant".
	Role string
	// Content has at least one block. A tool's use and its result, which
	// sampling with tools takes, are RawBlocks.
	Content []Block
}

// UserText is a message of one text from the user.
func UserText(text string) Message {
	return Message{Role: "user", Content: []Block{TextBlock{Text: text}}}
}

// ModelPreferences say what model is wanted. A priority is from 0 to 1; nil is
// left out.
type ModelPreferences struct {
	// Hints are names, or parts of names, of models, best first.
	Hints                                             []string
	CostPriority, SpeedPriority, IntelligencePriority *float64
}

// LinkQuestion implements Question.
func (s Sampling) LinkQuestion() link.Question { return samplingQuestion(s) }

type samplingQuestion Sampling

func (samplingQuestion) Method() string { return "sampling/createMessage" }

func (q samplingQuestion) Needs(revision protocol.Revision) []string {
	needs := []string{"sampling"}
	if len(q.Tools) > 0 || len(q.ToolChoice) > 0 {
		needs = append(needs, "sampling.tools")
	}
	if q.IncludeContext != "" && q.IncludeContext != "none" && revision >= protocol.V20251125 {
		needs = append(needs, "sampling.context")
	}
	return needs
}

func (q samplingQuestion) AppendParams(dst []byte, revision protocol.Revision) ([]byte, error) {
	if err := q.Validate(revision); err != nil {
		return nil, err
	}
	dst, err := appendMessages(append(dst, `{"messages":`...), q.Messages, revision, revision < protocol.V20251125)
	if err != nil {
		return nil, err
	}
	if q.Preferences != nil {
		dst = q.Preferences.append(dst)
	}
	dst = appendOptionalString(dst, "systemPrompt", q.SystemPrompt)
	dst = appendOptionalString(dst, "includeContext", q.IncludeContext)
	dst = appendOptionalFloat(dst, "temperature", q.Temperature)
	dst = wire.AppendInt(append(dst, `,"maxTokens":`...), int64(q.MaxTokens))
	if len(q.StopSequences) > 0 {
		dst = wire.AppendStrings(append(dst, `,"stopSequences":`...), q.StopSequences)
	}
	if dst, err = appendObjectMember(dst, "metadata", q.Metadata); err != nil {
		return nil, err
	}
	if len(q.Tools) > 0 {
		if dst, err = wire.AppendCompact(append(dst, `,"tools":`...), string(q.Tools)); err != nil {
			return nil, fmt.Errorf("tools: %w", err)
		}
	}
	if dst, err = appendObjectMember(dst, "toolChoice", q.ToolChoice); err != nil {
		return nil, err
	}
	return append(dst, '}'), nil
}

// Validate implements link.Question.
func (q samplingQuestion) Validate(revision protocol.Revision) error {
	switch {
	case len(q.Messages) == 0:
		return fmt.Errorf("sampling needs at least one message")
	case q.MaxTokens <= 0:
		return fmt.Errorf("sampling needs a positive MaxTokens, not %d", q.MaxTokens)
	case (len(q.Tools) > 0 || len(q.ToolChoice) > 0) && revision < protocol.V20251125:
		return fmt.Errorf("sampling with tools does not exist in protocol version %s", revision)
	case len(q.Tools) > 0 && !gjson.ParseBytes(q.Tools).IsArray():
		return fmt.Errorf("the tools of a sampling request are no JSON array")
	}
	for i, message := range q.Messages {
		if message.Role != "user" && message.Role != "assistant" {
			return fmt.Errorf(`messages[%d]: the role is %q, not "user" or "assistant"`, i, message.Role)
		}
		for _, block := range message.Content {
			switch block.(type) {
			case ResourceLink, EmbeddedResource:
				return fmt.Errorf("messages[%d]: a model cannot be sent a %T", i, block)
			}
		}
	}
	return nil
}

// appendMessages appends an array of messages. Where a message takes a single
// block, one of several becomes several.
func appendMessages(dst []byte, messages []Message, revision protocol.Revision, single bool) ([]byte, error) {
	dst = append(dst, '[')
	first := len(dst)
	var err error
	for i, message := range messages {
		if len(message.Content) == 0 {
			return nil, fmt.Errorf("messages[%d] has no content", i)
		}
		role := wire.AppendString([]byte(`,{"role":`), message.Role)
		if !single && len(message.Content) != 1 {
			dst, err = appendContent(append(append(dst, role...), `,"content":`...), message.Content, revision)
			if err != nil {
				return nil, fmt.Errorf("messages[%d]: %w", i, err)
			}
			dst = append(dst, '}')
			continue
		}
		for _, block := range message.Content {
			if block == nil {
				return nil, fmt.Errorf("messages[%d] has a block that is nil", i)
			}
			dst = append(append(dst, role...), `,"content":`...)
			if dst, err = block.AppendBlock(dst, revision); err != nil {
				return nil, fmt.Errorf("messages[%d]: %w", i, err)
			}
			dst = append(dst, '}')
		}
	}
	return append(withoutComma(dst, first), ']'), nil
}

func (p *ModelPreferences) append(dst []byte) []byte {
	dst = append(dst, `,"modelPreferences":{`...)
	start := len(dst)
	if len(p.Hints) > 0 {
		dst = append(dst, `,"hints":[`...)
		for i, hint := range p.Hints {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(wire.AppendString(append(dst, `{"name":`...), hint), '}')
		}
		dst = append(dst, ']')
	}
	dst = appendOptionalFloat(dst, "costPriority", p.CostPriority)
	dst = appendOptionalFloat(dst, "speedPriority", p.SpeedPriority)
	dst = appendOptionalFloat(dst, "intelligencePriority", p.IntelligencePriority)
	return append(withoutComma(dst, start), '}')
}

func appendOptionalFloat(dst []byte, name string, value *float64) []byte {
	if value == nil {
		return dst
	}
	return wire.AppendFloat(appendName(dst, name), *value)
}

// Kind implements link.Question.
func (samplingQuestion) Kind() link.Kind { return link.Sampling }

// Form implements link.Question.
func (samplingQuestion) Form() string { return "" }
