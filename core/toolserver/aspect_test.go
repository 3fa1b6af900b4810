package toolserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/jsonschema"
	"mcpserver/core/server"
	"mcpserver/core/toolserver"
)

const newestLegacy = "2025-11-25"

// requiring makes a tool that needs a path.
func requiring(name string, access toolserver.Access, run execute) toolserver.Tool {
	return toolserver.Tool{
		Definition: toolserver.Definition{Name: name, Input: core.Object(core.String("path", "Where").Required(), core.Integer("n", "How many").Minimum(1))},
		Access:     access, Execute: run,
	}
}

func TestAspectIdentity(t *testing.T) {
	plain := toolserver.Aspect(base(t), nil)
	if plain.Name != "MCPServer_test" || plain.Version != "0.0.0" {
		t.Errorf("without options it is %q %q, want MCPServer_test 0.0.0", plain.Name, plain.Version)
	}
	own := toolserver.Aspect(base(t, named("b", echo)), &toolserver.Options{Aspect: core.Aspect{
		Name: "MCPServer_own", Version: "2", Title: "Own", Asynchronous: true,
		Tools: []core.Tool{{Name: "a", Handler: func(context.Context, *core.Call) (core.Result, error) { return core.Text("own"), nil }}},
	}})
	if own.Name != "MCPServer_own" || own.Version != "2" || own.Title != "Own" || !own.Asynchronous {
		t.Errorf("the options' aspect became %+v", own)
	}
	if err := core.Validate(own); err != nil {
		t.Error(err)
	}
	c := ready(t, own, newestLegacy, `{}`)
	if got := names(c.list()); got != "a b" {
		t.Errorf("the tools are %q, want the aspect's own before the server's", got)
	}
	wantJSON(t, "the aspect's own tool", c.call("a", `{}`).Get("content.0.text"), `"own"`)
}

// TestAspectLists: definitions with what their access means.
func TestAspectLists(t *testing.T) {
	own := base(t,
		requiring("read", toolserver.Read, echo),
		requiring("write", toolserver.Write, echo),
		toolserver.Tool{Definition: toolserver.Definition{
			Name: "append", Title: "Append", Description: "Two\nlines.", Input: toolserver.RawSchema(json.RawMessage(`{"type":"object","$comment":"as it is"}`), nil),
			Output: json.RawMessage(`{"type":"object"}`), Meta: json.RawMessage(`{"a":1}`), Icons: []core.Icon{{Source: "data:,x"}},
			Annotations: &core.ToolAnnotations{Title: "T", ReadOnlyHint: core.Hint(true), DestructiveHint: core.Hint(false), IdempotentHint: core.Hint(true)},
		}, Execute: echo},
	)
	input := `{"type":"object","properties":{"path":{"type":"string","description":"Where"},"n":{"type":"integer","description":"How many","minimum":1}},"required":["path"]}`
	for version, want := range map[string][]string{
		newestLegacy: {
			`{"name":"read","inputSchema":` + input + `,"annotations":{"readOnlyHint":true}}`,
			`{"name":"write","inputSchema":` + input + `,"annotations":{"readOnlyHint":false,"destructiveHint":true}}`,
			`{"name":"append","title":"Append","description":"Two\nlines.","icons":[{"src":"data:,x"}],"inputSchema":{"type":"object","$comment":"as it is"},` +
				`"annotations":{"title":"T","readOnlyHint":false,"destructiveHint":false,"idempotentHint":true},"_meta":{"a":1},"outputSchema":{"type":"object"}}`,
		},
		"2024-11-05": {
			`{"name":"read","inputSchema":` + input + `}`,
			`{"name":"write","inputSchema":` + input + `}`,
			`{"name":"append","description":"Two\nlines.","inputSchema":{"type":"object","$comment":"as it is"}}`,
		},
	} {
		tools := ready(t, toolserver.Aspect(own, nil), version, `{}`).list()
		if len(tools) != len(want) {
			t.Fatalf("%s: %d tools, want %d", version, len(tools), len(want))
		}
		for i, tool := range tools {
			wantJSON(t, version+": the definition", tool, want[i])
		}
	}
}

