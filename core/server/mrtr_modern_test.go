//go:build mcp20260728

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/seal"
)

func sampling(text string) core.Sampling {
	return core.Sampling{Messages: []core.Message{core.UserText(text)}, MaxTokens: 10}
}

func form(message string) core.Elicitation {
	return core.Elicitation{Message: message, Schema: core.Object(core.String("name", "a name"))}
}

// sampled is a client's answer to sampling.
func sampled(text string) string {
	return fmt.Sprintf(`{"role":"assistant","content":{"type":"text","text":%q},"model":"m"}`, text)
}

// needing is a handler that asks for all that it lacks of the keys at once,
// and keeps no state.
func needing(keys ...string) core.Handler {
	return func(_ context.Context, call *core.Call) (core.Result, error) {
		inputs := make(core.Inputs)
		var texts []string
		for _, key := range keys {
			answer, given := call.Input(key)
			if !given {
				inputs[key] = sampling("about " + key)
			}
			texts = append(texts, answer.Text())
		}
		if len(inputs) > 0 {
			return call.RequireInput(inputs, nil)
		}
		text := strings.Join(texts, "+")
		switch call.Method() {
		case "resources/read":
			return core.ResourceResult{{URI: call.URI(), Text: text}}, nil
		case "prompts/get":
			return &core.PromptResult{Messages: []core.Message{core.UserText(text)}}, nil
		}
		return core.Text(text), nil
	}
}

// keeping is needing with a state, which the client must bring back.
func keeping(keys ...string) core.Handler {
	return func(ctx context.Context, call *core.Call) (core.Result, error) {
		inputs := make(core.Inputs)
		for _, key := range keys {
			if _, given := call.Input(key); !given {
				inputs[key] = sampling("about " + key)
			}
		}
		if len(inputs) > 0 {
			return call.RequireInput(inputs, []byte("state"))
		}
		result, err := needing(keys...)(ctx, call)
		if text := string(call.State()); text != "state" {
			return nil, fmt.Errorf("the state is %q", text)
		}
		return result, err
	}
}

// retry gives the members of params with which a client comes back.
func retry(asked gjson.Result, responses string) string {
	more := `"inputResponses":` + responses
	if state := asked.Get("result.requestState"); state.Exists() {
		more += `,"requestState":` + state.Raw
	}
	return more
}

// wantAsked wants an input_required result that asks for exactly those keys.
func wantAsked(t *testing.T, request string, answer gjson.Result, keys ...string) {
	t.Helper()
	got := slices.Sorted(maps.Keys(answer.Get("result.inputRequests").Map()))
	if answer.Get("result.resultType").Str != "input_required" || !slices.Equal(got, keys) {
		t.Fatalf("%.400s\n got %.600s\nwant to be asked for %q", request, answer.Raw, keys)
	}
	if answer.Get("result.requestState").Str == "" {
		t.Errorf("%.400s\n got %.600s\nwant a requestState", request, answer.Raw)
	}
	if answer.Get(serverInfoPath).Raw != identity || answer.Get("result.ttlMs").Exists() || answer.Get("result.cacheScope").Exists() {
		t.Errorf("%.400s\n got %.600s\nwant the server's identity and no caching hints", request, answer.Raw)
	}
}

func TestOneRound(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "free", Handler: needing("who")}, core.Tool{Name: "bound", Handler: keeping("who")})
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, tool := range []string{"free", "bound"} {
			request := modernCall("1", tool, "")
			asked := p.ask(request)
			wantAsked(t, request, asked, "who")
			const want = `{"who":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"about who"}}],"maxTokens":10}}}`
			if got := asked.Get("result.inputRequests").Raw; got != want {
				t.Errorf("%s: inputRequests = %s, want %s", request, got, want)
			}
			request = modernCall("2", tool, retry(asked, `{"who":`+sampled("Eric")+`}`))
			wantTool(t, request, p.ask(request), "Eric")
			p.wantSilence("after the answer")
		}
	})
}

func TestSeveralRounds(t *testing.T) {
	var runs atomic.Int32
	tool := core.Tool{Name: "rounds", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		runs.Add(1)
		var texts []string
		for i := range 4 {
			answer, given := call.Input(fmt.Sprint(i))
			if !given {
				return call.RequireInput(core.Inputs{fmt.Sprint(i): sampling("x")}, fmt.Append(nil, "state ", i))
			}
			texts = append(texts, answer.Text())
		}
		return core.Text(strings.Join(texts, "") + string(call.State())), nil
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		more := ""
		for i := range 4 {
			request := modernCall(fmt.Sprint(i), "rounds", more)
			asked := p.ask(request)
			wantAsked(t, request, asked, fmt.Sprint(i))
			more = retry(asked, fmt.Sprintf(`{"%d":%s}`, i, sampled(string(rune('a'+i)))))
		}
		request := modernCall("9", "rounds", more)
		wantTool(t, request, p.ask(request), "abcdstate 3")
		if got := runs.Load(); got != 5 {
			t.Errorf("the handler ran %d times, want 5", got)
		}
	})
}

