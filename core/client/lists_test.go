package client

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core/client/transport"
)

// pagesOf is a server's list of tools on pages of one; next gives the cursor
// behind a page, as JSON, or "" at the end.
func pagesOf(next func(page int) string) func(l *fakeLink, a arrival) string {
	page := 0
	return func(_ *fakeLink, a arrival) string {
		if !a.params.Get("cursor").Exists() {
			page = 0
		}
		page++
		cursor := next(page)
		if cursor != "" {
			cursor = `,"nextCursor":` + cursor
		}
		return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]%s}`, page, cursor)
	}
}

func TestPages(t *testing.T) {
	for _, test := range []struct {
		name string
		next func(page int) string
		want int // tools
		warn string
	}{
		{"one", func(int) string { return "" }, 1, ""},
		{"null", func(int) string { return "null" }, 1, ""},
		{"three", func(page int) string { return []string{`"ä\u00e4"`, `"b"`, ""}[page-1] }, 3, ""},
		{"an empty cursor is one", func(page int) string { return []string{`""`, ""}[page-1] }, 2, ""},
		{"the same cursor for ever", func(int) string { return `"a"` }, 2, "cursors repeat"},
		{"an empty cursor for ever", func(int) string { return `""` }, 2, "cursors repeat"},
		{"a circle", func(page int) string { return strconv.Quote(strconv.Itoa(page % 3)) }, 4, "cursors repeat"},
		{"endless", func(page int) string { return strconv.Quote(strconv.Itoa(page)) }, maxPages, "more than 1000 pages"},
		{"a cursor that is none", func(int) string { return "7" }, 1, "no string"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := &logged{}
			c, _ := connectLegacy(t, Options{Log: log.logger()}, actions{"tools/list": pagesOf(test.next)})
			if got := len(c.Tools()); got != test.want {
				t.Errorf("there are %d tools, want %d", got, test.want)
			}
			if test.warn != "" && !strings.Contains(log.String(), test.warn) || test.warn == "" && strings.Contains(log.String(), "cut off") {
				t.Errorf("the log is\n%s\nwant %q in it", log, test.warn)
			}
		})
	}
}

// TestListThatIsTooLong is cut off, and the log says so, also when nothing points
// to a further page.
func TestListThatIsTooLong(t *testing.T) {
	many := "{}" + strings.Repeat(",{}", maxElements)
	big := `{"x":"` + strings.Repeat("x", maxListBytes/4) + `"}`
	for _, test := range []struct{ name, result, want string }{
		{"entries on one page", `{"prompts":[` + many + `]}`, "more than 100000 entries"},
		{"bytes on many pages", `{"prompts":[` + big + `],"nextCursor":"%s"}`, "longer than 67108864 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log, page := &logged{}, 0
			c, _ := connectLegacy(t, Options{Log: log.logger()}, actions{"prompts/list": func(*fakeLink, arrival) string {
				page++
				return strings.Replace(test.result, "%s", strconv.Itoa(page), 1)
			}})
			prompts, err := c.ListPrompts(t.Context())
			if err != nil || len(prompts) == 0 || len(prompts) > maxElements || !strings.Contains(log.String(), test.want) {
				t.Errorf("there are %d prompts, %v, and the log is\n%.500s\nwant %q in it", len(prompts), err, log, test.want)
			}
		})
	}
}

func TestCursorsGoBackAsTheyAre(t *testing.T) {
	c, server := connectLegacy(t, Options{}, actions{"resources/list": func(_ *fakeLink, a arrival) string {
		if a.params.Get("cursor").Exists() {
			return `{"resources":[]}`
		}
		return `{"resources":[{"uri":"a:b"}],"nextCursor":"\u00e4\/"}`
	}})
	if got, err := c.ListResources(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("ListResources gives %s, %v", got, err)
	}
	link, _ := server.link()
	if got := link.sent("resources/list")[1].params.Get("cursor").Raw; got != `"\u00e4\/"` {
		t.Errorf("the cursor goes back as %s", got)
	}
}

// TestListsOfAKindThatIsNotThere: what is not declared is not asked for, and
// what is not known is empty.
func TestListsOfAKindThatIsNotThere(t *testing.T) {
	server := &fake{serve: serveWith(actions{
		"initialize":   constant(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":null},"serverInfo":{}}`),
		"tools/list":   constant(`{"tools":[]}`),
		"prompts/list": constant(`{"prompts":[{"name":"p"}]}`),
	})}
	c := connect(t, server, Options{Era: EraLegacy})
	prompts, err := c.ListPrompts(t.Context())
	if err != nil || len(prompts) != 1 || string(prompts[0]) != `{"name":"p"}` {
		t.Errorf("ListPrompts gives %s, %v", prompts, err)
	}
	for range 2 {
		resources, err := c.ListResources(t.Context())
		templates, err2 := c.ListResourceTemplates(t.Context())
		if len(resources)+len(templates) > 0 || err != nil || err2 != nil {
			t.Errorf("the resources are %s, %v and the templates %s, %v", resources, err, templates, err2)
		}
	}
	mustContain(t, c.Subscribe(t.Context(), "a:b"), "does not offer")
	link, _ := server.link()
	if asked := len(link.sent("resources/list")) + len(link.sent("resources/templates/list")) + len(link.sent("resources/subscribe")); asked > 0 {
		t.Errorf("the server was asked %d times for what it does not have", asked)
	}

	bare := &fake{serve: serveWith(legacyServer("2025-11-25"))}
	c = connect(t, bare, Options{Era: EraLegacy})
	if prompts, err := c.ListPrompts(t.Context()); len(prompts) > 0 || err != nil {
		t.Errorf("a list that is not known is %s, %v", prompts, err)
	}
}