// TestAspectChecksArguments: what does not fit never reaches Execute.
func TestAspectChecksArguments(t *testing.T) {
	ran := 0
	counted := func(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
		ran++
		return echo(ctx, arguments)
	}
	raw := requiring("raw", toolserver.Read, counted)
	raw.Definition.Input = toolserver.RawSchema(json.RawMessage(`{"type":"object","required":["any","path"],"properties":{
		"any":{},"path":{"type":"string"},"n":{"type":"integer"},"list":{"type":"array"},"flag":{"type":"boolean"},"x":{"type":"number"},"o":{"type":"object"}},
		"additionalProperties":false}`), nil)
	closed := requiring("closed", toolserver.Read, counted)
	closed.Definition.Input = toolserver.RawSchema(json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`), nil)
	c := ready(t, toolserver.Aspect(base(t, requiring("built", toolserver.Read, counted), raw, closed), nil), newestLegacy, `{}`)
	for _, test := range []struct{ tool, arguments, want string }{
		{"built", `{}`, `{"code":-32602,"message":"Invalid Params [Missing parameter: path]"}`},
		{"built", `{"path":1}`, "path"},
		{"built", `{"path":"a","n":0}`, "n"},
		{"raw", `{"path":"a"}`, `{"code":-32602,"message":"Invalid Params [Missing parameter: any]"}`},
		{"raw", `{"any":1}`, `{"code":-32602,"message":"Invalid Params [Missing parameter: path]"}`},
		{"raw", `{"any":1,"path":null}`, "path"},
		{"raw", `{"any":1,"path":2,"n":0.5,"list":{},"flag":0,"x":"1","o":[]}`, "path; n; list; flag; x; o"},
		{"closed", `{"path":"a","more":1}`, "more"},
		{"nope", `{}`, `{"code":-32602,"message":"Invalid Params [Unknown tool: nope]"}`},
	} {
		got := c.call(test.tool, test.arguments)
		if strings.HasPrefix(test.want, "{") {
			wantJSON(t, test.tool+test.arguments, got, test.want)
			continue
		}
		text := got.Get("content.0.text").Str
		for _, name := range strings.Split(test.want, "; ") {
			if !got.Get("isError").Bool() || !strings.Contains(text, name) || !strings.HasPrefix(text, "the arguments do not fit: ") {
				t.Errorf("%s%s gave %s, want a tool error that names %s", test.tool, test.arguments, got.Raw, name)
			}
		}
	}
	if ran != 0 {
		t.Errorf("Execute ran %d times for arguments that do not fit", ran)
	}
	wantJSON(t, "what fits", c.call("raw", `{"any":[],"path":"a","n":2.0}`), `{"content":[{"type":"text","text":"{\"any\":[],\"path\":\"a\",\"n\":2.0}"}]}`)
}

// TestAspectValidator: a validator from outside serves raw schemas that have
// none of their own.
func TestAspectValidator(t *testing.T) {
	strict := core.ClosedObject(core.String("mode", "").OneOf("a"))
	var compiled []string
	options := &toolserver.Options{Validator: func(schema string) core.Schema {
		compiled = append(compiled, schema)
		if strings.Contains(schema, "broken") {
			return jsonschema.Raw(`{"type":"object","required":1}`)
		}
		return strict
	}}
	raw, own := named("raw", echo), named("own", echo)
	raw.Definition.Input = toolserver.RawSchema(json.RawMessage(`{"type":"object","x":1}`), nil)
	own.Definition.Input = toolserver.RawSchema(json.RawMessage(`{"type":"object","x":2}`), core.Object(core.String("mode", "").OneOf("b")))
	served := base(t, raw, own, named("built", echo))
	aspect := toolserver.Aspect(served, options)
	c := ready(t, aspect, newestLegacy, `{}`)
	for _, test := range []struct {
		tool, mode string
		want       bool
	}{
		{"raw", "a", true}, {"raw", "b", false}, {"own", "a", false}, {"own", "b", true}, {"built", "c", true},
	} {
		if got := c.call(test.tool, `{"mode":"`+test.mode+`"}`); got.Get("isError").Bool() == test.want {
			t.Errorf("%s with mode %s gave %s, want it accepted: %t", test.tool, test.mode, got.Raw, test.want)
		}
	}
	wantJSON(t, "the schema as it is listed", c.list()[0].Get("inputSchema"), `{"type":"object","x":1}`)
	if len(compiled) != 1 || compiled[0] != `{"type":"object","x":1}` {
		t.Errorf("the validator was made for %q, want the one schema without", compiled)
	}
	raw.Definition.Name, raw.Definition.Input = "bad", toolserver.RawSchema(json.RawMessage(`{"type":"object","broken":1}`), nil)
	if err := served.RegisterTool(raw); err != nil {
		t.Fatal(err)
	}
	if got := names(c.list()); got != "raw own built" {
		t.Errorf("the tools are %q, want the one without a validator left out", got)
	}
	err := server.Serve(t.Context(), toolserver.Aspect(served, options), strings.NewReader(""), io.Discard, nil)
	if err == nil || !strings.Contains(err.Error(), `the tool "bad": its input schema: required: must be an array`) {
		t.Errorf("serving a tool without a validator from the start gave %v", err)
	}
}

// plain is a concrete server that overrides nothing.
type plain struct{ *toolserver.Base }

// bothWays runs a test on a Base itself, of which no response is made, and on a
// server that has one, whose Execute makes a response.
func bothWays(t *testing.T, tools []toolserver.Tool, run func(t *testing.T, served toolserver.Server)) {
	t.Run("a Base", func(t *testing.T) { run(t, base(t, tools...)) })
	t.Run("a concrete server", func(t *testing.T) { run(t, plain{base(t, tools...)}) })
}

// TestAspectResults: what clients get of each kind of outcome.
func TestAspectResults(t *testing.T) {
	outcome := func(outcome toolserver.Outcome, err error) execute {
		return func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) { return outcome, err }
	}
	image := []core.Block{core.TextBlock{Text: "an image"}, core.ImageBlock{Data: []byte("x"), MIMEType: "image/png"}}
	structured := map[string]int{"n": 1}
	text, object := []core.Block{core.TextBlock{Text: "a <b>"}}, toolserver.TextObject{Name: "content", Text: "a <b>"}
	tools := []toolserver.Tool{
		anchoredOn(func(toolserver.Arguments) string { return "k" }, named("directives", gives("text", toolserver.StopProcessing()))),
		named("empty", gives("")),
		named("error", outcome(toolserver.Outcome{}, errors.New("no such file"))),
		named("error_of_protocol", outcome(toolserver.Outcome{}, core.InvalidParams("x"))),
		named("failed", outcome(toolserver.Outcome{Result: "unseen", Content: image, IsError: true}, nil)),
		named("panic", func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) { panic("boom") }),
		named("image", outcome(toolserver.Outcome{Result: "unseen", Content: image}, nil)),
		named("structured", outcome(toolserver.Outcome{Structured: structured}, nil)),
		named("structured_and_text", outcome(toolserver.Outcome{Result: "one", Structured: structured}, nil)),
		named("text_object", outcome(toolserver.Outcome{Result: "unseen", Content: text, Structured: object}, nil)),
	}
	want := map[string]string{
		"directives":          `{"content":[{"type":"text","text":"text"}]}`,
		"empty":               `{"content":[{"type":"text","text":""}]}`,
		"error":               `{"content":[{"type":"text","text":"no such file"}],"isError":true}`,
		"error_of_protocol":   `{"content":[{"type":"text","text":"Invalid Params [x] (-32602)"}],"isError":true}`,
		"failed":              `{"content":[{"type":"text","text":"an image"},{"type":"image","data":"eA==","mimeType":"image/png"}],"isError":true}`,
		"panic":               `{"content":[{"type":"text","text":"the tool panic failed unexpectedly: boom"}],"isError":true}`,
		"image":               `{"content":[{"type":"text","text":"an image"},{"type":"image","data":"eA==","mimeType":"image/png"}]}`,
		"structured":          `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`,
		"structured_and_text": `{"content":[{"type":"text","text":"one"}],"structuredContent":{"n":1}}`,
		"text_object":         `{"content":[{"type":"text","text":"a <b>"}],"structuredContent":{"content":"a \u003cb\u003e"}}`,
	}
	bothWays(t, tools, func(t *testing.T, served toolserver.Server) {
		c := ready(t, toolserver.Aspect(served, nil), newestLegacy, `{}`)
		for tool, want := range want {
			wantJSON(t, tool, c.call(tool, `{}`), want)
		}
		trace := c.call("readTrace", `{}`).Get("content.0.text").Str
		if !strings.Contains(trace, "the tool panic panicked: boom") || !strings.Contains(trace, "aspect_test.go") {
			t.Errorf("the trace does not have the stack of the panic:\n%s", trace)
		}
	})
}

// TestAspectSeesOverrides: of ListTools and Execute, and an answer that an
// override has made hides what Base knew of it.
func TestAspectSeesOverrides(t *testing.T) {
	hidden := func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) {
		return toolserver.Outcome{Result: "the secret", Content: []core.Block{core.TextBlock{Text: "the secret in full"}}}, nil
	}
	aspect := toolserver.Aspect(&custom{Base: base(t, named("hidden", hidden))}, nil)
	if aspect.Name != "MCPServer_custom" {
		t.Errorf("the aspect is called %q, want the overridden name in it", aspect.Name)
	}
	c := ready(t, aspect, newestLegacy, `{}`)
	tools := c.list()
	if len(tools) != 1 {
		t.Fatalf("the tools are %q, want the one that the override lists", names(tools))
	}
	wantJSON(t, "the definition", tools[0], `{"name":"shown","description":"overridden","inputSchema":{"type":"object","required":["path"]},"annotations":{"readOnlyHint":false,"destructiveHint":true}}`)
	wantJSON(t, "the overridden schema", c.call("shown", `{}`).Get("code"), `-32602`)
	wantJSON(t, "the overridden answer", c.call("shown", `{"path":"a"}`), `{"content":[{"type":"text","text":"the ******"}]}`)
	wantJSON(t, "a tool that is not listed", c.call("hidden", `{}`).Get("code"), `-32602`)
}

// rambling answers what is no response.
type rambling struct{ *toolserver.Base }

func (rambling) Execute(context.Context, string, string) string { return "oops" }

func TestAspectOfAnswersThatAreNone(t *testing.T) {
	c := ready(t, toolserver.Aspect(rambling{base(t, named("x", echo))}, nil), newestLegacy, `{}`)
	if got := c.call("x", `{}`); !got.Get("isError").Bool() || !strings.Contains(got.Raw, "is no envelope") {
		t.Errorf("an answer that is no response came out as %s, want a tool error", got.Raw)
	}
}

// mute lists what is no list.
type mute struct{ *toolserver.Base }

func (mute) ListTools() string { return "oops" }

func TestAspectOfListsThatAreNone(t *testing.T) {
	err := server.Serve(t.Context(), toolserver.Aspect(mute{base(t)}, nil), strings.NewReader(""), io.Discard, nil)
	if err == nil || !strings.Contains(err.Error(), `ListTools of the server "test"`) {
		t.Errorf("serving gave %v, want an error that names ListTools", err)
	}
}

func TestAspectKeepsTheOwnStartup(t *testing.T) {
	own := base(t)
	started := false
	aspect := toolserver.Aspect(own, &toolserver.Options{Aspect: core.Aspect{OnStartup: func(context.Context, core.Host) error {
		started = true
		return own.RegisterTool(named("at_start", echo))
	}}})
	c := ready(t, aspect, newestLegacy, `{}`)
	c.next("notifications/tools/list_changed")
	if got := names(c.list()); !started || got != "at_start" {
		t.Errorf("the own OnStartup ran: %t, and the tools are %q, want the one that it registered", started, got)
	}
	failing := toolserver.Aspect(own, &toolserver.Options{Aspect: core.Aspect{OnStartup: func(context.Context, core.Host) error {
		return errors.New("no disk")
	}}})
	if err := server.Serve(t.Context(), failing, strings.NewReader(""), io.Discard, nil); err == nil || !strings.Contains(err.Error(), "no disk") {
		t.Errorf("serving gave %v, want the error of the own OnStartup", err)
	}
}

// TestAspectShowsLaterTools: also those registered between making and serving,
// on each of two connections, and none twice.
func TestAspectShowsLaterTools(t *testing.T) {
	own := base(t, named("first", gives("1")))
	aspect := toolserver.Aspect(own, nil)
	if err := own.RegisterTool(named("between", gives("2"))); err != nil {
		t.Fatal(err)
	}
	clients := []*client{ready(t, aspect, newestLegacy, `{}`), ready(t, aspect, newestLegacy, `{}`)}
	for _, c := range clients {
		c.next("notifications/tools/list_changed") // of what came before the client
		if got := names(c.list()); got != "first between" {
			t.Errorf("the tools are %q, want first and between", got)
		}
	}
	// A built-in tool has this name, so that it cannot be served.
	for _, name := range []string{"later", "readTrace"} {
		registered := make(chan error, 1)
		go func() { registered <- own.RegisterTool(named(name, gives("3"))) }()
		if name == "later" {
			for _, c := range clients {
				c.next("notifications/tools/list_changed")
			}
		}
		if err := <-registered; err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range clients {
		if got := names(c.list()); got != "first between later" {
			t.Errorf("the tools are %q, want the later one too", got)
		}
		wantJSON(t, "the later tool", c.call("later", `{}`).Get("content.0.text"), `"3"`)
		if trace := c.call("readTrace", `{}`).Raw; !strings.Contains(trace, `left out of the tools: tool \"readTrace\"`) {
			t.Errorf("the trace does not name the tool that was left out: %s", trace)
		}
	}
}