// Without a state of its own, a handler still sees what earlier rounds gave.
func TestSeveralRoundsWithoutAHandlersState(t *testing.T) {
	tool := core.Tool{Name: "rounds", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
		if _, given := call.Input("a"); !given {
			return call.RequireInput(core.Inputs{"a": sampling("x")}, nil)
		}
		return needing("a", "b")(ctx, call)
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		request := modernCall("1", "rounds", "")
		asked := p.ask(request)
		wantAsked(t, request, asked, "a")
		request = modernCall("2", "rounds", retry(asked, `{"a":`+sampled("A")+`}`))
		asked = p.ask(request)
		wantAsked(t, request, asked, "b")
		request = modernCall("3", "rounds", retry(asked, `{"b":`+sampled("B")+`}`))
		wantTool(t, request, p.ask(request), "A+B")
	})
}

// alwaysAll asks for all of the keys as long as one is missing.
func alwaysAll(state []byte, keys ...string) core.Handler {
	return func(ctx context.Context, call *core.Call) (core.Result, error) {
		inputs := make(core.Inputs)
		missing := false
		for _, key := range keys {
			_, given := call.Input(key)
			missing = missing || !given
			inputs[key] = sampling("about " + key)
		}
		if missing {
			return call.RequireInput(inputs, state)
		}
		return needing(keys...)(ctx, call)
	}
}

func TestPartialAnswers(t *testing.T) {
	for name, handler := range map[string]core.Handler{
		"asks for what it lacks":            needing("a", "b", "c"),
		"asks for what it lacks, with more": keeping("a", "b", "c"),
		"asks for all":                      alwaysAll(nil, "a", "b", "c"),
		"asks for all, with a state":        alwaysAll([]byte("s"), "a", "b", "c"),
	} {
		inTalk(t, testAspect(core.Tool{Name: "part", Handler: handler}), nil, func(t *testing.T, p *talk) {
			asked := p.ask(modernCall("1", "part", ""))
			for i, step := range []struct {
				responses string
				left      []string
			}{
				{`{"b":` + sampled("B") + `}`, []string{"a", "c"}},
				{`{}`, []string{"a", "c"}},
				{`{"c":` + sampled("C") + `}`, []string{"a"}},
			} {
				request := modernCall(fmt.Sprint(i+2), "part", retry(asked, step.responses))
				asked = p.ask(request)
				got := slices.Sorted(maps.Keys(asked.Get("result.inputRequests").Map()))
				if !slices.Equal(got, step.left) {
					t.Fatalf("%s: after %s: got %s, want to be asked for %q", name, step.responses, asked.Raw, step.left)
				}
			}
			request := modernCall("9", "part", retry(asked, `{"a":`+sampled("A")+`}`))
			wantTool(t, name+request, p.ask(request), "A+B+C")
		})
	}
}

func TestExtraAnswersAreIgnored(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "bound", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
		if _, given := call.Input("later"); given {
			return nil, errors.New("an answer that nobody asked for was seen")
		}
		return keeping("who")(ctx, call)
	}})
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "bound", ""))
		for _, extra := range []string{`"later":` + sampled("x"), `"later":5`, `"later":null`, `"later":{},"later":[]`, `"":{}`, `"who ":{"action":"decline"}`} {
			request := modernCall("2", "bound", retry(asked, `{`+extra+`,"who":`+sampled("Eric")+`}`))
			wantTool(t, request, p.ask(request), "Eric")
		}
	})
}

func TestAskingTheSameAgainOnPurpose(t *testing.T) {
	for _, state := range [][]byte{nil, []byte("s")} {
		tool := core.Tool{Name: "picky", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			answer, given := call.Input("word")
			if !given || answer.Text() != "right" {
				return call.RequireInput(core.Inputs{"word": sampling("the word, not " + answer.Text())}, state)
			}
			return core.Text("right"), nil
		}}
		inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
			asked := p.ask(modernCall("1", "picky", ""))
			for i := range 3 {
				request := modernCall(fmt.Sprint(i+2), "picky", retry(asked, `{"word":`+sampled(fmt.Sprint("wrong", i))+`}`))
				asked = p.ask(request)
				if got := asked.Get("result.inputRequests.word.params.messages.0.content.text").Str; got != fmt.Sprint("the word, not wrong", i) {
					t.Fatalf("%s: got %s, want to be asked again", request, asked.Raw)
				}
				// Whoever does not answer is asked again, too.
				request = modernCall("8", "picky", retry(asked, `{}`))
				asked = p.ask(request)
				if !asked.Get("result.inputRequests.word").Exists() {
					t.Fatalf("%s: got %s, want to be asked again", request, asked.Raw)
				}
			}
			request := modernCall("9", "picky", retry(asked, `{"word":`+sampled("right")+`}`))
			wantTool(t, request, p.ask(request), "right")
		})
	}
}

