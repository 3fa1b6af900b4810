package gateway_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mapped gives, for each tool of the servers, by "server:tool", the name that it
// is served as, and demands that a call by that name reaches it.
func (c *talk) mapped() map[string]string {
	c.t.Helper()
	names := map[string]string{}
	for _, name := range c.tools() {
		if !regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`).MatchString(name) {
			c.t.Errorf("the name %q is not one that the specification allows", name)
		}
		reached := c.call(name, "").Get("content.0.text").Str
		if other, taken := names[reached]; taken {
			c.t.Errorf("%q is served as %q and %q", reached, other, name)
		}
		names[reached] = name
	}
	return names
}

// TestLongNames: a name that is too long is cut and stays a name of its own;
// the table leads back; and the person is told.
func TestLongNames(t *testing.T) {
	t.Parallel()
	server := strings.Repeat("s", 30)
	same := strings.Repeat("t", 64)
	fits := strings.Repeat("f", 64-31)
	f := legacyServer(t, server, strings.Repeat("x", 60), same+"1", same+"2", fits, fits+"f")
	c := legacy(t, f)
	names := c.mapped()
	if len(names) != 5 {
		t.Errorf("there are %d names, want 5: %q", len(names), names)
	}
	for reached, name := range names {
		if len(name) > 64 {
			t.Errorf("%s is served as %q, of %d characters", reached, name, len(name))
		}
	}
	if got, want := names[server+":"+fits], server+"."+fits; got != want {
		t.Errorf("a name that fits exactly is served as %q, want %q", got, want)
	}
	for _, own := range []string{same + "1", same + "2", fits + "f"} {
		if about := c.about(); !strings.Contains(about, fmt.Sprintf("the tool %q is served as %q", own, names[server+":"+own])) {
			t.Errorf("nobody is told what has become of %q:\n%s", own, about)
		}
	}
}

func TestLongestNameIsASetting(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", strings.Repeat("x", 30), strings.Repeat("x", 200))
	for length, want := range map[int]int{20: 20, 128: 128} {
		c := legacyWith(t, settings{flags: []string{fmt.Sprintf("--max-name=%d", length)}}, `{}`, f)
		longest := 0
		for _, name := range c.mapped() {
			longest = max(longest, len(name))
		}
		if longest != want {
			t.Errorf("with --max-name=%d the longest name has %d characters", length, longest)
		}
		c.close()
	}
}

// TestServerNamesThatAreTooLong leave room for nothing else.
func TestServerNamesThatAreTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("s", 100)
	a, b := legacyServer(t, long+"a", "x", "y"), legacyServer(t, long+"b", "x", "y")
	c := legacy(t, a, b)
	if names := c.mapped(); len(names) != 4 {
		t.Errorf("there are %d names, want 4: %q", len(names), names)
	}
}

// TestForbiddenCharacters: servers and tools whose names have characters that the
// specification does not allow are served, and named.
func TestForbiddenCharacters(t *testing.T) {
	t.Parallel()
	a := legacyServer(t, "my server/ü", "a b", "a_b", "ä", "ö", "x/y", `quote"`, "日本語")
	b := legacyServer(t, "my_server__", "x")
	c := legacy(t, a, b)
	names := c.mapped()
	if len(names) != 8 {
		t.Errorf("there are %d names, want 8: %q", len(names), names)
	}
	if got := names["my server/ü:a_b"]; got != "my_server__.a_b" {
		t.Errorf("a_b, which needs no change, is served as %q", got)
	}
	about := c.about()
	for _, own := range []string{"a b", "ä", `quote\"`, "日本語"} {
		if !strings.Contains(about, `the tool "`+own+`" is served as "`) {
			t.Errorf("nobody is told what has become of %s:\n%s", own, about)
		}
	}
}

// TestAmbiguousPrefixes: the tool b.c of the server a, and the tool c of the
// server a.b, would have one name.
func TestAmbiguousPrefixes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ separator, longer, tool string }{
		{".", "a.b", "b.c"},
		{"_", "a_b", "b_c"},
		{"__", "a__b", "b__c"},
		{"-", "a-b", "b-c"},
	} {
		a, ab := legacyServer(t, "a", test.tool), legacyServer(t, test.longer, "c")
		want := test.longer + test.separator + "c"
		for _, servers := range [][]*fake{{a, ab}, {ab, a}, {a}} {
			c := legacyWith(t, settings{flags: []string{"--separator=" + test.separator}}, `{}`, servers...)
			names := c.mapped()
			if len(names) != len(servers) {
				t.Errorf("separator %s: there are %d names, want %d: %q", test.separator, len(names), len(servers), names)
			}
			if got := names[test.longer+":c"]; len(servers) > 1 && got != want {
				t.Errorf("separator %s: c of %s is served as %q, want %q", test.separator, test.longer, got, want)
			}
			c.close()
		}
	}
}

