package toolserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// base makes a server called "test".
func base(t testing.TB, tools ...toolserver.Tool) *toolserver.Base {
	t.Helper()
	made, err := toolserver.NewBase("test", tools...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

type execute = func(context.Context, toolserver.Arguments) (toolserver.Outcome, error)

// named makes a tool without arguments.
func named(name string, run execute) toolserver.Tool {
	return toolserver.Tool{Definition: toolserver.Definition{Name: name, Description: "The tool " + name + "."}, Execute: run}
}

// gives makes an Execute that gives a text, with directives.
func gives(text string, directives ...toolserver.Directive) execute {
	return func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) {
		return toolserver.Text(text, directives...), nil
	}
}

// echo gives its arguments as they came.
func echo(_ context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	return toolserver.Text(arguments.JSON()), nil
}

func anchoredOn(key func(toolserver.Arguments) string, tool toolserver.Tool) toolserver.Tool {
	tool.AnchorKey = key
	return tool
}

func pathOf(arguments toolserver.Arguments) string { return arguments.Value("path").Str }

func wantResponse(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("the response is\n got %s\nwant %s", got, want)
	}
}

// TestDefaults: a concrete server that overrides nothing.
func TestDefaults(t *testing.T) {
	var server toolserver.Server = base(t)
	if got := server.Name(); got != "test" {
		t.Errorf("Name is %q, want %q", got, "test")
	}
	if got := server.ListTools(); got != "[]" {
		t.Errorf("ListTools of nothing is %s, want []", got)
	}
	if got := server.PermissionPattern("test.read", `{"path":"a"}`); got != "test.read" {
		t.Errorf("PermissionPattern is %q, want the qualified name as it is", got)
	}
	if server.SkipDuplicateCheck("read") {
		t.Error("SkipDuplicateCheck is true, want false for every tool")
	}
	if err := server.Configure(`{"any":"thing"}`); err != nil {
		t.Errorf("Configure: %v, want nil", err)
	}
	if err := server.SetWorkingDir("/anywhere"); err != nil {
		t.Errorf("SetWorkingDir: %v, want nil", err)
	}
	if got := server.Registry().Len(); got != 0 {
		t.Errorf("the registry has %d tools, want none", got)
	}
	if got := toolserver.Qualified(server, "read"); got != "test.read" {
		t.Errorf("Qualified is %q, want test.read", got)
	}
}

func TestNewBaseRefusesNames(t *testing.T) {
	for _, name := range []string{"", "a.b", "a b", "ä", strings.Repeat("x", 129)} {
		if _, err := toolserver.NewBase(name); err == nil {
			t.Errorf("NewBase(%.20q) gave no error", name)
		}
	}
}

// TestListTools: name, description and inputSchema, in the order of
// registration, of what was registered later as well.
func TestListTools(t *testing.T) {
	server := base(t,
		toolserver.Tool{Definition: toolserver.Definition{
			Name: "zebra", Description: "Says \"z\".\nLoudly.", Title: "not listed",
			Input: core.Object(core.String("path", "Where").Required()),
		}, Execute: echo},
		toolserver.Tool{Definition: toolserver.Definition{
			Name: "ant", Input: toolserver.RawSchema(json.RawMessage("{ \"type\": \"object\",\n\"x\": 1.0 }"), nil),
		}, Execute: echo},
	)
	want := `[{"name":"zebra","description":"Says \"z\".\nLoudly.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where"}},"required":["path"]}},` +
		`{"name":"ant","description":"","inputSchema":{"type":"object","x":1.0}}`
	if got := server.ListTools(); got != want+"]" {
		t.Errorf("ListTools:\n got %s\nwant %s]", got, want)
	}
	if err := server.RegisterTool(named("later", echo)); err != nil {
		t.Fatal(err)
	}
	want += `,{"name":"later","description":"The tool later.","inputSchema":{"type":"object","properties":{}}}]`
	if got := server.ListTools(); got != want {
		t.Errorf("ListTools after a registration:\n got %s\nwant %s", got, want)
	}
}

