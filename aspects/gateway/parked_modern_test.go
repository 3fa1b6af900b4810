//go:build mcp20260728

package gateway_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

var xParams = callParams("s.x", "")

// TestParkedCall: a server of the legacy era asks in a call of a client of the
// modern era, which comes back with the answer. The server is called once.
func TestParkedCall(t *testing.T) {
	t.Parallel()
	for _, q := range questions {
		f := asksLegacy(legacyServer(t, "s", "x"), q)
		c := modern(t, f)
		asked := c.asked("tools/call", xParams)
		key := c.onlyQuestion(asked)
		request := asked.Get("inputRequests").Get(key)
		// The modern era has no ids of visits.
		params := strings.Replace(q.params, `,"elicitationId":"e1"`, "", 1)
		if request.Get("method").Str != q.method || request.Get("params").Raw != params {
			t.Errorf("the client is asked %s, want %s %s", request.Raw, q.method, params)
		}
		back := c.resume(xParams, asked, answersTo(key, q.answer))
		result := c.result("tools/call", back)
		if got, want := result.Get("content.0.text").Str, `"result":`+q.answer+"}"; got != want {
			t.Errorf("%s: the server has got %s, want %s", q.method, got, want)
		}
		// The same state a second time is no good, and reaches nobody.
		c.refused("tools/call", back, -32602, "Invalid Request State")
		if got := len(f.sent("tools/call")); got != 1 {
			t.Errorf("the server was called %d times", got)
		}
		c.close()
	}
}

// TestParkedResumedTwiceAtOnce: one of the two goes on with the call.
func TestParkedResumedTwiceAtOnce(t *testing.T) {
	t.Parallel()
	f := asksLegacy(legacyServer(t, "s", "x"), questions[1])
	c := modern(t, f)
	asked := c.asked("tools/call", xParams)
	back := c.resume(xParams, asked, answersTo(c.onlyQuestion(asked), `{"action":"decline"}`))
	first, one := c.line("tools/call", back)
	second, two := c.line("tools/call", back)
	c.send(one, two)
	results, refusals := 0, 0
	for _, id := range []string{first, second} {
		switch answer := c.answer(id); {
		case answer.Get("result.content.0.text").Str == `"result":{"action":"decline"}}`:
			results++
		case answer.Get("error.message").Str == "Invalid Request State":
			refusals++
		}
	}
	if results != 1 || refusals != 1 || len(f.sent("tools/call")) != 1 {
		t.Errorf("there are %d results and %d refusals, and the server was called %d times", results, refusals, len(f.sent("tools/call")))
	}
}

// TestParkedRequests: it is the same for prompts and resources.
func TestParkedRequests(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s")
	f.has("prompts", promptOf("p"))
	f.has("resources", resourceOf("r://1"))
	waiting := ""
	ask := func(l *link, a arrival) string {
		waiting = a.id
		l.ask(quoted(a.method), "roots/list", `{}`)
		return ""
	}
	f.on("prompts/get", ask).on("resources/read", ask)
	f.on("", func(l *link, a arrival) string {
		if a.id == `"prompts/get"` {
			l.result(waiting, `{"messages":[],"description":"done"}`)
		} else {
			l.result(waiting, `{"contents":[{"uri":"r://1","text":"done"}]}`)
		}
		return ""
	})
	c := modern(t, f)
	for method, params := range map[string]string{"prompts/get": `{"name":"s.p"}`, "resources/read": `{"uri":"r://1"}`} {
		asked := c.asked(method, params)
		result := c.result(method, c.resume(params, asked, answersTo(c.onlyQuestion(asked), `{"roots":[]}`)))
		if !strings.Contains(result.Raw, `"done"`) || len(f.sent(method)) != 1 {
			t.Errorf("%s gives %s after %d requests to the server", method, result.Raw, len(f.sent(method)))
		}
	}
}

// mostRounds is how often tests come back to see what a server has said in a parked
// call: the runner lets a call ask 100 times at most. Before each time the gateway
// has answered the server's pings, which are behind what it has said.
const mostRounds = 90

// fencePrefix is what the ids of fences begin with.
const fencePrefix = `"fence-`

// fences is how many pings one fence has: each is answered on a goroutine of its
// own, as questions are.
const fences = 50

