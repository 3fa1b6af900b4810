package gateway_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
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
