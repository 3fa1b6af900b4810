//go:build mcp20260728

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

const (
	legacyOpening = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"elicitation":{},"roots":{}}}}`
	versionName   = "_meta.io.modelcontextprotocol/protocolVersion"
)

// eraCases say how a request with that _meta is served. Without code and
// revision, it is served under what the connection has settled.
var eraCases = []struct {
	name, meta string
	revision   string
	code       int
	words      string
}{
	{name: "no _meta", meta: ``},
	{name: "empty", meta: `{}`},
	{name: "a progress token", meta: `{"progressToken":7}`},
	{name: "another key of the prefix", meta: `{"io.modelcontextprotocol/related":1}`},
	{name: "a key that only resembles", meta: `{"io.modelcontextprotocol/ProtocolVersion":"2026-07-28"}`},
	{name: "modern", meta: fullMeta, revision: "2026-07-28 true"},
	{name: "modern, the least", meta: `{` + metaVersion + `,` + metaCapabilities + `{}}`, revision: "2026-07-28 true"},
	{name: "modern, written oddly", meta: `{"io.modelcontextprotocol\/protocolVersion":"2026\u002d07-28",` + metaCapabilities + `{}}`, revision: "2026-07-28 true"},
	{name: "modern, with all", meta: `{` + metaVersion + `,` + metaCapabilities + `{},` + metaClientInfo + `{"name":"c","version":"1"},` + metaLogLevel + `"error"}`, revision: "2026-07-28 true"},
	{name: "2024-11-05", meta: `{"io.modelcontextprotocol/protocolVersion":"2024-11-05"}`, revision: "2024-11-05 false"},
	{name: "2025-03-26", meta: `{"io.modelcontextprotocol/protocolVersion":"2025-03-26"}`, revision: "2025-03-26 false"},
	{name: "2025-11-25", meta: `{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}`, revision: "2025-11-25 false"},
	{name: "2025-11-25 with capabilities", meta: `{"io.modelcontextprotocol/protocolVersion":"2025-11-25",` + metaCapabilities + `{}}`, revision: "2025-11-25 false"},
	{name: "unknown", meta: `{"io.modelcontextprotocol/protocolVersion":"2099-01-01",` + metaCapabilities + `{}}`, code: -32022, words: "2099-01-01"},
	{name: "unknown, without capabilities", meta: `{"io.modelcontextprotocol/protocolVersion":"DRAFT-2026"}`, code: -32022, words: "DRAFT-2026"},
	{name: "empty version", meta: `{"io.modelcontextprotocol/protocolVersion":""}`, code: -32022},
	{name: "version is a number", meta: `{"io.modelcontextprotocol/protocolVersion":20260728}`, code: -32602, words: versionName},
	{name: "version is null", meta: `{"io.modelcontextprotocol/protocolVersion":null}`, code: -32602, words: versionName},
	{name: "version twice", meta: `{` + metaVersion + `,` + metaVersion + `,` + metaCapabilities + `{}}`, code: -32602, words: "protocolVersion"},
	{name: "capabilities alone", meta: `{` + metaCapabilities + `{}}`, code: -32602, words: versionName},
	{name: "client info alone", meta: `{` + metaClientInfo + `{"name":"c","version":"1"}}`, code: -32602, words: versionName},
	{name: "log level alone", meta: `{` + metaLogLevel + `"error"}`, code: -32602, words: versionName},
	{name: "no capabilities", meta: `{` + metaVersion + `}`, code: -32602, words: "_meta.io.modelcontextprotocol/clientCapabilities"},
	{name: "capabilities are null", meta: `{` + metaVersion + `,` + metaCapabilities + `null}`, code: -32602, words: "_meta.io.modelcontextprotocol/clientCapabilities"},
	{name: "capabilities are an array", meta: `{` + metaVersion + `,` + metaCapabilities + `[]}`, code: -32602, words: "_meta.io.modelcontextprotocol/clientCapabilities"},
	{name: "client info is a string", meta: `{` + metaVersion + `,` + metaCapabilities + `{},` + metaClientInfo + `"c"}`, code: -32602, words: "_meta.io.modelcontextprotocol/clientInfo"},
	{name: "unknown log level", meta: `{` + metaVersion + `,` + metaCapabilities + `{},` + metaLogLevel + `"loud"}`, code: -32602, words: "_meta.io.modelcontextprotocol/logLevel"},
	{name: "log level in capitals", meta: `{` + metaVersion + `,` + metaCapabilities + `{},` + metaLogLevel + `"ERROR"}`, code: -32602, words: "_meta.io.modelcontextprotocol/logLevel"},
	{name: "log level is a number", meta: `{` + metaVersion + `,` + metaCapabilities + `{},` + metaLogLevel + `3}`, code: -32602, words: "_meta.io.modelcontextprotocol/logLevel"},
	{name: "log level is null", meta: `{` + metaVersion + `,` + metaCapabilities + `{},` + metaLogLevel + `null}`, code: -32602, words: "_meta.io.modelcontextprotocol/logLevel"},
}

// Each pair of cases follows each other on one connection, so whatever one of
// them left behind would show in another.
func TestEraOfEachRequest(t *testing.T) {
	for _, opening := range []struct{ line, settled string }{
		{"", "2025-11-25 false"},
		{legacyOpening, "2025-06-18 false"},
	} {
		inTalk(t, testAspect(revisionTool()), nil, func(t *testing.T, p *talk) {
			if opening.line != "" {
				p.ask(opening.line)
			}
			id := 0
			for i := range eraCases {
				for j := range eraCases {
					for _, k := range []int{i, j} {
						id++
						test := eraCases[k]
						request := withMeta(fmt.Sprint(id), "tools/call", test.meta, `"name":"revision"`)
						answer := p.ask(request)
						if test.code != 0 {
							wantFailure(t, request, answer, test.code, test.words)
							continue
						}
						want := test.revision
						if want == "" {
							want = opening.settled
						}
						wantTool(t, request, answer, want)
						if isModern := strings.HasPrefix(want, "2026"); answer.Get("result.resultType").Exists() != isModern {
							t.Errorf("%s: %s; want a resultType: %t", request, answer.Raw, isModern)
						}
					}
				}
			}
		})
	}
}

func TestUnsupportedVersionTellsWhatIsSupported(t *testing.T) {
	inTalk(t, testAspect(revisionTool()), nil, func(t *testing.T, p *talk) {
		for _, requested := range []string{`2099-01-01`, ``, `a\"b`, `\u0000`, strings.Repeat("x", 1000)} {
			for _, method := range []string{"server/discover", "tools/list", "no/such", "initialize", "subscriptions/listen"} {
				request := withMeta("1", method, `{"io.modelcontextprotocol/protocolVersion":"`+requested+`"}`, "")
				answer := p.ask(request)
				wantFailure(t, request, answer, -32022)
				if got, want := answer.Get("error.data.requested").Str, gjson.Parse(`"`+requested+`"`).Str; got != want {
					t.Errorf("%.200s: data.requested = %q, want %q", request, got, want)
				}
				const want = `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`
				if got := answer.Get("error.data.supported").Raw; got != want {
					t.Errorf("%.200s: data.supported = %s, want %s", request, got, want)
				}
			}
		}
	})
}

