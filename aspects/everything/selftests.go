package everything

import (
	"encoding/json"
	"slices"

	"mcpserver/core"
)

// selfTests cover each tool, prompt, resource and template. They leave the lists
// as they were.
func selfTests() []core.SelfTest {
	return slices.Concat(
		contentTests(),
		structuredTests(),
		lastingTests(),
		loggingTests(),
		samplingTests(),
		formTests(),
		pageTests(),
		roundTests(),
		changingTests(),
		promptTests(),
		suggestionTests(),
		resourceTests(),
		watchedTests(),
	)
}

// expecting gives the expectation of a result with these values.
func expecting(values map[string]any) core.Expect { return core.Expect{Values: values} }

// expectingText gives the expectation of a tool's text.
func expectingText(text string) core.Expect {
	return expecting(map[string]any{"content.0.type": "text", "content.0.text": text})
}

// The answers of the client in the tests.
const (
	sampled = `{"role":"assistant","model":"self-test","content":{"type":"text","text":"Paris"}}`
	rooted  = `{"roots":[{"uri":"file:///home/eric","name":"home"}]}`
)

func answering(method, answer string) map[string]json.RawMessage {
	return map[string]json.RawMessage{method: json.RawMessage(answer)}
}

// filledIn is the answer of a user who accepted a form with that content.
func filledIn(content string) map[string]json.RawMessage {
	return answering("elicitation/create", `{"action":"accept","content":`+content+`}`)
}
