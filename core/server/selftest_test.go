package server

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/trace"
)

// selfTested runs an aspect's self-tests as "<binary> Test" does.
func selfTested(t *testing.T, aspect *core.Aspect) (status int, stdout, verdicts string) {
	t.Helper()
	line, err := readCommandLine(aspect, []string{"program", "Test"})
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	file := func(name string) *os.File {
		created, err := os.Create(filepath.Join(directory, name))
		if err != nil {
			t.Fatal(err)
		}
		return created
	}
	r := &Runner{
		aspect: aspect,
		line:   line,
		out:    file("out"),
		stderr: file("err"),
		trace:  trace.New(aspect.Name, line.level, traceLimit),
		opened: make(chan struct{}),
	}
	close(r.opened)
	ended := make(chan int, 1)
	go func() { ended <- r.test(context.Background()) }()
	select {
	case status = <-ended:
	case <-time.After(time.Hour):
		t.Fatal("the self-test does not end")
	}
	read := func(f *os.File) string {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	return status, read(r.out), read(r.stderr)
}

// testable is an aspect for self-tests.
func testable(tests ...core.SelfTest) *core.Aspect {
	var host core.Host
	text := func(text string) core.Handler {
		return func(context.Context, *core.Call) (core.Result, error) { return core.Text(text), nil }
	}
	return &core.Aspect{
		Name: "MCPServer_test", Version: "1", Logging: true,
		OnStartup: func(_ context.Context, h core.Host) error { host = h; return nil },
		Tools: []core.Tool{
			{Name: "hello", Handler: text("hello")},
			{Name: "sad", Handler: func(context.Context, *core.Call) (core.Result, error) { return nil, errors.New("sad") }},
			{Name: "wrong", Handler: func(context.Context, *core.Call) (core.Result, error) {
				return nil, core.InvalidParams("wrong")
			}},
			{Name: "never", Handler: func(ctx context.Context, _ *core.Call) (core.Result, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}},
			{Name: "notify", Handler: func(context.Context, *core.Call) (core.Result, error) {
				host.Log(core.LogError, "zoo", "feed")
				return core.Text("notified"), nil
			}},
			{Name: "twice", Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Text("twice"), host.Post("notifications/zoo", json.RawMessage(`{"a":1,"a":2}`))
			}},
			{Name: "ask", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				if answer, given := call.Input("art"); given {
					return core.Text(answer.Text()), nil
				}
				return call.RequireInput(core.Inputs{"art": core.Sampling{
					Messages: []core.Message{core.UserText("draw")}, MaxTokens: 1,
				}}, nil)
			}},
		},
		SelfTests: tests,
	}
}

// A self-test that should pass passes, and one that should fail fails by name:
// the run's exit status tells which.
func TestSelfTestVerdicts(t *testing.T) {
	answer := map[string]json.RawMessage{
		"sampling/createMessage": json.RawMessage(`{"role":"assistant","model":"m","content":{"type":"text","text":"drawn"}}`),
	}
	notified := func(method string, values map[string]any) *core.ExpectNotification {
		return &core.ExpectNotification{Method: method, Values: values}
	}
	values := func(path string, value any) core.Expect {
		return core.Expect{Values: map[string]any{path: value}}
	}
	tests := []struct {
		test core.SelfTest
		pass bool
	}{
		{core.SelfTest{Name: "result", Tool: "hello"}, true},
		{core.SelfTest{Name: "value", Tool: "hello", Expect: values("content.0.text", "hello")}, true},
		{core.SelfTest{Name: "other value", Tool: "hello", Expect: values("content.0.text", "goodbye")}, false},
		{core.SelfTest{Name: "value of another type", Tool: "hello", Expect: values("content.#", "1")}, false},
		{core.SelfTest{Name: "number", Tool: "hello", Expect: values("content.#", 1)}, true},
		{core.SelfTest{Name: "no such value", Tool: "hello", Expect: values("content.1.text", "hello")}, false},
		{core.SelfTest{Name: "error expected, result came", Tool: "hello", Expect: core.Expect{ErrorCode: -32602}}, false},
		{core.SelfTest{Name: "tool error expected, result came", Tool: "hello", Expect: core.Expect{ToolError: true}}, false},
		{core.SelfTest{Name: "result expected, tool error came", Tool: "sad"}, false},
		{core.SelfTest{Name: "tool error", Tool: "sad", Expect: core.Expect{ToolError: true}}, true},
		{core.SelfTest{Name: "error expected, tool error came", Tool: "sad", Expect: core.Expect{ErrorCode: -32602}}, false},
		{core.SelfTest{Name: "result expected, error came", Tool: "wrong"}, false},
		{core.SelfTest{Name: "error", Tool: "wrong", Expect: core.Expect{ErrorCode: -32602, Values: map[string]any{"message": "Invalid Params [wrong]"}}}, true},
		{core.SelfTest{Name: "another code", Tool: "wrong", Expect: core.Expect{ErrorCode: -32603}}, false},
		{core.SelfTest{Name: "another message", Tool: "wrong", Expect: core.Expect{ErrorCode: -32602, Values: map[string]any{"message": "right"}}}, false},
		{core.SelfTest{Name: "unknown tool", Tool: "nope"}, false},
		{core.SelfTest{Name: "method", Method: "ping", Era: core.LegacyEra}, true},
		{core.SelfTest{Name: "no answer in time", Tool: "never"}, false},
		{core.SelfTest{Name: "scripted answer", Tool: "ask", Answers: answer, Expect: values("content.0.text", "drawn")}, true},
		{core.SelfTest{Name: "no script", Tool: "ask"}, false},
		{core.SelfTest{Name: "notification", Tool: "notify", Notification: notified("notifications/message", map[string]any{"data": "feed"})}, true},
		{core.SelfTest{Name: "other notification", Tool: "notify", Notification: notified("notifications/message", map[string]any{"data": "starve"})}, false},
		{core.SelfTest{Name: "no notification", Tool: "hello", Notification: notified("notifications/message", nil)}, false},
		{core.SelfTest{Name: "invalid message", Tool: "twice"}, false},
	}
	for _, test := range tests {
		t.Run(test.test.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				status, stdout, verdicts := selfTested(t, testable(test.test))
				if pass := status == 0; pass != test.pass {
					t.Errorf("exit status %d, want a pass: %t\n%s", status, test.pass, verdicts)
				}
				if test.pass == strings.Contains(verdicts, "FAIL") {
					t.Errorf("want a FAIL in the verdicts: %t; they are\n%s", !test.pass, verdicts)
				}
				if !strings.Contains(verdicts, test.test.Name) {
					t.Errorf("the verdicts do not name the test:\n%s", verdicts)
				}
				for line := range strings.Lines(stdout) {
					if !gjson.Valid(line) || gjson.Get(line, "jsonrpc").Str != "2.0" {
						t.Errorf("stdout has a line that is no message: %q", line)
					}
				}
			})
		})
	}
}

