package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// request sends a request and gives its id, as JSON.
func (c *talk) request(method, params string) (id string) {
	c.t.Helper()
	id, line := c.line(method, params)
	c.send(line)
	return id
}

// line gives a request and its id. No id comes twice.
func (c *talk) line(method, params string) (id, line string) {
	c.mu.Lock()
	c.last++
	id = fmt.Sprintf(`"r%d"`, c.last)
	c.mu.Unlock()
	if c.meta != "" && !strings.Contains(params, `"_meta"`) {
		if params != "{}" {
			params = "{" + c.meta + "," + params[1:]
		} else {
			params = "{" + c.meta + "}"
		}
	}
	return id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// answer waits for the answer to a request.
func (c *talk) answer(id string) gjson.Result {
	c.t.Helper()
	return c.take("the answer to "+id, func(m gjson.Result) bool {
		return m.Get("id").Raw == id && !m.Get("method").Exists()
	})
}

// ask sends a request and waits for its answer.
func (c *talk) ask(method, params string) gjson.Result {
	c.t.Helper()
	return c.answer(c.request(method, params))
}

// result is ask for an answer that must be a result, which it gives.
func (c *talk) result(method, params string) gjson.Result {
	c.t.Helper()
	answer := c.ask(method, params)
	if !answer.Get("result").Exists() {
		c.t.Fatalf("%s %s: got %s, want a result", method, params, answer.Raw)
	}
	return answer.Get("result")
}

// refused is ask for an answer that must be an error, which it gives.
func (c *talk) refused(method, params string, code int, words ...string) gjson.Result {
	c.t.Helper()
	answer := c.ask(method, params)
	if answer.Get("error.code").Int() != int64(code) {
		c.t.Fatalf("%s %s: got %s, want the error %d", method, params, answer.Raw, code)
	}
	for _, word := range words {
		if !strings.Contains(answer.Get("error.message").Str, word) {
			c.t.Errorf("%s %s: got %s, want %q in the message", method, params, answer.Raw, word)
		}
	}
	return answer.Get("error")
}

// callParams are the params of a tools/call; arguments is JSON, or "".
func callParams(tool, arguments string) string {
	params := fmt.Sprintf(`{"name":%q`, tool)
	if arguments != "" {
		params += `,"arguments":` + arguments
	}
	return params + "}"
}

// call calls a tool and gives the result.
func (c *talk) call(tool, arguments string) gjson.Result {
	c.t.Helper()
	return c.result("tools/call", callParams(tool, arguments))
}

// wantText calls a tool, whose result must be that text.
func (c *talk) wantText(tool, text string) {
	c.t.Helper()
	result := c.call(tool, "")
	if got := result.Get("content.0.text").Str; got != text || result.Get("isError").Bool() {
		c.t.Errorf("the tool %s gives %s, want %q", tool, result.Raw, text)
	}
}

// wantToolError calls a tool, which must fail with a text that has these words.
func (c *talk) wantToolError(tool string, words ...string) {
	c.t.Helper()
	result := c.call(tool, "")
	if !result.Get("isError").Bool() {
		c.t.Fatalf("the tool %s gives %s, want an error", tool, result.Raw)
	}
	for _, word := range words {
		if !strings.Contains(result.Get("content.0.text").Str, word) {
			c.t.Errorf("the tool %s gives %s, want %q in it", tool, result.Raw, word)
		}
	}
}

// fence waits until the gateway has read all that was sent.
func (c *talk) fence() {
	c.t.Helper()
	if c.meta != "" {
		c.result("server/discover", "{}")
		return
	}
	c.result("ping", `{}`)
}

// message waits for a notification, or a request of the server's own.
func (c *talk) message(method string) gjson.Result {
	c.t.Helper()
	return c.take(method, func(m gjson.Result) bool { return m.Get("method").Str == method })
}

// reply answers a request of the server's own.
func (c *talk) reply(question gjson.Result, result string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, question.Get("id").Raw, result))
}

func (c *talk) cancel(id string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
}

// names gives what a list has under a member of its entries, without the tools
// that are built in.
func (c *talk) names(list, member string) (all []string) {
	c.t.Helper()
	method := list + "/list"
	if list == "resourceTemplates" {
		method = "resources/templates/list"
	}
	for _, entry := range c.result(method, `{}`).Get(list).Array() {
		switch name := entry.Get(member).Str; name {
		case "about_tsar-mcp", "readTrace", "listPrompts", "getPrompt":
		default:
			all = append(all, name)
		}
	}
	return all
}

func (c *talk) tools() []string {
	c.t.Helper()
	return c.names("tools", "name")
}

// about gives what about_tsar-mcp says.
func (c *talk) about() string {
	c.t.Helper()
	return c.call("about_tsar-mcp", "").Get("content.0.text").Str
}

// state waits until the gateway has logged that a server is in a state with these
// words. It is for clients that made the handshake.
func (c *talk) state(server string, words ...string) gjson.Result {
	c.t.Helper()
	return c.take(fmt.Sprintf("that %s is %q", server, words), func(m gjson.Result) bool {
		data := m.Get("params.data")
		if m.Get("method").Str != "notifications/message" || m.Get("params.logger").Str != "gateway" || data.Get("server").Str != server {
			return false
		}
		for _, word := range words {
			if !strings.Contains(data.Get("state").Str, word) {
				return false
			}
		}
		return true
	})
}

// quoted gives a text as JSON.
func quoted(text string) string {
	encoded, _ := json.Marshal(text)
	return string(encoded)
}
