package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

func textPrompt(name, text string) core.Prompt {
	return core.Prompt{Name: name, Handler: func(context.Context, *core.Call) (core.Result, error) {
		return &core.PromptResult{Messages: []core.Message{core.UserText(text)}}, nil
	}}
}

func textAt(uri, text string) core.Resource {
	return core.Resource{URI: uri, Name: "r", Read: func(context.Context, *core.Call) (core.Result, error) {
		return core.ResourceResult{{URI: uri, Text: text}}, nil
	}}
}

// Prompts, resources and templates come and go like tools.
func TestPromptsAndResourcesComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		served.DynamicPrompts, served.DynamicResources = true, true
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		told := func(method string, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			c.wantMethod(method)
			c.wantNothing()
		}
		told("notifications/prompts/list_changed", host.AddPrompts(textPrompt("p", "hello"), textPrompt("q", "")))
		told("notifications/resources/list_changed", host.AddResources(textAt("a:b", "content")))
		told("notifications/resources/list_changed", host.AddTemplates(core.Template{URITemplate: "a:{x}", Name: "t"}))
		ask := func(request, path, want string) {
			t.Helper()
			c.send(request)
			if got := c.next(); got.Get(path).String() != want {
				t.Errorf("%s\ngave %s\nwant %q at %s", request, got.Raw, want, path)
			}
		}
		ask(listPage(1, "prompts/list", ""), "result.prompts.#.name", `["p","q"]`)
		ask(listPage(1, "resources/list", ""), "result.resources.0.uri", "a:b")
		ask(listPage(1, "resources/templates/list", ""), "result.resourceTemplates.0.uriTemplate", "a:{x}")
		ask(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}`, "result.messages.0.content.text", "hello")
		ask(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`, "result.contents.0.text", "content")
		removed := func(method string, count int) {
			t.Helper()
			if count != 1 {
				t.Errorf("%d were removed, want 1", count)
			}
			c.wantMethod(method)
		}
		removed("notifications/prompts/list_changed", host.RemovePrompts("p", "never there"))
		removed("notifications/resources/list_changed", host.RemoveResources("a:b"))
		removed("notifications/resources/list_changed", host.RemoveTemplates("a:{x}"))
		ask(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}`, "error.code", "-32602")
		ask(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}`, "error.code", "-32002")
		ask(listPage(1, "resources/list", ""), "result.resources", "[]")
		c.wantEnd()
	})
}

// listChanged is declared for each kind of list that can change, and no other.
func TestListChangedIsDeclared(t *testing.T) {
	for _, test := range []struct {
		dynamic func(*core.Aspect)
		want    string
	}{
		{func(*core.Aspect) {}, `{"tools":{}}`},
		{func(a *core.Aspect) { a.DynamicTools = true }, `{"tools":{"listChanged":true}}`},
		{func(a *core.Aspect) { a.DynamicPrompts = true }, `{"tools":{},"prompts":{"listChanged":true}}`},
		{func(a *core.Aspect) { a.DynamicResources = true }, `{"tools":{},"resources":{"listChanged":true}}`},
		{func(a *core.Aspect) { a.DynamicResources, a.ResourceUpdates = true, true }, `{"tools":{},"resources":{"listChanged":true,"subscribe":true}}`},
		{func(a *core.Aspect) { a.Prompts = []core.Prompt{textPrompt("p", "")} }, `{"tools":{},"prompts":{}}`},
	} {
		served := aspect()
		test.dynamic(served)
		c := connect(t, served, nil)
		c.send(initialize)
		if got := c.next().Get("result.capabilities").Raw; got != test.want {
			t.Errorf("the capabilities are %s, want %s", got, test.want)
		}
		c.wantEnd()
	}
}

// Of several definitions the good ones are added; the others are left out, and
// named by the error and by about_tsar-mcp.
func TestBadDefinitionsAreLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(fast("own"))
		served.DynamicTools, served.DynamicPrompts, served.DynamicResources = true, true, true
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		multiline := fast("lines")
		multiline.Description = "one\ntwo"
		err := host.AddTools(fast("own"), fast("bad name"), fast("good"), multiline)
		for _, want := range []string{`"own": the name is taken`, `"bad name": the name is not`} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %s in it", err, want)
			}
		}
		c.wantMethod("notifications/tools/list_changed")
		c.send(list(1))
		if got, want := strings.Join(names(c.next()), " "), "own good lines about_tsar-mcp readTrace listPrompts getPrompt"; got != want && got != strings.TrimSuffix(want, " listPrompts getPrompt") {
			t.Errorf("the tools are %s, want %s", got, want)
		}
		for what, err := range map[string]error{
			"a prompt without handler":           host.AddPrompts(core.Prompt{Name: "p"}),
			"a prompt without name":              host.AddPrompts(textPrompt("", "")),
			"a resource without URI":             host.AddResources(textAt("", "")),
			"a resource without handler":         host.AddResources(core.Resource{URI: "a:b", Name: "r"}),
			"a template without text":            host.AddTemplates(core.Template{Name: "t"}),
			"a template that cannot reach Read":  host.AddTemplates(core.Template{Name: "t", URITemplate: "a:{x}", Read: fast("").Handler}),
			"a raw definition that is no object": host.AddResources(core.Resource{URI: "a:b", Raw: []byte(`[]`), Read: fast("").Handler}),
		} {
			if err == nil {
				t.Errorf("%s was added", what)
			}
		}
		c.wantNothing()
		c.send(call(2, "about_tsar-mcp"))
		about := c.next().Get("result.content.0.text").Str
		for _, want := range []string{"Tools: ", "2 added while serving", `Left out: tool "bad name"`, "Left out: prompt"} {
			if !strings.Contains(about, want) {
				t.Errorf("about_tsar-mcp says\n%s\nwant %q in it", about, want)
			}
		}
		c.wantEnd()
	})
}

// Raw definitions are listed as they are, but for the key.
func TestRawDefinitions(t *testing.T) {
	served := aspect()
	handler := fast("").Handler
	served.Prompts = []core.Prompt{{Name: "p", Raw: []byte(`{"name":"other", "x-new":{"a":1.0}, "title":"T"}`), Handler: handler}}
	served.Resources = []core.Resource{{URI: "a:b", Raw: []byte(`{"name":"r","uri":"c:d","annotations":{"priority":0.10}}`), Read: handler}}
	served.Templates = []core.Template{{URITemplate: "a:{x}", Raw: []byte(`{"uriTemplate":"","name":"t","_meta":{"k":[]}}`)}}
	c := ready(t, served, nil)
	for method, want := range map[string]string{
		"prompts/list":             `{"prompts":[{"name":"p","x-new":{"a":1.0},"title":"T"}]}`,
		"resources/list":           `{"resources":[{"name":"r","uri":"a:b","annotations":{"priority":0.10}}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"a:{x}","name":"t","_meta":{"k":[]}}]}`,
	} {
		c.send(listPage(1, method, ""))
		if got := c.next().Get("result").Raw; got != want {
			t.Errorf("%s gave %s, want %s", method, got, want)
		}
	}
	c.wantEnd()
}
