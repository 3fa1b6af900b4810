package server_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mcpserver/core"
	"mcpserver/core/server"
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

// A client that has left too much unread is told of a change when it has read.
func TestChangeIsToldLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(core.Tool{Name: "big", Handler: func(context.Context, *core.Call) (core.Result, error) {
			return core.Text(strings.Repeat("x", 300_000)), nil
		}})
		served.DynamicTools = true
		hosts := hosted(served)
		c := connectUnread(t, served, &server.Options{OutputLimit: 100_000})
		host := <-hosts
		go func() { _, _ = io.WriteString(c.in, initialize+"\n"+initialized+"\n"+call(1, "big")+"\n") }()
		synctest.Wait()
		if _, err := c.out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, name := range []string{"first", "second"} {
			if err := host.AddTools(fast(name)); err != nil {
				t.Fatal(err)
			}
		}
		go c.read()
		<-c.lines // the rest of the first answer
		c.skipTo("1")
		c.wantMethod("notifications/tools/list_changed")
		c.wantEnd()
	})
}

// Many changes in a row cost no more than one.
func TestManyChanges(t *testing.T) {
	const many = 20_000
	served := aspect()
	served.DynamicTools = true
	hosts := hosted(served)
	c := connect(t, served, nil)
	host := <-hosts
	for i := range many {
		if err := host.AddTools(fast(fmt.Sprintf("t%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if removed := host.RemoveTools("t7", "t7", "never there"); removed != 1 {
		t.Errorf("%d tools were removed, want 1", removed)
	}
	for i := range many / 2 {
		host.RemoveTools(fmt.Sprintf("t%d", i))
	}
	c.send(initialize, call(2, fmt.Sprintf("t%d", many-1)), call(3, "t7"))
	c.skipTo(`"init"`)
	if got := c.next(); !got.Get("result").Exists() {
		t.Errorf("the last tool gave %s", got.Raw)
	}
	c.wantError("3", -32602, "t7")
	c.wantEnd()
}

// undescribed is a schema whose description panics once it was checked.
type undescribed struct {
	core.Schema
	checked *atomic.Bool
}

func (u undescribed) AppendJSON(dst []byte) []byte {
	if u.checked.Swap(true) {
		panic("schema")
	}
	return u.Schema.AppendJSON(dst)
}

// A definition whose code panics costs the list and not the server.
func TestDescriptionPanics(t *testing.T) {
	served := aspect()
	served.DynamicTools = true
	served.Tools = []core.Tool{fast("fine")}
	served.Tools[0].Input = undescribed{core.Object(), new(atomic.Bool)}
	c := ready(t, served, nil)
	c.send(list(1), call(2, "about_tsar-mcp"))
	c.wantError("1", -32603, "tool fine: its description failed unexpectedly")
	c.skipTo("2")
	c.wantEnd()
}

// What was declared stays served: a client that knows of completions may ask for
// them when the prompt has gone.
func TestCompletionsStayDeclared(t *testing.T) {
	served := aspect()
	served.DynamicPrompts = true
	hosts := hosted(served)
	c := connect(t, served, nil)
	host := <-hosts
	prompt := textPrompt("p", "")
	prompt.Arguments = []core.PromptArgument{{Name: "a", Complete: func(_ context.Context, call *core.Call) (core.Result, error) {
		return core.Suggest(call.Completion().Value, "x"), nil
	}}}
	if err := host.AddPrompts(prompt); err != nil {
		t.Fatal(err)
	}
	c.send(initialize)
	if got := c.next(); !got.Get("result.capabilities.completions").Exists() {
		t.Errorf("completions are not declared: %s", got.Raw)
	}
	host.RemovePrompts("p")
	c.send(completion(`{"type":"ref/prompt","name":"p"}`, `{"name":"a","value":""}`, ""))
	c.wantError("1", -32602, "Unknown prompt: p")
	c.wantEnd()
}
