package gateway_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

func TestJoinsServers(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a", "x"), modernServer(t, "b", "x", "y")
	c := legacy(t, a, b)
	if got := c.tools(); !slices.Equal(got, []string{"a.x", "b.x", "b.y"}) {
		t.Errorf("the tools are %q", got)
	}
	c.wantText("a.x", "a:x")
	c.wantText("b.x", "b:x")
	c.wantText("b.y", "b:y")
}

// TestClientWithoutAHandshake is served as well: people pipe single lines into a
// server. It cannot be asked anything.
func TestClientWithoutAHandshake(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	c := connect(t, settings{}, f)
	c.wantText("s.x", "s:x")
	if got := f.sent("initialize")[0].params.Get("capabilities").Raw; got != `{}` {
		t.Errorf("the server is told %s of it", got)
	}
	f.link(0).ask(`1`, "roots/list", `{}`)
	if got := f.response(`1`); got.Get("error.code").Int() != -32601 {
		t.Errorf("a question is answered with %s", got.Raw)
	}
	long := strings.Repeat("ü", 100)
	if got := c.refused("tools/call", callParams(long, ""), -32602, "Unknown tool: üü").Get("message").Str; len(got) > 200 || !utf8.ValidString(got) {
		t.Errorf("the message is %q", got)
	}
}

// TestOldClients are served under their own versions: one has batches, and another
// does not know what newer results have.
func TestOldClients(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a", "x"), modernServer(t, "b", "x")
	a.on("tools/call", constant(`{"content":[{"type":"text","text":"a"}],"structuredContent":{},"_meta":{"k":1.0}}`))
	c := connect(t, settings{}, a, b)
	c.result("initialize", `{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"old","version":"1"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.settle()
	first, one := c.line("tools/call", callParams("a.x", ""))
	second, two := c.line("tools/call", callParams("b.x", ""))
	c.send(`[` + one + `,` + two + `]`)
	batch := c.take("a batch", gjson.Result.IsArray).Array()
	got := map[string]string{}
	for _, answer := range batch {
		got[answer.Get("id").Raw] = answer.Get("result").Raw
	}
	want := map[string]string{first: `{"content":[{"type":"text","text":"a"}],"_meta":{"k":1.0}}`, second: textResult("b:x")}
	if !maps.Equal(got, want) {
		t.Errorf("the batch is answered with %q, want %q", got, want)
	}
}
