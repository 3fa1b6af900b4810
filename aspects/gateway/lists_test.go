package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestListsAreReadOnce when a server comes up, and when it comes back.
func TestListsAreReadOnce(t *testing.T) {
	t.Parallel()
	f, m := legacyServer(t, "s", "x"), modernServer(t, "m", "x")
	c := legacy(t, f, m)
	c.wantText("s.x", "s:x")
	f.link(0).exit(1)
	c.state("s", "not connected")
	c.awaitTools(func(names []string) bool { return slices.Contains(names, "s.x") && f.starts() == 2 })
	for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		if got := len(f.sent(method)); got != 2 {
			t.Errorf("%s was sent %d times in two runs", method, got)
		}
		if got := len(m.sent(method)); got != 1 {
			t.Errorf("%s was sent %d times to the modern server", method, got)
		}
	}
}

// TestListsThatChange: whatever a server adds, removes or renames is seen, and
// the client is told; a swarm of notices costs few lists.
func TestListsThatChange(t *testing.T) {
	t.Parallel()
	for _, f := range []*fake{legacyServer(t, "s", "x"), modernServer(t, "s", "x")} {
		f.has("prompts", promptOf("p")).has("resources", resourceOf("r://1")).has("resourceTemplates", templateOf("t://{x}"))
		c := legacy(t, f)
		for _, change := range [][]string{{"x", "y"}, {"y"}, {"z"}, nil, {"x", "y", "z"}} {
			f.has("tools", toolsOf(change...)...)
			before := len(f.sent("tools/list"))
			f.notifyChanged("tools", 100)
			c.message("notifications/tools/list_changed")
			if got := c.tools(); !slices.Equal(got, prefixed("s.", change)) {
				// One that came between the two halves of a change.
				c.awaitTools(func(names []string) bool { return slices.Equal(names, prefixed("s.", change)) })
			}
			c.fence()
			if lists := len(f.sent("tools/list")) - before; lists > 5 {
				t.Errorf("100 notices cost %d lists", lists)
			}
			c.drop()
		}
		f.has("prompts", promptOf("q"))
		f.notifyChanged("prompts", 1)
		for !slices.Equal(c.names("prompts", "name"), []string{"s.q"}) {
			c.message("notifications/prompts/list_changed")
		}
		f.has("resources", resourceOf("r://2")).has("resourceTemplates", templateOf("u://{x}"))
		f.notifyChanged("resources", 1)
		for !slices.Equal(c.names("resources", "uri"), []string{"r://2"}) || !slices.Equal(c.names("resourceTemplates", "uriTemplate"), []string{"u://{x}"}) {
			c.message("notifications/resources/list_changed")
		}
		c.refused("prompts/get", `{"name":"s.p"}`, -32602, "Unknown prompt")
		c.close()
	}
}

func prefixed(prefix string, names []string) (all []string) {
	for _, name := range names {
		all = append(all, prefix+name)
	}
	return all
}

// notifyChanged says so many times that a list has changed. A modern server says
// so on the stream.
func (f *fake) notifyChanged(list string, times int) {
	params := `{}`
	if streams := f.sent("subscriptions/listen"); len(streams) > 0 {
		params = `{"_meta":{"io.modelcontextprotocol/subscriptionId":` + streams[len(streams)-1].id + `}}`
	}
	line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%s/list_changed","params":%s}`+"\n", list, params)
	f.link(f.starts() - 1).write(strings.Repeat(line, times))
}

// TestChangeDuringAList has the list read once more.
func TestChangeDuringAList(t *testing.T) {
	t.Parallel()
	for list, capability := range map[string]string{"tools": "tools", "prompts": "prompts", "resources": "resources", "resourceTemplates": "resources"} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			f := legacyServer(t, "s")
			c := legacy(t, f)
			method, member, want := list+"/list", "name", "s.new"
			elements := []string{`{"name":"new","inputSchema":{"type":"object"}}`}
			switch list {
			case "resources":
				member, want, elements = "uri", "s:new", []string{resourceOf("s:new")}
			case "resourceTemplates":
				method, member, want, elements = "resources/templates/list", "uriTemplate", "s:new{x}", []string{templateOf("s:new{x}")}
			}
			during := false
			f.on(method, func(l *link, a arrival) string {
				old := listing(list)(l, a)
				if !during {
					during = true
					f.has(list, elements...)
					f.notifyChanged(capability, 1)
				}
				return old
			})
			f.notifyChanged(capability, 1)
			for !slices.Equal(c.names(list, member), []string{want}) {
				c.message("notifications/" + capability + "/list_changed")
			}
		})
	}
}

// TestListThatFails: the old one is kept, and the list is tried again.
func TestListThatFails(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"tools", "prompts", "resources"} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			f := legacyServer(t, "s", "old")
			f.has("prompts", promptOf("old")).has("resources", resourceOf("s:old"))
			c := legacy(t, f)
			member, prefix := "name", "s."
			if list == "resources" {
				member, prefix = "uri", "s:"
			}
			failed := false
			f.on(list+"/list", func(l *link, a arrival) string {
				if failed {
					return listing(list)(l, a)
				}
				failed = true
				l.fail(a.id, -32603, "not now")
				return ""
			})
			f.has("tools", toolsOf("new")...).has("prompts", promptOf("new")).has("resources", resourceOf("s:new"))
			before := len(f.sent(list + "/list"))
			f.notifyChanged(list, 1)
			f.awaitSent(list+"/list", before+1)
			if got := c.names(list, member); !slices.Equal(got, []string{prefix + "old"}) {
				t.Errorf("after a failure the %s are %q", list, got)
			}
			for !slices.Equal(c.names(list, member), []string{prefix + "new"}) {
				c.message("notifications/" + list + "/list_changed")
			}
		})
	}
}

