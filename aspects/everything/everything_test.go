package everything_test

import (
	"io"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/aspects/everything"
	"mcpserver/core"
	"mcpserver/core/server"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(everything.Aspect()); err != nil {
		t.Error(err)
	}
}

func TestSelfTests(t *testing.T) {
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), everything.Aspect(), io.Discard, &verdicts, nil); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
}

// entry is something that the aspect lists.
type entry struct{ kind, key, description string }

func entries() (all []entry) {
	aspect := everything.Aspect()
	for _, tool := range aspect.Tools {
		all = append(all, entry{"tool", tool.Name, tool.Description})
	}
	for _, prompt := range aspect.Prompts {
		all = append(all, entry{"prompt", prompt.Name, prompt.Description})
	}
	for _, resource := range aspect.Resources {
		all = append(all, entry{"resource", resource.URI, resource.Description})
	}
	for _, template := range aspect.Templates {
		all = append(all, entry{"template", template.Text(), template.Description})
	}
	return all
}

// Whoever tries a client has nothing but the descriptions to go by.
func TestEverythingSaysWhatToExpect(t *testing.T) {
	for _, entry := range entries() {
		if len(entry.description) < len("Gives one message.") {
			t.Errorf("the description of the %s %s is %q", entry.kind, entry.key, entry.description)
		}
	}
}

func TestEverythingHasASelfTest(t *testing.T) {
	for _, entry := range entries() {
		// A template's URIs begin like it.
		begin, _, _ := strings.Cut(entry.key, "{")
		tested := false
		for _, test := range everything.Aspect().SelfTests {
			params := gjson.Parse(test.Params)
			tested = tested || test.Tool == entry.key || params.Get("name").Str == entry.key ||
				strings.HasPrefix(params.Get("uri").Str, begin)
		}
		if !tested {
			t.Errorf("no self-test is about the %s %s", entry.kind, entry.key)
		}
	}
}

// The conformance suite calls the first tool, whichever it is, with no arguments.
func TestFirstToolTakesNoArguments(t *testing.T) {
	c := connect(t, nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	first := c.answer().Get("tools.0.name").Str
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, first)
	want(t, c.answer(), "content.0.type", "text")
	c.end()
}

// The list of tools is long enough to be seen in pages.
func TestToolsComeInPages(t *testing.T) {
	c := connect(t, &server.Options{PageSize: 10})
	pages, tools := 0, 0
	cursor := gjson.Parse("null")
	for more := true; more; more = cursor.Exists() {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%s}}`, cursor.Raw)
		page := c.answer()
		pages++
		tools += len(page.Get("tools").Array())
		cursor = page.Get("nextCursor")
	}
	own := len(everything.Aspect().Tools)
	if pages < 4 || tools < own {
		t.Errorf("%d tools came in %d pages, want at least %d in at least 4", tools, pages, own)
	}
	c.end()
}

func TestOnlyWantedLevelsAreLogged(t *testing.T) {
	c := connect(t, nil)
	c.initialize(`{}`)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`)
	c.answer()
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_logging_tool"}}`)
	for _, level := range []string{"error", "critical", "alert", "emergency"} {
		message := c.next()
		want(t, message, "params.level", level)
		want(t, message, "params.logger", "everything")
	}
	c.answer()
	c.end()
}

// A client that cannot be asked is told so by the tools that ask.
func TestClientThatCannotBeAsked(t *testing.T) {
	c := connect(t, nil)
	c.initialize(`{}`)
	for _, test := range []struct{ call, isError string }{
		{`"name":"test_sampling","arguments":{"prompt":"Hello"}`, "true"},
		{`"name":"test_missing_capability"`, "true"},
		{`"name":"test_elicitation","arguments":{"message":"Hello"}`, "true"},
		{`"name":"fillInForm"`, "true"},
		{`"name":"visitPage"`, "true"},
		{`"name":"test_input_required_result_list_roots"`, "true"},
		{`"name":"test_input_required_result_multiple_inputs"`, "true"},
		{`"name":"test_input_required_result_capabilities"`, ""},
	} {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{%s}}`, test.call)
		want(t, c.answer(), "isError", test.isError)
	}
	c.end()
}

// What a client can be asked decides what it is asked; forms are meant where no
// mode of elicitation is named.
func TestOnlyWhatIsSupportedIsAsked(t *testing.T) {
	for _, test := range []struct{ capabilities, methods string }{
		{`{"sampling":{}}`, "sampling/createMessage"},
		{`{"elicitation":{}}`, "elicitation/create"},
		{`{"elicitation":{"form":{}}}`, "elicitation/create"},
		{`{"elicitation":{"url":{}},"roots":{}}`, "roots/list"},
	} {
		c := connect(t, nil)
		c.initialize(test.capabilities)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test_input_required_result_capabilities"}}`)
		question := c.next()
		want(t, question, "method", test.methods)
		c.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"no"}}`, question.Get("id").Raw)
		want(t, c.answer(), "isError", "true")
		c.end()
	}
}
