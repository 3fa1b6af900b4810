package gateway_test

import (
	"slices"
	"strings"
	"testing"
)

// TestLinksOfResultsLeadBack: a URI in a result is one that the client can read,
// from the server that has mentioned it.
func TestLinksOfResultsLeadBack(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a", "x"), legacyServer(t, "b", "x")
	for _, f := range []*fake{a, b} {
		f.has("resources", resourceOf("cfg://info"))
		f.on("tools/call", constant(`{"content":[{"type":"text","text":"\"uri\""},`+
			`{"type":"resource_link","uri":"cfg://info","name":"n","x-new":1.0},`+
			`{"type":"resource","resource":{"uri":"cfg://info","text":"t"}},`+
			`{"type":"resource_link","uri":"only://`+f.name+`","name":"n"},`+
			`{"type":"resource_link","uri":"both://x","name":"n"}],"structuredContent":{"uri":"cfg://info"}}`))
		f.on("prompts/get", constant(`{"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"cfg://info","text":"t"}}},`+
			`{"role":"user","content":{"type":"resource_link","uri":"cfg://info","name":"n"}}]}`))
		f.has("prompts", promptOf("p"))
	}
	c := legacy(t, a, b)
	for _, test := range []struct{ server, uri string }{{"a", "cfg://info"}, {"b", "b+cfg://info"}} {
		result := c.call(test.server+".x", "")
		for _, path := range []string{"content.1.uri", "content.2.resource.uri"} {
			if got := result.Get(path).Str; got != test.uri {
				t.Errorf("%s of a result of %s is %q, want %q", path, test.server, got, test.uri)
			}
		}
		if got := result.Get("structuredContent.uri").Str; got != "cfg://info" {
			t.Errorf("the structured content of %s has become %q", test.server, got)
		}
		if got := result.Get("content.1").Raw; got != `{"type":"resource_link","uri":"`+test.uri+`","name":"n","x-new":1.0}` {
			t.Errorf("the link of %s has become %s", test.server, got)
		}
		prompt := c.result("prompts/get", `{"name":"`+test.server+`.p"}`)
		for _, path := range []string{"messages.0.content.resource.uri", "messages.1.content.uri"} {
			if got := prompt.Get(path).Str; got != test.uri {
				t.Errorf("%s of a prompt of %s is %q, want %q", path, test.server, got, test.uri)
			}
		}
		for _, uri := range []string{result.Get("content.1.uri").Str, result.Get("content.3.uri").Str} {
			if got := c.result("resources/read", `{"uri":"`+uri+`"}`).Get("contents.0.text").Str; got != test.server {
				t.Errorf("reading %s, which %s has mentioned, gives that of %q", uri, test.server, got)
			}
		}
	}
	// Both have mentioned it, and both have it.
	c.refused("resources/read", `{"uri":"both://x"}`, -32602, "a+both://x", "b+both://x")
}

