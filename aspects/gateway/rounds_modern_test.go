//go:build mcp20260728

package gateway_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestModernRounds: a server of the modern era asks a client of the modern era.
// All its questions come together, and its state comes back to it as it was.
func TestModernRounds(t *testing.T) {
	t.Parallel()
	m := modernServer(t, "s", "x")
	requests := []string{}
	for i, q := range questions {
		requests = append(requests, fmt.Sprintf(`"k%d":{"method":%q,"params":%s}`, i, q.method, q.params))
	}
	m.on("tools/call", func(_ *link, a arrival) string {
		if a.params.Get("inputResponses").Exists() {
			return textResult(a.params.Get("inputResponses").Raw + a.params.Get("requestState").Raw + a.params.Get("arguments").Raw)
		}
		return `{"resultType":"input_required","inputRequests":{` + strings.Join(requests, ",") + `},"requestState":"st\u0061te"}`
	})
	c := modern(t, m)
	params := callParams("s.x", `{"n":1.0}`)
	asked := c.asked("tools/call", params)
	answers := []string{}
	for i, q := range questions {
		request := asked.Get("inputRequests").Get(fmt.Sprintf("k%d", i))
		if request.Get("method").Str != q.method || request.Get("params").Raw != q.params {
			t.Errorf("the client is asked %s, want %s %s", request.Raw, q.method, q.params)
		}
		answers = append(answers, fmt.Sprintf(`"k%d":%s`, i, q.answer))
	}
	if strings.Contains(asked.Get("requestState").Str, "state") {
		t.Errorf("the server's state is shown: %s", asked.Get("requestState").Raw)
	}
	all := `{` + strings.Join(answers, ",") + `}`
	result := c.result("tools/call", c.resume(params, asked, all))
	if got, want := result.Get("content.0.text").Str, all+`"st\u0061te"{"n":1.0}`; got != want {
		t.Errorf("the server has got\n%s, want\n%s", got, want)
	}
	// Part of the answers is for the server to judge.
	result = c.result("tools/call", c.resume(params, asked, `{`+answers[3]+`,"other":{"roots":[]}}`))
	if got, want := result.Get("content.0.text").Str, `{`+answers[3]+`}"st\u0061te"{"n":1.0}`; got != want {
		t.Errorf("the server has got\n%s, want\n%s", got, want)
	}
}

// TestModernRoundsOfOneServer: several rounds, of all methods that have them.
func TestModernRoundsOfOneServer(t *testing.T) {
	t.Parallel()
	m := modernServer(t, "s", "x")
	m.has("prompts", promptOf("p"))
	m.has("resources", resourceOf("r://1"))
	ask := func(l *link, a arrival) string {
		round := a.params.Get("requestState").Str
		if len(round) < 3 {
			return `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{"n":` + fmt.Sprint(len(round)) + `}}},"requestState":"` + round + `i"}`
		}
		return map[string]string{
			"tools/call": textResult("done"), "prompts/get": `{"messages":[],"description":"done"}`, "resources/read": `{"contents":[{"uri":"r://1","text":"done"}]}`,
		}[a.method]
	}
	for method, params := range map[string]string{"tools/call": xParams, "prompts/get": `{"name":"s.p"}`, "resources/read": `{"uri":"r://1"}`} {
		m.on(method, ask)
		c := modern(t, m)
		before := len(m.sent(method))
		asked := c.asked(method, params)
		for range 2 {
			asked = c.asked(method, c.resume(params, asked, answersTo("k", `{"roots":[]}`)))
		}
		result := c.result(method, c.resume(params, asked, answersTo("k", `{"roots":[]}`)))
		if !strings.Contains(result.Raw, `"done"`) || len(m.sent(method))-before != 4 {
			t.Errorf("%s gives %s after %d requests", method, result.Raw, len(m.sent(method))-before)
		}
		c.close()
	}
}