// An answer of an earlier round does not stand in for one that was asked for
// anew.
func TestAnswerOfAnEarlierRound(t *testing.T) {
	tool := core.Tool{Name: "sure", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		if _, given := call.Input("confirm"); given && string(call.State()) == "asked twice" {
			return core.Text("done"), nil
		} else if given {
			return call.RequireInput(core.Inputs{"confirm": sampling("really?")}, []byte("asked twice"))
		}
		return call.RequireInput(core.Inputs{"confirm": sampling("sure?")}, []byte("asked"))
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		responses := `{"confirm":` + sampled("yes") + `}`
		again := p.ask(modernCall("2", "sure", retry(p.ask(modernCall("1", "sure", "")), responses)))
		wantAsked(t, "the second question", again, "confirm")
		for _, none := range []string{`{}`, `null`, `{"other":{}}`} {
			request := modernCall("3", "sure", retry(again, none))
			wantAsked(t, request, p.ask(request), "confirm")
		}
		request := modernCall("4", "sure", retry(again, responses))
		wantTool(t, request, p.ask(request), "done")
	})
}

func TestAnswersWithoutAState(t *testing.T) {
	aspect := testAspect(
		core.Tool{Name: "free", Handler: needing("who")},
		core.Tool{Name: "bound", Handler: needing("who"), Resume: func(context.Context, *core.Call) (core.Result, error) {
			return nil, errors.New("Resume ran")
		}},
	)
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		answers := `"inputResponses":{"who":` + sampled("Eric") + `}`
		request := modernCall("1", "free", answers)
		wantTool(t, request, p.ask(request), "Eric")
		for _, state := range []string{"", `,"requestState":null`} {
			request = modernCall("2", "bound", answers+state)
			wantAsked(t, request, p.ask(request), "who")
		}
	})
}

func TestMalformedAnswers(t *testing.T) {
	aspect := testAspect(
		core.Tool{Name: "bound", Handler: keeping("who")},
		core.Tool{Name: "form", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if _, given := call.Input("who"); !given {
				return call.RequireInput(core.Inputs{"who": form("x")}, []byte("s"))
			}
			return core.Text("seen"), nil
		}},
		core.Tool{Name: "roots", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if answer, given := call.Input("who"); given {
				return core.Text(fmt.Sprint(answer.Roots())), nil
			}
			return call.RequireInput(core.Inputs{"who": core.Roots{}}, []byte("s"))
		}},
	)
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, test := range []struct{ tool, answer, words string }{
			{"bound", `{}`, "content"},
			{"bound", `{"content":{"text":"x"}}`, "type"},
			{"bound", `{"content":{"type":"text"}}`, "text"},
			{"bound", `{"content":[{"type":"text","text":7}]}`, "text"},
			{"bound", `{"content":"x"}`, "content"},
			{"form", `{}`, "malformed"},
			{"form", `{"action":"accept"}`, "malformed"},
			{"form", `{"action":"accept","content":[]}`, "malformed"},
			{"form", `{"action":"perhaps","content":{}}`, "malformed"},
			{"roots", `{}`, "roots"},
			{"roots", `{"roots":[{}]}`, "uri"},
		} {
			asked := p.ask(modernCall("1", test.tool, ""))
			request := modernCall("2", test.tool, retry(asked, `{"who":`+test.answer+`}`))
			wantToolFailure(t, request, p.ask(request), test.words)
		}
		asked := p.ask(modernCall("1", "bound", ""))
		for _, responses := range []string{`5`, `[]`, `"x"`, `true`, `{"who":5}`, `{"who":null}`, `{"who":[]}`, `{"who":{},"who":{}}`, `{"who":{},"wh\u006f":{}}`} {
			request := modernCall("2", "bound", retry(asked, responses))
			wantFailure(t, request, p.ask(request), -32602, "inputResponses")
		}
		for _, state := range []string{`5`, `{}`, `[]`, `true`, `""`} {
			request := modernCall("2", "bound", `"inputResponses":{},"requestState":`+state)
			wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
		}
		// What comes from the seed's clients: a sampling answer in a wrapper.
		request := modernCall("3", "bound", retry(asked, `{"who":{"action":"accept","content":`+sampled("Eric")+`}}`))
		wantTool(t, request, p.ask(request), "Eric")
	})
}

func TestRefusals(t *testing.T) {
	asking := func(question core.Question, state []byte) core.Handler {
		return func(_ context.Context, call *core.Call) (core.Result, error) {
			answer, given := call.Input("q")
			if !given {
				return call.RequireInput(core.Inputs{"q": question, "other": core.Roots{}}, state)
			}
			return core.Text("seen " + answer.Action()), nil
		}
	}
	refusable, page := form("x"), core.URLElicitation{Message: "x", URL: "https://example.com", HandleRefusal: true}
	refusable.HandleRefusal = true
	unseen := core.URLElicitation{Message: "x", URL: "https://example.com"}
	aspect := testAspect(
		core.Tool{Name: "form", Handler: asking(form("x"), nil)},
		core.Tool{Name: "stated", Handler: asking(form("x"), []byte("s"))},
		core.Tool{Name: "url", Handler: asking(unseen, nil)},
		core.Tool{Name: "seesForm", Handler: asking(refusable, nil)},
		core.Tool{Name: "seesURL", Handler: asking(page, []byte("s"))},
	)
	aspect.Prompts = []core.Prompt{{Name: "p", Handler: asking(form("x"), nil)}}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, action := range []string{"decline", "cancel"} {
			responses := `{"q":{"action":"` + action + `"},"other":{"roots":[]}}`
			for _, tool := range []string{"form", "stated", "url"} {
				request := modernCall("2", tool, retry(p.ask(modernCall("1", tool, "")), responses))
				wantToolFailure(t, request, p.ask(request), "user refused the request ("+action+")")
			}
			for _, tool := range []string{"seesForm", "seesURL"} {
				request := modernCall("2", tool, retry(p.ask(modernCall("1", tool, "")), responses))
				wantTool(t, request, p.ask(request), "seen "+action)
			}
			asked := p.ask(modern("1", "prompts/get", `"name":"p"`))
			request := modern("2", "prompts/get", `"name":"p",`+retry(asked, responses))
			wantFailure(t, request, p.ask(request), -32603, "refused")
		}
	})
}

