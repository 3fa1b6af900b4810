//go:build mcp20260728

package server

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// Lists of the modern era wait for the hook as well, and nothing else does;
// what is cancelled is told so.
func TestModernOnList(t *testing.T) {
	waits := make(chan error, 10)
	var opened chan struct{}
	aspect := testAspect(revisionTool())
	aspect.DynamicPrompts, aspect.DynamicResources = true, true
	aspect.OnList = func(ctx context.Context, call *core.Call) {
		if !call.Stateless() {
			t.Errorf("%s is not of the modern era", call.Method())
		}
		select {
		case <-opened:
		case <-ctx.Done():
			waits <- ctx.Err()
		}
	}
	for _, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
			opened = make(chan struct{})
			p.send(modern("1", method, ""), modern("2", method, ""))
			request := modernCall("3", "revision", "")
			wantTool(t, request, p.ask(request), "2026-07-28 true")
			p.ask(modern("4", "server/discover", ""))
			p.wantSilence("while the lists wait")
			p.send(cancelOf("1"))
			synctest.Wait()
			if err := <-waits; err != context.Canceled {
				t.Errorf("%s was cancelled, and its context ended with %v", method, err)
			}
			p.wantSilence("after the cancellation")
			close(opened)
			if got := p.next(); got.Get("id").Raw != "2" || got.Get("result.resultType").Str != "complete" || !got.Get("result.ttlMs").Exists() {
				t.Errorf("%s was answered with %s", method, got.Raw)
			}
			p.wantSilence("after the list")
		})
	}
}

// Code that fails in the hook costs that list alone, and cursors work.
func TestModernOnListFailsAndPages(t *testing.T) {
	aspect := testAspect(revisionTool())
	aspect.OnList = func(_ context.Context, call *core.Call) {
		if call.Params().Get("panic").Exists() {
			panic("inside")
		}
	}
	inTalk(t, aspect, &Options{PageSize: 2}, func(t *testing.T, p *talk) {
		request := modern("1", "tools/list", `"panic":1`)
		wantFailure(t, request, p.ask(request), -32603, "tools/list failed unexpectedly")
		first := p.ask(modern("2", "tools/list", "")).Get("result")
		second := p.ask(modern("3", "tools/list", `"cursor":`+first.Get("nextCursor").Raw)).Get("result")
		if got := first.Get("tools.#.name").Raw + second.Get("tools.#.name").Raw; got != `["revision","about_tsar-mcp"]["readTrace"]` || second.Get("nextCursor").Exists() {
			t.Errorf("the pages are %s and %s", first.Raw, second.Raw)
		}
	})
}

// The level of a modern request is told to nobody, and has no method.
func TestOnSetLevelIsOfTheLegacyEra(t *testing.T) {
	told := make(chan core.LogLevel, 10)
	aspect := testAspect(revisionTool())
	aspect.Logging = true
	aspect.OnSetLevel = func(_ context.Context, level core.LogLevel) { told <- level }
	meta := strings.TrimSuffix(fullMeta, "}") + `,` + metaLogLevel + `"debug"}`
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.ask(withMeta("1", "tools/call", meta, `"name":"revision"`))
		request := withMeta("2", "logging/setLevel", meta, `"level":"debug"`)
		wantFailure(t, request, p.ask(request), -32601)
		p.wantSilence("after the requests")
		if len(told) > 0 {
			t.Errorf("the aspect was told the level %s", <-told)
		}
		p.ask(withMeta("3", "logging/setLevel", "", `"level":"alert"`))
		synctest.Wait()
		if len(told) != 1 || <-told != core.LogAlert {
			t.Error("the aspect was not told the level of the legacy client")
		}
	})
}

// What the aspect says of itself is said in both eras.
func TestModernAbout(t *testing.T) {
	aspect := testAspect()
	aspect.About = func() []string { return []string{"Server x: connected"} }
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		got := p.ask(modernCall("1", "about_tsar-mcp", ""))
		if !strings.Contains(got.Get("result.content.0.text").Str, "\nServer x: connected\nCore credit: ") {
			t.Errorf("about_tsar-mcp says %s", got.Raw)
		}
	})
}
