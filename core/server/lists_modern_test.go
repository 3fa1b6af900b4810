//go:build mcp20260728

package server

import (
	"context"
	"strings"
	"testing"

	"mcpserver/core"
)

// Streams are told of each kind of list that they asked for, and of no other.
func TestStreamsAreToldOfEachList(t *testing.T) {
	aspect, host := listening()
	aspect.DynamicPrompts, aspect.DynamicResources = true, true
	says := func(context.Context, *core.Call) (core.Result, error) { return core.Text(""), nil }
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.open(`1`, `{"toolsListChanged":true}`, `{"toolsListChanged":true}`)
		p.open(`2`, `{"promptsListChanged":true}`, `{"promptsListChanged":true}`)
		p.open(`3`, `{"resourcesListChanged":true,"promptsListChanged":true}`, `{"promptsListChanged":true,"resourcesListChanged":true}`)
		changed := func(err error) {
			t.Helper()
			if err != nil {
				t.Error(err)
			}
		}
		changed(host.AddTools(revisionTool()))
		p.wantTold("notifications/tools/list_changed", "", `1`)
		changed(host.AddPrompts(core.Prompt{Name: "p", Handler: says}))
		p.wantTold("notifications/prompts/list_changed", "", `2`, `3`)
		changed(host.AddResources(core.Resource{URI: "a:b", Name: "r", Read: says}))
		p.wantTold("notifications/resources/list_changed", "", `3`)
		changed(host.AddTemplates(core.Template{URITemplate: "a:{x}", Name: "t"}))
		p.wantTold("notifications/resources/list_changed", "", `3`)
		p.send(cancelOf(`3`))
		host.RemoveTemplates("a:{x}")
		host.RemoveResources("a:b")
		host.RemovePrompts("p")
		p.wantTold("notifications/prompts/list_changed", "", `2`)
	})
}

// Every page has the hints for caching, and its cursor is good for the same
// list in another process with the same key.
func TestModernPages(t *testing.T) {
	aspect := testAspect(revisionTool())
	aspect.Caching.Lists = core.CacheHint{Public: true}
	options := &Options{PageSize: 2}
	cursor := ""
	inTalk(t, aspect, options, func(t *testing.T, p *talk) {
		got := p.ask(modern("1", "tools/list", "")).Get("result")
		cursor = got.Get("nextCursor").Raw
		if got.Get("tools.#.name").String() != `["revision","about_tsar-mcp"]` || cursor == "" || got.Get("cacheScope").Str != "public" {
			t.Errorf("the first page is %s", got.Raw)
		}
	})
	inTalk(t, aspect, options, func(t *testing.T, p *talk) {
		got := p.ask(modern("1", "tools/list", `"cursor":`+cursor)).Get("result")
		if got.Get("tools.#.name").String() != `["readTrace"]` || got.Get("nextCursor").Exists() || got.Get("cacheScope").Str != "public" || !got.Get("ttlMs").Exists() {
			t.Errorf("the second page is %s", got.Raw)
		}
	})
}

// The aspect is told of the first and the last subscriber, be they streams or
// the client that made the handshake.
func TestAspectIsToldOfStreams(t *testing.T) {
	aspect, _ := listening()
	told := make(chan string, 100)
	aspect.OnSubscribe = func(_ context.Context, uri string) { told <- "first " + uri }
	aspect.OnUnsubscribe = func(_ context.Context, uri string) { told <- "last " + uri }
	wantTold := func(t *testing.T, want string) {
		t.Helper()
		var got []string
		for len(told) > 0 {
			got = append(got, <-told)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("the aspect was told %q, want %q", got, want)
		}
	}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.open(`1`, `{"resourceSubscriptions":["a:","b:"]}`, `{"resourceSubscriptions":["a:","b:"]}`)
		p.open(`2`, `{"resourceSubscriptions":["b:"]}`, `{"resourceSubscriptions":["b:"]}`)
		p.ask(`{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"b:"}}`)
		p.wantSilence("after the subscriptions")
		wantTold(t, "first a:, first b:")
		p.send(cancelOf(`1`))
		p.wantSilence("after the first stream")
		wantTold(t, "last a:")
		p.send(cancelOf(`2`))
		p.wantSilence("after the second stream")
		wantTold(t, "")
		p.ask(`{"jsonrpc":"2.0","id":9,"method":"resources/unsubscribe","params":{"uri":"b:"}}`)
		p.wantSilence("after the last subscription")
		wantTold(t, "last b:")
	})
}

// A resource that is not there has the code of the era, and its URI.
func TestModernResourceNotFound(t *testing.T) {
	aspect, _ := listening()
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		request := modern("1", "resources/read", `"uri":"file:///nope"`)
		answer := p.ask(request)
		wantFailure(t, request, answer, -32602, "Not Found")
		if got := answer.Get("error.data.uri").Str; got != "file:///nope" {
			t.Errorf("the error's URI is %q", got)
		}
	})
}

// A completion has a result type and the _meta of both sides, and the capability is
// that of what completes.
func TestModernCompletion(t *testing.T) {
	aspect := testAspect()
	aspect.OnComplete = func(_ context.Context, call *core.Call) (core.Result, error) {
		return &core.Completion{Values: []string{call.Completion().Value}, Meta: []byte(`{"k":1}`)}, nil
	}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		got := p.ask(modern("1", "completion/complete", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"}`)).Get("result")
		if got.Get("resultType").Str != "complete" || got.Get("completion.values").Raw != `["v"]` || got.Get("_meta.k").Raw != "1" {
			t.Errorf("the completion is %s", got.Raw)
		}
		discovered := p.ask(modern("1", "server/discover", "")).Get("result.capabilities")
		if !discovered.Get("completions").IsObject() || discovered.Get("prompts").Exists() {
			t.Errorf("the capabilities are %s", discovered.Raw)
		}
	})
}
