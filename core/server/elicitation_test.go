package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
)

// person is a form, as the client of each revision is sent it.
const (
	person = `{"type":"object","properties":{` +
		`"name":{"type":"string","minLength":1,"default":"John Doe"},` +
		`"age":{"type":"integer","minimum":0},` +
		`"mail":{"type":"string","format":"email"},` +
		`"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}],"default":"l"},` +
		`"news":{"type":"boolean","default":false}},"required":["age"]}`
	personOf2025June = `{"type":"object","properties":{` +
		`"name":{"type":"string","minLength":1},` +
		`"age":{"type":"integer","minimum":0},` +
		`"mail":{"type":"string","format":"email"},` +
		`"size":{"type":"string","enum":["s","l"],"enumNames":["Small","Large"]},` +
		`"news":{"type":"boolean","default":false}},"required":["age"]}`
)

// badPersons are contents that do not fit the form, and what the error says.
var badPersons = []struct{ content, words string }{
	{`{}`, "age: is required"},
	{`{"age":1.5}`, "age: must be an integer, got 1.5"},
	{`{"age":"30"}`, "age: must be an integer"},
	{`{"age":-1}`, "age: must be at least 0, got -1"},
	{`{"age":1,"name":""}`, "name: must be at least 1 character long"},
	{`{"age":1,"mail":"eric"}`, "mail: must be an email address"},
	{`{"age":1,"size":"Large"}`, "size: must be one of"},
	{`{"age":1,"news":"yes"}`, "news: must be a boolean"},
	{`{"age":1,"name":["x"]}`, "name: must be a string"},
	{`{"age":1,"age":2}`, "age: is given twice"},
}

// formTool asks for the form and answers with what it is given.
func formTool(name, schema string) core.Tool {
	return core.Tool{Name: name, Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		if answer, given := call.Input("form"); given {
			return core.Text(answer.Action() + " " + answer.Content().Raw), nil
		}
		return call.RequireInput(core.Inputs{"form": core.Elicitation{Message: "Who?", RawSchema: json.RawMessage(schema)}}, nil)
	}}
}

// accepted is the client's answer to a form, for the question with that id (as
// JSON).
func accepted(id, content string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":` + content + `}}`
}

// under opens a connection under that revision.
func under(t *testing.T, revision string, aspect *core.Aspect) *client {
	t.Helper()
	c := connect(t, aspect, nil)
	c.send(strings.NewReplacer("2025-11-25", revision, `"elicitation":{}`, `"elicitation":{"form":{},"url":{}}`).Replace(initialize))
	c.wantIDs(`"init"`)
	c.send(initialized)
	return c
}

// asked takes the next message, which must ask for that form; it gives its id.
func (c *client) asked(schema string) (id string) {
	c.t.Helper()
	question := c.wantMethod("elicitation/create")
	if got := question.Get("params.requestedSchema").Raw; got != schema {
		c.t.Errorf("the form asked is\n%s, want\n%s", got, schema)
	}
	return question.Get("id").Raw
}

func TestFormWithDefaults(t *testing.T) {
	for revision, schema := range map[string]string{"2025-06-18": personOf2025June, "2025-11-25": person} {
		synctest.Test(t, func(t *testing.T) {
			c := under(t, revision, aspect(formTool("form", person)))
			c.send(call(1, "form"))
			c.send(accepted(c.asked(schema), `{"other":[1],"size":null,"age":3.0e1}`))
			c.wantText("1", `accept {"other":[1],"size":"l","age":3.0e1,"name":"John Doe","news":false}`)
			c.wantEnd()
		})
	}
}

func TestFormAnswersThatDoNotFit(t *testing.T) {
	for revision, schema := range map[string]string{"2025-06-18": personOf2025June, "2025-11-25": person} {
		synctest.Test(t, func(t *testing.T) {
			c := under(t, revision, aspect(formTool("form", person)))
			for i, bad := range badPersons {
				c.send(call(i, "form"))
				c.send(accepted(c.asked(schema), bad.content))
				c.wantToolError(fmt.Sprint(i), "the client's elicitation answer does not fit the form: "+bad.words)
			}
			c.wantEnd()
		})
	}
}