// fence comes back when the gateway has answered pings that the server has sent
// behind whatever it has said before.
func (l *link) fence() {
	for range fences {
		id := fencePrefix + rand.Text() + `"`
		l.ask(id, "ping", `{}`)
		l.fake.response(id)
	}
}

// TestParkedWithPartOfTheAnswers: what is not answered is asked again, and what
// the server asks meanwhile is asked with it.
func TestParkedWithPartOfTheAnswers(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	call := ""
	f.on("tools/call", func(l *link, a arrival) string {
		call = a.id
		l.ask(`1`, "roots/list", `{"n":1}`)
		return ""
	})
	got := map[string]string{}
	f.on("", func(l *link, a arrival) string {
		if strings.HasPrefix(a.id, fencePrefix) {
			return ""
		}
		got[a.id] = a.body.Get("result.for").Raw
		if len(got) == 3 {
			l.result(call, textResult(fmt.Sprint(got)))
		}
		return ""
	})
	c := modern(t, f)
	asked := c.asked("tools/call", xParams)
	first := c.onlyQuestion(asked)
	f.link(0).ask(`2`, "roots/list", `{"n":2}`)
	f.link(0).ask(`3`, "roots/list", `{"n":3}`)
	for round := 0; len(asked.Get("inputRequests").Map()) != 3; round++ {
		if round == mostRounds {
			t.Fatalf("what the server has asked meanwhile is not asked: %s", asked.Raw)
		}
		f.link(0).fence()
		asked = c.asked("tools/call", c.resume(xParams, asked, `{}`))
	}
	if asked.Get("inputRequests").Get(first).Get("params.n").Int() != 1 {
		t.Errorf("the first question is another one now: %s", asked.Raw)
	}
	for left := 3; left > 0; left-- {
		key := ""
		asked.Get("inputRequests").ForEach(func(name, request gjson.Result) bool {
			if request.Get("params.n").Int() == int64(left) {
				key = name.Str
			}
			return true
		})
		back := c.resume(xParams, asked, fmt.Sprintf(`{%q:{"roots":[],"for":%d},"nobody's":{"roots":[]}}`, key, left))
		if left == 1 {
			if result := c.result("tools/call", back); result.Get("content.0.text").Str != "map[1:1 2:2 3:3]" {
				t.Errorf("the server has got %s", result.Raw)
			}
			break
		}
		asked = c.asked("tools/call", back)
		if now := len(asked.Get("inputRequests").Map()); now != left-1 {
			t.Fatalf("%d questions are left, want %d: %s", now, left-1, asked.Raw)
		}
	}
	if len(f.sent("tools/call")) != 1 {
		t.Error("the server was called twice")
	}
}

// TestParkedOneAfterTheOther: a server that asks again after an answer.
func TestParkedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	call := ""
	f.on("tools/call", func(l *link, a arrival) string { call = a.id; l.ask(`1`, "roots/list", `{}`); return "" })
	f.on("", func(l *link, a arrival) string {
		switch a.id {
		case `1`:
			l.ask(`2`, "elicitation/create", questions[1].params)
		case `2`:
			l.result(call, textResult(a.body.Get("result.action").Str))
		}
		return ""
	})
	c := modern(t, f)
	asked := c.asked("tools/call", xParams)
	again := c.asked("tools/call", c.resume(xParams, asked, answersTo(c.onlyQuestion(asked), `{"roots":[]}`)))
	if c.onlyQuestion(again) == c.onlyQuestion(asked) {
		t.Errorf("both questions have one key: %s", again.Raw)
	}
	result := c.result("tools/call", c.resume(xParams, again, answersTo(c.onlyQuestion(again), `{"action":"decline"}`)))
	if got := result.Get("content.0.text").Str; got != "decline" {
		t.Errorf("the result is %s", result.Raw)
	}
}

