package client

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core/client/transport"
)

// build makes a server of this repository, of one era or of both.
func build(t *testing.T, name string, era Era) *transport.Stdio {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	tags := map[Era]string{EraLegacy: "", EraModern: "mcp20260728"}[era]
	command := exec.Command("go", "build", "-tags="+tags, "-o", path, "mcpserver/cmd/MCPServer_"+name)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, output)
	}
	// Whatever a server keeps goes to a folder of the test's.
	folder := t.TempDir()
	return &transport.Stdio{Command: path, Environment: map[string]string{"HOME": folder, "TMPDIR": folder, "TMP": folder, "APPDATA": folder}}
}

// inBothEras runs a test with a server that the client has to find the era of.
func inBothEras(t *testing.T, name string, options Options, test func(t *testing.T, c *Client, era Era)) {
	for _, era := range []Era{EraLegacy, EraModern} {
		t.Run(era.String(), func(t *testing.T) {
			c := New(name, build(t, name, era))
			c.Options = options
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { disconnect(t, c) })
			if info, _ := c.Server(); info.Era != era {
				t.Errorf("the era is %s, want %s", info.Era, era)
			}
			test(t, c, era)
		})
	}
}

func TestHelloWorld(t *testing.T) {
	inBothEras(t, "helloWorld", Options{}, func(t *testing.T, c *Client, _ Era) {
		if got := gjson.Get(c.ListTools(), "#.name").Raw; !strings.HasPrefix(got, `["helloWorld.helloWorld"`) {
			t.Errorf("the tools are %s", got)
		}
		for arguments, want := range map[string]string{
			`{"name":"Eric"}`: `{"result":"How are you, Eric.","directives":[]}`,
			`not JSON`:        `{"result":"server \"helloWorld\": Invalid Params [Missing parameter: name] (-32602)","directives":[],"is_error":true}`,
		} {
			if got := c.Execute(t.Context(), "helloWorld", arguments); got != want {
				t.Errorf("Execute gives %s, want %s", got, want)
			}
		}
	})
}

// TestWordArt: the server asks for a sample, by a request of its own or by a
// round of the call.
func TestWordArt(t *testing.T) {
	options := Options{Handlers: map[string]Handler{
		"sampling/createMessage": func(_ context.Context, request ServerRequest) (json.RawMessage, error) {
			asked := gjson.GetBytes(request.Params, "messages.0.content.text").Str
			return json.Marshal(map[string]any{
				"role": "assistant", "model": "m", "content": map[string]any{"type": "text", "text": "<" + asked + ">"},
			})
		},
	}}
	inBothEras(t, "wordArt", options, func(t *testing.T, c *Client, _ Era) {
		got := c.Execute(t.Context(), "wordArt", `{"text":"hi"}`)
		if want := `{"result":"<Draw this text in the style \"big\":\nhi>","directives":[]}`; got != want {
			t.Errorf("Execute gives %s, want %s", got, want)
		}
	})
}

// TestSetReminder: what the server tells on its own arrives: a log message, or an
// update of the resource.
func TestSetReminder(t *testing.T) {
	told := make(chan Notification, 10)
	options := Options{OnNotification: func(n Notification) { told <- n }}
	inBothEras(t, "setReminder", options, func(t *testing.T, c *Client, era Era) {
		if era == EraModern {
			if err := c.Subscribe(t.Context(), "reminder:///1"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.CallTool(t.Context(), "setReminder", json.RawMessage(`{"Reminder":"tea","TimeoutMS":0}`)); err != nil {
			t.Fatal(err)
		}
		want := map[Era]string{EraLegacy: "notifications/message", EraModern: "notifications/resources/updated"}[era]
		if got := <-told; got.Method != want {
			t.Errorf("the server tells %s %s, want %s", got.Method, got.Params, want)
		}
		contents, err := c.ReadResource(t.Context(), "reminder:///1")
		if !strings.Contains(gjson.GetBytes(contents, "contents.0.text").Str, "tea") {
			t.Errorf("the reminder reads %s, %v", contents, err)
		}
		if _, err := c.ReadResource(t.Context(), "reminder:///99"); !IsNotFound(err) {
			t.Errorf("a reminder that there is not gives %v", err)
		}
	})
}
