package server_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// aboutText is what about_tsar-mcp says.
func (c *client) aboutText() string {
	c.t.Helper()
	c.send(call(1, "about_tsar-mcp"))
	got := c.next()
	if got.Get("id").Raw != "1" || got.Get("result.isError").Bool() {
		c.t.Fatalf("got %.300s, want the text of about_tsar-mcp", got.Raw)
	}
	return got.Get("result.content.0.text").Str
}

// The aspect's lines stand before the credits, in their order, each as one.
func TestAboutHasTheAspectsLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain := ready(t, aspect(fast("fast")), nil)
		before := plain.aboutText()
		plain.wantEnd()
		lines := []string{"Server b: connected", "Server a: two\r\nlines\nand\ra third", "", "Note: <x>"}
		served := aspect(fast("fast"))
		served.About = func() []string { return lines }
		c := ready(t, served, nil)
		want := strings.Replace(before, "Core credit:", "Server b: connected\nServer a: two lines and a third\n\nNote: <x>\nCore credit:", 1)
		if got := c.aboutText(); got != want {
			t.Errorf("about_tsar-mcp says\n%s\nwant\n%s", got, want)
		}
		lines = nil
		if got := c.aboutText(); got != before {
			t.Errorf("about_tsar-mcp says\n%s\nwant\n%s", got, before)
		}
		c.wantEnd()
	})
}

// Without its lines the rest is there, and what is read next is served.
func TestAboutFails(t *testing.T) {
	for name, test := range map[string]struct {
		fail  func()
		trace string
	}{
		"panics":             {func() { panic("secret inside") }, "About panicked"},
		"ends its goroutine": {runtime.Goexit, "About: the code ended its goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served := aspect(fast("fast"))
				served.About = func() []string { test.fail(); return []string{"never"} }
				c := ready(t, served, nil)
				if got := c.aboutText(); !strings.HasPrefix(got, "Name: MCPServer_test") || !strings.Contains(got, "Core credit:") || strings.Contains(got, "secret") {
					t.Errorf("about_tsar-mcp says\n%s", got)
				}
				c.send(call(2, "fast"), ping(3))
				c.wantIDs("2", "3")
				c.wantTraced(test.trace)
				c.wantEnd()
			})
		})
	}
}

// The hooks that are in use are named.
func TestAboutNamesTheHooks(t *testing.T) {
	served := aspect()
	served.Logging = true
	served.OnFirstRequest = func(context.Context, *core.Call) {}
	served.OnList = func(context.Context, *core.Call) {}
	served.OnSetLevel = func(context.Context, core.LogLevel) {}
	c := ready(t, served, nil)
	if got := c.aboutText(); !strings.Contains(got, "\nHooks: OnFirstRequest, OnList, OnSetLevel\n") {
		t.Errorf("about_tsar-mcp says\n%s", got)
	}
	c.wantEnd()
}