func TestRegistry(t *testing.T) {
	read := named("read", echo)
	read.Access = toolserver.Read
	server := base(t, named("write", echo), read)
	registry := server.Registry()
	var names []string
	for tool := range registry.All() {
		names = append(names, tool.Definition.Name+" "+tool.Access.String())
		if len(names) == 1 {
			if err := server.RegisterTool(named("meanwhile", echo)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []string{"write write", "read read"}; !slices.Equal(names, want) {
		t.Errorf("All gave %q, want %q", names, want)
	}
	for range registry.All() {
		break
	}
	if tool, found := registry.Tool("meanwhile"); !found || tool.Definition.Name != "meanwhile" || registry.Len() != 3 {
		t.Errorf("Tool(meanwhile) = %q, %t, among %d, want it found among 3", tool.Definition.Name, found, registry.Len())
	}
	if _, found := registry.Tool("test.read"); found {
		t.Error("Tool finds a qualified name, want local ones alone")
	}
}

func TestRegisterToolRefuses(t *testing.T) {
	defined := func(definition toolserver.Definition) toolserver.Tool {
		return toolserver.Tool{Definition: definition, Execute: echo}
	}
	server := base(t, named("taken", gives("the first")))
	for _, test := range []struct {
		name string
		tool toolserver.Tool
		want string
	}{
		{"taken name", named("taken", echo), `tool "taken": there is one of that name already`},
		{"no name", named("", echo), `tool "": the name is not`},
		{"space in the name", named("a b", echo), `tool "a b": the name is not`},
		{"long name", named(strings.Repeat("x", 129), echo), "the name is not"},
		{"no Execute", named("x", nil), `tool "x": it has no Execute`},
		{"title", defined(toolserver.Definition{Name: "x", Title: "a\nb"}), "the title has a line break"},
		{"no object schema", defined(toolserver.Definition{Name: "x", Input: toolserver.RawSchema(json.RawMessage(`{"type":"string"}`), nil)}), `the input schema: it has no "type":"object"`},
		{"no JSON schema", defined(toolserver.Definition{Name: "x", Input: toolserver.RawSchema(json.RawMessage(`{`), nil)}), "the input schema: invalid JSON"},
		{"list for a schema", defined(toolserver.Definition{Name: "x", Input: toolserver.RawSchema(json.RawMessage(`[]`), nil)}), "the input schema: it is no JSON object"},
		{"schema builder", defined(toolserver.Definition{Name: "x", Input: core.Object(core.String("", ""))}), "the input schema"},
		{"output", defined(toolserver.Definition{Name: "x", Output: json.RawMessage(`1`)}), "the output schema: it is no JSON object"},
		{"meta", defined(toolserver.Definition{Name: "x", Meta: json.RawMessage(`[]`)}), "_meta: it is no JSON object"},
		{"icon", defined(toolserver.Definition{Name: "x", Icons: []core.Icon{{}}}), "icon 1 has no source"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := server.RegisterTool(test.tool); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("RegisterTool gave %v, want an error with %q", err, test.want)
			}
			if _, err := toolserver.NewBase("new", named("taken", echo), test.tool); err == nil {
				t.Error("NewBase gave no error")
			}
		})
	}
	if got := server.Registry().Len(); got != 1 {
		t.Errorf("the registry has %d tools, want the first one alone", got)
	}
	wantResponse(t, server.Execute(t.Context(), "taken", ""), `{"result":"the first","directives":[]}`)
}

// notObjects are arguments that Execute takes for {}.
var notObjects = []string{
	"", " \n", "null", `"text"`, "[]", `[{"a":1}]`, "1", "true", "{", `{"a":}`, `{"a":1}}`, `{"a":1} x`, `{"a":1},"b":{"c":2}`, `{}},"x":{"y":{}`,
	"{'a':1}", "nonsense", "{\"a\":\"\xff\"}", strings.Repeat(`{"a":`, 9_999) + "1" + strings.Repeat("}", 9_999), "\ufeff{}", "\u00a0{}",
}

func TestExecuteNormalisesArguments(t *testing.T) {
	server := base(t, named("echo", echo))
	for _, arguments := range notObjects {
		if got := server.Execute(t.Context(), "echo", arguments); got != `{"result":"{}","directives":[]}` {
			t.Errorf("Execute with the arguments %.60q gave %s, want them taken for {}", arguments, got)
		}
	}
	deep := strings.Repeat(`{"a":`, 9_998) + "1" + strings.Repeat("}", 9_998)
	for arguments, want := range map[string]string{
		`{}`:                          `{}`,
		" \t\r\n{\"a\" : 1.0 }\n":     `{"a" : 1.0 }`,
		`{"a":1,"b":2,"a":3}`:         `{"a":3,"b":2}`,
		`{"a":1,"\u0061":2}`:          `{"a":2}`,
		`{"_meta":{},"arguments":{}}`: `{"_meta":{},"arguments":{}}`,
		deep:                          deep,
	} {
		response, err := toolserver.ParseResponse(server.Execute(t.Context(), "echo", arguments))
		if err != nil || response.Result != want {
			t.Errorf("Execute with the arguments %s gave %q, %v, want %q", arguments, response.Result, err, want)
		}
	}
}

// silent is an error without words, and broken one whose words panic.
type (
	silent struct{}
	broken struct{}
)

func (silent) Error() string { return "" }

func (*broken) Error() string { panic("no words") }

// TestExecuteFailures: whatever goes wrong is the same envelope with the reason,
// no directives and no anchor.
func TestExecuteFailures(t *testing.T) {
	fails := func(err error) execute {
		return func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) {
			return toolserver.Text("not seen", toolserver.StopProcessing()), err
		}
	}
	panics := func(value any) execute {
		return func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) { panic(value) }
	}
	for _, test := range []struct {
		name, want string
		run        execute
	}{
		{"error", `no such file: \"a\"`, fails(errors.New(`no such file: "a"`))},
		{"wrapped error", "reading: unexpected", fails(fmt.Errorf("reading: %w", errors.New("unexpected")))},
		{"error without words", "it does not say why", fails(silent{})},
		{"error that panics", "the tool x failed unexpectedly: no words", fails((*broken)(nil))},
		{"outcome that is an error", "it says so itself", func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) {
			return toolserver.Outcome{Result: "it says so itself", IsError: true, Directives: []toolserver.Directive{toolserver.StopProcessing()}}, nil
		}},
		{"panic", "the tool x failed unexpectedly: boom", panics("boom")},
		{"panic of an error", "the tool x failed unexpectedly: boom", panics(errors.New("boom"))},
		{"panic with nil", "the tool x failed unexpectedly: panic called with nil argument", panics(nil)},
		{"long panic", "the tool x failed unexpectedly: " + strings.Repeat("x", 1000) + "…", panics(strings.Repeat("x", 5000))},
		{"panic of the runtime", "the tool x failed unexpectedly: runtime error: integer divide by zero", func(_ context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
			return toolserver.Text(fmt.Sprint(1 / arguments.Value("nope").Int())), nil
		}},
		{"Goexit", "the tool x ended without an answer", func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) {
			runtime.Goexit()
			return toolserver.Outcome{}, nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := base(t, anchoredOn(pathOf, named("x", test.run)))
			wantResponse(t, server.Execute(t.Context(), "x", `{"path":"a"}`), `{"result":"`+test.want+`","directives":[],"is_error":true}`)
		})
	}
}