// TestReadingWhatNobodyLists asks those that may have it, and no others.
func TestReadingWhatNobodyLists(t *testing.T) {
	t.Parallel()
	a, b, none := legacyServer(t, "a", "x"), modernServer(t, "b", "x"), legacyServer(t, "none", "x")
	none.on("initialize", constant(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`))
	has := func(uri string) action {
		return func(l *link, got arrival) string {
			if got.params.Get("uri").Str != uri {
				l.fail(got.id, map[string]int{"a": -32002, "b": -32602}[l.fake.name], "not here")
				return ""
			}
			return `{"contents":[{"uri":"` + uri + `","text":"` + l.fake.name + `"}]}`
		}
	}
	a.on("resources/read", has("x://a"))
	b.on("resources/read", has("x://b"))
	c := legacy(t, a, b, none)
	for _, name := range []string{"a", "b"} {
		if got := c.result("resources/read", `{"uri":"x://`+name+`"}`).Get("contents.0.text").Str; got != name {
			t.Errorf("x://%s is that of %q", name, got)
		}
	}
	c.refused("resources/read", `{"uri":"x://nobody"}`, -32002)
	c.refused("resources/read", `{"uri":"a+x://b"}`, -32002)
	if got := c.result("resources/read", `{"uri":"a+x://a"}`).Get("contents.0.text").Str; got != "a" {
		t.Errorf("a+x://a is that of %q", got)
	}
	if len(none.sent("resources/read")) > 0 {
		t.Error("a server without resources was asked for one")
	}
	b.on("resources/read", func(l *link, got arrival) string { l.fail(got.id, -32000, "disk on fire"); return "" })
	c.refused("resources/read", `{"uri":"x://nobody"}`, -32000, "disk on fire")
}

// TestTemplatesTellWhoHasAURI: the servers without one for it are not asked.
func TestTemplatesTellWhoHasAURI(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), legacyServer(t, "b")
	a.has("resourceTemplates", templateOf("users://{id}/profile"))
	b.has("resourceTemplates", templateOf("users://{id}/avatar"))
	c := legacy(t, a, b)
	for uri, server := range map[string]string{"users://1/profile": "a", "users://1/avatar": "b"} {
		if got := c.result("resources/read", `{"uri":"`+uri+`"}`).Get("contents.0.text").Str; got != server {
			t.Errorf("%s is that of %q, want %q", uri, got, server)
		}
	}
	if len(a.sent("resources/read"))+len(b.sent("resources/read")) != 2 {
		t.Error("a server was asked for what its template cannot mean")
	}
}

// TestReadingEarly: a resource that nobody lists is asked for when the servers
// have come up.
func TestReadingEarly(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), legacyServer(t, "b")
	missing := func(l *link, got arrival) string { l.fail(got.id, -32002, "not here"); return "" }
	a.on("resources/read", missing)
	c := connect(t, settings{}, a, b)
	c.initialize(`{}`)
	answer := c.result("resources/read", `{"uri":"x://unlisted"}`)
	if got := answer.Get("contents.0.text").Str; got != "b" {
		t.Errorf("the resource is that of %q", got)
	}
}

// TestPartsOfAReading: what a server returns has URIs by which the client reaches
// this server's.
func TestPartsOfAReading(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), legacyServer(t, "b")
	a.has("resources", resourceOf("f:///one"), resourceOf("f:///shared"))
	b.has("resources", resourceOf("f:///two"), resourceOf("f:///shared"))
	for _, f := range []*fake{a, b} {
		f.on("resources/read", func(l *link, got arrival) string {
			return `{"contents":[{"uri":` + got.params.Get("uri").Raw + `,"text":"` + l.fake.name + `"},{"uri":"f:///shared","text":"` + l.fake.name + `"}]}`
		})
	}
	c := legacy(t, a, b)
	for uri, want := range map[string]string{
		"f:///one":      "f:///one f:///shared",
		"f:///two":      "f:///two b+f:///shared",
		"b+f:///shared": "b+f:///shared b+f:///shared",
		"f:///shared":   "f:///shared f:///shared",
	} {
		var got []string
		for _, part := range c.result("resources/read", `{"uri":"`+uri+`"}`).Get("contents").Array() {
			got = append(got, part.Get("uri").Str)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("reading %s gives %q, want %q", uri, got, want)
		}
	}
}

// TestListedTwice: what one server lists twice is listed once.
func TestListedTwice(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x", "x")
	f.has("prompts", promptOf("p"), promptOf("p"))
	f.has("resources", resourceOf("r://1"), resourceOf("r://1"))
	f.has("resourceTemplates", templateOf("t://{x}"), templateOf("t://{x}"))
	c := legacy(t, f)
	for list, want := range map[string][]string{"tools": {"s.x"}, "prompts": {"s.p"}, "resources": {"r://1"}, "resourceTemplates": {"t://{x}"}} {
		member := map[string]string{"tools": "name", "prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}[list]
		if got := c.names(list, member); !slices.Equal(got, want) {
			t.Errorf("the %s are %q, want %q", list, got, want)
		}
	}
	if about := c.about(); !strings.Contains(about, "another tool has the same name") || !strings.Contains(about, `the prompt "p" is listed twice`) {
		t.Errorf("nobody is told that some are listed twice:\n%s", about)
	}
}

// TestFaultyResources: one that is none is left out and named.
func TestFaultyResources(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s")
	f.has("resources", `{"uri":"r://good","name":"n"}`, `{"name":"n"}`, `{"uri":"r://nameless"}`, `{"uri":7,"name":"n"}`, `5`)
	f.has("resourceTemplates", templateOf("t://{x}"), `{"uriTemplate":"t://{","name":"n"}`, `{"name":"n"}`)
	f.has("prompts", promptOf("good"), `{"name":5}`, `{"name":"bad","arguments":7}`, `[]`)
	c := legacy(t, f)
	for list, want := range map[string][]string{"prompts": {"s.good"}, "resources": {"r://good"}} {
		member := map[string]string{"prompts": "name", "resources": "uri"}[list]
		if got := c.names(list, member); !slices.Equal(got, want) {
			t.Errorf("the %s are %q, want %q", list, got, want)
		}
	}
	about := c.about()
	for _, want := range []string{`the resource "r://nameless" is left out`, `the prompt "bad" is left out`, "a prompt is left out: it has no name"} {
		if !strings.Contains(about, want) {
			t.Errorf("about_tsar-mcp has no %q:\n%s", want, about)
		}
	}
}

// TestReadingBesideASilentServer does not wait for it as long as it may take to
// start.
func TestReadingBesideASilentServer(t *testing.T) {
	t.Parallel()
	good, mute := legacyServer(t, "good"), legacyServer(t, "mute")
	good.has("resourceTemplates", templateOf("users://{id}"))
	mute.on("initialize", silent)
	c := connect(t, settings{flags: []string{"--list-wait=50ms", "--connect-timeout=5m"}}, mute, good)
	c.initialize(`{}`)
	good.awaitSent("resources/templates/list", 1)
	for c.names("resourceTemplates", "uriTemplate") == nil {
		c.message("notifications/resources/list_changed")
	}
	if got := c.result("resources/read", `{"uri":"users://1"}`).Get("contents.0.text").Str; got != "good" {
		t.Errorf("the resource is that of %q", got)
	}
}

// TestErrorsNameWhatTheClientKnows: the URI in an error is that of the request.
func TestErrorsNameWhatTheClientKnows(t *testing.T) {
	t.Parallel()
	a, b := legacyServer(t, "a"), legacyServer(t, "1 ü")
	for _, f := range []*fake{a, b} {
		f.has("resources", resourceOf("cfg://info"))
		f.on("resources/read", func(l *link, got arrival) string {
			l.say(`{"jsonrpc":"2.0","id":` + got.id + `,"error":{"code":-32002,"message":"gone","data":{"x":1.0,"uri":"cfg://info"}}}`)
			return ""
		})
	}
	c := legacy(t, a, b)
	for _, uri := range c.names("resources", "uri") {
		if got := c.refused("resources/read", `{"uri":"`+uri+`"}`, -32002, "gone").Get("data").Raw; got != `{"x":1.0,"uri":"`+uri+`"}` {
			t.Errorf("reading %s fails with %s", uri, got)
		}
	}
	if got := c.names("resources", "uri"); !slices.Equal(got, []string{"cfg://info", "s1--+cfg://info"}) {
		t.Errorf("the resources are %q", got)
	}
}

// TestManyLinks of one result are looked through in a time that grows with their
// number, and not with its square.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	const links = 40_000
	a, b := legacyServer(t, "a"), legacyServer(t, "b", "x")
	for _, f := range []*fake{a, b} {
		f.has("resources", resourceOf("cfg://info"))
	}
	link := `{"type":"resource_link","name":"n","uri":"cfg://info"},{"type":"resource","resource":{"uri":"x://1","text":"t"}},`
	b.on("tools/call", constant(`{"content":[`+strings.Repeat(link, links)+`{"type":"text","text":"end"}]}`))
	c := legacy(t, a, b)
	got := c.call("b.x", "").Raw
	want := `{"content":[` + strings.Repeat(strings.Replace(link, "cfg", "b+cfg", 1), links) + `{"type":"text","text":"end"}]}`
	if got != want {
		t.Errorf("the result has %d bytes, want %d", len(got), len(want))
	}
}