func TestAspectProgress(t *testing.T) {
	c := ready(t, toolserver.Aspect(base(t, named("x", func(ctx context.Context, _ toolserver.Arguments) (toolserver.Outcome, error) {
		toolserver.Progress(ctx, 1, 2, "half")
		return toolserver.Text("done"), nil
	})), nil), newestLegacy, `{}`)
	c.send(callOf(1, "x", `{}`, `,"_meta":{"progressToken":"p"}`))
	wantJSON(t, "progress", c.next("notifications/progress").Get("params"), `{"progressToken":"p","progress":1,"total":2,"message":"half"}`)
	c.next("1")
}

// TestAspectCancellation: a cancellation reaches the context of Execute.
func TestAspectCancellation(t *testing.T) {
	ended := make(chan error, 1)
	c := ready(t, toolserver.Aspect(base(t,
		named("waits", func(ctx context.Context, _ toolserver.Arguments) (toolserver.Outcome, error) {
			toolserver.Progress(ctx, 1, 0, "begun")
			<-ctx.Done()
			ended <- ctx.Err()
			return toolserver.Outcome{}, ctx.Err()
		})), nil), newestLegacy, `{}`)
	c.send(callOf(1, "waits", `{}`, `,"_meta":{"progressToken":"p"}`))
	c.next("notifications/progress")
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the tool's context ended with %v, want it cancelled", err)
	}
	c.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	c.next("9") // and no answer to the cancelled call
}

