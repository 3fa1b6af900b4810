//go:build mcp20260728

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

const (
	serverInfoPath = `result._meta.io\.modelcontextprotocol/serverInfo`
	identity       = `{"name":"MCPServer_modernTest","version":"1.2.3"}`
	forgedMeta     = `{"com.example/a": {"b": 1}, "io.modelcontextprotocol/serverInfo": {"name": "forged"}, "z": null}`
)

// answering is a tool that answers the same always.
func answering(result core.Result, err error) core.Tool {
	return core.Tool{Name: "answer", Handler: func(context.Context, *core.Call) (core.Result, error) { return result, err }}
}

func TestResultsSayTheirTypeAndServer(t *testing.T) {
	for name, test := range map[string]struct {
		result core.Result
		err    error
		own    map[string]string
	}{
		"text":                  {result: core.Text("x"), own: map[string]string{"content.0.text": `"x"`}},
		"an error of the tool":  {err: errors.New("no"), own: map[string]string{"isError": "true"}},
		"content":               {result: &core.ToolResult{Content: []core.Block{core.TextBlock{Text: "x"}}}, own: map[string]string{"content.0.text": `"x"`, "isError": ""}},
		"nothing":               {result: &core.ToolResult{}, own: map[string]string{"content": `[]`}},
		"structured":            {result: &core.ToolResult{Structured: []int{1}}, own: map[string]string{"structuredContent": `[1]`, "content.0.text": `"[1]"`}},
		"own _meta":             {result: &core.ToolResult{Meta: json.RawMessage(forgedMeta)}, own: map[string]string{`_meta.com\.example/a`: `{"b":1}`, `_meta.z`: `null`}},
		"empty _meta":           {result: &core.ToolResult{Meta: json.RawMessage(`{}`)}},
		"only the core's key":   {result: &core.ToolResult{Meta: json.RawMessage(`{"io.modelcontextprotocol/serverInfo":1}`)}},
		"an escaped core's key": {result: &core.ToolResult{Meta: json.RawMessage(`{"io.modelcontextprotocol\/server\u0049nfo":1}`)}},
		"raw":                   {result: core.RawResult(`{"content": [], "own": 1}`), own: map[string]string{"content": `[]`, "own": `1`}},
		"raw and empty":         {result: core.RawResult(`{}`)},
		"raw with the core's": {
			result: core.RawResult(`{"resultType":"input_required","ttlMs":5,"cacheScope":"public","content":[],"_meta":` + forgedMeta + `}`),
			own:    map[string]string{`_meta.com\.example/a`: `{"b":1}`, `_meta.z`: `null`, "ttlMs": ``, "cacheScope": ``},
		},
		"raw with a null _meta": {result: core.RawResult(`{"_meta":null}`)},
		"raw, last is _meta":    {result: core.RawResult(`{"a":1,"_meta":{"b":2}}`), own: map[string]string{"a": "1", "_meta.b": "2"}},
	} {
		inTalk(t, testAspect(answering(test.result, test.err)), nil, func(t *testing.T, p *talk) {
			p.send(modernCall("1", "answer", ""))
			line := <-p.lines
			if !gjson.Valid(line) {
				t.Fatalf("%s: the answer is no JSON: %s", name, line)
			}
			answer := gjson.Parse(line)
			want := map[string]string{"resultType": `"complete"`}
			for path, value := range test.own {
				want[path] = value
			}
			for path, value := range want {
				if got := answer.Get("result." + path).Raw; got != value {
					t.Errorf("%s: %s = %s, want %s (%s)", name, path, got, value, line)
				}
			}
			if got := answer.Get(serverInfoPath).Raw; got != identity {
				t.Errorf("%s: serverInfo = %s, want %s", name, got, identity)
			}
			for _, once := range []string{`"resultType"`, `"_meta"`, `serverInfo"`} {
				if got := strings.Count(line, once); got != 1 {
					t.Errorf("%s: %s stands %d times in %s, want once", name, once, got, line)
				}
			}
		})
	}
}

func TestResultsThatCannotBeWritten(t *testing.T) {
	for name, result := range map[string]core.Result{
		"_meta is no object":     &core.ToolResult{Meta: json.RawMessage(`[1]`)},
		"_meta is no JSON":       &core.ToolResult{Meta: json.RawMessage(`{`)},
		"raw _meta is no object": core.RawResult(`{"_meta":7}`),
		"raw is no JSON":         core.RawResult(`{`),
		"raw is an array":        core.RawResult(`[]`),
		"structured":             &core.ToolResult{Structured: func() {}},
		"nil block":              &core.ToolResult{Content: []core.Block{nil}},
	} {
		inTalk(t, testAspect(answering(result, nil)), nil, func(t *testing.T, p *talk) {
			answer := p.ask(modernCall("1", "answer", ""))
			if !answer.Get("result.isError").Bool() || answer.Get("result.resultType").Str != "complete" || !gjson.Valid(answer.Raw) {
				t.Errorf("%s: got %s, want isError", name, answer.Raw)
			}
		})
	}
}

