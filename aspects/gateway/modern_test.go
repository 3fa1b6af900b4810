//go:build mcp20260728

package gateway_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// metaOf is what a request of 2026-07-28 says of its client, which has these
// capabilities, and of whatever more there is.
func metaOf(capabilities, more string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + capabilities + more + `}`
}

const logKey = `,"io.modelcontextprotocol/logLevel":`

// modern begins a conversation of a client of 2026-07-28 that can do all. When it
// returns, all servers have been started, or have failed once.
func modern(t *testing.T, servers ...*fake) *talk {
	t.Helper()
	return modernWith(t, settings{}, fullClient, servers...)
}

func modernWith(t *testing.T, more settings, capabilities string, servers ...*fake) *talk {
	t.Helper()
	c := connect(t, more, servers...)
	c.meta = metaOf(capabilities, "")
	c.settle()
	return c
}

// resume gives the params to come back with, to the result of a request that had
// these params.
func (c *talk) resume(params string, asked gjson.Result, answers string) string {
	return params[:len(params)-1] + `,` + c.meta + `,"inputResponses":` + answers + `,"requestState":` + asked.Get("requestState").Raw + `}`
}

// asked is result for a request that must be answered with questions.
func (c *talk) asked(method, params string) gjson.Result {
	c.t.Helper()
	result := c.result(method, params)
	if result.Get("resultType").Str != "input_required" {
		c.t.Fatalf("%s %s: got %s, want questions", method, params, result.Raw)
	}
	return result
}

// onlyQuestion gives the key of the one question of a result.
func (c *talk) onlyQuestion(asked gjson.Result) (key string) {
	c.t.Helper()
	count := 0
	asked.Get("inputRequests").ForEach(func(name, _ gjson.Result) bool {
		key = name.Str
		count++
		return true
	})
	if count != 1 {
		c.t.Fatalf("there are %d questions, want one: %s", count, asked.Raw)
	}
	return key
}

// answersTo gives inputResponses with one answer.
func answersTo(key, answer string) string { return fmt.Sprintf(`{%q:%s}`, key, answer) }

// TestModernClient: servers of both eras serve it, and are told as much as they
// can use.
func TestModernClient(t *testing.T) {
	t.Parallel()
	f, m := legacyServer(t, "s", "x"), modernServer(t, "m", "x")
	c := modernWith(t, settings{}, `{"roots":{},"experimental":{"e":{}}}`, f, m)
	c.wantText("s.x", "s:x")
	c.wantText("m.x", "m:x")
	want := `{"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"roots":{}}`
	if got := f.sent("initialize")[0].params.Get("capabilities").Raw; got != want {
		t.Errorf("the legacy server is told %s", got)
	}
	if meta := f.sent("tools/call")[0].params.Get("_meta"); meta.Exists() {
		t.Errorf("the legacy server has got metadata of the other era: %s", meta.Raw)
	}
	meta := m.sent("tools/call")[0].params.Get("_meta")
	if got := meta.Get(`io\.modelcontextprotocol/clientCapabilities`).Raw; got != `{"roots":{}}` {
		t.Errorf("the modern server is told %s", got)
	}
	if got := meta.Get(`io\.modelcontextprotocol/clientInfo.name`).Str; got != "MCPServer_gateway" {
		t.Errorf("the modern server takes the client for %q", got)
	}
}