const forms = `{"elicitation":{}}`

func TestAspectAsks(t *testing.T) {
	bothWays(t, []toolserver.Tool{named("touch", approving), named("name", naming)}, testAsking)
}

func testAsking(t *testing.T, served toolserver.Server) {
	c := ready(t, toolserver.Aspect(served, nil), newestLegacy, forms)
	answer := func(question, result string) {
		c.send(`{"jsonrpc":"2.0","id":` + question + `,"result":` + result + `}`)
	}
	yes, no := `{"action":"accept","content":{"approve":true}}`, `{"action":"accept","content":{"approve":false}}`

	c.send(callOf(1, "touch", `{}`, ""))
	question := c.next("elicitation/create")
	wantJSON(t, "the question", question.Get("params"), `{"message":"May it touch a?","requestedSchema":{"type":"object","properties":{"approve":{"type":"boolean","description":"Allow it"}},"required":["approve"]}}`)
	answer(question.Get("id").Raw, yes)
	question = c.next("elicitation/create")
	wantJSON(t, "the second question", question.Get("params.message"), `"May it touch b?"`)
	answer(question.Get("id").Raw, yes)
	wantJSON(t, "two yes", resultOf(c.next("1")), `{"content":[{"type":"text","text":"touched"}]}`)

	const refused = "touching: the person did not allow it: a"
	for refusal, want := range map[string]string{
		no: refused, `{"action":"decline"}`: refused, `{"action":"cancel"}`: refused,
		`{"action":"accept","content":{}}`: "the client's elicitation answer does not fit the form: approve: is required",
	} {
		c.send(callOf(1, "touch", `{}`, ""))
		answer(c.next("elicitation/create").Get("id").Raw, refusal)
		wantJSON(t, refusal, resultOf(c.next("1")), `{"content":[{"type":"text","text":"`+want+`"}],"isError":true}`)
	}

	c.send(callOf(1, "name", `{}`, ""))
	for range 2 {
		question := c.next("elicitation/create")
		name := map[string]string{"Which first name?": "Ada", "Which last name?": "Byron"}[question.Get("params.message").Str]
		answer(question.Get("id").Raw, `{"action":"accept","content":{"name":"`+name+`"}}`)
	}
	wantJSON(t, "two questions at once", resultOf(c.next("1")), `{"content":[{"type":"text","text":"[accept Ada][accept Byron]"}]}`)
}

// TestAspectWithoutForms: a client that cannot ask is a no, with the reason.
func TestAspectWithoutForms(t *testing.T) {
	aspect := toolserver.Aspect(base(t, named("touch", approving)), nil)
	for _, test := range []struct{ version, capabilities string }{
		{newestLegacy, `{}`},
		{newestLegacy, `{"elicitation":{"url":{}}}`},
		{newestLegacy, `{"elicitation":true}`},
		{"2025-03-26", forms},
	} {
		got := ready(t, aspect, test.version, test.capabilities).call("touch", `{}`)
		want := `{"content":[{"type":"text","text":"touching: the person cannot be asked: the client does not offer it (elicitation)"}],"isError":true}`
		wantJSON(t, test.version+" "+test.capabilities, got, want)
	}
}