func TestLegacyResultsHaveNothingModern(t *testing.T) {
	tool := answering(&core.ToolResult{Meta: json.RawMessage(`{"a":1}`)}, nil)
	aspect := testAspect(tool)
	aspect.Caching.Lists = core.CacheHint{Lifetime: time.Minute, Public: true}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		// The modern list first, so that a list kept for later would be seen.
		p.ask(modern("0", "tools/list", ""))
		for _, request := range []string{
			withMeta("1", "tools/call", "", `"name":"answer"`),
			withMeta("2", "tools/list", "", ""),
			legacyOpening,
		} {
			answer := p.ask(request)
			for _, word := range []string{"resultType", "ttlMs", "cacheScope", "io.modelcontextprotocol"} {
				if strings.Contains(answer.Raw, word) {
					t.Errorf("%s: %s has %s", request, answer.Raw, word)
				}
			}
		}
	})
}

func TestCachingHints(t *testing.T) {
	lists := core.CacheHint{Lifetime: 5 * time.Minute, Public: true}
	reads := core.CacheHint{Lifetime: 1500 * time.Microsecond}
	for _, caching := range []core.Caching{{}, {Lists: lists, Reads: reads}, {Lists: core.CacheHint{Lifetime: -time.Hour}, Reads: core.CacheHint{Public: true}}} {
		aspect := testAspect(revisionTool())
		aspect.Caching = caching
		aspect.Resources = []core.Resource{textResource("file:///a", "a"), {URI: "file:///ask", Name: "ask", Read: needing("who")}}
		aspect.Templates = []core.Template{{URITemplate: "file:///{x}", Name: "t"}}
		aspect.Prompts = []core.Prompt{{Name: "p", Handler: func(context.Context, *core.Call) (core.Result, error) {
			return &core.PromptResult{Messages: []core.Message{core.UserText("x")}}, nil
		}}}
		aspect.OnMethod = func(context.Context, *core.Call) (core.Result, error) { return core.RawResult(`{}`), nil }
		inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
			for _, test := range []struct {
				method, params string
				hint           *core.CacheHint
			}{
				{"server/discover", "", &caching.Lists},
				{"tools/list", "", &caching.Lists},
				{"prompts/list", "", &caching.Lists},
				{"resources/list", "", &caching.Lists},
				{"resources/templates/list", "", &caching.Lists},
				{"resources/read", `"uri":"file:///a"`, &caching.Reads},
				{"resources/read", `"uri":"file:///ask"`, nil},
				{"tools/call", `"name":"revision"`, nil},
				{"prompts/get", `"name":"p"`, nil},
				{"example/own", ``, nil},
				{"resources/read", `"uri":"file:///none"`, nil},
			} {
				request := modern("1", test.method, test.params)
				answer := p.ask(request)
				ttl, scope := "", ""
				if test.hint != nil {
					ttl, scope = fmt.Sprint(max(0, test.hint.Lifetime.Milliseconds())), `"private"`
					if test.hint.Public {
						scope = `"public"`
					}
				}
				if gotTTL, gotScope := answer.Get("result.ttlMs").Raw, answer.Get("result.cacheScope").Raw; gotTTL != ttl || gotScope != scope {
					t.Errorf("%s: ttlMs %q and cacheScope %q, want %q and %q (%s)", request, gotTTL, gotScope, ttl, scope, answer.Raw)
				}
			}
			asked := p.ask(modern("2", "resources/read", `"uri":"file:///ask"`))
			request := modern("3", "resources/read", `"uri":"file:///ask",`+retry(asked, `{"who":`+sampled("x")+`}`))
			answer := p.ask(request)
			if answer.Get("result.ttlMs").Raw != "0" || answer.Get("result.cacheScope").Raw != `"private"` || !answer.Get("result.contents").Exists() {
				t.Errorf("%s: got %s, want contents that nobody keeps", request, answer.Raw)
			}
		})
	}
}

func TestResourceNotFoundByEra(t *testing.T) {
	aspect := testAspect()
	aspect.Resources = []core.Resource{textResource("file:///a", "a")}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for meta, code := range map[string]int{"": -32002, fullMeta: -32602} {
			request := withMeta("1", "resources/read", meta, `"uri":"file:///b\""`)
			answer := p.ask(request)
			wantFailure(t, request, answer, code)
			if got := answer.Get("error.data.uri").Str; got != `file:///b"` {
				t.Errorf("%s: data.uri = %q, want the URI", request, got)
			}
		}
	})
}

var allLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// talkative logs at each level, reports progress, answers, and goes on.
func talkative(after chan<- func()) core.Tool {
	return core.Tool{Name: "talk", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		for level := core.LogDebug; level <= core.LogEmergency; level++ {
			call.Log(level, "l", map[string]int{"n": int(level)})
		}
		call.Progress(1, 2, "half")
		after <- func() {
			call.Log(core.LogEmergency, "l", "late")
			call.Progress(2, 2, "late")
		}
		return core.Text("done"), nil
	}}
}

func TestLogLevelOfEachRequest(t *testing.T) {
	for _, logging := range []bool{true, false} {
		after := make(chan func(), 1000)
		aspect := testAspect(talkative(after))
		aspect.Logging = logging
		inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
			for i := range len(allLevels) * 2 {
				level := allLevels[i%len(allLevels)]
				p.send(withMeta("1", "tools/call", `{`+metaVersion+`,`+metaCapabilities+`{},`+metaLogLevel+`"`+level+`"}`, `"name":"talk"`))
				for _, want := range allLevels[i%len(allLevels):] {
					if !logging {
						break
					}
					got := p.next()
					if got.Get("method").Str != "notifications/message" || got.Get("params.level").Str != want || got.Get("params.logger").Str != "l" {
						t.Errorf("with the level %s: got %s, want a message of the level %s", level, got.Raw, want)
					}
				}
				if got := p.next(); got.Get("result.content.0.text").Str != "done" {
					t.Errorf("with the level %s: got %s, want the answer", level, got.Raw)
				}
				(<-after)()
				p.wantSilence("after the answer")
				// None without a level, whatever another request has set.
				quiet := modernCall("2", "talk", "")
				wantTool(t, quiet, p.ask(quiet), "done")
				(<-after)()
				p.wantSilence("after the answer without a level")
			}
		})
	}
}

func TestLogLevelsOfBothErasAreApart(t *testing.T) {
	after := make(chan func(), 10)
	aspect := testAspect(talkative(after))
	aspect.Logging = true
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.ask(legacyOpening)
		p.ask(withMeta("1", "logging/setLevel", "", `"level":"alert"`))
		p.send(withMeta("2", "tools/call", `{`+metaVersion+`,`+metaCapabilities+`{},`+metaLogLevel+`"emergency"}`, `"name":"talk"`))
		p.send(withMeta("3", "tools/call", "", `"name":"talk"`))
		var got []string
		for range 5 {
			message := p.next()
			got = append(got, message.Get("id").Raw+message.Get("params.level").Str)
		}
		if want := "emergency 2 alert emergency 3"; strings.Join(got, " ") != want {
			t.Errorf("messages and answers came as %v, want %s", got, want)
		}
	})
}

func TestNothingUnaskedInTheModernEra(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "loud", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		host := call.Host()
		host.Log(core.LogEmergency, "l", "x")
		err := host.Post("notifications/example", nil)
		_, askErr := host.Ask(context.Background(), core.Inputs{"r": core.Roots{}})
		added := host.AddTools(answering(core.Text("x"), nil))
		updated := host.ResourceUpdated("file:///a")
		return core.Text(fmt.Sprint(err != nil, askErr != nil, added, updated)), nil
	}})
	aspect.Logging, aspect.DynamicTools, aspect.ResourceUpdates = true, true, true
	aspect.Resources = []core.Resource{textResource("file:///a", "a")}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		request := modernCall("1", "loud", "")
		wantTool(t, request, p.ask(request), "true true <nil> <nil>")
		p.wantSilence("after the answer")
	})
}

func TestProgressOfAModernRequest(t *testing.T) {
	after := make(chan func(), 10)
	inTalk(t, testAspect(talkative(after)), nil, func(t *testing.T, p *talk) {
		for _, token := range []string{`"p"`, `7`, `"7"`, `9007199254740993`} {
			p.send(withMeta("1", "tools/call", `{`+metaVersion+`,`+metaCapabilities+`{},"progressToken":`+token+`}`, `"name":"talk"`))
			got := p.next()
			if got.Get("method").Str != "notifications/progress" || got.Get("params.progressToken").Raw != token || got.Get("params.message").Str != "half" {
				t.Errorf("with the token %s: got %s, want progress with it", token, got.Raw)
			}
			if got := p.next(); got.Get("id").Raw != "1" {
				t.Errorf("with the token %s: got %s, want the answer", token, got.Raw)
			}
			(<-after)()
			p.wantSilence("after the answer")
		}
		for _, token := range []string{`1.5`, `true`, `{}`, `[]`} {
			request := withMeta("1", "tools/call", `{`+metaVersion+`,`+metaCapabilities+`{},"progressToken":`+token+`}`, `"name":"talk"`)
			wantFailure(t, request, p.ask(request), -32602, "progressToken")
		}
	})
}