func TestExecuteUnknownTool(t *testing.T) {
	server := base(t, named("echo", echo))
	for tool, want := range map[string]string{
		"nope":                    `there is no tool \"nope\" in the server \"test\"`,
		"test.echo":               `there is no tool \"test.echo\" in the server \"test\"`,
		"":                        `there is no tool \"\" in the server \"test\"`,
		strings.Repeat("x", 5000): `there is no tool \"` + strings.Repeat("x", 1000) + `…\" in the server \"test\"`,
	} {
		wantResponse(t, server.Execute(t.Context(), tool, "{}"), `{"result":"`+want+`","directives":[],"is_error":true}`)
	}
}

func TestExecuteRefusesHugeArguments(t *testing.T) {
	server := base(t, named("echo", echo))
	response, err := toolserver.ParseResponse(server.Execute(t.Context(), "echo", strings.Repeat(" ", 64<<20+1)))
	if err != nil || !response.IsError || !strings.Contains(response.Result, "more than the 67108864") {
		t.Errorf("Execute with too long arguments gave %+v, %v, want an error that says so", response, err)
	}
}

// TestExecuteAnchors: a success of a tool with an anchor key gets a
// ContextAnchor behind its own directives.
func TestExecuteAnchors(t *testing.T) {
	shared := make([]toolserver.Directive, 1, 10)
	shared[0] = toolserver.StopProcessing()
	server := base(t,
		anchoredOn(pathOf, named("read", gives("text"))),
		anchoredOn(pathOf, named("stop", gives("text", shared...))),
		anchoredOn(func(toolserver.Arguments) string { panic("no key") }, named("broken", gives("text", toolserver.StopProcessing()))),
		named("plain", gives("text", toolserver.PhaseChange("plan"))),
	)
	for _, test := range []struct{ tool, arguments, want string }{
		{"read", `{"path":"a\nb"}`, `{"result":"text","directives":[{"type":"context_anchor","key":"a\nb"}]}`},
		{"read", `{"path":"a","path":"b"}`, `{"result":"text","directives":[{"type":"context_anchor","key":"b"}]}`},
		{"read", `{"path":""}`, `{"result":"text","directives":[]}`},
		{"read", `null`, `{"result":"text","directives":[]}`},
		{"stop", `{"path":"a"}`, `{"result":"text","directives":[{"type":"stop_processing"},{"type":"context_anchor","key":"a"}]}`},
		{"broken", `{"path":"a"}`, `{"result":"the tool broken failed unexpectedly: no key","directives":[],"is_error":true}`},
		{"plain", `{"path":"a"}`, `{"result":"text","directives":[{"type":"phase_change","phase":"plan"}]}`},
	} {
		wantResponse(t, server.Execute(t.Context(), test.tool, test.arguments), test.want)
	}
	if got := shared[:2][1].JSON(); got != "{}" {
		t.Errorf("the anchor %s was written into the tool's own list of directives", got)
	}
}

