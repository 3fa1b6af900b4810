package filesystem

import (
	"strings"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// structured is the structured form of an answer that is one text.
func structured(text string) toolserver.TextObject {
	return toolserver.TextObject{Name: "content", Text: text}
}

// answer is an outcome of one text, which clients over MCP get in both forms,
// also if it is empty.
func answer(text string) toolserver.Outcome {
	return toolserver.Outcome{Result: text, Content: []core.Block{core.TextBlock{Text: text}}, Structured: structured(text)}
}

// annotated is an answer with notes about it, such as that it was cut. They
// stand beside the text, so that a text that is JSON stays so.
func annotated(text string, notes []string) toolserver.Outcome {
	if len(notes) == 0 {
		return answer(text)
	}
	note := strings.Join(notes, "\n")
	return toolserver.Outcome{
		Result:     text + "\n\n" + note,
		Content:    []core.Block{core.TextBlock{Text: text}, core.TextBlock{Text: note}},
		Structured: structured(text),
	}
}
