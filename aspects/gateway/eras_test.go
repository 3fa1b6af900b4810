package gateway_test

import "testing"

// page is a page to visit, in the modern era.
const page = `{"mode":"url","message":"Look","url":"https://example.com/"}`

// TestLegacyClientIsSentToPagesOfModernServers: a request to visit a page has an
// id for a client of the legacy era, which demands one, and each has its own.
func TestLegacyClientIsSentToPagesOfModernServers(t *testing.T) {
	t.Parallel()
	f := modernServer(t, "s", "visit").on("tools/call", func(_ *link, a arrival) string {
		if answer := a.params.Get("inputResponses.p"); answer.Exists() {
			return `{"resultType":"complete","content":[{"type":"text","text":` + quoted(answer.Raw) + `}]}`
		}
		return `{"resultType":"input_required","inputRequests":{"p":{"method":"elicitation/create","params":` + page + `}},"requestState":"s"}`
	})
	c := legacy(t, f)
	ids := make(map[string]bool)
	for range 2 {
		id := c.request("tools/call", callParams("s.visit", `{}`))
		question := c.message("elicitation/create")
		params := question.Get("params")
		if params.Get("mode").Str != "url" || params.Get("message").Str != "Look" || params.Get("url").Str != "https://example.com/" || params.Get("elicitationId").Str == "" {
			t.Errorf("the client is asked %s", question.Raw)
		}
		ids[params.Get("elicitationId").Str] = true
		c.reply(question, `{"action":"accept"}`)
		if got := c.answer(id).Get("result.content.0.text").Str; got != `{"action":"accept"}` {
			t.Errorf("the server was answered %s", got)
		}
	}
	if len(ids) != 2 {
		t.Errorf("two visits have the ids %v", ids)
	}
}

// TestLegacyClientIsToldNothingOfCaching: that is of the modern era, and dropped
// where the server is of it. A server of the legacy era may mean anything by it.
func TestLegacyClientIsToldNothingOfCaching(t *testing.T) {
	t.Parallel()
	const members = `"ttlMs":5.0,"contents":[{"uri":"x:y","text":"t"}],"cacheScope":"private","own":1.50`
	read := constant(`{` + members + `}`)
	modern := modernServer(t, "m").has("resources", resourceOf("m:x")).on("resources/read", read)
	old := legacyServer(t, "l").has("resources", resourceOf("l:x")).on("resources/read", read)
	c := legacy(t, modern, old)
	for uri, want := range map[string]string{
		"m:x": `{"contents":[{"uri":"x:y","text":"t"}],"own":1.50}`,
		"l:x": `{` + members + `}`,
	} {
		if got := c.result("resources/read", `{"uri":`+quoted(uri)+`}`).Raw; got != want {
			t.Errorf("%s reads %s, want %s", uri, got, want)
		}
	}
}
