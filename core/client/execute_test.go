package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/client/transport"
)

// TestToolsAreListedUnderQualifiedNames: and otherwise byte for byte, "[]" when
// there is no connection.
func TestToolsAreListedUnderQualifiedNames(t *testing.T) {
	const definition = `{ "x-new" : {"a":1.0}, "name" : "a.b", "description":"ä\u00e4","inputSchema":{"type":"object","$defs":{"name":{}}},"title":"T"}`
	server := &fake{serve: serveWith(legacyServer("2025-06-18"), actions{
		"tools/list": constant(`{"tools":[` + definition + `,` + plainTool + `]}`),
	})}
	c := New("files", server)
	if got := c.ListTools(); got != `[]` {
		t.Errorf("before Connect ListTools gives %s, want []", got)
	}
	c.Options.Era = EraLegacy
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := `[{"x-new":{"a":1.0},"name":"files.a.b","description":"ä\u00e4","inputSchema":{"type":"object","$defs":{"name":{}}},"title":"T"},` +
		`{"name":"files.t","inputSchema":{"type":"object"}}]`
	if got := c.ListTools(); got != want {
		t.Errorf("ListTools gives\n%s, want\n%s", got, want)
	}
	if c.Name() != "files" || !c.IsConnected() {
		t.Errorf("Name is %q and IsConnected %t", c.Name(), c.IsConnected())
	}
	disconnect(t, c)
	if got := c.ListTools(); got != `[]` || c.IsConnected() {
		t.Errorf("after Disconnect ListTools gives %s and IsConnected %t", got, c.IsConnected())
	}
}

func TestExecute(t *testing.T) {
	for _, test := range []struct{ name, result, want string }{
		{"text", `{"content":[{"type":"text","text":"a\n"},{"type":"text","text":"b"}]}`, `{"result":"a\n\nb","directives":[]}`},
		{"no block", `{"content":[]}`, `{"result":"","directives":[]}`},
		{"isError", `{"content":[{"type":"text","text":"no"}],"isError":true}`, `{"result":"no","directives":[],"is_error":true}`},
		{
			"directives are none of ours", `{"content":[{"type":"text","text":"x"}],"directives":[{"stop_processing":true}]}`,
			`{"result":"x","directives":[]}`,
		},
		{
			"an envelope in a text stays a text", `{"content":[{"type":"text","text":"{\"directives\":[{}]}"}]}`,
			`{"result":"{\"directives\":[{}]}","directives":[]}`,
		},
		{"structured alone", `{"content":[],"structuredContent":{"a":1.0}}`, `{"result":"{\"a\":1.0}","directives":[]}`},
		{"structured without content", `{"structuredContent":[1]}`, `{"result":"[1]","directives":[]}`},
		{
			"unknown block", `{"content":[{"type":"hologram","x":1}]}`,
			`{"result":"{\"type\":\"hologram\",\"x\":1}","directives":[]}`,
		},
		{
			"image with bad base64", `{"content":[{"type":"image","data":"%%%","mimeType":"image/png"}]}`,
			`{"result":"{\"type\":\"image\",\"data\":\"(3 characters of base64)\",\"mimeType\":\"image/png\"}","directives":[]}`,
		},
		{"resource", `{"content":[{"type":"resource","resource":{"uri":"a:b","text":"T"}}]}`, `{"result":"T","directives":[]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := connectLegacy(t, Options{}, actions{"tools/call": constant(test.result)})
			if got := c.Execute(t.Context(), "t", `{}`); got != test.want {
				t.Errorf("Execute gives\n%s, want\n%s", got, test.want)
			}
		})
	}
}

// TestExecuteFails: whatever goes wrong, there is an envelope that says so.
func TestExecuteFails(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(l *fakeLink, a arrival) string
		want   string
	}{
		{"error", func(l *fakeLink, a arrival) string { l.fail(a.id, -32602, "Unknown tool"); return "" }, `Unknown tool (-32602)`},
		{"no content", constant(`{}`), `no content`},
		{"content is no array", constant(`{"content":{}}`), `no array`},
		{"a block is none", constant(`{"content":["x"]}`), `content[0] is no block`},
		{"result is no object", constant(`"x"`), `no JSON object`},
		{"death", func(l *fakeLink, _ arrival) string { l.die(errors.New("killed")); return "" }, `killed`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := connectLegacy(t, Options{Reconnect: Backoff{Off: true}}, actions{"tools/call": test.answer})
			got := c.Execute(t.Context(), "t", `{}`)
			if !strings.Contains(got, test.want) || !strings.HasSuffix(got, `"directives":[],"is_error":true}`) || !strings.Contains(got, `server \"s\"`) {
				t.Errorf("Execute gives %s, want an error that names the server and says %q", got, test.want)
			}
		})
	}
	if got := New("s", &fake{}).Execute(t.Context(), "t", `{}`); !strings.Contains(got, "not connected") || !strings.Contains(got, `"is_error":true`) {
		t.Errorf("Execute without a connection gives %s", got)
	}
}

