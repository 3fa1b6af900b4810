//lint:file-ignore SA1019 The legacy revisions have sampling and logging, which the SDK deprecates for the modern one.

package gosdk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestListsTools(t *testing.T) {
	tests := []struct{ server, tool string }{
		{"MCPServer_helloWorld", "helloWorld"},
		{"MCPServer_setReminder", "setReminder"},
		{"MCPServer_wordArt", "wordArt"},
	}
	for _, test := range tests {
		t.Run(test.server, func(t *testing.T) {
			eachRevision(t, func(t *testing.T, revision string) {
				ctx, session := connect(t, test.server, revision, nil)
				initialized := session.InitializeResult()
				if got, want := initialized.ProtocolVersion, revisions[revision]; got != want {
					t.Errorf("got revision %q, want %q", got, want)
				}
				if got := initialized.ServerInfo.Name; got != test.server {
					t.Errorf("got server name %q, want %q", got, test.server)
				}

				var got []string
				for tool, err := range session.Tools(ctx, nil) {
					if err != nil {
						t.Fatalf("tools/list: %v", err)
					}
					got = append(got, tool.Name)
				}
				if want := []string{test.tool, "about_tsar-mcp", "readTrace"}; !slices.Equal(got, want) {
					t.Errorf("got tools %q, want %q", got, want)
				}
			})
		})
	}
}

func TestHelloWorldGreets(t *testing.T) {
	eachRevision(t, func(t *testing.T, revision string) {
		ctx, session := connect(t, "MCPServer_helloWorld", revision, nil)
		result := call(ctx, t, session, "helloWorld", map[string]any{"name": "Ada"})
		if got, want := text(result), "How are you, Ada."; got != want || result.IsError {
			t.Errorf("got %q (error %t), want %q", got, result.IsError, want)
		}
	})
}

func TestHelloWorldNamesMissingArgument(t *testing.T) {
	ctx, session := connect(t, "MCPServer_helloWorld", newest, nil)
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "helloWorld"})
	wantInvalidParams(t, err, "Invalid Params [Missing parameter: name]")
}

func TestUnknownToolIsRefused(t *testing.T) {
	ctx, session := connect(t, "MCPServer_helloWorld", newest, nil)
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "no such tool"})
	wantInvalidParams(t, err, "")
}

func TestSetReminderReminds(t *testing.T) {
	eachRevision(t, func(t *testing.T, revision string) {
		reminders := make(chan *mcp.LoggingMessageParams, 1)
		ctx, session := connect(t, "MCPServer_setReminder", revision, &mcp.ClientOptions{
			LoggingMessageHandler: func(_ context.Context, message *mcp.LoggingMessageRequest) {
				reminders <- message.Params
			},
		})
		if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatalf("logging/setLevel: %v", err)
		}
		result := call(ctx, t, session, "setReminder", map[string]any{"Reminder": "tea", "TimeoutMS": 5})
		if got, want := text(result), "Reminder set for 5ms: tea"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		select {
		case got := <-reminders:
			if got.Level != "info" || got.Data != "REMINDER: tea" {
				t.Errorf("got reminder %q %q, want info %q", got.Level, got.Data, "REMINDER: tea")
			}
		case <-ctx.Done():
			t.Fatal("no reminder came")
		}
	})
}

func TestWordArtAsksTheModel(t *testing.T) {
	eachRevision(t, func(t *testing.T, revision string) {
		ctx, session := connect(t, "MCPServer_wordArt", revision, modelAnswers(&mcp.TextContent{Text: "=Hi="}, nil))
		result := call(ctx, t, session, "wordArt", map[string]any{"text": "Hi"})
		if got, want := text(result), "=Hi="; got != want || result.IsError {
			t.Errorf("got %q (error %t), want %q", got, result.IsError, want)
		}
	})
}

func TestWordArtTellsWhatWentWrong(t *testing.T) {
	tests := []struct {
		name    string
		options *mcp.ClientOptions
		want    string
	}{
		{"no sampling", nil, "sampling"},
		{"no text", modelAnswers(&mcp.ImageContent{Data: []byte{0}, MIMEType: "image/png"}, nil), "No output returned by LLM"},
		{"refusal", modelAnswers(nil, errors.New("the user declined")), "the user declined"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, session := connect(t, "MCPServer_wordArt", newest, test.options)
			result := call(ctx, t, session, "wordArt", map[string]any{"text": "Hi"})
			if got := text(result); !strings.Contains(got, test.want) || !result.IsError {
				t.Errorf("got %q (error %t), want an error with %q", got, result.IsError, test.want)
			}
		})
	}
}

func TestCancelledCallLeavesServerWell(t *testing.T) {
	asked := make(chan struct{}, 1)
	testEnds := make(chan struct{})
	defer close(testEnds)
	ctx, session := connect(t, "MCPServer_wordArt", newest, &mcp.ClientOptions{
		CreateMessageHandler: func(ctx context.Context, _ *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			asked <- struct{}{}
			select { // the user hesitates
			case <-ctx.Done():
			case <-testEnds:
			}
			return nil, errors.New("too late")
		},
	})
	callContext, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := session.CallTool(callContext, &mcp.CallToolParams{Name: "wordArt", Arguments: map[string]any{"text": "Hi"}})
		ended <- err
	}()
	<-asked
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v of the cancelled call, want %v", err, context.Canceled)
	}
	if err := session.Ping(ctx, nil); err != nil {
		t.Errorf("ping after a cancelled call: %v", err)
	}
}

// modelAnswers makes a client whose model always gives the same answer.
func modelAnswers(content mcp.Content, err error) *mcp.ClientOptions {
	return &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			if err != nil {
				return nil, err
			}
			return &mcp.CreateMessageResult{Model: "test-model", Role: "assistant", Content: content}, nil
		},
	}
}