func TestResume(t *testing.T) {
	tool := core.Tool{
		Name: "step",
		Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if call.State() != nil {
				return nil, errors.New("a resume came to Handler")
			}
			return call.RequireInput(core.Inputs{"a": sampling("x")}, nil)
		},
		Resume: func(_ context.Context, call *core.Call) (core.Result, error) {
			a, _ := call.Input("a")
			switch b, given := call.Input("b"); {
			case a.Text() == "unwanted":
				return nil, nil
			case given:
				return core.Text(a.Text() + b.Text() + string(call.State())), nil
			}
			return call.RequireInput(core.Inputs{"b": sampling("x")}, []byte("second"))
		},
	}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		request := modernCall("1", "step", "")
		first := p.ask(request)
		wantAsked(t, request, first, "a")
		request = modernCall("2", "step", retry(first, `{"a":`+sampled("A")+`}`))
		second := p.ask(request)
		wantAsked(t, request, second, "b")
		request = modernCall("3", "step", retry(second, `{"b":`+sampled("B")+`}`))
		wantTool(t, request, p.ask(request), "ABsecond")
		request = modernCall("4", "step", retry(first, `{"a":`+sampled("unwanted")+`}`))
		wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
	})
}

func TestStatesThatAreRefused(t *testing.T) {
	aspect := testAspect(
		core.Tool{Name: "one", Handler: keeping("who")},
		core.Tool{Name: "two", Handler: keeping("who")},
	)
	aspect.Prompts = []core.Prompt{{Name: "one", Handler: keeping("who"), Arguments: []core.PromptArgument{{Name: "x"}}}}
	aspect.Resources = []core.Resource{{URI: "a:one", Name: "one", Read: keeping("who")}, {URI: "a:two", Name: "two", Read: keeping("who")}}
	foreign := testAspect(core.Tool{Name: "one", Handler: keeping("who")})
	foreign.Name = "MCPServer_foreign"
	responses := `"inputResponses":{"who":` + sampled("Eric") + `}`
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		stateOf := func(p *talk, method, params string) string {
			t.Helper()
			state := p.ask(modern("1", method, params)).Get("result.requestState").Str
			if state == "" {
				t.Fatalf("%s %s gave no state", method, params)
			}
			return state
		}
		good := stateOf(p, "tools/call", `"name":"one","arguments":{"x":"1"}`)
		states := map[string]string{
			"cut":             good[:len(good)-1],
			"changed":         good[:20] + string(good[20]^1) + good[21:],
			"longer":          good + "A",
			"no base64":       "é",
			"another tool's":  stateOf(p, "tools/call", `"name":"two","arguments":{"x":"1"}`),
			"other arguments": stateOf(p, "tools/call", `"name":"one","arguments":{"x":"2"}`),
			"no arguments":    stateOf(p, "tools/call", `"name":"one"`),
			"a prompt's":      stateOf(p, "prompts/get", `"name":"one","arguments":{"x":"1"}`),
			"a resource's":    stateOf(p, "resources/read", `"uri":"a:one"`),
			"another aspect":  stateOf(newTalk(t, foreign, nil), "tools/call", `"name":"one","arguments":{"x":"1"}`),
			"huge":            strings.Repeat("A", 1<<20),
		}
		for name, state := range states {
			encoded, err := json.Marshal(state)
			if err != nil {
				t.Fatal(err)
			}
			request := modernCall("2", "one", `"arguments":{"x":"1"},`+responses+`,"requestState":`+string(encoded))
			answer := p.ask(request)
			if answer.Get("error.code").Int() != -32602 || answer.Get("error.message").Str != "Invalid Request State" || answer.Get("error.data").Exists() {
				t.Errorf("%s: got %.300s, want -32602 Invalid Request State and no more", name, answer.Raw)
			}
		}
		for _, params := range []string{`"name":"one"`, `"name":"one","arguments":{"x":"1"}`} {
			request := modern("3", "prompts/get", params+`,`+responses+`,"requestState":"`+good+`"`)
			wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
		}
		for _, uri := range []string{"a:one", "a:two"} {
			request := modern("3", "resources/read", `"uri":"`+uri+`",`+responses+`,"requestState":"`+good+`"`)
			wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
		}
		request := modern("3", "resources/read", `"uri":"a:two",`+responses+`,"requestState":"`+states["a resource's"]+`"`)
		wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
		request = modernCall("4", "one", `"arguments":{"x":"1"},`+responses+`,"requestState":"`+good+`"`)
		wantTool(t, request, p.ask(request), "Eric")
	})
}

