package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core/server"
)

// fullTool, fullPrompt, fullResource and fullTemplate have all that a definition
// can have, and more. Their names come last.
const (
	rest       = `,"title":"T\u0041","description":"d\u00e9 \/ ","icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],"_meta":{"k":[1.0,1e2,-0]},"x-new":{"a":1,"name":"n","uri":"u"}`
	fullTool   = `{"inputSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"number","default":1.0}},"required":["b"],"x-new":1}` + rest + `,"outputSchema":{"type":"object","properties":{"r":{"type":"number"}}},"annotations":{"title":"t","readOnlyHint":true,"x-new":2},"name":"%s"}`
	fullPrompt = `{"arguments":[{"name":"a","title":"t","description":"d","required":true,"x-new":1}]` + rest + `,"name":"%s"}`
	resources  = `"name":"n","mimeType":"text/plain","annotations":{"audience":["user"],"priority":0.50,"lastModified":"2025-01-01T00:00:00Z"}` + rest
)

// TestDefinitions come through as they are, apart from the name.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for _, f := range []*fake{legacyServer(t, "s"), modernServer(t, "s")} {
		f.has("tools", fmt.Sprintf(fullTool, "x")).has("prompts", fmt.Sprintf(fullPrompt, "x"))
		resource, template := `{`+resources+`,"size":7,"uri":"r://1"}`, `{`+resources+`,"uriTemplate":"t://{x}"}`
		f.has("resources", resource).has("resourceTemplates", template)
		c := legacy(t, f)
		for method, want := range map[string]string{
			"tools/list": fmt.Sprintf(fullTool, "s.x"), "prompts/list": fmt.Sprintf(fullPrompt, "s.x"), "resources/list": resource, "resources/templates/list": template,
		} {
			if got := c.result(method, `{}`).Get("@values.0.0").Raw; got != want {
				t.Errorf("%s has\n%s, want\n%s", method, got, want)
			}
		}
		c.close()
	}
}

// TestResults come through as they are.
func TestResults(t *testing.T) {
	t.Parallel()
	results := map[string]string{
		"tools/call": `{"structuredContent":{"r":1.0,"s":"\u0041\/","b":12345678901234567890123,"a":{}},"content":[{"type":"text","text":"a\u2028b\ud83d\ude00","annotations":{"priority":0.10},"_meta":{"k":1e3}},` +
			`{"type":"image","data":"AA==","mimeType":"image/png","x-new":1},{"type":"x-new","y":[null,true]}],"isError":false,"_meta":{"progressToken":1.0,"k":{}},"x-new":{"a":1}}`,
		"prompts/get":         `{"messages":[{"role":"user","content":{"type":"text","text":"t","x-new":1.0},"x-new":1}],"description":"d","_meta":{"k":1.0},"x-new":{"a":1}}`,
		"resources/read":      `{"contents":[{"uri":"r://1","blob":"AA==","mimeType":"a/b","_meta":{"k":1.0},"x-new":1}],"_meta":{"k":1.0},"x-new":{"a":1}}`,
		"completion/complete": `{"completion":{"values":["a"],"total":1,"hasMore":false,"x-new":1.0},"_meta":{"k":1.0},"x-new":{"a":1}}`,
	}
	params := map[string]string{
		"tools/call": callParams("s.x", ""), "prompts/get": `{"name":"s.x"}`, "resources/read": `{"uri":"r://1"}`,
		"completion/complete": `{"ref":{"type":"ref/prompt","name":"s.x"},"argument":{"name":"a","value":"b"}}`,
	}
	for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
		f.has("prompts", promptOf("x")).has("resources", resourceOf("r://1"))
		c := legacy(t, f)
		for method, want := range results {
			f.on(method, constant(want))
			if got := c.result(method, params[method]).Raw; got != want && got != strings.ReplaceAll(want, "\\u2028", "\u2028") {
				t.Errorf("%s gives\n%s, want\n%s", method, got, want)
			}
		}
		c.close()
	}
}

