package core

import (
	"fmt"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/form"
	"mcpserver/core/internal/link"
	"mcpserver/core/internal/trace"
)

// CheckAnswer checks a client's answer (a JSON value) to a question of that
// kind, and with that form (a JSON schema, or ""). It gives the answer as the handler is
// to see it: with the form's defaults. The error says what is wrong with the
// answer, or that the client refused. What the form asks for and nobody can
// check goes to the trace.
func CheckAnswer(kind link.Kind, schema, answer string, file *trace.Trace) (checked string, err error) {
	if kind == link.Raw {
		return answer, nil
	}
	value := gjson.Parse(answer)
	if kind.Base() == link.Sampling {
		value = unwrapped(value)
		answer = value.Raw
	}
	action := value.Get("action").Str
	if action == "decline" || action == "cancel" {
		if kind.HandlesRefusal() {
			return answer, nil
		}
		return "", refusal(kind, action)
	}
	switch kind.Base() {
	case link.Sampling:
		err = checkSampling(value)
	case link.Form:
		if err = checkElicitation(action, value.Get("content").IsObject()); err == nil && schema != "" {
			return completeForm(schema, answer, file)
		}
	case link.URL:
		err = checkElicitation(action, true)
	case link.Roots:
		err = checkRoots(value.Get("roots"))
	}
	if err != nil {
		return "", err
	}
	return answer, nil
}

// completeForm gives an accepted answer with the form's defaults, if its content
// fits the form.
func completeForm(schema, answer string, file *trace.Trace) (string, error) {
	read, err := form.Parse(schema)
	if err != nil {
		return "", fmt.Errorf("the form that was asked cannot be read any more: %w", err)
	}
	for _, sentence := range read.Unenforced() {
		file.Infof("an elicitation is answered: %s", sentence)
	}
	content := gjson.Get(answer, "content")
	completed, err := read.Complete(content.Raw)
	if err != nil {
		return "", fmt.Errorf("the client's elicitation answer does not fit the form: %w", err)
	}
	return answer[:content.Index] + completed + answer[content.Index+len(content.Raw):], nil
}

// UncheckedAnswer gives an answer of which nobody knows what it answers, as the
// handler is to see it.
func UncheckedAnswer(answer string) string { return unwrapped(gjson.Parse(answer)).Raw }

// unwrapped gives a sampling result. Some clients wrap it as if it were an
// elicitation, {"action":"accept","content":{…}}: the inner one counts.
func unwrapped(value gjson.Result) gjson.Result {
	content := value.Get("content")
	if value.Get("action").Exists() && !value.Get("role").Exists() && isSampled(content) {
		return content
	}
	return value
}

// isSampled reports whether the value can only be a sampling result: no form
// has a member that is an object or a list of them.
func isSampled(value gjson.Result) bool {
	content := value.Get("content")
	return value.Get("role").Exists() && (content.IsObject() || content.IsArray() && (content.Get("#").Int() == 0 || content.Get("0").IsObject()))
}

// refusal says who refused, in the words that fit the question.
func refusal(kind link.Kind, action string) error {
	switch kind.Base() {
	case link.Form, link.URL:
		return fmt.Errorf("the user refused the request (%s)", action)
	case link.Sampling:
		return fmt.Errorf("the client refused the sampling request (%s)", action)
	}
	return fmt.Errorf("the client refused what the server asked for (%s)", action)
}

func checkElicitation(action string, complete bool) error {
	switch {
	case action != "accept":
		return fmt.Errorf("the client's elicitation answer is malformed: its action is %q, not \"accept\", \"decline\" or \"cancel\"", action)
	case !complete:
		return fmt.Errorf("the client's elicitation answer is malformed: it has no content")
	}
	return nil
}

// checkSampling accepts content as one block and as an array of blocks:
// revisions differ there, and so do clients.
func checkSampling(value gjson.Result) error {
	content := value.Get("content")
	if content.IsObject() {
		return checkBlock("content", content)
	}
	if !content.IsArray() {
		return fmt.Errorf("the client's sampling answer has no content")
	}
	for i, block := range content.Array() {
		if err := checkBlock(fmt.Sprintf("content[%d]", i), block); err != nil {
			return err
		}
	}
	return nil
}

func checkBlock(place string, block gjson.Result) error {
	kind := block.Get("type")
	switch {
	case kind.Type != gjson.String:
		return fmt.Errorf("the client's sampling answer is malformed: %s has no type", place)
	case kind.Str == "text" && block.Get("text").Type != gjson.String:
		return fmt.Errorf("the client's sampling answer is malformed: %s has no text", place)
	}
	return nil
}

func checkRoots(roots gjson.Result) error {
	if !roots.IsArray() {
		return fmt.Errorf("the client's roots answer is malformed: it has no roots")
	}
	for i, root := range roots.Array() {
		if root.Get("uri").Type != gjson.String {
			return fmt.Errorf("the client's roots answer is malformed: roots[%d] has no uri", i)
		}
	}
	return nil
}