func TestDiscover(t *testing.T) {
	aspect := testAspect(revisionTool())
	aspect.Title, aspect.Description, aspect.Instructions = "Title", "What it is", "How to use it"
	aspect.WebsiteURL = "https://example.com"
	aspect.Logging, aspect.DynamicTools, aspect.ResourceUpdates = true, true, true
	aspect.Extensions = map[string]json.RawMessage{"com.example/x": json.RawMessage(`{"a": 1}`)}
	aspect.Resources = []core.Resource{textResource("file:///a", "a")}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		answer := p.ask(modern(`"d"`, "server/discover", ""))
		for path, want := range map[string]string{
			"result.resultType":                                `"complete"`,
			"result.supportedVersions":                         `["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`,
			"result.instructions":                              `"How to use it"`,
			"result.capabilities":                              `{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{},"extensions":{"com.example/x":{"a":1}}}`,
			"result.ttlMs":                                     `0`,
			"result.cacheScope":                                `"private"`,
			"result.serverInfo":                                ``,
			"result.protocolVersion":                           ``,
			`result._meta.io\.modelcontextprotocol/serverInfo`: `{"name":"MCPServer_modernTest","version":"1.2.3","title":"Title","description":"What it is","websiteUrl":"https://example.com"}`,
		} {
			if got := answer.Get(path).Raw; got != want {
				t.Errorf("%s = %s, want %s", path, got, want)
			}
		}
	})
}