func TestExecuteHonoursItsContext(t *testing.T) {
	ran := false
	server := base(t,
		named("never", func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) {
			ran = true
			return toolserver.Outcome{}, nil
		}),
		named("waits", func(ctx context.Context, _ toolserver.Arguments) (toolserver.Outcome, error) {
			toolserver.Progress(ctx, 1, 0, "begun")
			<-ctx.Done()
			return toolserver.Outcome{}, ctx.Err()
		}),
	)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	wantResponse(t, server.Execute(ended, "never", "{}"), `{"result":"the call of never was not begun: context canceled","directives":[],"is_error":true}`)
	if ran {
		t.Error("a tool ran though the context had ended")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx = toolserver.WithProgress(ctx, func(float64, float64, string) { cancel() })
	wantResponse(t, server.Execute(ctx, "waits", "{}"), `{"result":"context canceled","directives":[],"is_error":true}`)
}

func TestResultsAreValidUTF8(t *testing.T) {
	server := base(t, anchoredOn(pathOf, named("x", gives("a\xffb", toolserver.PhaseChange("\xc0")))))
	wantResponse(t, server.Execute(t.Context(), "x", `{"path":"p"}`),
		"{\"result\":\"a\ufffdb\",\"directives\":[{\"type\":\"phase_change\",\"phase\":\"\ufffd\"},{\"type\":\"context_anchor\",\"key\":\"p\"}]}")
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	server := base(t, anchoredOn(pathOf, named("echo", echo)))
	var working sync.WaitGroup
	for worker := range 8 {
		working.Go(func() {
			for i := range 50 {
				tool := fmt.Sprintf("tool%d_%d", worker, i)
				if err := server.RegisterTool(named(tool, gives(tool))); err != nil {
					t.Error(err)
				}
				wantResponse(t, server.Execute(t.Context(), tool, ""), `{"result":"`+tool+`","directives":[]}`)
				wantResponse(t, server.Execute(t.Context(), "echo", `{"path":"a"}`), `{"result":"{\"path\":\"a\"}","directives":[{"type":"context_anchor","key":"a"}]}`)
				if !strings.Contains(server.ListTools(), `"`+tool+`"`) {
					t.Errorf("ListTools does not have %s, which was registered", tool)
				}
			}
		})
	}
	working.Wait()
	if got := server.Registry().Len(); got != 401 {
		t.Errorf("the registry has %d tools, want 401", got)
	}
}

func TestPanicReport(t *testing.T) {
	server := base(t, named("x", func(context.Context, toolserver.Arguments) (toolserver.Outcome, error) { panic("boom") }))
	var got string
	ctx := toolserver.WithPanicReport(t.Context(), func(tool string, value any, stack []byte) {
		got = fmt.Sprint(tool, " ", value, strings.Contains(string(stack), "TestPanicReport"))
		panic("the report panics too")
	})
	wantResponse(t, server.Execute(ctx, "x", "{}"), `{"result":"the tool x failed unexpectedly: boom","directives":[],"is_error":true}`)
	if want := "x boomtrue"; got != want {
		t.Errorf("the report got %q, want %q: tool, value and stack", got, want)
	}
}

func TestProgressWithoutAnybody(t *testing.T) {
	toolserver.Progress(t.Context(), 1, 2, "nobody") // must not panic
	var got []string
	ctx := toolserver.WithProgress(t.Context(), func(done, total float64, message string) {
		got = append(got, fmt.Sprint(done, total, message))
	})
	toolserver.Progress(ctx, 1, 2, "half")
	if want := []string{"1 2half"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Progress told %q, want %q", got, want)
	}
}