// TestNamesAreStable: they are the same after a restart, whichever server comes
// up first, and whichever does not come up at all.
func TestNamesAreStable(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 80)
	makeServers := func() []*fake {
		return []*fake{
			legacyServer(t, "a", "b.c", "plain", long, long+"1", "a b", "a/b"),
			legacyServer(t, "a.b", "c", "plain"),
			legacyServer(t, "a b", "plain", "b.c"),
			legacyServer(t, "a_b", "plain", "c.d"),
		}
	}
	var first map[string]string
	for late := range 4 {
		servers := makeServers()
		release := make(chan struct{})
		servers[late].on("initialize", func(l *link, _ arrival) string {
			<-release
			return `{"protocolVersion":"2025-11-25","capabilities":` + everything + `}`
		})
		c := connect(t, settings{flags: []string{"--list-wait=0"}}, servers...)
		c.initialize(`{}`)
		for i, server := range servers {
			if i != late {
				c.awaitTools(func(names []string) bool { return c.knows(server.name) })
			}
		}
		close(release)
		c.awaitTools(func(names []string) bool { return len(names) == 12 })
		names := c.mapped()
		if first == nil {
			first = names
		}
		for reached, name := range names {
			if first[reached] != name {
				t.Errorf("%s is served as %q when server %d comes last, and as %q otherwise", reached, name, late, first[reached])
			}
		}
		c.close()
	}
}

// knows reports whether about_tsar-mcp has a server as connected.
func (c *talk) knows(server string) bool {
	c.t.Helper()
	return strings.Contains(c.about(), "Server "+server+": connected")
}

// awaitTools lists the tools after each change until they are as wanted.
func (c *talk) awaitTools(wanted func([]string) bool) {
	c.t.Helper()
	for !wanted(c.tools()) {
		c.message("notifications/tools/list_changed")
	}
}

// TestSeparators: with one that has no dot, no name has a dot.
func TestSeparators(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "a.b", "read.file", "read_file", "plain")
	f.has("prompts", promptOf("p.q"))
	for _, separator := range []string{"_", "__", "-"} {
		c := legacyWith(t, settings{flags: []string{"--separator=" + separator}}, `{}`, f)
		names := c.mapped()
		for _, name := range append(c.names("prompts", "name"), slices.Collect(maps.Values(names))...) {
			if strings.Contains(name, ".") {
				t.Errorf("with the separator %s something is served as %q", separator, name)
			}
		}
		if got, want := names["a.b:plain"], "a_b"+separator+"plain"; got != want || len(names) != 3 {
			t.Errorf("with the separator %s the names are %q, want %q among them", separator, names, want)
		}
		c.close()
	}
}

// TestSameNamesEverywhere: what two servers both have is served twice, and
// each name leads to its own server.
func TestSameNamesEverywhere(t *testing.T) {
	t.Parallel()
	servers := []*fake{legacyServer(t, "a", "search"), modernServer(t, "b", "search")}
	for _, f := range servers {
		f.has("prompts", promptOf("doc"))
		f.has("resources", resourceOf("cfg://info"))
		f.has("resourceTemplates", templateOf("cfg://{x}"))
	}
	c := legacy(t, servers...)
	c.wantText("a.search", "a:search")
	c.wantText("b.search", "b:search")
	for _, name := range []string{"a", "b"} {
		prompt := c.result("prompts/get", `{"name":"`+name+`.doc"}`)
		if got := prompt.Get("messages.0.content.text").Str; got != name+":doc" {
			t.Errorf("the prompt of %s gives %q", name, got)
		}
	}
	for list, want := range map[string][]string{
		"prompts": {"a.doc", "b.doc"}, "resources": {"b+cfg://info", "cfg://info"}, "resourceTemplates": {"b+cfg://{x}", "cfg://{x}"},
	} {
		member := map[string]string{"prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}[list]
		if got := c.names(list, member); !slices.Equal(got, want) {
			t.Errorf("the %s are %q, want %q", list, got, want)
		}
	}
	for uri, server := range map[string]string{"cfg://info": "a", "b+cfg://info": "b"} {
		content := c.result("resources/read", `{"uri":"`+uri+`"}`).Get("contents.0")
		if content.Get("uri").Str != uri || content.Get("text").Str != server {
			t.Errorf("reading %s gives %s, want that of %s", uri, content.Raw, server)
		}
	}
	// Both templates match it, so both may have it, and both say so.
	c.refused("resources/read", `{"uri":"cfg://other"}`, -32602, "a+cfg://other", "b+cfg://other")
	content := c.result("resources/read", `{"uri":"b+cfg://other"}`).Get("contents.0")
	if content.Get("uri").Str != "b+cfg://other" || content.Get("text").Str != "b" {
		t.Errorf("reading what only b's template has gives %s", content.Raw)
	}
}