func TestArgumentsArrive(t *testing.T) {
	echo := func(_ *fakeLink, a arrival) string {
		return `{"content":[],"structuredContent":` + a.params.Get("arguments").Raw + `}`
	}
	c, _ := connectLegacy(t, Options{}, actions{"tools/call": echo})
	for _, test := range []struct{ arguments, want string }{
		{`{"a": [1.0, "ü\u00fc"]}`, `{"a":[1.0,"ü\u00fc"]}`},
		{``, `{}`},
		{`not json`, `{}`},
		{`{"a":`, `{}`},
		{`[1]`, `{}`},
		{`null`, `{}`},
		{"{\"a\":\n1}", `{"a":1}`},
	} {
		result, err := c.CallTool(t.Context(), "t", nil)
		if err != nil || string(result) != `{"content":[],"structuredContent":{}}` {
			t.Errorf("CallTool without arguments gives %s, %v", result, err)
		}
		got := c.Execute(t.Context(), "t", test.arguments)
		if want := fmt.Sprintf(`{"result":%s,"directives":[]}`, quoted(test.want)); got != want {
			t.Errorf("Execute with %q gives %s, want %s", test.arguments, got, want)
		}
	}
}

// TestResultsPassByteForByte: with unknown members, odd digits and escapes.
func TestResultsPassByteForByte(t *testing.T) {
	const result = `{"x":{"y":1.50},"content":[{"type":"text","text":"\u00e4\/","_meta":{"z":1e2}}],"structuredContent":9007199254740993,"_meta":{}}`
	c, _ := connectLegacy(t, Options{}, actions{"tools/call": constant(result)})
	got, err := c.CallTool(t.Context(), "t", nil)
	if err != nil || string(got) != result {
		t.Errorf("CallTool gives\n%s, %v; want\n%s", got, err, result)
	}
}

func TestToolsThatCannotBeListed(t *testing.T) {
	for name, action := range map[string]func(l *fakeLink, a arrival) string{
		"error":     func(l *fakeLink, a arrival) string { l.fail(a.id, -32603, "no"); return "" },
		"not known": func(l *fakeLink, a arrival) string { l.fail(a.id, -32601, "no"); return "" },
		"no list":   constant(`{"tools":{}}`),
		"nonsense":  constant(`7`),
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := connectLegacy(t, Options{}, actions{"tools/list": action})
			if got := c.ListTools(); got != `[]` || !c.IsConnected() {
				t.Errorf("ListTools gives %s and IsConnected %t, want [] and true", got, c.IsConnected())
			}
		})
	}
}

// TestToolsThatAreNone: one bad definition costs that tool alone.
func TestToolsThatAreNone(t *testing.T) {
	c, _ := connectLegacy(t, Options{}, actions{"tools/list": constant(`{"tools":[` + strings.Join([]string{
		`{"name":"a","inputSchema":{}}`, plainTool, `{"name":"b","inputSchema":{"type":"string"}}`, `{"name":"c"}`,
		`{"inputSchema":{"type":"object"}}`, `7`, plainTool, `{"name":7,"inputSchema":{"type":"object"}}`,
		`{"name":"d","inputSchema":{"type":"object"}}`, `{"name":"e","name":"f","inputSchema":{"type":"object"}}`,
	}, ",") + `]}`)})
	if got, want := c.ListTools(), `[{"name":"s.t","inputSchema":{"type":"object"}},{"name":"s.d","inputSchema":{"type":"object"}}]`; got != want {
		t.Errorf("ListTools gives\n%s, want\n%s", got, want)
	}
	problems := strings.Join(c.ToolProblems(), "\n")
	for _, want := range []string{`"a"`, `"b"`, `"c"`, `"number 5"`, `"number 6"`, `"t": another`, `"number 8"`, `"number 10"`} {
		if !strings.Contains(problems, want) {
			t.Errorf("the problems are\n%s\nwant %s among them", problems, want)
		}
	}
}