// TestParkedAndForgotten: a call that nobody resumes ends with one cancellation,
// and its state is no good any more.
func TestParkedAndForgotten(t *testing.T) {
	t.Parallel()
	f := asksLegacy(legacyServer(t, "s", "x", "y"), questions[1])
	c := modernWith(t, settings{flags: []string{"--resume-timeout=20ms"}}, fullClient, f)
	asked := c.asked("tools/call", xParams)
	cancelled := f.awaitSent("notifications/cancelled", 1)
	if got, want := cancelled.params.Get("requestId").Raw, f.sent("tools/call")[0].id; got != want {
		t.Errorf("%s was cancelled, want %s", got, want)
	}
	if got := f.response(`"q0"`); !got.Get("error").Exists() {
		t.Errorf("the question was answered with %s", got.Raw)
	}
	c.refused("tools/call", c.resume(xParams, asked, answersTo(c.onlyQuestion(asked), `{"action":"cancel"}`)), -32602, "Invalid Request State")
	f.on("tools/call", constant(textResult("alive")))
	c.wantText("s.y", "alive")
	if got := len(f.sent("notifications/cancelled")); got != 1 {
		t.Errorf("the server was told %d times", got)
	}
}

// TestParkedEnds: with the server, with its answer, and with the client.
func TestParkedEnds(t *testing.T) {
	t.Parallel()
	park := func(t *testing.T) (*fake, *talk, gjson.Result) {
		t.Parallel()
		f := asksLegacy(legacyServer(t, "s", "x"), questions[1])
		c := modernWith(t, settings{options: quick}, fullClient, f)
		return f, c, c.asked("tools/call", xParams)
	}
	t.Run("the server dies", func(t *testing.T) {
		f, c, asked := park(t)
		f.link(0).complain("out of memory\n")
		f.link(0).exit(3)
		f.mustBeGone()
		result := c.result("tools/call", c.resume(xParams, asked, answersTo(c.onlyQuestion(asked), `{"action":"cancel"}`)))
		if text := result.Get("content.0.text").Str; !result.Get("isError").Bool() || !strings.Contains(text, `server "s"`) || !strings.Contains(text, "out of memory") {
			t.Errorf("the result is %s", result.Raw)
		}
		if f.starts() > 1 && len(f.sent("tools/call")) > 1 {
			t.Error("the call was repeated")
		}
	})
	t.Run("the server takes its question back", func(t *testing.T) {
		f, c, asked := park(t)
		l := f.link(0)
		l.notify("notifications/cancelled", `{"requestId":"q0"}`)
		l.ask(`"other"`, "roots/list", `{}`)
		key := c.onlyQuestion(asked)
		for round := 0; asked.Get("inputRequests").Get(key).Exists() || len(asked.Get("inputRequests").Map()) != 1; round++ {
			if round == mostRounds {
				t.Fatalf("the client is still asked %s", asked.Raw)
			}
			l.fence()
			asked = c.asked("tools/call", c.resume(xParams, asked, `{}`))
		}
		f.on("", func(l *link, a arrival) string { l.result(f.sent("tools/call")[0].id, textResult(a.id)); return "" })
		result := c.result("tools/call", c.resume(xParams, asked, answersTo(c.onlyQuestion(asked), `{"roots":[]}`)))
		if got := result.Get("content.0.text").Str; got != `"other"` {
			t.Errorf("the result is %s", result.Raw)
		}
	})
	t.Run("the server answers", func(t *testing.T) {
		f, c, asked := park(t)
		f.link(0).result(f.sent("tools/call")[0].id, textResult("by myself"))
		var result gjson.Result
		for round := 0; result.Get("resultType").Str != "complete" && round < mostRounds; round++ {
			f.link(0).fence()
			result = c.result("tools/call", c.resume(xParams, asked, `{}`))
			asked = result
		}
		if got := result.Get("content.0.text").Str; got != "by myself" {
			t.Errorf("the result is %s", result.Raw)
		}
	})
	t.Run("the client cancels what it came back with", func(t *testing.T) {
		f, c, asked := park(t)
		f.on("", silent)
		id := c.request("tools/call", c.resume(xParams, asked, answersTo(c.onlyQuestion(asked), `{"action":"cancel"}`)))
		f.response(`"q0"`)
		c.cancel(id)
		if got, want := f.awaitSent("notifications/cancelled", 1).params.Get("requestId").Raw, f.sent("tools/call")[0].id; got != want {
			t.Errorf("%s was cancelled, want %s", got, want)
		}
	})
	for _, way := range []string{"input", "context"} {
		t.Run("the client leaves by "+way, func(t *testing.T) {
			f, c, _ := park(t)
			if way == "input" {
				c.in.Close()
			} else {
				c.end()
			}
			c.wait()
			f.mustBeGone()
			if got := f.sent("notifications/cancelled"); len(got) != 1 || got[0].params.Get("requestId").Raw != f.sent("tools/call")[0].id {
				t.Errorf("the server was told %v", got)
			}
		})
	}
}