func TestStateExpires(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "one", Handler: keeping("who")})
	inTalk(t, aspect, &Options{StateLifetime: time.Minute}, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "one", ""))
		request := modernCall("2", "one", retry(asked, `{"who":`+sampled("Eric")+`}`))
		time.Sleep(time.Minute - time.Millisecond)
		wantTool(t, request, p.ask(request), "Eric")
		time.Sleep(time.Millisecond)
		wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
	})
}

func TestArgumentsInAnotherForm(t *testing.T) {
	const first = `{"a":"x","b":{"c":[1,{"d":null,"e":"ü"}],"f":12345678901234567890},"g":"<&>"}`
	aspect := testAspect(core.Tool{Name: "one", Handler: keeping("who")})
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "one", `"arguments":`+first))
		for _, again := range []string{
			first,
			`{"g":"<&>","b":{"f":12345678901234567890,"c":[1,{"e":"ü","d":null}]},"a":"x"}`,
			` { "a" : "\u0078", "b" : { "c" : [ 1 , { "d" : null , "e" : "\u00fc" } ] , "f" : 12345678901234567890 } , "g" : "\u003c&\u003E" } `,
		} {
			request := modernCall("2", "one", `"arguments":`+again+`,`+retry(asked, `{"who":`+sampled("Eric")+`}`))
			wantTool(t, request, p.ask(request), "Eric")
		}
		for _, other := range []string{
			`{}`,
			`{"a":"x"}`,
			`{"a":"y","b":{"c":[1,{"d":null,"e":"ü"}],"f":12345678901234567890},"g":"<&>"}`,
			`{"a":"x","b":{"c":[{"d":null,"e":"ü"},1],"f":12345678901234567890},"g":"<&>"}`,
			`{"a":"x","b":{"c":[1,{"d":null,"e":"ü"}],"f":12345678901234567891},"g":"<&>"}`,
			`{"a":"x","b":{"c":[1,{"d":null,"e":"ü"}],"f":"12345678901234567890"},"g":"<&>"}`,
			`{"a":"x","b":{"c":[1,{"d":null,"e":"ü"}],"f":12345678901234567890},"g":"<&>","h":null}`,
			`{"a":"x","b":{"c":[[1],{"d":null,"e":"ü"}],"f":12345678901234567890},"g":"<&>"}`,
			`{"a":"x","b":{"c":[1,{"d":false,"e":"ü"}],"f":12345678901234567890},"g":"<&>"}`,
		} {
			request := modernCall("2", "one", `"arguments":`+other+`,`+retry(asked, `{"who":`+sampled("Eric")+`}`))
			wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
		}
	})
}

// Of two members of one name deep in the arguments a handler sees the first,
// so a state is not to be had for the second.
func TestArgumentsWithAMemberTwice(t *testing.T) {
	tool := core.Tool{Name: "pay", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
		if result, err := keeping("who")(ctx, call); err != nil || call.State() == nil {
			return result, err
		}
		return core.Text(call.Arguments().Get("to.account").Raw), nil
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "pay", `"arguments":{"to":{"account":1}}`))
		for _, other := range []string{`{"to":{"account":2,"account":1}}`, `{"to":{"account":1,"account":2}}`, `{"to":{"account":2,"acc\u006funt":1}}`} {
			request := modernCall("2", "pay", `"arguments":`+other+`,`+retry(asked, `{"who":`+sampled("Eric")+`}`))
			wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
		}
	})
}

func TestNoArgumentsAndEmptyOnesAreTheSame(t *testing.T) {
	inTalk(t, testAspect(core.Tool{Name: "one", Handler: keeping("who")}), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "one", ""))
		request := modernCall("2", "one", `"arguments":{},`+retry(asked, `{"who":`+sampled("Eric")+`}`))
		wantTool(t, request, p.ask(request), "Eric")
	})
}

func TestRoundsOfPromptsAndResources(t *testing.T) {
	aspect := testAspect()
	aspect.Prompts = []core.Prompt{{Name: "p", Handler: keeping("who"), Arguments: []core.PromptArgument{{Name: "x", Required: true}}}}
	aspect.Resources = []core.Resource{{URI: "file:///r", Name: "r", Read: keeping("who")}}
	aspect.OnResourcesRead = needing("who")
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, test := range []struct {
			method, params, path string
		}{
			{"prompts/get", `"name":"p","arguments":{"x":"1"}`, "result.messages.0.content.text"},
			{"resources/read", `"uri":"file:///r"`, "result.contents.0.text"},
			{"resources/read", `"uri":"file:///hooked"`, "result.contents.0.text"},
		} {
			request := modern("1", test.method, test.params)
			asked := p.ask(request)
			wantAsked(t, request, asked, "who")
			request = modern("2", test.method, test.params+`,`+retry(asked, `{"who":`+sampled("Eric")+`}`))
			answer := p.ask(request)
			if answer.Get(test.path).Str != "Eric" || answer.Get("result.resultType").Str != "complete" {
				t.Errorf("%s: got %s, want Eric", request, answer.Raw)
			}
			request = modern("3", test.method, test.params+`,`+retry(asked, `{}`))
			wantAsked(t, request, p.ask(request), "who")
		}
	})
}

