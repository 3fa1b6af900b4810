package bridge

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/tidwall/gjson"
)

// parameterHeader is a header that repeats an argument of a tool, as its schema
// asks for with x-mcp-header.
type parameterHeader struct {
	name     string
	argument []string // the names of the members that lead to it
}

// parameterHeaders are those of all tools, as their lists have told.
type parameterHeaders struct {
	mu     sync.Mutex
	byTool map[string][]parameterHeader
}

// learn takes them from an answer if it is a list of tools.
func (p *parameterHeaders) learn(c *call, answer message) {
	if c.method != "tools/list" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byTool == nil {
		p.byTool = make(map[string][]parameterHeader)
	}
	answer.get("result.tools").ForEach(func(_, tool gjson.Result) bool {
		p.byTool[tool.Get("name").String()] = headersIn(tool.Get("inputSchema"), nil)
		return true
	})
}

func headersIn(schema gjson.Result, path []string) []parameterHeader {
	var found []parameterHeader
	schema.Get("properties").ForEach(func(name, property gjson.Result) bool {
		argument := append(slices.Clone(path), name.Str)
		if header := property.Get("x-mcp-header").String(); header != "" {
			found = append(found, parameterHeader{"Mcp-Param-" + header, argument})
		}
		found = append(found, headersIn(property, argument)...)
		return true
	})
	return found
}

// check compares a tool call's headers with its arguments.
func (p *parameterHeaders) check(header http.Header, toolCall message) error {
	p.mu.Lock()
	headers := p.byTool[toolCall.get("params.name").String()]
	p.mu.Unlock()
	for _, h := range headers {
		argument := toolCall.get("params.arguments")
		for _, name := range h.argument {
			argument = argument.Get(gjson.Escape(name))
		}
		if argument.Type != gjson.Null {
			if err := checkEncodedHeader(header, h.name, argument); err != nil {
				return err
			}
		} else if len(header.Values(h.name)) > 0 {
			return fmt.Errorf("%s repeats no argument", h.name)
		}
	}
	return nil
}