func TestPromptsAndCompletion(t *testing.T) {
	c, server := connectLegacy(t, Options{}, actions{
		"prompts/get":         constant(`{"messages":[],"x":1.0}`),
		"completion/complete": constant(`{"completion":{"values":[]}}`),
	})
	if got, err := c.GetPrompt(t.Context(), "p", nil); err != nil || string(got) != `{"messages":[],"x":1.0}` {
		t.Errorf("GetPrompt gives %s, %v", got, err)
	}
	for _, reference := range []Reference{{Prompt: "p"}, {Template: "a:{b}"}} {
		if _, err := c.Complete(t.Context(), reference, "arg", "v", map[string]string{"o": "1"}); err != nil {
			t.Errorf("Complete gives %v", err)
		}
	}
	link, _ := server.link()
	if got := link.sent("prompts/get")[0].params.Raw; got != `{"name":"p"}` {
		t.Errorf("prompts/get has the params %s", got)
	}
	for i, ref := range []string{`{"type":"ref/prompt","name":"p"}`, `{"type":"ref/resource","uri":"a:{b}"}`} {
		want := `{"ref":` + ref + `,"argument":{"name":"arg","value":"v"},"context":{"arguments":{"o":"1"}}}`
		if got := link.sent("completion/complete")[i].params.Raw; got != want {
			t.Errorf("completion/complete has the params %s, want %s", got, want)
		}
	}
}

// TestChangesAreCoalesced: of many notices a few lists come, the last one after
// the last notice.
func TestChangesAreCoalesced(t *testing.T) {
	for _, era := range []Era{EraLegacy, EraModern} {
		t.Run(era.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lists := 0
				changes := make(chan Change, 100)
				server := &fake{serve: serveWith(legacyServer("2025-11-25"), modernServer(), actions{"tools/list": func(l *fakeLink, _ arrival) string {
					lists++
					if lists == 2 {
						l.notify("notifications/tools/list_changed", `{}`) // while a list is under way
					}
					return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, lists)
				}})}
				c := connect(t, server, Options{Era: era, OnChange: func(change Change) { changes <- change }})
				link, _ := server.link()
				for range 100 {
					link.notify("notifications/tools/list_changed", `{}`)
					link.notify("notifications/prompts/list_changed", `{}`)
					link.notify("notifications/resources/list_changed", `null`)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if lists != 3 {
					t.Errorf("the tools were listed %d times, want 3: at first, after the swarm, and after the notice meanwhile", lists)
				}
				if got, want := c.ListTools(), fmt.Sprintf(`[{"name":"s.t%d","inputSchema":{"type":"object"}}]`, lists); got != want {
					t.Errorf("the tools are %s, want %s", got, want)
				}
				seen := map[ListKind]bool{}
				for len(changes) > 0 {
					change := <-changes
					seen[change.List] = true
					if change.List == ToolList && (len(change.Added) != 1 || len(change.Removed) != 1) {
						t.Errorf("a change of the tools is told as %+v", change)
					}
				}
				if len(seen) != 3 {
					t.Errorf("changes were told of %v, want three lists", seen)
				}
				disconnect(t, c)
			})
		})
	}
}

// TestChangeThatIsNone is not told.
func TestChangeThatIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := connectLegacy(t, Options{OnChange: func(change Change) { t.Errorf("a change is told: %+v", change) }})
		link, _ := server.link()
		link.notify("notifications/tools/list_changed", `{}`)
		time.Sleep(time.Second)
		if got := len(link.sent("tools/list")); got != 2 {
			t.Errorf("the tools were listed %d times, want 2", got)
		}
		disconnect(t, c)
	})
}