func TestDiscoverInOtherEras(t *testing.T) {
	inTalk(t, testAspect(), nil, func(t *testing.T, p *talk) {
		for meta, code := range map[string]int{
			``:                    -32602,
			`{}`:                  -32602,
			`{"progressToken":1}`: -32602,
			`{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}`: -32601,
		} {
			request := withMeta("1", "server/discover", meta, "")
			wantFailure(t, request, p.ask(request), code)
		}
		noParams := `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`
		wantFailure(t, noParams, p.ask(noParams), -32602, versionName)
	})
}

func TestMethodsOfTheOtherEra(t *testing.T) {
	aspect := testAspect()
	aspect.Logging, aspect.ResourceUpdates = true, true
	aspect.Resources = []core.Resource{textResource("file:///a", "a")}
	var asked atomic.Int32
	aspect.OnMethod = func(_ context.Context, call *core.Call) (core.Result, error) {
		asked.Add(1)
		return core.RawResult(`{"served":"` + call.Method() + `","resultType":"odd"}`), nil
	}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, removed := range []string{"initialize", "ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"} {
			request := modern("1", removed, `"uri":"file:///a","level":"debug","protocolVersion":"2025-11-25","capabilities":{}`)
			wantFailure(t, request, p.ask(request), -32601, removed)
		}
		for _, later := range []string{"subscriptions/listen"} {
			request := withMeta("1", later, "", `"notifications":{}`)
			wantFailure(t, request, p.ask(request), -32601, later)
		}
		if got := asked.Load(); got != 0 {
			t.Errorf("OnMethod was asked %d times for methods of the other era, want never", got)
		}
		answer := p.ask(modern("2", "example/own", ""))
		if answer.Get("result.served").Str != "example/own" || answer.Get("result.resultType").Raw != `"complete"` || strings.Count(answer.Raw, "resultType") != 1 {
			t.Errorf("example/own: got %s, want the aspect's result and one resultType", answer.Raw)
		}
	})
}

func TestMethodsWithoutTheirCapability(t *testing.T) {
	inTalk(t, testAspect(), nil, func(t *testing.T, p *talk) {
		for _, method := range []string{"resources/list", "resources/read", "resources/templates/list", "prompts/list", "prompts/get", "tasks/get", "no/such"} {
			request := modern("1", method, `"uri":"file:///a","name":"x"`)
			wantFailure(t, request, p.ask(request), -32601, method)
		}
	})
}

func TestInitializeWithModernMetaSwitchesNothing(t *testing.T) {
	var seen atomic.Int32
	aspect := testAspect(revisionTool())
	aspect.OnInitialize = func(context.Context, *core.Initialize) error { seen.Add(1); return nil }
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		bare := withMeta("2", "tools/call", "", `"name":"revision"`)
		foreign := modern("1", "initialize", `"protocolVersion":"2024-11-05","capabilities":{}`)
		wantFailure(t, foreign, p.ask(foreign), -32601)
		wantTool(t, bare, p.ask(bare), "2025-11-25 false")
		p.ask(legacyOpening)
		wantFailure(t, foreign, p.ask(foreign), -32601)
		wantTool(t, bare, p.ask(bare), "2025-06-18 false")
		if got := seen.Load(); got != 1 {
			t.Errorf("OnInitialize ran %d times, want once", got)
		}
		incomplete := withMeta("3", "initialize", `{`+metaCapabilities+`{}}`, `"protocolVersion":"2024-11-05"`)
		wantFailure(t, incomplete, p.ask(incomplete), -32602, versionName)
		wantTool(t, bare, p.ask(bare), "2025-06-18 false")
	})
}

