//go:build mcp20260728

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcpserver/core"
)

// asLine makes a result object of the modern era the whole answer to request 1.
func asLine(members, meta string) string {
	if members != "" {
		members += ","
	}
	if meta != "" {
		meta += ","
	}
	return `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",` + members +
		`"_meta":{` + meta + `"io.modelcontextprotocol/serverInfo":` + identity + `}}}`
}

// A result of another server is as it was, but for its type and who the server
// is.
func TestModernForwardedResults(t *testing.T) {
	const odd = `"z":1.0,"content":5,"esc":"\u003cb\u003e \/","big":12345678901234567890,"\u003ck\u003e":0,"a":1,"a":2,"structuredContent":[],"ttlMs":"x"`
	for name, test := range map[string]struct{ result, members, meta string }{
		"odd":                    {`{` + odd + `}`, odd, ``},
		"white space":            {"\n{ \"a\" :\r\n[ 1 ,\t2 ] } ", `"a":[1,2]`, ``},
		"empty":                  {`{}`, ``, ``},
		"its type":               {`{"a":1,"resultType":"input_required","b":2}`, `"a":1,"b":2`, ``},
		"its type alone":         {`{"result\u0054ype":"complete"}`, ``, ``},
		"the order of its _meta": {`{"_meta":{"z":1.0,"a":{"y":"\u003c","x":2},"\u003c":[ ]},"b":1}`, `"b":1`, `"z":1.0,"a":{"y":"\u003c","x":2},"\u003c":[]`},
		"its identity":           {`{"_meta":{"z":1,"io.modelcontextprotocol/serverInfo":{"name":"other"},"a":2}}`, ``, `"z":1,"a":2`},
		"its identity alone":     {`{"_m\u0065ta":{"io.modelcontextprotocol\/serverInfo":null}}`, ``, ``},
		"no _meta at all":        {`{"_meta":null,"b":1}`, `"b":1`, ``},
		"_meta is an array":      {`{"b":1,"_meta":[1]}`, `"b":1`, ``},
		"blocks":                 {`{"content":[{"type":"hologram"},{"type":"audio"}]}`, `"content":[{"type":"hologram"},{"type":"audio"}]`, ``},
	} {
		says := func(context.Context, *core.Call) (core.Result, error) { return core.ForwardedResult(test.result), nil }
		aspect := testAspect(core.Tool{Name: "t", Output: core.Object(core.String("a", "").Required()), Handler: says})
		aspect.Prompts = []core.Prompt{{Name: "p", Handler: says}}
		aspect.OnMethod = says
		inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
			for method, params := range map[string]string{"tools/call": `"name":"t"`, "prompts/get": `"name":"p"`, "tasks/get": ``} {
				p.send(modern("1", method, params))
				if got, want := <-p.lines, asLine(test.members, test.meta); got != want {
					t.Errorf("%s, %s: got\n %s\nwant\n %s", name, method, got, want)
				}
			}
		})
	}
}

// The order of the aspect's own _meta is kept, too.
func TestModernMetaKeepsItsOrder(t *testing.T) {
	const meta = `{"z":1.0,"a":{"y":"\u003cb\u003e","x":12345678901234567890}, "io.modelcontextprotocol/serverInfo":{"name":"forged"},"\u003c":1}`
	for name, result := range map[string]core.Result{
		"typed": &core.ToolResult{Meta: json.RawMessage(meta)},
		"raw":   core.RawResult(`{"content":[],"_meta":` + meta + `}`),
	} {
		inTalk(t, testAspect(answering(result, nil)), nil, func(t *testing.T, p *talk) {
			p.send(modernCall("1", "answer", ""))
			if got, want := <-p.lines, asLine(`"content":[]`, `"z":1.0,"a":{"y":"\u003cb\u003e","x":12345678901234567890},"\u003c":1`); got != want {
				t.Errorf("%s: got\n %s\nwant\n %s", name, got, want)
			}
		})
	}
}

// What another server says of caching counts in place of the aspect's; what it
// says half of is kept by nobody else.
func TestModernForwardedCaching(t *testing.T) {
	result := ""
	says := func(context.Context, *core.Call) (core.Result, error) { return core.ForwardedResult(result), nil }
	aspect := testAspect(core.Tool{Name: "t", Handler: says})
	aspect.Caching.Reads = core.CacheHint{Lifetime: time.Second, Public: true}
	aspect.Resources = []core.Resource{{URI: "a:b", Name: "n", Read: says}}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, test := range []struct{ members, read string }{
			{`"ttlMs":5e3,"contents":[],"cacheScope":"private"`, `"ttlMs":5e3,"contents":[],"cacheScope":"private"`},
			{`"contents":[],"cacheScope":"own","ttlMs":-1`, `"contents":[],"cacheScope":"own","ttlMs":-1`},
			{`"contents":[],"ttlMs":5`, `"contents":[],"ttlMs":5,"cacheScope":"private"`},
			{`"contents":[],"ttlMs":5,"ttl\u004ds":6`, `"contents":[],"ttlMs":5,"ttl\u004ds":6,"cacheScope":"private"`},
			{`"cacheScope":"public"`, `"cacheScope":"public","ttlMs":0`},
			{`"contents":[]`, `"contents":[],"ttlMs":1000,"cacheScope":"public"`},
		} {
			result = `{` + test.members + `}`
			for request, want := range map[string]string{
				modern("1", "resources/read", `"uri":"a:b"`): test.read,
				modernCall("1", "t", ""):                     test.members,
			} {
				p.send(request)
				if got := <-p.lines; got != asLine(want, "") {
					t.Errorf("%s\n got %s\nwant %s", request, got, asLine(want, ""))
				}
			}
		}
	})
}

