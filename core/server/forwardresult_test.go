package server_test

import (
	"context"
	"strings"
	"testing"

	"mcpserver/core"
)

// forwarding is an aspect that answers everything with another server's result.
func forwarding(result string) *core.Aspect {
	says := func(context.Context, *core.Call) (core.Result, error) { return core.ForwardedResult(result), nil }
	served := aspect(core.Tool{Name: "t", Output: core.Object(core.String("a", "").Required()), Handler: says})
	served.Prompts = []core.Prompt{{Name: "p", Handler: says}}
	served.Resources = []core.Resource{{URI: "a:b", Name: "n", Read: says}}
	served.OnComplete, served.OnMethod = says, says
	return served
}

// Each method whose result an aspect gives, with its params.
var forwardedMethods = map[string]string{
	"tools/call":          `"name":"t"`,
	"prompts/get":         `"name":"p"`,
	"resources/read":      `"uri":"a:b"`,
	"completion/complete": `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`,
	"tasks/get":           ``,
}

// A result of another server reaches the client as it is, on one line, whatever
// the method asks of results, and whatever the tool promises.
func TestForwardedResults(t *testing.T) {
	const (
		result = "{\r\n \"z\": 1.0,\n \"resultType\": \"complete\",\n \"content\": [ ],\t\"structuredContent\": [\"\\u003cb\\u003e \\/\"],\n" +
			" \"isError\": 1E+2,\r \"messages\": 12345678901234567890, \"\\u003ck\\u003e\": 1, \"contents\": [],\n" +
			" \"_meta\": {\"b\": 1, \"io.modelcontextprotocol/serverInfo\": {\"name\": \"other\"}, \"a\": \"\u2028\"}, \"a\": 1, \"a\": 2\n}\n"
		newest = `{"z":1.0,"content":[],"structuredContent":["\u003cb\u003e \/"],"isError":1E+2,"messages":12345678901234567890,` +
			`"\u003ck\u003e":1,"contents":[],"_meta":{"b":1,"a":"` + "\u2028" + `"},"a":1,"a":2}`
	)
	old := strings.Replace(newest, `\u003ck\u003e`, `<k>`, 1)
	oldest := strings.Replace(old, `"structuredContent":["\u003cb\u003e \/"],`, ``, 1)
	for revision, want := range map[string]string{"2024-11-05": oldest, "2025-03-26": oldest, "2025-06-18": old, "2025-11-25": newest} {
		c := connect(t, forwarding(result), nil)
		c.send(strings.Replace(initialize, "2025-11-25", revision, 1), initialized)
		c.wantIDs(`"init"`)
		for method, params := range forwardedMethods {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`)
			if got := c.next(); got.Raw != `{"jsonrpc":"2.0","id":1,"result":`+want+`}` {
				t.Errorf("%s under %s was answered with\n %s\nwant the result\n %s", method, revision, got.Raw, want)
			}
		}
		c.wantEnd()
	}
}

// Kinds of blocks that came after the client's version are told of in a text.
func TestForwardedBlocksInOldRevisions(t *testing.T) {
	const (
		result   = `{"content":[{"type":"audio","data":"AA==","mimeType":"audio/wav"},{"type":"resource_link","uri":"a:b","name":"n"}],"own":1}`
		audio    = `{"type":"audio","data":"AA==","mimeType":"audio/wav"}`
		noAudio  = `{"type":"text","text":"[audio audio/wav]"}`
		noLink   = `{"type":"text","text":"[resource_link n] a:b"}`
		beginsAt = `{"content":[`
	)
	for revision, want := range map[string]string{
		"2024-11-05": beginsAt + noAudio + `,` + noLink + `],"own":1}`,
		"2025-03-26": beginsAt + audio + `,` + noLink + `],"own":1}`,
		"2025-06-18": result,
		"2025-11-25": result,
	} {
		c := connect(t, forwarding(result), nil)
		c.send(strings.Replace(initialize, "2025-11-25", revision, 1), initialized, call(1, "t"))
		c.wantIDs(`"init"`)
		if got := c.next().Get("result").Raw; got != want {
			t.Errorf("under %s the result is %s, want %s", revision, got, want)
		}
		c.wantEnd()
	}
}

// What is no JSON object is an error: a tool's, or that of the request.
func TestForwardedResultsThatAreNone(t *testing.T) {
	for _, result := range []string{``, `null`, `[]`, `{"a":`, "{\"a\":\"two\nlines\"}"} {
		c := ready(t, forwarding(result), nil)
		for method, params := range forwardedMethods {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`)
			if method == "tools/call" {
				c.wantToolError("1", "forwarded result")
			} else {
				c.wantError("1", -32603, "forwarded result")
			}
		}
		c.wantEnd()
	}
}

// A call that was kept open can be completed with another server's result.
func TestForwardedResultLater(t *testing.T) {
	deferred := make(chan *core.Deferred, 1)
	c := ready(t, aspect(core.Tool{Name: "t", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		deferred <- call.Defer()
		return core.Pending, nil
	}}), nil)
	c.send(call(1, "t"))
	if err := (<-deferred).Complete(core.ForwardedResult(`{ "b":1, "a":2 }`), nil); err != nil {
		t.Error(err)
	}
	if got := c.next().Get("result").Raw; got != `{"b":1,"a":2}` {
		t.Errorf("the result is %s", got)
	}
	c.wantEnd()
}
