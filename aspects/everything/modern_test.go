//go:build mcp20260728

package everything_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tidwall/gjson"
)

// meta is what a request of 2026-07-28 says of its client, which has these
// capabilities, and of whatever more there is.
func meta(capabilities, more string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + capabilities + more + `}`
}

const everyCapability = `{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{}}`

// call calls a tool as a client that supports all; rest are more params.
func (c *client) call(tool, rest string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q%s,%s}}`, tool, rest, meta(everyCapability, ""))
}

// resume is what a request has in it to answer the questions of a result.
func resume(result gjson.Result, answers string) string {
	return `,"inputResponses":` + answers + `,"requestState":` + result.Get("requestState").Raw
}

func TestChangedStateIsRefused(t *testing.T) {
	const (
		tool      = "test_input_required_result_tampered_state"
		confirmed = `{"confirm":{"action":"accept","content":{"ok":true}}}`
	)
	c := connect(t, nil)
	c.call(tool, "")
	asked := c.answer()
	want(t, asked, "resultType", "input_required")
	c.call(tool, strings.TrimSuffix(resume(asked, confirmed), `"`)+`-TAMPERED"`)
	want(t, c.next(), "error.code", "-32602")
	c.call(tool, resume(asked, confirmed))
	want(t, c.answer(), "content.0.text", `You answered: {"ok":true}`)
	c.end()
}

func TestRoundsHaveStatesOfTheirOwn(t *testing.T) {
	const tool = "test_input_required_result_multi_round"
	c := connect(t, nil)
	c.call(tool, "")
	first := c.answer()
	want(t, first, "inputRequests.user_name.method", "elicitation/create")
	c.call(tool, resume(first, `{"user_name":{"action":"accept","content":{"name":"Alice"}}}`))
	second := c.answer()
	want(t, second, "inputRequests.color.params.message", "What is your favorite color, Alice?")
	if second.Get("requestState").Str == first.Get("requestState").Str {
		t.Error("both rounds have the same state")
	}
	c.call(tool, resume(second, `{"color":{"action":"accept","content":{"color":"green"}}}`))
	want(t, c.answer(), "content.0.text", "Alice likes green.")
	c.end()
}

// What is not the answer to the question makes the tool ask again.
func TestAnswersToOtherQuestions(t *testing.T) {
	const tool = "test_input_required_result_elicitation"
	c := connect(t, nil)
	c.call(tool, `,"inputResponses":{"wrong_key":{"action":"accept","content":{"name":"Alice"}}}`)
	want(t, c.answer(), "inputRequests.user_name.method", "elicitation/create")
	c.call(tool, `,"inputResponses":{"user_name":{"action":"accept","content":{"name":"Alice"}},"wrong_key":{"action":"cancel"}}`)
	want(t, c.answer(), "content.0.text", "Hello, Alice!")
	c.end()
}

func TestMissingCapabilityIsNamed(t *testing.T) {
	c := connect(t, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_missing_capability",%s}}`, meta(`{}`, ""))
	failure := c.next()
	want(t, failure, "error.code", "-32021")
	want(t, failure, "error.data.requiredCapabilities.sampling", "{}")
	c.end()
}

func TestOnlyWhatIsSupportedIsAskedInOneAnswer(t *testing.T) {
	c := connect(t, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_input_required_result_capabilities",%s}}`, meta(`{"sampling":{}}`, ""))
	asked := c.answer()
	want(t, asked, "inputRequests.@values.#", "1")
	want(t, asked, "inputRequests.@values.0.method", "sampling/createMessage")
	c.end()
}

// A request that wants messages or progress gets them, and only then.
func TestMessagesComeOnlyToRequestsThatWantThem(t *testing.T) {
	c := connect(t, nil)
	c.call("test_logging_tool", "")
	c.answer()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_logging_tool",%s}}`,
		meta(`{}`, `,"io.modelcontextprotocol/logLevel":"alert"`))
	want(t, c.next(), "params.level", "alert")
	want(t, c.next(), "params.level", "emergency")
	c.answer()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_tool_with_progress",%s}}`,
		meta(`{}`, `,"progressToken":"p"`))
	for _, progress := range []string{"0", "50", "100"} {
		want(t, c.next(), "params.progress", progress)
	}
	c.answer()
	c.end()
}

func TestWatchedResourceChangesWhileAStreamIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, nil)
		c.send(`{"jsonrpc":"2.0","id":"stream","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["test://watched-resource"]},%s}}`, meta(`{}`, ""))
		want(t, c.next(), "method", "notifications/subscriptions/acknowledged")
		for range 3 {
			want(t, c.next(), "method", "notifications/resources/updated")
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"stream",%s}}`, meta(`{}`, ""))
		c.call("longRunning", `,"arguments":{"seconds":600,"steps":1}`)
		want(t, c.answer(), "content.0.text", "Done after 10m0s; steps: 1")
		c.end()
	})
}