func TestInitializeNeverNegotiatesTheModernEra(t *testing.T) {
	inTalk(t, testAspect(revisionTool()), nil, func(t *testing.T, p *talk) {
		for _, meta := range []string{"", "{}", `{"io.modelcontextprotocol/protocolVersion":"2025-03-26"}`} {
			request := withMeta("1", "initialize", meta, `"protocolVersion":"2026-07-28","capabilities":{}`)
			if got := p.ask(request).Get("result.protocolVersion").Str; got != "2025-11-25" {
				t.Errorf("%s: protocolVersion %q, want 2025-11-25", request, got)
			}
		}
	})
}

func TestModernRequestsLeaveNothingBehind(t *testing.T) {
	tool := core.Tool{Name: "client", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		return core.Text(call.ClientInfo().Get("name").Str + call.ClientCapabilities().Raw), nil
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		p.ask(legacyOpening)
		request := withMeta("1", "tools/call", `{`+metaVersion+`,`+metaCapabilities+`{"roots":{}},`+metaClientInfo+`{"name":"one"}}`, `"name":"client"`)
		wantTool(t, request, p.ask(request), `one{"roots":{}}`)
		request = withMeta("2", "tools/call", `{`+metaVersion+`,`+metaCapabilities+`{}}`, `"name":"client"`)
		wantTool(t, request, p.ask(request), `{}`)
		request = withMeta("3", "tools/call", "", `"name":"client"`)
		wantTool(t, request, p.ask(request), `{"sampling":{},"elicitation":{},"roots":{}}`)
	})
}

func TestIDsOfModernRequestsAreEchoed(t *testing.T) {
	inTalk(t, testAspect(revisionTool()), nil, func(t *testing.T, p *talk) {
		for _, id := range []string{`1`, `"1"`, `1.0`, `9007199254740993`, `-0`, `"\u00e4"`, `""`} {
			if got := p.ask(modernCall(id, "revision", "")).Get("id").Raw; got != id {
				t.Errorf("the id %s came back as %s", id, got)
			}
		}
	})
}

func TestAboutTellsOfTheRequest(t *testing.T) {
	inTalk(t, testAspect(), nil, func(t *testing.T, p *talk) {
		for meta, want := range map[string]string{
			fullMeta: "Client: 2026-07-28\nServer: 2026-07-28\nSpeak: 2026-07-28\n",
			`{` + metaVersion + `,` + metaCapabilities + `{},` + metaClientInfo + `{"name":"c","version":"2"}}`: "Client: 2026-07-28 (c 2)\nServer: 2026-07-28\nSpeak: 2026-07-28\n",
			``: "Client: not told\nServer: 2026-07-28\nSpeak: 2025-11-25\n",
			`{"io.modelcontextprotocol/protocolVersion":"2024-11-05"}`: "Client: 2024-11-05\nServer: 2026-07-28\nSpeak: 2024-11-05\n",
		} {
			text := p.ask(withMeta("1", "tools/call", meta, `"name":"about_tsar-mcp"`)).Get("result.content.0.text").Str
			if !strings.Contains(text, want) {
				t.Errorf("with the _meta %s: %q, want %q in it", meta, text, want)
			}
		}
	})
}

// The answer to a batch waits for each of its members, and that of a stream
// may never come.
func TestListenInABatch(t *testing.T) {
	inTalk(t, testAspect(revisionTool()), nil, func(t *testing.T, p *talk) {
		p.ask(strings.Replace(legacyOpening, "2025-06-18", "2025-03-26", 1))
		listen := modern("1", "subscriptions/listen", `"notifications":{}`)
		p.send("[" + listen + "," + withMeta("2", "ping", "", "") + "]")
		answers := p.next().Array()
		if len(answers) != 2 || answers[0].Get("error.code").Int() != -32600 || !answers[1].Get("result").Exists() {
			t.Errorf("a batch with a listen was answered %v, want -32600 for it and the ping served", answers)
		}
	})
}

func textResource(uri, text string) core.Resource {
	return core.Resource{URI: uri, Name: uri, Read: func(context.Context, *core.Call) (core.Result, error) {
		return core.ResourceResult{{URI: uri, Text: text}}, nil
	}}
}
