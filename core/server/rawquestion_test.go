package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// oddParams are params of a question that the core itself would never ask.
const (
	oddParams     = "{\r\n \"z\": 1.0, \"message\": \"\\u003cb\\u003e \\/\",\n \"requestedSchema\": 12345678901234567890, \"a\": 1, \"a\": 2 }"
	oddParamsSent = `{"z":1.0,"message":"\u003cb\u003e \/","requestedSchema":12345678901234567890,"a":1,"a":2}`
)

func rawQuestion(method, params string) core.RawQuestion {
	return core.RawQuestion{Method: method, Params: json.RawMessage(params)}
}

// told says all that a handler sees of an answer.
func told(answer core.Answer) string {
	if failure := answer.Err(); failure != nil {
		return fmt.Sprintf("error %d, %q, %s, %t", failure.Code, failure.Message, failure.Data, answer.JSON().Exists())
	}
	return answer.JSON().Raw
}

// rawly is a tool that asks each of the questions, one a round, and says what
// the answers were.
func rawly(questions ...core.Question) core.Tool {
	return core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		var all []string
		for i, question := range questions {
			key := fmt.Sprint("q", i)
			answer, given := call.Input(key)
			if !given {
				return call.RequireInput(core.Inputs{key: question}, nil)
			}
			all = append(all, told(answer))
		}
		return core.Text(strings.Join(all, "; ")), nil
	}}
}

// rawAnswers are what a client answers, as members of its response, and what the
// handler sees of it.
var rawAnswers = []struct{ response, want string }{
	{`"result":{"action":"accept","content":{"n":1.0,"t":"\u003c<"}}`, `{"action":"accept","content":{"n":1.0,"t":"\u003c<"}}`},
	{`"result":{"action":"decline"}`, `{"action":"decline"}`},
	{`"result":{"action":"cancel","own":1}`, `{"action":"cancel","own":1}`},
	{`"result":{"action":5}`, `{"action":5}`},
	{`"result":{}`, `{}`},
	{`"result":{"a":1,"a":2}`, `{"a":1,"a":2}`},
	{`"result":{"action":"accept","content":{"role":"assistant","content":[]}}`, `{"action":"accept","content":{"role":"assistant","content":[]}}`},
	{`"error":{"code":-1,"message":"the \u003cuser\u003e said no","data":{"b":1.0,"a":"\u003c"}}`, `error -1, "the <user> said no", {"b":1.0,"a":"\u003c"}, false`},
	{`"error":{"code":-32601,"message":""}`, `error -32601, "", , false`},
	{`"error":{"message":"no code","data":null}`, `error -32603, "no code", null, false`},
	{`"error":{"code":"x","own":1}`, `error -32603, "{\"code\":\"x\",\"own\":1}", , false`},
	{`"error":"a text"`, `error -32603, "\"a text\"", , false`},
	{`"error":null`, `error -32603, "null", , false`},
}

// A question of another server is asked as it is, and its answer seen as it is,
// be it a refusal or an error.
func TestRawQuestions(t *testing.T) {
	for method, params := range map[string]string{"elicitation/create": oddParams, "sampling/createMessage": oddParams, "roots/list": ``} {
		sent := oddParamsSent
		if params == "" {
			sent = `{}`
		}
		synctest.Test(t, func(t *testing.T) {
			served := aspect(rawly(rawQuestion(method, params)))
			hosts := hosted(served)
			c := ready(t, served, nil)
			host := <-hosts
			answer := func(response string) {
				t.Helper()
				asked := c.wantMethod(method)
				if want := `{"jsonrpc":"2.0","id":` + asked.Get("id").Raw + `,"method":"` + method + `","params":` + sent + `}`; asked.Raw != want {
					t.Errorf("the question is\n %s\nwant\n %s", asked.Raw, want)
				}
				c.send(`{"jsonrpc":"2.0","id":` + asked.Get("id").Raw + `,` + response + `}`)
			}
			for _, test := range rawAnswers {
				c.send(call(1, "ask"))
				answer(test.response)
				c.wantText("1", test.want)
				texts := make(chan string, 1)
				go func() {
					answers, err := host.Ask(context.Background(), core.Inputs{"q": rawQuestion(method, params)})
					if err != nil {
						texts <- err.Error()
						return
					}
					texts <- told(answers["q"])
				}()
				answer(test.response)
				if got := <-texts; got != test.want {
					t.Errorf("%s was seen by Ask as %s, want %s", test.response, got, test.want)
				}
			}
			c.wantEnd()
		})
	}
}

// What is no answer at all is none here either.
func TestRawQuestionWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(rawly(rawQuestion("roots/list", "")))
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		for response, words := range map[string]string{
			`"result":5`:              "not an object",
			`"result":null`:           "not an object",
			`"result":[{}]`:           "not an object",
			`"result":{},"result":{}`: "twice",
			`"error":{"code":1},"error":{"message":""}`: "twice",
		} {
			c.send(call(1, "ask"))
			c.send(`{"jsonrpc":"2.0","id":` + c.wantMethod("roots/list").Get("id").Raw + `,` + response + `}`)
			c.wantToolError("1", words)
			failed := make(chan error, 1)
			go func() {
				_, err := host.Ask(context.Background(), core.Inputs{"q": rawQuestion("roots/list", "")})
				failed <- err
			}()
			c.send(`{"jsonrpc":"2.0","id":` + c.wantMethod("roots/list").Get("id").Raw + `,` + response + `}`)
			if err := <-failed; err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("%s gave Ask %v, want an error saying %q", response, err, words)
			}
		}
		c.wantEnd()
	})
}

