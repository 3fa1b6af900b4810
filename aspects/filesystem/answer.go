package filesystem

import (
	"strings"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// content is the structured form of an answer that is one text.
type content struct {
	Content string `json:"content"`
}

// answer is an outcome of one text, which clients over MCP get in both forms,
// also if it is empty.
func answer(text string) toolserver.Outcome {
	return toolserver.Outcome{Result: text, Content: []core.Block{core.TextBlock{Text: text}}, Structured: content{text}}
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
		Structured: content{text},
	}
}