// TestErrors come through as they are.
func TestErrors(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.has("prompts", promptOf("x")).has("resources", resourceOf("r://1"))
	c := legacy(t, f)
	for method, params := range map[string]string{"tools/call": callParams("s.x", ""), "prompts/get": `{"name":"s.x"}`, "resources/read": `{"uri":"r://1"}`} {
		f.on(method, func(l *link, a arrival) string {
			l.say(`{"jsonrpc":"2.0","id":` + a.id + `,"error":{"code":-32099,"message":"m\u0041","data":{"a":1.0,"uri":"other"}}}`)
			return ""
		})
		got := c.ask(method, params).Get("error")
		if got.Get("code").Int() != -32099 || got.Get("message").Str != "mA" || got.Get("data").Raw != `{"a":1.0,"uri":"other"}` {
			t.Errorf("%s fails with %s", method, got.Raw)
		}
	}
}

// TestErrorResults are not held against the output schema, and stay as they
// are, as do results that do not fit it: that is between server and client.
func TestErrorResults(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s")
	f.has("tools", `{"name":"x","inputSchema":{"type":"object","required":["b"]},"outputSchema":{"type":"object","properties":{"r":{"type":"number"}},"required":["r"]}}`)
	c := legacy(t, f)
	for _, want := range []string{
		`{"content":[{"type":"text","text":"disk full"}],"isError":true}`,
		`{"isError":true,"content":[],"structuredContent":{"reason":"disk full"}}`,
		`{"content":[{"type":"text","text":"no structure"}]}`,
		`{"content":[],"structuredContent":{"r":"no number"}}`,
	} {
		f.on("tools/call", constant(want))
		// The arguments do not fit either, which is the server's to say.
		if got := c.call("s.x", "").Raw; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestArguments: what was left out is an empty object for the server, and
// whatever was given stays as it is. Nothing is added.
func TestArguments(t *testing.T) {
	t.Parallel()
	for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
		f.has("prompts", promptOf("p"))
		c := legacy(t, f)
		for _, test := range []struct{ given, want string }{
			{`{"name":"s.x"}`, `{"name":"x","arguments":{}}`},
			{`{"name":"s.x","arguments":null}`, `{"name":"x","arguments":{}}`},
			{`{"name":"s.x","arguments":{}}`, `{"name":"x","arguments":{}}`},
			{`{"arguments":{"b":null,"a":[1.0,1e2,12345678901234567890],"ü\u0041":"\/\u2028"},"name":"s.x","x-new":{"name":"s.x"}}`, `{"arguments":{"b":null,"a":[1.0,1e2,12345678901234567890],"ü\u0041":"\/\u2028"},"name":"x","x-new":{"name":"s.x"}}`},
			{`{"name":"s.x","task":{"ttl":1},"arguments":{"name":"s.x","uri":"u","_meta":1}}`, `{"name":"x","arguments":{"name":"s.x","uri":"u","_meta":1}}`},
		} {
			c.result("tools/call", test.given)
			calls := f.sent("tools/call")
			if got := withoutMeta(calls[len(calls)-1].params); got != test.want {
				t.Errorf("%s reaches the server as\n%s, want\n%s", test.given, got, test.want)
			}
		}
		c.result("prompts/get", `{"name":"s.p"}`)
		if got := withoutMeta(f.sent("prompts/get")[0].params); got != `{"name":"p"}` {
			t.Errorf("a prompt without arguments reaches the server as %s", got)
		}
		c.close()
	}
}

// withoutMeta gives params without the _meta that stands at their end.
func withoutMeta(params gjson.Result) string {
	meta := params.Get("_meta")
	if !meta.Exists() {
		return params.Raw
	}
	return strings.Replace(params.Raw, `,"_meta":`+meta.Raw, "", 1)
}

// TestParamsOfOtherMethods: a member that is called name or uri is that of the
// method that has it, and stays what it is elsewhere.
func TestParamsOfOtherMethods(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.has("prompts", promptOf("p")).has("resources", resourceOf("r://1"))
	c := legacy(t, f)
	c.result("resources/read", `{"name":"n","uri":"s+r://1"}`)
	c.result("tools/call", `{"name":"s.x","uri":"u","arguments":{}}`)
	c.result("prompts/get", `{"name":"s.p","uri":"u"}`)
	c.result("completion/complete", `{"name":"n","uri":"u","ref":{"type":"ref/prompt","name":"s.p","uri":"u"},"argument":{"name":"a","value":"b"}}`)
	for method, want := range map[string]string{
		"resources/read": `{"name":"n","uri":"r://1"}`, "tools/call": `{"name":"x","uri":"u","arguments":{}}`, "prompts/get": `{"name":"p","uri":"u"}`,
		"completion/complete": `{"name":"n","uri":"u","ref":{"type":"ref/prompt","name":"p","uri":"u"},"argument":{"name":"a","value":"b"}}`,
	} {
		if got := f.sent(method)[0].params.Raw; got != want {
			t.Errorf("%s reaches the server as %s, want %s", method, got, want)
		}
	}
}

// TestPromptTools: a client that knows no prompts reaches those of the servers.
func TestPromptTools(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.has("prompts", promptOf("p"))
	c := legacy(t, f)
	if !strings.Contains(c.result("tools/list", `{}`).Raw, `"getPrompt"`) {
		return // a build without these tools
	}
	if got := c.call("listPrompts", "").Get("content.0.text").Str; got != `[{"name":"s.p"}]` {
		t.Errorf("the prompts are %s", got)
	}
	if got := c.call("getPrompt", `{"name":"s.p","arguments":{"a":"1"}}`).Get("content.0.text").Str; got != "user: s:p" {
		t.Errorf("the prompt is %q", got)
	}
	if got := withoutMeta(f.awaitSent("prompts/get", 1).params); got != `{"name":"p","arguments":{"a":"1"}}` {
		t.Errorf("it reaches the server as %s", got)
	}
}

// TestLongLines pass in both directions, up to the limit; what is longer costs
// one answer.
func TestLongLines(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", func(_ *link, a arrival) string {
		return textResult(fmt.Sprint(len(a.params.Get("arguments.text").Str)) + a.params.Get("arguments.text").Str)
	})
	c := legacyWith(t, settings{options: &server.Options{MaxMessage: 5 << 20}}, `{}`, f)
	for _, size := range []int{70 << 10, 1 << 20, 4 << 20} {
		text := strings.Repeat("x", size)
		if got := c.call("s.x", `{"text":"`+text+`"}`).Get("content.0.text").Str; got != fmt.Sprint(size)+text {
			t.Errorf("a text of %d bytes comes back with %d", size, len(got))
		}
	}
	id, line := c.line("tools/call", callParams("s.x", `{"text":"`+strings.Repeat("x", 5<<20)+`"}`))
	c.send(line)
	if got := c.answer(id); !got.Get("error").Exists() {
		t.Errorf("a request over the limit gives %.200s", got.Raw)
	}
	if got := c.call("s.x", `{"text":"y"}`).Get("content.0.text").Str; got != "1y" {
		t.Errorf("afterwards a call gives %q", got)
	}
}