// TestParkedQuestionsOfSeveralCalls go to the newest one; the others are answered
// by themselves.
func TestParkedQuestionsOfSeveralCalls(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", silent)
	c := modern(t, f)
	older := c.request("tools/call", xParams)
	f.awaitSent("tools/call", 1)
	newer := c.request("tools/call", xParams)
	f.awaitSent("tools/call", 2)
	f.link(0).ask(`1`, "roots/list", `{}`)
	asked := c.answer(newer).Get("result")
	f.link(0).result(f.sent("tools/call")[0].id, textResult("older"))
	if got := c.answer(older).Get("result.content.0.text").Str; got != "older" {
		t.Errorf("the older call gives %q", got)
	}
	id := c.request("tools/call", c.resume(xParams, asked, answersTo(c.onlyQuestion(asked), `{"roots":[]}`)))
	f.response(`1`)
	f.link(0).result(f.sent("tools/call")[1].id, textResult("newer"))
	if got := c.answer(id).Get("result.content.0.text").Str; got != "newer" {
		t.Errorf("the newer call gives %q", got)
	}
}

// TestParkedNever: what the client cannot answer, and what is asked outside of
// calls, is refused to the server at once, and its call goes on.
func TestParkedNever(t *testing.T) {
	t.Parallel()
	for _, q := range questions {
		f := asksLegacy(legacyServer(t, "s", "x"), q)
		c := modernWith(t, settings{}, `{}`, f)
		if got := c.call("s.x", "").Get("content.0.text").Str; !strings.HasPrefix(got, `"error":{"code":-32601,`) {
			t.Errorf("%s: the server has got %s", q.method, got)
		}
		f.on("", silent)
		f.link(0).ask(`"outside"`, q.method, q.params)
		if got := f.response(`"outside"`); got.Get("error.code").Int() != -32601 {
			t.Errorf("%s outside of calls is answered with %s", q.method, got.Raw)
		}
		c.close()
	}
}

// TestParkedTells: what the server tells about the call goes to the request that
// is open at the time, with its token.
func TestParkedTells(t *testing.T) {
	t.Parallel()
	f := asksLegacy(legacyServer(t, "s", "x"), questions[1])
	f.on("", silent)
	c := modern(t, f)
	params := func(token string) string {
		return `{"name":"s.x",` + metaOf(fullClient, `,"progressToken":`+token+logKey+`"info"`) + `}`
	}
	asked := c.asked("tools/call", params(`"first"`))
	tell := func(progress int) {
		l, there := f.link(0), f.sent("tools/call")[0]
		l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d}`, there.params.Get("_meta.progressToken").Raw, progress))
		l.notify("notifications/message", fmt.Sprintf(`{"level":"info","data":%d}`, progress))
	}
	tell(1) // nobody is there to be told, unless it is late
	second := params(`"second"`)
	id := c.request("tools/call", second[:len(second)-1]+`,"inputResponses":`+answersTo(c.onlyQuestion(asked), `{"action":"cancel"}`)+`,"requestState":`+asked.Get("requestState").Raw+`}`)
	f.response(`"q0"`)
	tell(2)
	f.link(0).result(f.sent("tools/call")[0].id, textResult("done"))
	c.answer(id)
	for method, want := range map[string]string{"notifications/progress": `{"progressToken":"second","progress":2}`, "notifications/message": `{"logger":"s","level":"info","data":2}`} {
		all := c.came(method)
		if len(all) == 0 || all[len(all)-1].Get("params").Raw != want {
			t.Errorf("%s came as %v, want %s at the end", method, all, want)
		}
		if strings.Contains(fmt.Sprint(all), "first") {
			t.Errorf("the request that is over was told more: %v", all)
		}
	}
}
