//go:build mcp20260728

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcpserver/core"
)

func rawQuestion(method, params string) core.RawQuestion {
	return core.RawQuestion{Method: method, Params: json.RawMessage(params)}
}

// seen says all that a handler sees of the answers under these keys.
func seen(call *core.Call, keys ...string) core.Result {
	var all []string
	for _, key := range keys {
		answer, given := call.Input(key)
		all = append(all, fmt.Sprint(given, " ", answer.JSON().Raw, " ", answer.Err() == nil))
	}
	return core.Text(strings.Join(all, "; "))
}

// A question of another server is asked as it is, and its answer seen as it is,
// also in later rounds.
func TestModernRawQuestions(t *testing.T) {
	const (
		params = "{\r\n \"z\": 1.0, \"message\": \"\\u003cb\\u003e <i> \\/\",\n \"requestedSchema\": 12345678901234567890, \"a\": 1, \"a\": 2 }"
		sent   = `{"z":1.0,"message":"\u003cb\u003e <i> \/","requestedSchema":12345678901234567890,"a":1,"a":2}`
	)
	for _, method := range []string{"elicitation/create", "sampling/createMessage", "roots/list"} {
		tool := core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			for _, key := range []string{"first", "second"} {
				if _, given := call.Input(key); !given {
					return call.RequireInput(core.Inputs{key: rawQuestion(method, params)}, []byte("<state>"))
				}
			}
			return seen(call, "first", "second"), nil
		}}
		inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
			for _, answer := range []string{
				`{"action":"accept","content":{"n":1.0,"t":"\u003c<>&` + "\u2028" + `","big":12345678901234567890}}`,
				`{"action":"decline"}`, `{"action":"cancel","own":1}`, `{"action":5}`, `{}`, `{"z":1,"a":1,"a":2}`,
				`{"action":"accept","content":{"role":"assistant","content":[]}}`,
				`{"error":{"code":1,"message":"m"}}`,
			} {
				request := modernCall("1", "ask", "")
				asked := p.ask(request)
				wantAsked(t, request, asked, "first")
				if got, want := asked.Get("result.inputRequests").Raw, `{"first":{"method":"`+method+`","params":`+sent+`}}`; got != want {
					t.Errorf("asked\n %s\nwant\n %s", got, want)
				}
				request = modernCall("2", "ask", retry(asked, `{"first":`+answer+`}`))
				asked = p.ask(request)
				wantAsked(t, request, asked, "second")
				request = modernCall("3", "ask", retry(asked, `{"second":`+answer+`}`))
				wantTool(t, request, p.ask(request), "true "+answer+" true; true "+answer+" true")
			}
		})
	}
}

// A tool with a Resume has what is missing asked again as it was.
func TestModernRawQuestionsAreAskedAgain(t *testing.T) {
	const params = `{"z":1.0,"message":"<b> \u003c ` + "\u2028" + `","a":1}`
	tool := core.Tool{
		Name: "ask",
		Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return call.RequireInput(core.Inputs{"a": rawQuestion("sampling/createMessage", params), "b": rawQuestion("elicitation/create", params)}, nil)
		},
		Resume: func(_ context.Context, call *core.Call) (core.Result, error) { return seen(call, "a", "b"), nil },
	}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "ask", ""))
		wantAsked(t, "the first round", asked, "a", "b")
		request := modernCall("2", "ask", retry(asked, `{"a":{"<":"<"}}`))
		asked = p.ask(request)
		wantAsked(t, request, asked, "b")
		if got, want := asked.Get("result.inputRequests").Raw, `{"b":{"method":"elicitation/create","params":`+params+`}}`; got != want {
			t.Errorf("asked again\n %s\nwant\n %s", got, want)
		}
		request = modernCall("3", "ask", retry(asked, `{"b":{"action":"decline"}}`))
		wantTool(t, request, p.ask(request), `true {"<":"<"} true; true {"action":"decline"} true`)
	})
}

// What is no object is none of any question's answers.
func TestModernRawQuestionWithoutAnAnswer(t *testing.T) {
	tool := core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		if _, given := call.Input("a"); given {
			return seen(call, "a"), nil
		}
		return call.RequireInput(core.Inputs{"a": rawQuestion("roots/list", "")}, nil)
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "ask", ""))
		if got := asked.Get("result.inputRequests.a").Raw; got != `{"method":"roots/list","params":{}}` {
			t.Errorf("asked %s", got)
		}
		for _, answer := range []string{`5`, `null`, `[]`, `"x"`} {
			request := modernCall("2", "ask", retry(asked, `{"a":`+answer+`}`))
			wantFailure(t, request, p.ask(request), -32602, "inputResponses.a")
		}
	})
}

// A client that has not declared what a raw question takes is told what that is.
func TestModernRawQuestionThatCannotBeAsked(t *testing.T) {
	for _, test := range []struct {
		capabilities string
		question     core.RawQuestion
		required     string // or
		words        string // of a tool's error
	}{
		{`{}`, rawQuestion("roots/list", ""), `{"roots":{}}`, ""},
		{`{}`, rawQuestion("elicitation/create", "{}"), `{"elicitation":{}}`, ""},
		{`{"elicitation":{"url":{}}}`, rawQuestion("elicitation/create", "{}"), `{"elicitation":{"form":{}}}`, ""},
		{`{"elicitation":{}}`, rawQuestion("elicitation/create", `{"mode":"url"}`), `{"elicitation":{"url":{}}}`, ""},
		{`{}`, rawQuestion("sampling/createMessage", `{}`), `{"sampling":{}}`, ""},
		{`{"sampling":{}}`, rawQuestion("sampling/createMessage", `{"tools":[]}`), `{"sampling":{"tools":{}}}`, ""},
		{everything, rawQuestion("sampling/createMessage", `{`), ``, "cannot be asked"},
		{everything, rawQuestion("sampling/createMessage", `[]`), ``, "no JSON object"},
		{everything, rawQuestion("ping", ``), ``, `no question "ping"`},
	} {
		tool := core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return call.RequireInput(core.Inputs{"q": test.question}, nil)
		}}
		inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
			request := withMeta("1", "tools/call", `{`+metaVersion+`,`+metaCapabilities+test.capabilities+`}`, `"name":"ask"`)
			got := p.ask(request)
			if test.required == "" {
				wantToolFailure(t, request, got, test.words)
				return
			}
			wantFailure(t, request, got, -32021)
			if data := got.Get("error.data.requiredCapabilities").Raw; data != test.required {
				t.Errorf("%s\n got the data %s, want %s", request, data, test.required)
			}
		})
	}
}