// The time limits are 5 s, or what the test says.
func TestSelfTestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		test core.SelfTest
		want time.Duration
	}{
		"answer":             {core.SelfTest{Name: "x", Tool: "never"}, 5 * time.Second},
		"notification":       {core.SelfTest{Name: "x", Era: core.LegacyEra, Tool: "hello", Notification: &core.ExpectNotification{Method: "a/b"}}, 5 * time.Second},
		"notification, long": {core.SelfTest{Name: "x", Era: core.LegacyEra, Tool: "hello", Notification: &core.ExpectNotification{Method: "a/b", Within: time.Minute}}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				status, _, verdicts := selfTested(t, testable(test.test))
				if status != 1 {
					t.Errorf("exit status %d, want 1\n%s", status, verdicts)
				}
				if name == "answer" {
					return // the handler's own end comes on top
				}
				if took := time.Since(start); took != test.want {
					t.Errorf("it took %v, want %v", took, test.want)
				}
			})
		})
	}
}

// What the core tests by itself stands first, and a server whose start-up
// fails fails its self-test instead of hanging.
func TestSelfTestOfAServerThatDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		aspect := testable()
		aspect.OnStartup = func(context.Context, core.Host) error { return errors.New("no database") }
		status, stdout, verdicts := selfTested(t, aspect)
		if status != 1 || stdout != "" || !strings.Contains(verdicts, "no database") {
			t.Errorf("exit status %d, stdout %q, verdicts\n%s\nwant 1, nothing, and the reason", status, stdout, verdicts)
		}
	})
}

func TestSelfTestsOfTheCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, stdout, verdicts := selfTested(t, testable())
		if status != 0 {
			t.Errorf("exit status %d, want 0", status)
		}
		for _, name := range []string{"initialize", "tools/list", "about_tsar-mcp", "server/discover"} {
			if !strings.Contains(verdicts, "PASS "+name) {
				t.Errorf("no PASS for %s in\n%s", name, verdicts)
			}
		}
		want := 4
		if !protocol.Ceiling.Legacy() {
			want = 6 // the lists and about once more, in the modern era
		}
		if got := strings.Count(stdout, "\n"); got != want {
			t.Errorf("%d messages were printed, want %d:\n%s", got, want, stdout)
		}
	})
}

// What clients may refuse is told, and is no failure.
func TestSelfTestWarns(t *testing.T) {
	aspect := &core.Aspect{Name: "MCPServer_warned", Version: "1", Tools: []core.Tool{{
		Name:    "t",
		Raw:     json.RawMessage(`{"name":"t","inputSchema":{"type":"object","properties":{},"anyOf":[{}]}}`),
		Handler: func(context.Context, *core.Call) (core.Result, error) { return core.Text(""), nil },
	}}}
	status, _, verdicts := selfTested(t, aspect)
	if status != 0 || !strings.Contains(verdicts, "WARN tool t: its inputSchema has anyOf at the root") {
		t.Errorf("status %d, verdicts:\n%s", status, verdicts)
	}
}