// TestLineBreaksAndBadBytes of a server: what is not UTF-8 is replaced, and a
// message over several lines is none.
func TestLineBreaksAndBadBytes(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := legacy(t, f)
	f.on("tools/call", func(l *link, a arrival) string {
		l.write("npm notice hello\n\n\x1b[31mred\x1b[0m\n")
		l.write("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": " + a.id + ",\n  \"result\": {}\n}\n")
		l.write(`{"jsonrpc":"2.0","id":` + a.id + `,"result":{"content":[{"type":"text","text":"a` + "\xff\xc3(" + `"}]}}` + "\r\n")
		return ""
	})
	if got := c.call("s.x", "").Get("content.0.text").Str; got != "a\ufffd\ufffd(" {
		t.Errorf("the text is %q", got)
	}
	for i, message := range c.messages {
		if strings.Contains(strings.TrimSuffix(message.Raw, "\n"), "\n") {
			t.Errorf("message %d has a line break", i)
		}
	}
}

// TestAnswersThatAreNone fail their request with a reason that names the server,
// and nothing else.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := legacy(t, f)
	for _, members := range []string{
		`"result":null`, `"result":[]`, `"result":"x"`, `"result":{},"error":{"code":1,"message":"m"}`, `"x":1`, `"error":5`, `"error":null`, `"result":{"content":[]`,
	} {
		f.on("tools/call", func(l *link, a arrival) string {
			l.say(`{"jsonrpc":"2.0","id":` + a.id + `,` + members + `}`)
			return ""
		})
		c.wantToolError("s.x", `server "s"`)
	}
	f.on("tools/call", constant(`{"content":[]}`))
	if got := c.call("s.x", "").Raw; got != `{"content":[]}` {
		t.Errorf("afterwards a call gives %s", got)
	}
}
