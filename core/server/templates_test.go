package server_test

import (
	"context"
	"strings"
	"testing"

	"mcpserver/core"
)

// prefixed is a pattern for whatever follows a prefix.
type prefixed string

func (p prefixed) String() string { return string(p) + "{rest}" }

func (p prefixed) Match(uri string) (map[string][]string, bool) {
	rest, matched := strings.CutPrefix(uri, string(p))
	return map[string][]string{"rest": {rest}}, matched
}

func (p prefixed) Variables() []string { return []string{"rest"} }

func (p prefixed) Validate() error { return nil }

// A resource is looked for in the table, then among the templates in their
// order, then by the hook; and what is not there is an error, as its era has it.
func TestResourcesAreFoundInOrder(t *testing.T) {
	says := func(text string) core.Handler {
		return func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.ResourceResult{{URI: call.URI(), Text: text + call.Variable("rest")}}, nil
		}
	}
	served := aspect()
	served.Resources = []core.Resource{{URI: "a:b/exact", Name: "r", Read: says("table")}}
	served.Templates = []core.Template{
		{URITemplate: "a:{shown}", Name: "shown"},
		{Pattern: prefixed("a:b/"), Name: "near", Read: says("near ")},
		{Pattern: prefixed("a:"), Name: "far", Read: says("far ")},
		{Pattern: prefixed("empty:"), Name: "empty", Read: func(context.Context, *core.Call) (core.Result, error) {
			return core.ResourceResult{}, nil
		}},
		{Pattern: prefixed("later:"), Name: "later", Read: func(_ context.Context, call *core.Call) (core.Result, error) {
			deferred := call.Defer()
			go deferred.Complete(core.ResourceResult(nil), nil)
			return core.Pending, nil
		}},
	}
	served.OnResourcesRead = func(ctx context.Context, call *core.Call) (core.Result, error) {
		if call.URI() == "h:h" {
			return says("hook")(ctx, call)
		}
		return nil, nil
	}
	c := ready(t, served, nil)
	read := func(uri string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + uri + `"}}`
	}
	for uri, want := range map[string]string{
		"a:b/exact": "table", "a:b/x": "near x", "a:b": "far b", "h:h": "hook",
	} {
		c.send(read(uri))
		if got := c.next().Get("result.contents.0.text").Str; got != want {
			t.Errorf("%s reads %q, want %q", uri, got, want)
		}
	}
	for _, uri := range []string{"z:z", "empty:x", "later:x"} {
		c.send(read(uri))
		if got := c.next().Get("error"); got.Get("code").Raw != "-32002" || got.Get("data.uri").Str != uri {
			t.Errorf("%s gave %s, want not found with its URI", uri, got.Raw)
		}
	}
	c.wantEnd()
}

// A text that is no UTF-8 goes as it is, in a blob.
func TestBinaryContent(t *testing.T) {
	served := aspect()
	served.OnResourcesRead = func(context.Context, *core.Call) (core.Result, error) {
		return core.ResourceResult{{URI: "a:", Text: "\xff\x00"}, {URI: "a:", Blob: []byte{}}, {URI: "a:", Blob: []byte("\x89PNG")}, {URI: "a:"}}, nil
	}
	c := ready(t, served, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:"}}`)
	want := `[{"uri":"a:","blob":"/wA="},{"uri":"a:","blob":""},{"uri":"a:","blob":"iVBORw=="},{"uri":"a:","text":""}]`
	if got := c.next().Get("result.contents").Raw; got != want {
		t.Errorf("the contents are %s, want %s", got, want)
	}
	c.wantEnd()
}

// Templates alone declare resources, so both lists are there, and the one of
// resources has none.
func TestTemplatesWithoutResources(t *testing.T) {
	served := aspect()
	served.Templates = []core.Template{{Pattern: prefixed("a:"), Name: "t", Read: textAt("a:b", "").Read}}
	c := ready(t, served, nil)
	for method, want := range map[string]string{
		"resources/list":           `{"resources":[]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"a:{rest}","name":"t"}]}`,
		"prompts/list":             ``,
	} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`)
		if got := c.next(); got.Get("result").Raw != want {
			t.Errorf("%s gave %s, want the result %s", method, got.Raw, want)
		}
	}
	c.wantEnd()
}
