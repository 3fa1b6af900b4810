package core

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// CheckResult tells, for the runner, why a result is none that the method can be
// answered with. It gives the result to send in its place: a tool's raw result
// without content gets some. Of a result of another server it asks only that it
// is a JSON object.
func CheckResult(method string, result Result) (Result, error) {
	if forwarded, isForwarded := result.(ForwardedResult); isForwarded {
		return forwarded.object()
	}
	switch method {
	case "tools/call":
		return checkToolResult(result)
	case "prompts/get":
		return checkPromptResult(result)
	case "resources/read":
		return checkResourceResult(result)
	case "completion/complete":
		return checkCompletion(result)
	}
	if raw, isRaw := result.(RawResult); isRaw {
		return ownResult(raw), nil
	}
	return result, nil
}

// ownResult is a raw result of a method that is the aspect's own, whose members
// are, too.
type ownResult RawResult

// ResultMeta gives the aspect's own _meta, where the runner writes that member.
func (own ownResult) ResultMeta() json.RawMessage { return RawResult(own).ResultMeta() }

// AppendMembers implements Result.
func (own ownResult) AppendMembers(dst []byte, revision protocol.Revision) ([]byte, error) {
	object, err := RawResult(own).object()
	if err != nil {
		return nil, err
	}
	start := len(dst)
	dst = appendChanged(dst, object, func(dst []byte, name, value string) []byte {
		if !revision.Legacy() && (name == "resultType" || name == "_meta") {
			return dst // the runner writes these
		}
		return append(dst, value...)
	})
	return withoutComma(dst, start), nil
}

func checkToolResult(result Result) (Result, error) {
	switch result := result.(type) {
	case *PromptResult, ResourceResult, *Completion:
		return nil, fmt.Errorf("tools/call was answered with a %T: a tool answers with Text, ToolError, a ToolResult or a RawResult", result)
	case RawResult:
		return result.withContent()
	}
	return result, nil
}

// withContent gives a tool's raw result the content that it must have, which is
// the text of what is structured, for clients that read only text.
func (raw RawResult) withContent() (Result, error) {
	object, err := raw.object()
	if err != nil {
		return nil, err
	}
	fields := gjson.Parse(object)
	switch {
	case !absentOr(fields, "isError", isBoolean):
		return nil, errors.New("raw result: its isError is not true or false")
	case !absentOr(fields, "content", areBlocks):
		return nil, errors.New("raw result: its content is no array of objects with a type")
	case fields.Get("content").Exists():
		return RawResult(object), nil
	}
	dst := []byte(`{"content":[`)
	if structured := gjson.Get(object, "structuredContent"); structured.Exists() {
		dst = append(dst, `{"type":"text","text":`...)
		dst = append(wire.AppendString(dst, structured.Raw), '}')
	}
	dst = append(dst, ']')
	if object != "{}" {
		dst = append(dst, ',')
	}
	return RawResult(append(dst, object[1:]...)), nil
}

func checkPromptResult(result Result) (Result, error) {
	switch result := result.(type) {
	case textResult, *ToolResult, ResourceResult, *Completion:
		return nil, fmt.Errorf("prompts/get was answered with a %T: a prompt answers with a PromptResult or a RawResult with messages", result)
	case RawResult:
		object, err := result.object()
		if err != nil {
			return nil, err
		}
		messages := gjson.Get(object, "messages")
		if !messages.IsArray() {
			return nil, errors.New("raw result: it has no array of messages, as prompts/get is answered with")
		}
		for i, message := range messages.Array() {
			switch {
			case !isRole(message.Get("role").Str):
				return nil, fmt.Errorf(`messages[%d] has a role that is not "user" or "assistant"`, i)
			case !isBlock(message.Get("content")):
				return nil, fmt.Errorf("messages[%d] has no content that is one block, with a type", i)
			}
		}
		return RawResult(object), nil
	}
	return result, nil
}

func checkResourceResult(result Result) (Result, error) {
	switch result := result.(type) {
	case textResult, *ToolResult, *PromptResult, *Completion:
		return nil, fmt.Errorf("resources/read was answered with a %T: a resource answers with a ResourceResult or a RawResult with contents", result)
	case RawResult:
		object, err := result.object()
		if err != nil {
			return nil, err
		}
		if contents := gjson.Get(object, "contents"); contents.Get("#").Int() == 0 || !eachFits(contents, hasURI) {
			return nil, errors.New("raw result: it has no contents, objects with a uri, as resources/read is answered with")
		}
		return RawResult(object), nil
	}
	return result, nil
}

func checkCompletion(result Result) (Result, error) {
	switch result := result.(type) {
	case textResult, *ToolResult, *PromptResult, ResourceResult:
		return nil, fmt.Errorf("completion/complete was answered with a %T: a completer answers with a Completion or a RawResult with one", result)
	case RawResult:
		object, err := result.object()
		if err != nil {
			return nil, err
		}
		values := gjson.Get(object, "completion.values")
		if values.Get("#").Int() > maxCompletions {
			return nil, fmt.Errorf("raw result: it has more than the %d values that are allowed", maxCompletions)
		}
		if !areStrings(values) {
			return nil, errors.New("raw result: it has no completion with an array of strings as its values, as completion/complete is answered with")
		}
		return RawResult(object), nil
	}
	return result, nil
}

func areBlocks(value gjson.Result) bool { return eachFits(value, isBlock) }

func isBlock(value gjson.Result) bool { return value.IsObject() && value.Get("type").Str != "" }

func hasURI(value gjson.Result) bool { return value.IsObject() && isString(value.Get("uri")) }