// A handler is told which property a client's revision cannot have, and can
// ask otherwise. Nothing goes out of the form that is refused.
func TestFormThatARevisionCannotHave(t *testing.T) {
	several := core.Elicitation{Message: "Which?", Schema: core.Object(core.Array("colors", "", core.String("", "").OneOf("red", "blue")))}
	one := core.Elicitation{Message: "Which?", Schema: core.Object(core.String("colors", "").OneOf("red", "blue"))}
	served := aspect(
		core.Tool{Name: "adapts", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			if answer, given := call.Input("form"); given {
				return core.Text(answer.Content().Raw), nil
			}
			result, err := call.RequireInput(core.Inputs{"form": several}, nil)
			if err != nil && strings.Contains(err.Error(), `"colors"`) {
				return call.RequireInput(core.Inputs{"form": one}, nil)
			}
			return result, err
		}},
		core.Tool{Name: "insists", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			return call.RequireInput(core.Inputs{"art": sampling(), "form": several}, nil)
		}},
	)
	synctest.Test(t, func(t *testing.T) {
		c := under(t, "2025-06-18", served)
		c.send(call(1, "adapts"))
		c.send(accepted(c.asked(`{"type":"object","properties":{"colors":{"type":"string","enum":["red","blue"]}}}`), `{"colors":"red"}`))
		c.wantText("1", `{"colors":"red"}`)
		c.send(call(2, "insists"))
		c.wantToolError("2", `the question "form" cannot be asked: property "colors": protocol version 2025-06-18`)
		c.wantNothing()
		c.wantEnd()
	})
	synctest.Test(t, func(t *testing.T) {
		c := under(t, "2025-11-25", served)
		c.send(call(1, "adapts"))
		id := c.asked(`{"type":"object","properties":{"colors":{"type":"array","items":{"type":"string","enum":["red","blue"]}}}}`)
		c.send(accepted(id, `{"colors":["red","blue"]}`))
		c.wantText("1", `{"colors":["red","blue"]}`)
		c.wantEnd()
	})
}

func TestMalformedQuestionsAreNotSent(t *testing.T) {
	questions := map[string]core.Question{
		`property "a"`:        core.Elicitation{Message: "m", RawSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"object"}}}`)},
		"over the limit":      core.Elicitation{Message: "m", RawSchema: json.RawMessage(`{"type":"object","properties":{},"title":"` + strings.Repeat("x", 16<<10) + `"}`)},
		"the scheme \"file\"": core.URLElicitation{Message: "m", URL: "file:///etc/passwd"},
		"needs a message":     core.URLElicitation{URL: "https://example.com"},
	}
	for words, question := range questions {
		synctest.Test(t, func(t *testing.T) {
			served := aspect(core.Tool{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				return call.RequireInput(core.Inputs{"art": sampling(), "q": question}, nil)
			}})
			hosts := hosted(served)
			c := under(t, "2025-11-25", served)
			c.send(call(1, "ask"))
			c.wantToolError("1", words)
			if _, err := (<-hosts).Ask(context.Background(), core.Inputs{"art": sampling(), "q": question}); err == nil || !strings.Contains(err.Error(), words) {
				t.Errorf("Ask gave %v, want an error with %q", err, words)
			}
			c.wantNothing()
			c.wantEnd()
		})
	}
}

func TestAskWithAForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := under(t, "2025-11-25", served)
		c.send(ping(0))
		c.wantIDs("0")
		host := <-hosts
		type outcome struct {
			content string
			err     error
		}
		ask := func(content string) outcome {
			outcomes := make(chan outcome, 1)
			go func() {
				answers, err := host.Ask(context.Background(), core.Inputs{"form": core.Elicitation{Message: "Who?", RawSchema: json.RawMessage(person)}})
				outcomes <- outcome{answers["form"].Content().Raw, err}
			}()
			c.send(accepted(c.asked(person), content))
			return <-outcomes
		}
		const want = `{"age":1,"name":"Eric","size":"l","news":false}`
		if got := ask(`{"age":1,"name":"Eric"}`); got != (outcome{content: want}) {
			t.Errorf("Ask gave %+v, want %s", got, want)
		}
		for _, bad := range badPersons {
			if got := ask(bad.content); got.err == nil || !strings.Contains(got.err.Error(), bad.words) {
				t.Errorf("Ask, answered with %s, gave %+v, want an error with %q", bad.content, got, bad.words)
			}
		}
		c.wantEnd()
	})
}

func TestAnswersToAPage(t *testing.T) {
	served := aspect(core.Tool{Name: "page", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		if answer, given := call.Input("page"); given {
			return core.Text(answer.Action()), nil
		}
		return call.RequireInput(core.Inputs{"page": core.URLElicitation{Message: "Sign in.", URL: "https://example.com/"}}, nil)
	}})
	synctest.Test(t, func(t *testing.T) {
		c := under(t, "2025-11-25", served)
		for i, test := range []struct {
			answer string
			want   error
		}{
			{`{"action":"accept"}`, nil},
			{`{"action":"accept","content":{"a":1}}`, nil},
			{`{"action":"done"}`, errors.New(`its action is "done"`)},
			{`{}`, errors.New("malformed")},
			{`{"action":"cancel"}`, errors.New("refused")},
		} {
			c.send(call(i, "page"))
			id := c.wantMethod("elicitation/create").Get("id").Raw
			c.send(`{"jsonrpc":"2.0","id":` + id + `,"result":` + test.answer + `}`)
			if test.want == nil {
				c.wantText(fmt.Sprint(i), "accept")
			} else {
				c.wantToolError(fmt.Sprint(i), test.want.Error())
			}
		}
		c.wantEnd()
	})
}
