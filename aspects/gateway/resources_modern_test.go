//go:build mcp20260728

package gateway_test

import "testing"

// TestUnlistedResourceThatAsks: a server may ask before it gives what nobody
// lists. The client comes back to that server, and to no other.
func TestUnlistedResourceThatAsks(t *testing.T) {
	t.Parallel()
	for _, begin := range []func(*testing.T, ...*fake) *talk{modern, legacy} {
		a, b := modernServer(t, "a"), modernServer(t, "b")
		a.on("resources/read", func(l *link, got arrival) string { l.fail(got.id, -32602, "not here"); return "" })
		b.on("resources/read", func(_ *link, got arrival) string {
			if got.params.Get("requestState").Str == "s" {
				return `{"contents":[{"uri":"x://1","text":` + quoted(got.params.Get("inputResponses").Raw) + `}]}`
			}
			return `{"resultType":"input_required","inputRequests":{"k":{"method":"roots/list","params":{}}},"requestState":"s"}`
		})
		c := begin(t, a, b)
		const params = `{"uri":"x://1"}`
		id := c.request("resources/read", params)
		if c.meta != "" {
			asked := c.answer(id).Get("result")
			id = c.request("resources/read", c.resume(params, asked, answersTo("k", `{"roots":[]}`)))
		} else {
			c.reply(c.message("roots/list"), `{"roots":[]}`)
		}
		if got := c.answer(id); got.Get("result.contents.0.text").Str != `{"k":{"roots":[]}}` {
			t.Errorf("the answer is %s", got.Raw)
		}
		if asked := len(a.sent("resources/read")); asked != 1 {
			t.Errorf("the other server was asked %d times", asked)
		}
		c.close()
	}
}