// TestRefreshThatFails is tried again; the old list stays meanwhile.
func TestRefreshThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lists := 0
		c, server := connectLegacy(t, Options{}, actions{"tools/list": func(l *fakeLink, a arrival) string {
			if lists++; lists == 2 || lists == 3 {
				l.fail(a.id, -32603, "busy")
				return ""
			}
			return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, lists)
		}})
		link, _ := server.link()
		link.notify("notifications/tools/list_changed", `{}`)
		time.Sleep(gatherTime)
		synctest.Wait()
		if got := c.Tools(); len(got) != 1 || got[0].Name != "t1" {
			t.Errorf("after a failed refresh the tools are %v, want the old ones", got)
		}
		time.Sleep(10 * time.Second)
		if got := c.Tools(); len(got) != 1 || got[0].Name != "t4" {
			t.Errorf("later the tools are %v, want t4", got)
		}
		disconnect(t, c)
	})
}

// TestNoticeAtTheEnd: one that comes when its connection is over does not keep
// the next connection's notices from being dealt with.
func TestNoticeAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lists := 0
		c, server := connectLegacy(t, Options{}, actions{"tools/list": func(*fakeLink, arrival) string {
			lists++
			return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, lists)
		}})
		link, _ := server.link()
		link.die(errors.New("killed"))
		synctest.Wait()
		link.notify("notifications/tools/list_changed", `{}`) // it was on its way
		time.Sleep(time.Second)
		link, _ = server.link()
		link.notify("notifications/tools/list_changed", `{}`)
		time.Sleep(time.Second)
		if got := c.Tools(); len(got) != 1 || got[0].Name != "t3" {
			t.Errorf("after a notice on the second connection the tools are %v, want t3", got)
		}
		disconnect(t, c)
	})
}

// TestListsAfterALostSession are asked for once more, from their first page.
func TestListsAfterALostSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wanted string // the list during which the session is lost
		page := func(l *fakeLink, a arrival) string {
			member, _, _ := strings.Cut(a.method, "/")
			switch {
			case a.params.Get("cursor").Exists() && a.method == wanted:
				wanted = ""
				l.die(transport.ErrSessionLost)
				return ""
			case a.params.Get("cursor").Exists():
				return fmt.Sprintf(`{%q:[{"name":"b%d","inputSchema":{"type":"object"}}]}`, member, l.number)
			}
			return fmt.Sprintf(`{%q:[{"name":"a%d","inputSchema":{"type":"object"}}],"nextCursor":"2"}`, member, l.number)
		}
		c, _ := connectLegacy(t, Options{}, actions{"tools/list": page, "prompts/list": page})

		wanted = "tools/list"
		added, removed, err := c.RefreshTools(t.Context())
		if got := fmt.Sprint(added, removed, err); got != "[s.a1 s.b1] [s.a0 s.b0] <nil>" {
			t.Errorf("RefreshTools gives %s", got)
		}
		wanted = "prompts/list"
		prompts, err := c.ListPrompts(t.Context())
		if err != nil || len(prompts) != 2 || !strings.Contains(string(prompts[0]), "a2") {
			t.Errorf("ListPrompts gives %s, %v", prompts, err)
		}
		disconnect(t, c)
	})
}

// TestLoadedTools tells no tools from tools that cannot be had.
func TestLoadedTools(t *testing.T) {
	c, server := connectLegacy(t, Options{Reconnect: Backoff{Off: true}}, actions{"tools/list": func(l *fakeLink, a arrival) string {
		switch {
		case l.number == 0:
			return `{"tools":[]}`
		case len(l.sent("tools/list")) == 1:
			l.fail(a.id, -32603, "not now")
			return ""
		}
		return oneTool
	}})
	if tools, err := c.LoadedTools(); err != nil || len(tools) != 0 {
		t.Errorf("without any tool there are %v, %v", tools, err)
	}
	disconnect(t, c)
	_, err := c.LoadedTools()
	mustContain(t, err, "not connected")
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = c.LoadedTools()
	mustContain(t, err, "tools/list", "not now")
	if _, _, err := c.RefreshTools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if tools, err := c.LoadedTools(); err != nil || len(tools) != 1 {
		t.Errorf("in the end there are %v, %v", tools, err)
	}
	link, _ := server.link()
	if got := len(link.sent("tools/list")); got != 2 {
		t.Errorf("the list was asked for %d times", got)
	}
}