// What is no JSON object is an error in this era, too.
func TestModernForwardedResultsThatAreNone(t *testing.T) {
	for _, result := range []string{``, `null`, `[]`, `{"a":`, "{\"a\":\"two\nlines\"}"} {
		inTalk(t, testAspect(answering(core.ForwardedResult(result), nil)), nil, func(t *testing.T, p *talk) {
			request := modernCall("1", "answer", "")
			wantToolFailure(t, request, p.ask(request), "forwarded result")
		})
	}
}

// relaying is a tool that forwards of everything something, before it answers
// and later.
func relaying(late chan<- func()) core.Tool {
	return core.Tool{Name: "relay", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		forward := func(progress int) {
			call.Forward("notifications/progress", json.RawMessage(fmt.Sprintf("{\n\"z\": 1.0, \"progress\":%d, \"progressToken\":\"theirs\", \"message\":\"\\u003c\" }", progress)))
			for _, level := range append(allLevels, "verbose") {
				call.Forward("notifications/message", json.RawMessage(`{"z": 1.0, "level": "`+level+`", "data": "\u003c"}`))
			}
			call.Forward("notifications/own", json.RawMessage(`{}`))
			call.Forward("notifications/tools/list_changed", nil)
			call.Forward("notifications/own", json.RawMessage(`[]`))
		}
		forward(1)
		call.Forward("notifications/progress", json.RawMessage(`{"progress":1}`))
		call.Forward("notifications/progress", json.RawMessage(`[]`))
		late <- func() { forward(2) }
		return core.Text("relayed"), nil
	}}
}

// A client of the modern era gets progress under its token, log messages as each
// request asks for them, and nothing else, nor anything after the answer.
func TestModernForwardedNotifications(t *testing.T) {
	for _, test := range []struct {
		name, meta string
		logging    bool
		want       []string
	}{
		{"nothing asked for", ``, true, nil},
		{"progress", `,"progressToken":9007199254740993`, true, []string{progressLine(`9007199254740993`)}},
		{"a token of text", `,"progressToken":"7"`, true, []string{progressLine(`"7"`)}},
		{"levels", `,` + metaLogLevel + `"alert"`, true, []string{logLine("alert"), logLine("emergency")}},
		{"both", `,"progressToken":1,` + metaLogLevel + `"emergency"`, true, []string{progressLine(`1`), logLine("emergency")}},
		{"no logging", `,` + metaLogLevel + `"debug"`, false, nil},
	} {
		late := make(chan func(), 1)
		aspect := testAspect(relaying(late))
		aspect.Logging = test.logging
		inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
			// What the legacy client on the connection wants is of no account.
			p.ask(legacyOpening)
			p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			p.send(withMeta("1", "tools/call", `{`+metaVersion+`,`+metaCapabilities+`{}`+test.meta+`}`, `"name":"relay"`))
			for _, want := range test.want {
				if got := <-p.lines; got != want {
					t.Errorf("%s: got\n %s\nwant\n %s", test.name, got, want)
				}
			}
			if got := p.next(); got.Get("id").Raw != "1" {
				t.Errorf("%s: got %s, want the answer", test.name, got.Raw)
			}
			(<-late)()
			p.wantSilence("after the answer, " + test.name)
		})
	}
}

func progressLine(token string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"z":1.0,"progress":1,"progressToken":` + token + `,"message":"\u003c"}}`
}

func logLine(level string) string {
	return `{"jsonrpc":"2.0","method":"notifications/message","params":{"z":1.0,"level":"` + level + `","data":"\u003c"}}`
}

// What belongs to no call is not for a client of the modern era.
func TestHostForwardsNothingToTheModernEra(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "loud", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		host := call.Host()
		return core.Text(fmt.Sprint(
			host.Forward("notifications/message", json.RawMessage(`{"level":"emergency","data":1}`)),
			host.Forward("notifications/own", nil) != nil,
			host.Forward("notifications/progress", json.RawMessage(`{"progress":1,"progressToken":1}`)) != nil,
		)), nil
	}})
	aspect.Logging = true
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		request := withMeta("1", "tools/call", strings.TrimSuffix(fullMeta, "}")+`,`+metaLogLevel+`"debug","progressToken":1}`, `"name":"loud"`)
		wantTool(t, request, p.ask(request), "<nil> true true")
		p.wantSilence("after the answer")
	})
}