// custom overrides all that can be.
type custom struct {
	*toolserver.Base
	configured, folder string
}

func (c *custom) Name() string { return "custom" }

func (c *custom) ListTools() string {
	return `[{"name":"shown","description":"overridden","inputSchema":{"type":"object","required":["path"]}}]`
}

func (c *custom) Execute(ctx context.Context, tool, arguments string) string {
	if tool == "shown" {
		tool = "hidden"
	}
	return strings.Replace(c.Base.Execute(ctx, tool, arguments), "secret", "******", 1)
}

func (c *custom) PermissionPattern(qualifiedTool, arguments string) string {
	return qualifiedTool + ":" + toolserver.ParseArguments(arguments).Value("path").Str
}

func (c *custom) SkipDuplicateCheck(tool string) bool { return tool == "always" }

func (c *custom) Configure(configuration string) error {
	c.configured = configuration
	return nil
}

func (c *custom) SetWorkingDir(path string) error {
	c.folder = path
	return errors.New("there is no " + path)
}

// TestOverridesTakeEffect: through the interface that a host holds, and in all
// that takes a Server.
func TestOverridesTakeEffect(t *testing.T) {
	own := &custom{Base: base(t, named("hidden", gives("the secret")))}
	var server toolserver.Server = own
	if got := toolserver.Qualified(server, "x"); got != "custom.x" {
		t.Errorf("Qualified is %q, want the overridden name in it", got)
	}
	if !strings.Contains(server.ListTools(), "overridden") {
		t.Errorf("ListTools is %s, want the override's", server.ListTools())
	}
	wantResponse(t, server.Execute(t.Context(), "shown", "{}"), `{"result":"the ******","directives":[]}`)
	if got := server.PermissionPattern("custom.x", `{"path":"p"}`); got != "custom.x:p" {
		t.Errorf("PermissionPattern is %q, want the override's", got)
	}
	if !server.SkipDuplicateCheck("always") || server.SkipDuplicateCheck("shown") {
		t.Error("SkipDuplicateCheck is not the override's")
	}
	if err := server.Configure("{}"); err != nil || own.configured != "{}" {
		t.Errorf("Configure: %v, and the override saw %q", err, own.configured)
	}
	if err := server.SetWorkingDir("/x"); err == nil || own.folder != "/x" {
		t.Errorf("SetWorkingDir: %v, and the override saw %q", err, own.folder)
	}

	var permissions toolserver.Permissions
	if err := permissions.Remember(server, "x", `{"path":"p"}`, toolserver.Allowed); err != nil {
		t.Fatal(err)
	}
	if got := permissions.Decide(server, "x", `{"path":"q"}`); got != toolserver.Undecided {
		t.Errorf("Decide for another path is %s, want undecided: the override's pattern has the path", got)
	}
	var duplicates toolserver.Duplicates
	for range 2 {
		if got := duplicates.Record(server, "always", "{}"); got != (toolserver.Repetition{}) {
			t.Errorf("Record of a tool that the override skips gave %+v", got)
		}
	}
}

// TestBaseCallsNoOverride: an override never runs because of another method,
// which an author could not foresee.
func TestBaseCallsNoOverride(t *testing.T) {
	trap := &trapped{Base: base(t, anchoredOn(pathOf, named("x", echo)))}
	server := toolserver.Server(trap)
	server.Execute(t.Context(), "x", `{"path":"a"}`)
	server.ListTools()
	if err := server.RegisterTool(named("y", echo)); err != nil {
		t.Fatal(err)
	}
	if len(trap.calls) > 0 {
		t.Errorf("Base called %q behind the embedder's back", trap.calls)
	}
}

type trapped struct {
	*toolserver.Base
	calls []string
}

func (s *trapped) Name() string { s.calls = append(s.calls, "Name"); return s.Base.Name() }

func (s *trapped) PermissionPattern(tool, arguments string) string {
	s.calls = append(s.calls, "PermissionPattern")
	return s.Base.PermissionPattern(tool, arguments)
}

func (s *trapped) SkipDuplicateCheck(tool string) bool {
	s.calls = append(s.calls, "SkipDuplicateCheck")
	return s.Base.SkipDuplicateCheck(tool)
}

func (s *trapped) Registry() *toolserver.Registry {
	s.calls = append(s.calls, "Registry")
	return s.Base.Registry()
}