// TestStateAlone: a server that only wants its state back gets it at once, with
// the params of the request and nothing of the round before.
func TestStateAlone(t *testing.T) {
	t.Parallel()
	m := modernServer(t, "s", "x")
	m.on("tools/call", func(_ *link, a arrival) string {
		switch state := a.params.Get("requestState").Str; state {
		case "", "1", "3", "4":
			next := map[string]string{"": "1", "1": "2", "3": "4", "4": "5"}[state]
			if state == "1" {
				return `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{}}},"requestState":"3"}`
			}
			requests := ""
			if state == "4" {
				requests = `"inputRequests":{},`
			}
			return `{"resultType":"input_required",` + requests + `"requestState":"` + next + `"}`
		}
		return textResult("done")
	})
	for name, begin := range map[string]func(*testing.T, ...*fake) *talk{"modern": modern, "legacy": legacy} {
		c := begin(t, m)
		before := len(m.sent("tools/call"))
		params := callParams("s.x", `{"n":1.0}`)
		if name == "modern" {
			asked := c.asked("tools/call", params)
			result := c.result("tools/call", c.resume(params, asked, answersTo("k", `{"roots":[]}`)))
			if got := result.Get("content.0.text").Str; got != "done" {
				t.Errorf("the result is %s", result.Raw)
			}
		} else {
			id := c.request("tools/call", params)
			c.reply(c.message("roots/list"), `{"roots":[]}`)
			if got := c.answer(id); got.Get("result.content.0.text").Str != "done" {
				t.Errorf("the result is %s", got.Raw)
			}
		}
		var rounds []string
		for _, a := range m.sent("tools/call")[before:] {
			if a.params.Get("name").Str != "x" || a.params.Get("arguments").Raw != `{"n":1.0}` {
				t.Errorf("a round has the params %s", a.params.Raw)
			}
			if strings.Count(a.params.Raw, `"requestState"`) > 1 {
				t.Errorf("a round has its state twice: %s", a.params.Raw)
			}
			rounds = append(rounds, a.params.Get("requestState").Str+a.params.Get("inputResponses").Raw)
		}
		if got, want := strings.Join(rounds, " "), ` 1 3{"k":{"roots":[]}} 4 5`; got != want && got != ` 1 3{"k":{"roots":[]}} 4 5{}` {
			t.Errorf("%s client: the rounds are %q, want %q", name, got, want)
		}
		c.close()
	}
}

// TestStateForEver: a server that never comes to an end is given up.
func TestStateForEver(t *testing.T) {
	t.Parallel()
	m := modernServer(t, "s", "x")
	m.on("tools/call", constant(`{"resultType":"input_required","requestState":"again"}`))
	for _, begin := range []func(*testing.T, ...*fake) *talk{modern, legacy} {
		c := begin(t, m)
		if result := c.call("s.x", ""); !result.Get("isError").Bool() || !strings.Contains(result.Raw, "times") {
			t.Errorf("the result is %s", result.Raw)
		}
		c.close()
	}
	if got := len(m.sent("tools/call")); got > 30 {
		t.Errorf("the server was called %d times", got)
	}
}

// TestModernRoundsForLesserClients: a client that cannot answer is told which
// capability it lacks.
func TestModernRoundsForLesserClients(t *testing.T) {
	t.Parallel()
	m := asksModern(modernServer(t, "s", "x"), questions[0])
	c := modernWith(t, settings{}, `{"roots":{}}`, m)
	failure := c.refused("tools/call", xParams, -32021)
	if !failure.Get("data.requiredCapabilities.sampling").Exists() {
		t.Errorf("the error is %s", failure.Raw)
	}
}

// TestPromptToolThatAsks: a prompt that is reached through the tool getPrompt may
// ask, too, whichever era its server is of.
func TestPromptToolThatAsks(t *testing.T) {
	t.Parallel()
	old, m := legacyServer(t, "s"), modernServer(t, "s")
	for _, f := range []*fake{old, m} {
		f.has("prompts", promptOf("p"))
	}
	waiting := ""
	old.on("prompts/get", func(l *link, a arrival) string { waiting = a.id; l.ask(`1`, "roots/list", `{}`); return "" })
	old.on("", func(l *link, a arrival) string {
		l.result(waiting, `{"messages":[{"role":"user","content":{"type":"text","text":`+quoted(a.body.Get("result.for").Raw)+`}}]}`)
		return ""
	})
	m.on("prompts/get", func(_ *link, a arrival) string {
		if a.params.Get("requestState").Str == "s" {
			return `{"messages":[{"role":"user","content":{"type":"text","text":` + quoted(a.params.Get("inputResponses.k.for").Raw) + `}}]}`
		}
		return `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{}}},"requestState":"s"}`
	})
	for _, f := range []*fake{old, m} {
		c := modern(t, f)
		if strings.Contains(c.result("tools/list", `{}`).Raw, `"getPrompt"`) {
			params := callParams("getPrompt", `{"name":"s.p"}`)
			asked := c.asked("tools/call", params)
			result := c.result("tools/call", c.resume(params, asked, answersTo(c.onlyQuestion(asked), `{"roots":[],"for":1.0}`)))
			if got := result.Get("content.0.text").Str; got != "user: 1.0" {
				t.Errorf("the result is %s", result.Raw)
			}
		}
		c.close()
	}
}