// An error is kept as other answers are, from round to round, and among others.
func TestRawErrorIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(rawly(rawQuestion("roots/list", ""), rawQuestion("roots/list", "{}"), core.Roots{})), nil)
		c.send(call(1, "ask"))
		for _, response := range []string{`"error":{"code":7,"message":"m"}`, `"result":{"action":"decline"}`, `"result":{"roots":[]}`} {
			c.send(`{"jsonrpc":"2.0","id":` + c.wantMethod("roots/list").Get("id").Raw + `,` + response + `}`)
		}
		c.wantText("1", `error 7, "m", , false; {"action":"decline"}; {"roots":[]}`)
		c.wantEnd()
	})
}

// The error of a raw question leaves the call's other questions open; that of
// another one ends the call.
func TestRawQuestionAmongOthers(t *testing.T) {
	both := core.Inputs{"a": rawQuestion("roots/list", ""), "b": core.Roots{}}
	tool := core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		answer, given := call.Input("a")
		if !given {
			return call.RequireInput(both, nil)
		}
		other, _ := call.Input("b")
		return core.Text(told(answer) + "; " + told(other)), nil
	}}
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(tool), nil)
		ask := func() (raw, other string) {
			c.send(call(1, "ask"))
			return c.wantMethod("roots/list").Get("id").Raw, c.wantMethod("roots/list").Get("id").Raw
		}
		failure := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":1,"message":"m"}}` }
		raw, other := ask()
		c.send(failure(raw))
		c.wantNothing()
		c.send(`{"jsonrpc":"2.0","id":` + other + `,"result":{"roots":[]}}`)
		c.wantText("1", `error 1, "m", , false; {"roots":[]}`)
		raw, other = ask()
		c.send(failure(other))
		if got := c.wantMethod("notifications/cancelled").Get("params.requestId").Raw; got != raw {
			t.Errorf("the question %s was withdrawn, want %s", got, raw)
		}
		c.wantToolError("1", "with an error: m")
		c.wantEnd()
	})
}

// A client that has not declared what a raw question takes is not asked, and
// neither is one whose version does not have it.
func TestRawQuestionThatCannotBeAsked(t *testing.T) {
	for _, test := range []struct {
		revision, capabilities string
		question               core.RawQuestion
		words                  string
	}{
		{"2025-11-25", `{}`, rawQuestion("roots/list", ""), "does not support roots"},
		{"2025-11-25", `{"sampling":{}}`, rawQuestion("elicitation/create", "{}"), "does not support elicitation.form"},
		{"2025-11-25", `{"elicitation":{}}`, rawQuestion("elicitation/create", `{"mode":"url"}`), "does not support elicitation.url"},
		{"2025-11-25", `{"elicitation":{"url":{}}}`, rawQuestion("elicitation/create", `{}`), "does not support elicitation.form"},
		{"2025-11-25", `{"elicitation":{}}`, rawQuestion("sampling/createMessage", `{}`), "does not support sampling"},
		{"2025-11-25", `{"sampling":{}}`, rawQuestion("sampling/createMessage", `{"tools":[]}`), "does not support sampling.tools"},
		{"2025-03-26", `{"elicitation":{}}`, rawQuestion("elicitation/create", `{}`), "does not exist in protocol version 2025-03-26"},
		{"2025-11-25", `{"sampling":{}}`, rawQuestion("sampling/createMessage", `{"a":}`), "cannot be asked"},
		{"2025-11-25", `{"sampling":{}}`, rawQuestion("sampling/createMessage", `[]`), "no JSON object"},
		{"2025-11-25", `{"sampling":{}}`, rawQuestion("sampling/create", `{}`), `no question "sampling/create"`},
	} {
		synctest.Test(t, func(t *testing.T) {
			served := aspect(rawly(test.question))
			hosts := hosted(served)
			c := connect(t, served, nil)
			host := <-hosts
			c.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"`+test.revision+`","capabilities":`+test.capabilities+`}}`, initialized)
			c.wantIDs(`"init"`)
			c.send(call(1, "ask"))
			c.wantToolError("1", test.words)
			if _, err := host.Ask(t.Context(), core.Inputs{"q": test.question}); err == nil || !strings.Contains(err.Error(), test.words) {
				t.Errorf("Ask gave %v, want an error saying %q", err, test.words)
			}
			c.wantNothing()
			c.wantEnd()
		})
	}
}

// A malformed question is an error at once: the handler can still do something
// else.
func TestMalformedRawQuestionIsAnErrorAtOnce(t *testing.T) {
	c := ready(t, aspect(core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		for _, question := range []core.RawQuestion{rawQuestion("ping", ""), rawQuestion("roots/list", "{"), rawQuestion("roots/list", "null")} {
			if result, err := call.RequireInput(core.Inputs{"q": question}, nil); err == nil {
				return result, nil
			}
		}
		return core.Text("none was asked"), nil
	}}), nil)
	c.send(call(1, "ask"))
	c.wantText("1", "none was asked")
	c.wantEnd()
}