// TestModernLogMessages come to the requests that ask for them, from servers of
// both eras.
func TestModernLogMessages(t *testing.T) {
	t.Parallel()
	for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
		f.on("tools/call", func(l *link, _ arrival) string {
			for _, level := range []string{"debug", "info", "error"} {
				l.notify("notifications/message", `{"level":"`+level+`","data":1.0}`)
			}
			return textResult("done")
		})
		c := modern(t, f)
		for _, test := range []struct{ level, want string }{{"", ""}, {"error", "error"}, {"debug", "debug info error"}, {"info", "info error"}} {
			more := ""
			if test.level != "" {
				more = logKey + quoted(test.level)
			}
			c.result("tools/call", `{"name":"s.x",`+metaOf(`{}`, more)+`}`)
			c.fence()
			var got []string
			for _, m := range c.came("notifications/message") {
				got = append(got, m.Get("params.level").Str)
				if m.Get("params.logger").Str != "s" || m.Get("params.data").Raw != "1.0" {
					t.Errorf("a message has become %s", m.Raw)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("a request that asks for %q gets messages of %q", test.level, got)
			}
			c.drop()
		}
		c.close()
	}
}

// TestModernLogLevel: a legacy server knows the lowest level that a request has
// asked for, before it gets that request.
func TestModernLogLevel(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := modern(t, f)
	for _, level := range []string{"error", "critical", "debug", "info"} {
		c.result("tools/call", `{"name":"s.x",`+metaOf(`{}`, logKey+quoted(level))+`}`)
	}
	c.call("s.x", "")
	var got []string
	for _, a := range f.sent("*") {
		if a.method == "logging/setLevel" {
			got = append(got, a.params.Get("level").Str)
		}
		if a.method == "tools/call" {
			got = append(got, "call")
		}
	}
	if want := "error call call debug call call call"; strings.Join(got, " ") != want {
		t.Errorf("the server has got %q, want %s", got, want)
	}
}

// TestModernNotifications: a client of the modern era is told nothing that it has
// not asked for.
func TestModernNotifications(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", func(l *link, _ arrival) string {
		l.notify("notifications/elicitation/complete", `{"elicitationId":"e"}`)
		l.notify("notifications/message", `{"level":"emergency","data":"x"}`)
		l.notify("notifications/resources/updated", `{"uri":"r://1"}`)
		l.notify("notifications/x-new", `{}`)
		l.notify("notifications/progress", `{"progressToken":1,"progress":1}`)
		return textResult("done")
	})
	c := modern(t, f)
	c.call("s.x", "")
	f.has("tools", toolsOf("y")...)
	f.link(0).notify("notifications/tools/list_changed", `{}`)
	f.awaitSent("tools/list", 2)
	for len(c.tools()) != 1 || c.tools()[0] != "s.y" {
		c.fence()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.messages {
		if m.Get("method").Exists() {
			t.Errorf("the client has got %s", m.Raw)
		}
	}
}

// TestModernProgress has the token of the request.
func TestModernProgress(t *testing.T) {
	t.Parallel()
	for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
		f.on("tools/call", progressing(""))
		c := modern(t, f)
		c.result("tools/call", `{"name":"s.x",`+metaOf(`{}`, `,"progressToken":0`)+`}`)
		notices := c.came("notifications/progress")
		if len(notices) != 3 || notices[2].Get("params.progressToken").Raw != "0" || notices[2].Get("params.x-new").Raw != `{"a":1.0}` {
			t.Errorf("progress came as %v", notices)
		}
		c.close()
	}
}

// TestModernNotFound: the code for a resource that is not there is that of the
// client's era.
func TestModernNotFound(t *testing.T) {
	t.Parallel()
	f, m := legacyServer(t, "s"), modernServer(t, "m")
	f.has("resources", resourceOf("r://s"))
	m.has("resources", resourceOf("r://m"))
	f.on("resources/read", func(l *link, a arrival) string { l.fail(a.id, -32002, "gone"); return "" })
	m.on("resources/read", func(l *link, a arrival) string { l.fail(a.id, -32602, "gone"); return "" })
	for code, begin := range map[int]func(*testing.T, ...*fake) *talk{-32602: modern, -32002: legacy} {
		c := begin(t, f, m)
		for _, uri := range []string{"r://s", "r://m"} {
			c.refused("resources/read", `{"uri":"`+uri+`"}`, code, "gone")
		}
		c.refused("resources/read", `{"uri":"r://none"}`, code)
		c.close()
	}
}