func TestOtherMethodsCannotRequireInput(t *testing.T) {
	aspect := testAspect()
	aspect.OnMethod = needing("who")
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		request := modern("1", "example/own", "")
		wantFailure(t, request, p.ask(request), -32603, "example/own")
	})
}

func TestHookedCallThatRequiresInput(t *testing.T) {
	aspect := testAspect()
	aspect.OnToolsCall = func(ctx context.Context, call *core.Call) (core.Result, error) {
		if call.Name() != "virtual" {
			return nil, nil
		}
		return keeping("who")(ctx, call)
	}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "virtual", ""))
		wantAsked(t, "virtual", asked, "who")
		request := modernCall("2", "virtual", retry(asked, `{"who":`+sampled("Eric")+`}`))
		wantTool(t, request, p.ask(request), "Eric")
		request = modernCall("3", "none", retry(asked, `{}`))
		wantFailure(t, request, p.ask(request), -32602, "Invalid Request State")
	})
}

// The answers that a hook asked for begin a tool's work, and do not resume it.
func TestHookThatAsksAndDeclines(t *testing.T) {
	tool := func(name string, handler core.Handler) core.Tool {
		return core.Tool{Name: name, Handler: handler, Resume: func(_ context.Context, call *core.Call) (core.Result, error) {
			return core.Text("Resume with " + string(call.State())), nil
		}}
	}
	aspect := testAspect(
		tool("plain", func(context.Context, *core.Call) (core.Result, error) { return core.Text("Handler"), nil }),
		tool("asks", func(_ context.Context, call *core.Call) (core.Result, error) {
			return call.RequireInput(core.Inputs{"art": sampling("art")}, []byte("the tool's"))
		}),
	)
	aspect.OnToolsCall = func(_ context.Context, call *core.Call) (core.Result, error) {
		if _, given := call.Input("confirm"); given {
			return nil, nil
		}
		return call.RequireInput(core.Inputs{"confirm": sampling("confirm")}, []byte("the hook's"))
	}
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		for _, name := range []string{"plain", "asks"} {
			asked := p.ask(modernCall("1", name, ""))
			wantAsked(t, name, asked, "confirm")
			// Not to answer is to be asked again, by the hook.
			request := modernCall("2", name, retry(asked, `{}`))
			wantAsked(t, request, p.ask(request), "confirm")
			request = modernCall("3", name, retry(asked, `{"confirm":`+sampled("yes")+`}`))
			answer := p.ask(request)
			if name == "plain" {
				wantTool(t, request, answer, "Handler")
				continue
			}
			wantAsked(t, request, answer, "art")
			request = modernCall("4", name, retry(answer, `{"art":`+sampled("drawn")+`}`))
			wantTool(t, request, p.ask(request), "Resume with the tool's")
		}
	})
}

func TestDeferredCallRequiresInput(t *testing.T) {
	handles := make(chan func(), 10)
	tool := core.Tool{Name: "later", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
		handle := call.Defer()
		handles <- func() {
			if err := handle.Complete(keeping("who")(ctx, call)); err != nil {
				t.Errorf("Complete: %v", err)
			}
			if err := handle.Complete(core.Text("again"), nil); err == nil {
				t.Error("a second Complete gave no error")
			}
		}
		return core.Pending, nil
	}}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		p.send(modernCall("1", "later", ""))
		p.wantSilence("before the call is completed")
		(<-handles)()
		asked := p.next()
		wantAsked(t, "later", asked, "who")
		p.send(modernCall("2", "later", retry(asked, `{"who":`+sampled("Eric")+`}`)))
		p.wantSilence("before the call is completed")
		(<-handles)()
		wantTool(t, "later", p.next(), "Eric")
		p.wantSilence("after the answers")
	})
}