// TestFirstListThatFails is tried again, too: a server that is slow to find its
// tools is not one without any.
func TestFirstListThatFails(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"tools", "prompts", "resources"} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			f := legacyServer(t, "s", "x")
			f.has("prompts", promptOf("x")).has("resources", resourceOf("s:x"))
			failed := false
			f.on(list+"/list", func(l *link, a arrival) string {
				if failed {
					return listing(list)(l, a)
				}
				failed = true
				l.fail(a.id, -32603, "not now")
				return ""
			})
			c := legacy(t, f)
			member, prefix := "name", "s."
			if list == "resources" {
				member, prefix = "uri", "s:"
			}
			if about := c.about(); !strings.Contains(about, "not now") {
				t.Errorf("nobody is told that the list could not be read:\n%s", about)
			}
			for !slices.Equal(c.names(list, member), []string{prefix + "x"}) {
				c.message("notifications/" + list + "/list_changed")
			}
			if about := c.about(); strings.Contains(about, "not now") {
				t.Errorf("it is still said that the list could not be read:\n%s", about)
			}
		})
	}
}

// TestAllPages of a server's lists are read.
func TestAllPages(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s")
	for list, method := range map[string]string{"tools": "tools/list", "prompts": "prompts/list", "resources": "resources/list", "resourceTemplates": "resources/templates/list"} {
		f.on(method, func(_ *link, a arrival) string {
			page := a.params.Get("cursor").Str
			if len(page) == 5 {
				return fmt.Sprintf(`{%q:[]}`, list)
			}
			element := map[string]string{
				"tools": toolsOf("x" + page)[0], "prompts": promptOf("x" + page), "resources": resourceOf("r://" + page), "resourceTemplates": templateOf("t://" + page + "{x}"),
			}[list]
			return fmt.Sprintf(`{%q:[%s],"nextCursor":%q}`, list, element, page+"i")
		})
	}
	c := legacy(t, f)
	for list, member := range map[string]string{"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"} {
		if got := c.names(list, member); len(got) != 5 {
			t.Errorf("the %s are %q", list, got)
		}
	}
}

// TestNoChange: the client is told of real changes alone.
func TestNoChange(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a", "x"), legacyServer(t, "b", "x")
	b.entry = `"deny":["hidden*"]`
	c := legacy(t, a, b)
	for _, f := range []*fake{a, b} {
		for _, list := range []string{"tools", "prompts", "resources"} {
			before := len(f.sent(list + "/list"))
			f.notifyChanged(list, 1)
			f.awaitSent(list+"/list", before+1)
		}
	}
	b.has("tools", toolsOf("x", "hidden1")...)
	before := len(b.sent("tools/list"))
	b.notifyChanged("tools", 1)
	b.awaitSent("tools/list", before+1)
	// A change that is one, behind all the others at each server.
	for _, f := range []*fake{a, b} {
		f.has("prompts", promptOf("last"))
		f.notifyChanged("prompts", 1)
		c.message("notifications/prompts/list_changed")
	}
	c.fence()
	for _, list := range []string{"tools", "resources", "prompts"} {
		if got := c.came("notifications/" + list + "/list_changed"); len(got) > 0 {
			t.Errorf("the client was told %d times that the %s have changed", len(got), list)
		}
	}
}

// TestDeathAndReturn of a server are changes.
func TestDeathAndReturn(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a", "x"), legacyServer(t, "b", "x")
	for _, f := range []*fake{a, b} {
		f.has("prompts", promptOf("p")).has("resources", resourceOf("r://"+f.name)).has("resourceTemplates", templateOf(f.name+"://{x}"))
	}
	c := legacy(t, a, b)
	a.link(0).exit(1)
	c.state("a", "not connected")
	for _, list := range []string{"tools", "prompts", "resources"} {
		c.message("notifications/" + list + "/list_changed")
	}
	for list, want := range map[string]string{"tools": "b.x", "prompts": "b.p", "resources": "r://b", "resourceTemplates": "b://{x}"} {
		member := map[string]string{"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}[list]
		if got := c.names(list, member); !slices.Equal(got, []string{want}) && a.starts() == 1 {
			t.Errorf("without the server a, the %s are %q", list, got)
		}
	}
	for _, list := range []string{"tools", "prompts", "resources"} {
		c.message("notifications/" + list + "/list_changed")
	}
	c.awaitTools(func(names []string) bool { return len(names) == 2 })
	c.wantText("a.x", "a:x")
}

// TestDefinitionsThatChange are a change of the list, although no name is.
func TestDefinitionsThatChange(t *testing.T) {
	t.Parallel()
	for list, first := range map[string]string{
		"tools": `{"name":"x","inputSchema":{"type":"object"}`, "prompts": `{"name":"x"`, "resources": `{"uri":"r://1","name":"n"`, "resourceTemplates": `{"uriTemplate":"t://{x}","name":"n"`,
	} {
		f := legacyServer(t, "s").has(list, first+`}`)
		c := legacy(t, f)
		f.has(list, first+`,"description":"new"}`)
		changed := strings.Replace(list, "resourceTemplates", "resources", 1)
		f.notifyChanged(changed, 1)
		c.message("notifications/" + changed + "/list_changed")
		method := strings.Replace(list+"/list", "resourceTemplates", "resources/templates", 1)
		if got := c.result(method, `{}`).Get(list + ".0.description").Str; got != "new" {
			t.Errorf("the %s have the description %q", list, got)
		}
		c.close()
	}
}
