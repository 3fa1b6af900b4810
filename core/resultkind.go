package core

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/wire"
)

// CheckResult tells, for the runner, why a result is none that the method can be
// answered with. It gives the result to send in its place: a tool's raw result
// without content gets some.
func CheckResult(method string, result Result) (Result, error) {
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
	return result, nil
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
	switch content := gjson.Get(object, "content"); {
	case content.IsArray():
		return RawResult(object), nil
	case content.Exists():
		return nil, errors.New("raw result: its content is no array")
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
			if !message.Get("content").IsObject() {
				return nil, fmt.Errorf("messages[%d] has no content that is one block", i)
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
		if contents := gjson.Get(object, "contents"); !contents.IsArray() || contents.Get("#").Int() == 0 {
			return nil, errors.New("raw result: it has no contents, as resources/read is answered with")
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
		if !areStrings(gjson.Get(object, "completion.values")) {
			return nil, errors.New("raw result: it has no completion with an array of strings as its values, as completion/complete is answered with")
		}
		return RawResult(object), nil
	}
	return result, nil
}
