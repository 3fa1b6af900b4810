package server_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
	"mcpserver/core/server"
)

// numbered is an aspect with that many of everything.
func numbered(count int) *core.Aspect {
	served := aspect()
	nothing := func(context.Context, *core.Call) (core.Result, error) { return core.Text(""), nil }
	for i := range count {
		name := fmt.Sprintf("n%02d", i)
		served.Tools = append(served.Tools, fast(name))
		served.Prompts = append(served.Prompts, core.Prompt{Name: name, Handler: nothing})
		served.Resources = append(served.Resources, core.Resource{URI: "n:" + name, Name: name, Read: nothing})
		served.Templates = append(served.Templates, core.Template{URITemplate: "n:{" + name + "}", Name: name})
	}
	return served
}

func listPage(id int, method, cursor string) string {
	params := "{}"
	if cursor != "" {
		params = `{"cursor":` + cursor + `}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

var listMembers = map[string]string{
	"tools/list":               "tools.#.name",
	"prompts/list":             "prompts.#.name",
	"resources/list":           "resources.#.name",
	"resources/templates/list": "resourceTemplates.#.name",
}

// pages reads a list to its end and gives the names of each page.
func pages(t *testing.T, c *client, method string) (pages []string) {
	t.Helper()
	cursor := ""
	for id := 1; id < 100; id++ {
		c.send(listPage(id, method, cursor))
		answer := c.next()
		var names []string
		for _, name := range answer.Get("result." + listMembers[method]).Array() {
			names = append(names, name.Str)
		}
		pages = append(pages, strings.Join(names, " "))
		next := answer.Get("result.nextCursor")
		if !next.Exists() {
			return pages
		}
		cursor = next.Raw
	}
	t.Fatalf("%s never ends", method)
	return nil
}

func TestListsArePaged(t *testing.T) {
	for _, test := range []struct {
		count, size int
		want        []string
	}{
		{0, 2, []string{""}},
		{1, 2, []string{"n00"}},
		{2, 2, []string{"n00 n01"}},
		{3, 2, []string{"n00 n01", "n02"}},
		{4, 2, []string{"n00 n01", "n02 n03"}},
		{5, 2, []string{"n00 n01", "n02 n03", "n04"}},
	} {
		served := numbered(test.count)
		// An aspect that can have resources has the lists, however empty.
		served.DynamicResources, served.DynamicPrompts = true, true
		served.PageSize = test.size
		c := ready(t, served, nil)
		for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list"} {
			if got := pages(t, c, method); strings.Join(got, "|") != strings.Join(test.want, "|") {
				t.Errorf("%s of %d by %d gave %q, want %q", method, test.count, test.size, got, test.want)
			}
		}
		c.wantEnd()
	}
}

// The option beats the aspect's own page size.
func TestPageSizeIsAnOption(t *testing.T) {
	served := numbered(3)
	served.PageSize = 1
	c := ready(t, served, &server.Options{PageSize: 4})
	got := pages(t, c, "tools/list")
	if len(got) != 2 || !strings.HasPrefix(got[0], "n00 n01 n02 about_tsar-mcp") {
		t.Errorf("the pages are %q, want four tools on the first", got)
	}
	c.wantEnd()
}

func TestBadCursors(t *testing.T) {
	served := numbered(3)
	served.PageSize = 2
	c := ready(t, served, nil)
	c.send(listPage(1, "tools/list", ""))
	ofTools := c.next().Get("result.nextCursor")
	c.send(listPage(2, "prompts/list", ""))
	ofPrompts := c.next().Get("result.nextCursor")
	if ofTools.Str == "" || ofPrompts.Str == "" {
		t.Fatal("a list of three by two gives no cursor")
	}
	if strings.Contains(ofTools.Str, "n01") {
		t.Errorf("the cursor %s shows what it points to", ofTools.Str)
	}
	for i, cursor := range []string{
		`""`, `"x"`, `5`, `{}`, `[]`, `true`, `"` + strings.Repeat("A", 1<<16) + `"`,
		ofPrompts.Raw, `"` + ofTools.Str[:len(ofTools.Str)-2] + `AA"`, `"` + ofTools.Str + `A"`,
	} {
		c.send(listPage(10+i, "tools/list", cursor))
		c.wantError(fmt.Sprint(10+i), -32602, "cursor")
	}
	c.send(listPage(30, "tools/list", "null"))
	if got := c.next(); !got.Get("result.nextCursor").Exists() {
		t.Errorf("a null cursor gave %s, want the first page", got.Raw)
	}
	c.wantEnd()
}

// What comes and goes between two pages costs no other entry: none is left out
// and none comes twice.
func TestPagesAreStableOverChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(fast("own1"), fast("own2"))
		served.DynamicTools, served.PageSize = true, 3
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		change := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			c.wantMethod("notifications/tools/list_changed")
		}
		change(host.AddTools(fast("d"), fast("f"), fast("h")))
		read := func(cursor string) (string, string) {
			t.Helper()
			c.send(listPage(1, "tools/list", cursor))
			answer := c.next()
			return strings.Join(names(answer), " "), answer.Get("result.nextCursor").Raw
		}
		first, cursor := read("")
		if first != "own1 own2 d" {
			t.Fatalf("the first page is %q", first)
		}
		change(host.AddTools(fast("a"), fast("e"))) // one before the place, one behind it
		if host.RemoveTools("d") != 1 {             // the place itself
			t.Fatal("d was not removed")
		}
		c.wantMethod("notifications/tools/list_changed")
		second, cursor := read(cursor)
		if second != "e f h" {
			t.Errorf("the second page is %q, want what comes after d", second)
		}
		third, cursor := read(cursor)
		if third != "about_tsar-mcp readTrace" || cursor != "" {
			t.Errorf("the third page is %q, and then %q, want the built-in tools and no cursor", third, cursor)
		}
		c.wantEnd()
	})
}