func TestMissingCapabilities(t *testing.T) {
	toolsOf, contextOf := sampling("x"), sampling("x")
	toolsOf.Tools = json.RawMessage(`[{"name":"t","inputSchema":{"type":"object"}}]`)
	contextOf.IncludeContext = "thisServer"
	page := core.URLElicitation{Message: "x", URL: "https://example.com"}
	questions := map[string]core.Inputs{
		"sampling": {"q": sampling("x")},
		"tools":    {"q": toolsOf},
		"context":  {"q": contextOf},
		"form":     {"q": form("x")},
		"url":      {"q": page},
		"roots":    {"q": core.Roots{}},
		"all":      {"q": toolsOf, "r": contextOf, "s": form("x"), "t": page, "u": core.Roots{}},
	}
	var tools []core.Tool
	for name, inputs := range questions {
		tools = append(tools, core.Tool{Name: name, Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return call.RequireInput(inputs, nil)
		}})
	}
	inTalk(t, testAspect(tools...), nil, func(t *testing.T, p *talk) {
		// The handshake's capabilities must not count.
		p.ask(strings.Replace(legacyOpening, `{"sampling":{},"elicitation":{},"roots":{}}`, everything, 1))
		for _, test := range []struct{ tool, declared, required string }{
			{"sampling", `{}`, `{"sampling":{}}`},
			{"sampling", `{"sampling":null}`, `{"sampling":{}}`},
			{"sampling", `{"sampling":true}`, `{"sampling":{}}`},
			{"sampling", `{"roots":{}}`, `{"sampling":{}}`},
			{"sampling", `{"sampling":{}}`, ``},
			{"tools", `{}`, `{"sampling":{"tools":{}}}`},
			{"tools", `{"sampling":{}}`, `{"sampling":{"tools":{}}}`},
			{"tools", `{"sampling":{"context":{}}}`, `{"sampling":{"tools":{}}}`},
			{"tools", `{"sampling":{"tools":{}}}`, ``},
			{"context", `{"sampling":{"tools":{}}}`, `{"sampling":{"context":{}}}`},
			{"context", `{"sampling":{"context":{}}}`, ``},
			{"form", `{}`, `{"elicitation":{}}`},
			{"form", `{"elicitation":{}}`, ``},
			{"form", `{"elicitation":{"form":{}}}`, ``},
			{"form", `{"elicitation":{"url":{}}}`, `{"elicitation":{"form":{}}}`},
			{"form", `{"elicitation":{"url":{},"form":{}}}`, ``},
			{"url", `{}`, `{"elicitation":{"url":{}}}`},
			{"url", `{"elicitation":{}}`, `{"elicitation":{"url":{}}}`},
			{"url", `{"elicitation":{"form":{}}}`, `{"elicitation":{"url":{}}}`},
			{"url", `{"elicitation":{"url":{}}}`, ``},
			{"roots", `{"sampling":{},"elicitation":{}}`, `{"roots":{}}`},
			{"roots", `{"roots":{}}`, ``},
			{"all", `{}`, `{"elicitation":{"url":{}},"roots":{},"sampling":{"context":{},"tools":{}}}`},
			{"all", `{"roots":{},"elicitation":{"url":{}},"sampling":{"tools":{}}}`, `{"elicitation":{"form":{}},"sampling":{"context":{}}}`},
			{"all", everything, ``},
		} {
			request := withMeta("1", "tools/call", `{`+metaVersion+`,`+metaCapabilities+test.declared+`}`, `"name":"`+test.tool+`"`)
			answer := p.ask(request)
			if test.required == "" {
				if answer.Get("result.resultType").Str != "input_required" {
					t.Errorf("%s: got %s, want to be asked", request, answer.Raw)
				}
				continue
			}
			wantFailure(t, request, answer, -32021)
			if got := answer.Get("error.data").Raw; got != `{"requiredCapabilities":`+test.required+`}` {
				t.Errorf("%s: data = %s, want the capabilities %s", request, got, test.required)
			}
		}
		p.wantSilence("after the answers")
	})
}

// A client that is asked in two eras gets requests in one of them alone.
func TestNoRequestsInTheModernEra(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "one", Handler: keeping("who")})
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		p.ask(strings.Replace(legacyOpening, `"sampling":{}`, `"sampling":{}`, 1))
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		asked := p.ask(modernCall("1", "one", ""))
		wantAsked(t, "one", asked, "who")
		p.wantSilence("after the interim result")
		p.send(withMeta("2", "tools/call", "", `"name":"one"`))
		question := p.next()
		if question.Get("method").Str != "sampling/createMessage" {
			t.Fatalf("a legacy call brought %s, want a request", question.Raw)
		}
		request := modernCall("3", "one", retry(asked, `{"who":`+sampled("modern")+`}`))
		wantTool(t, request, p.ask(request), "modern")
		p.send(`{"jsonrpc":"2.0","id":` + question.Get("id").Raw + `,"result":` + sampled("legacy") + `}`)
		wantTool(t, "the legacy call", p.next(), "legacy")
	})
}

func TestStateSurvivesARestart(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "one", Handler: keeping("who")})
	var request string
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "one", ""))
		request = modernCall("2", "one", retry(asked, `{"who":`+sampled("Eric")+`}`))
		p.end()
		wantTool(t, request, newTalk(t, aspect, nil).ask(request), "Eric")
	})
	t.Setenv(seal.KeyVariable, "another key of a test, long enough")
	synctest.Test(t, func(t *testing.T) {
		wantFailure(t, request, newTalk(t, aspect, nil).ask(request), -32602, "Invalid Request State")
	})
	// The same with a key file, and with no key that lasts.
	t.Setenv(seal.KeyVariable, "")
	for folder, survives := range map[string]bool{t.TempDir(): true, "/dev/null": false} {
		t.Setenv("XDG_CONFIG_HOME", folder)
		t.Setenv("HOME", folder)
		t.Setenv("AppData", folder)
		synctest.Test(t, func(t *testing.T) {
			p := newTalk(t, aspect, nil)
			request := modernCall("2", "one", retry(p.ask(modernCall("1", "one", "")), `{"who":`+sampled("Eric")+`}`))
			wantTool(t, request, p.ask(request), "Eric")
			answer := newTalk(t, aspect, nil).ask(request)
			if got := answer.Get("result").Exists(); got != survives {
				t.Errorf("with the folder %s a state survived: %t, want %t (%s)", folder, got, survives, answer.Raw)
			}
		})
	}
}