func TestRefreshTools(t *testing.T) {
	lists := []string{
		oneTool,
		`{"tools":[{"name":"z","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]}`,
		`{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"z","inputSchema":{"type":"object"}}]}`,
		``,
	}
	c, _ := connectLegacy(t, Options{}, actions{"tools/list": func(l *fakeLink, a arrival) string {
		next := lists[0]
		lists = lists[1:]
		if next == "" {
			l.fail(a.id, -32603, "no")
		}
		return next
	}})
	added, removed, err := c.RefreshTools(t.Context())
	if err != nil || !slices.Equal(added, []string{"s.a", "s.z"}) || !slices.Equal(removed, []string{"s.t"}) {
		t.Errorf("RefreshTools gives %q, %q, %v", added, removed, err)
	}
	added, removed, err = c.RefreshTools(t.Context())
	if err != nil || len(added)+len(removed) > 0 {
		t.Errorf("without a change RefreshTools gives %q, %q, %v", added, removed, err)
	}
	before := c.ListTools()
	if _, _, err := c.RefreshTools(t.Context()); err == nil || c.ListTools() != before {
		t.Errorf("when listing fails RefreshTools gives %v and the list is %s, want an error and the old list", err, c.ListTools())
	}
	disconnect(t, c)
	if _, _, err := c.RefreshTools(t.Context()); !errors.Is(err, ErrNotConnected) {
		t.Errorf("without a connection RefreshTools gives %v", err)
	}
}

// TestInterrupt: pending calls end at once, the server is told, and the
// connection goes on.
func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := connectLegacy(t, Options{}, actions{"tools/call": func(l *fakeLink, a arrival) string {
			if a.params.Get("name").Str == "slow" {
				return ""
			}
			return `{"content":[]}`
		}})
		errs := make(chan error)
		for range 3 {
			go func() {
				_, err := c.CallTool(t.Context(), "slow", nil)
				errs <- err
			}()
		}
		synctest.Wait()
		begun := time.Now()
		c.Interrupt()
		for range 3 {
			if err := <-errs; !errors.Is(err, ErrInterrupted) {
				t.Errorf("an interrupted call gives %v", err)
			}
		}
		if passed := time.Since(begun); passed != 0 {
			t.Errorf("Interrupt took %v", passed)
		}
		if _, err := c.CallTool(t.Context(), "fast", nil); err != nil {
			t.Errorf("after Interrupt a call gives %v", err)
		}
		synctest.Wait()
		link, links := server.link()
		if got := len(link.sent("notifications/cancelled")); got != 3 || links != 1 {
			t.Errorf("the server got %d cancellations on %d links, want 3 on 1", got, links)
		}
	})
}

func TestErrorsOfTheServerKeepTheirData(t *testing.T) {
	c, _ := connectLegacy(t, Options{}, actions{"resources/read": func(l *fakeLink, a arrival) string {
		l.say(`{"jsonrpc":"2.0","id":` + a.id + `,"error":{"code":-32002,"message":"Resource not found","data":{"uri":"a:b","n":1.0}}}`)
		return ""
	}})
	_, err := c.ReadResource(t.Context(), "a:b")
	var failure *core.Error
	if !errors.As(err, &failure) || failure.Code != -32002 || string(failure.Data) != `{"uri":"a:b","n":1.0}` || !IsNotFound(err) {
		t.Errorf("ReadResource gives %#v, want the server's error", err)
	}
}

func TestConnectTwice(t *testing.T) {
	c, server := connectLegacy(t, Options{})
	if err := c.Connect(t.Context()); err == nil {
		t.Error("a second Connect gives no error")
	}
	disconnect(t, c)
	disconnect(t, c)
	if err := c.Connect(t.Context()); err != nil {
		t.Errorf("Connect after Disconnect gives %v", err)
	}
	if _, links := server.link(); links != 2 {
		t.Errorf("there have been %d links, want 2", links)
	}
}

// TestOneConnectionForManyCallers: of many that connect at once, one does.
func TestOneConnectionForManyCallers(t *testing.T) {
	server := &fake{serve: serveWith(legacyServer("2025-11-25"))}
	c := New("s", server)
	c.Options.Era = EraLegacy
	results := make(chan error)
	for range 20 {
		go func() { results <- c.Connect(t.Context()) }()
	}
	succeeded := 0
	for range 20 {
		if <-results == nil {
			succeeded++
		}
	}
	if _, links := server.link(); succeeded != 1 || links != 1 {
		t.Errorf("of 20 callers %d have connected, over %d links; want 1", succeeded, links)
	}
	disconnect(t, c)
}

func TestConnectFails(t *testing.T) {
	server := &fake{}
	server.setRefuse(errors.New("no such program"))
	c := New("s", server)
	mustContain(t, c.Connect(t.Context()), `server "s"`, "no such program")

	silent := &fake{serve: func(l *fakeLink) { <-l.done }}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	c = New("s", silent)
	c.Options.Era = EraLegacy
	go cancel(enough)
	if err := c.Connect(ctx); !errors.Is(err, enough) {
		t.Errorf("Connect gives %v, want the context's cause", err)
	}
	if link, _ := silent.link(); !errors.Is(link.Err(), transport.ErrClosed) {
		t.Errorf("the link ended with %v, want it closed", link.Err())
	}
}