// A client may use a state as often as it likes, and at the same time.
func TestConcurrentResumes(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "one", Handler: keeping("who")})
	aspect.Asynchronous = true
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("0", "one", ""))
		var lines []string
		want := make(map[string]string)
		for i := range 500 {
			id, text := fmt.Sprint(i+1), fmt.Sprint("Eric", i)
			want[id] = text
			lines = append(lines, modernCall(id, "one", retry(asked, `{"who":`+sampled(text)+`}`)))
		}
		p.send(lines...)
		for range lines {
			answer := p.next()
			wantTool(t, answer.Get("id").Raw, answer, want[answer.Get("id").Raw])
		}
	})
}

// What the server gives a client to bring back must fit into a message.
func TestStateThatNobodyCouldBringBack(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "rounds", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		for i := range 4 {
			if _, given := call.Input(fmt.Sprint(i)); !given {
				return call.RequireInput(core.Inputs{fmt.Sprint(i): sampling("x")}, []byte("s"))
			}
		}
		return core.Text("done"), nil
	}})
	inTalk(t, aspect, &Options{MaxMessage: 100_000}, func(t *testing.T, p *talk) {
		more := ""
		for i := range 4 {
			answer := p.ask(modernCall("1", "rounds", more))
			if answer.Get("result.isError").Bool() {
				return
			}
			more = retry(answer, fmt.Sprintf(`{"%d":%s}`, i, sampled(strings.Repeat("x", 40_000))))
			if size := len(modernCall("1", "rounds", more)); size > 100_000 {
				t.Fatalf("round %d wants a message of %d bytes, over the limit", i+1, size)
			}
		}
	})
}

// A state for a tool with Resume is checked against what the client of the
// retry declares, also when the core asks again by itself.
func TestAskingAgainMindsTheCapabilities(t *testing.T) {
	tool := core.Tool{Name: "resume", Handler: needing("who"), Resume: needing("who")}
	inTalk(t, testAspect(tool), nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "resume", ""))
		wantAsked(t, "resume", asked, "who")
		without := strings.Replace(modernCall("2", "resume", retry(asked, `{}`)),
			`"sampling":{"tools":{},"context":{}},`, "", 1)
		answer := p.ask(without)
		if answer.Get("error.code").Int() != -32021 || !answer.Get("error.data.requiredCapabilities.sampling").IsObject() {
			t.Errorf("%s: got %s, want -32021 for sampling", without, answer.Raw)
		}
	})
}

// An answer to a question that nobody asked is nobody's refusal.
func TestUnaskedRefusalIsIgnored(t *testing.T) {
	inTalk(t, testAspect(revisionTool()), nil, func(t *testing.T, p *talk) {
		request := modernCall("1", revisionTool().Name, `"inputResponses":{"a":{"action":"cancel"}}`)
		if answer := p.ask(request); answer.Get("result.isError").Bool() || answer.Get("error").Exists() {
			t.Errorf("%s: got %s, want the tool's answer", request, answer.Raw)
		}
	})
}

// A text that is no state is refused before the arguments are looked at: those
// can be large, and the reader has other things to do.
func TestStateIsOpenedBeforeArgumentsAreDigested(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "free", Handler: needing("who")})
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		asked := p.ask(modernCall("1", "free", ""))
		secret, err := seal.Secret(os.Getenv, os.UserConfigDir)
		if err != nil {
			t.Fatal(err)
		}
		sealer, err := seal.New(secret, aspect.Name)
		if err != nil {
			t.Fatal(err)
		}
		payload, err := sealer.Open(asked.Get("result.requestState").Str, aspect.Name, "tools/call", "free")
		if err != nil || !gjson.GetBytes(payload, "d").Exists() {
			t.Errorf("the state carries %s, %v; want the arguments' digest within", payload, err)
		}
	})
}

// Rounds are bounded in the modern era, too: the state counts them.
func TestModernRoundsAreBounded(t *testing.T) {
	aspect := testAspect(core.Tool{Name: "again", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		return call.RequireInput(core.Inputs{"who": core.Sampling{Messages: []core.Message{core.UserText("Who?")}, MaxTokens: 1}}, nil)
	}})
	inTalk(t, aspect, nil, func(t *testing.T, p *talk) {
		answer := p.ask(modernCall("0", "again", ""))
		rounds := 0
		for ; answer.Get("result.requestState").Exists(); rounds++ {
			answer = p.ask(modernCall(strconv.Itoa(rounds+1), "again", retry(answer, `{"who":`+sampled("x")+`}`)))
		}
		if text := answer.Get("result.content.0.text").Str; rounds != 100 || !strings.Contains(text, "under the keys of its questions") {
			t.Errorf("after %d rounds came %s", rounds, answer.Raw)
		}
	})
}
