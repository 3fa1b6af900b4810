//lint:file-ignore SA1019 The legacy revisions have sampling and logging, which the SDK deprecates for the modern one.

package gosdk

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// missingCapability is the code of the error with which a modern server refuses a
// call that needs what the client can't do.
const missingCapability = -32021

func TestListsTools(t *testing.T) {
	tests := []struct{ server, tool string }{
		{"MCPServer_helloWorld", "helloWorld"},
		{"MCPServer_setReminder", "setReminder"},
		{"MCPServer_wordArt", "wordArt"},
	}
	for _, test := range tests {
		t.Run(test.server, func(t *testing.T) {
			eachRevision(t, func(t *testing.T, b build, revision string) {
				ctx, session := b.connect(t, test.server, revision, nil)
				initialized := session.InitializeResult()
				if got, want := initialized.ProtocolVersion, b.agreed(revision); got != want {
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

func TestServerSaysWhatItSpeaks(t *testing.T) {
	eachRevision(t, func(t *testing.T, b build, revision string) {
		ctx, session := b.connect(t, "MCPServer_helloWorld", revision, nil)
		about := text(call(ctx, t, session, "about_tsar-mcp", map[string]any{}))
		for _, want := range []string{"\nSpeak: " + b.agreed(revision) + "\n", "\nClient: " + b.agreed(revision) + " (client-test 1.0.0)\n"} {
			if !strings.Contains(about, want) {
				t.Errorf("got %q, want %q in it", about, want)
			}
		}
	})
}

func TestHelloWorldGreets(t *testing.T) {
	eachRevision(t, func(t *testing.T, b build, revision string) {
		ctx, session := b.connect(t, "MCPServer_helloWorld", revision, nil)
		result := call(ctx, t, session, "helloWorld", map[string]any{"name": "Ada"})
		if got, want := text(result), "How are you, Ada."; got != want || result.IsError {
			t.Errorf("got %q (error %t), want %q", got, result.IsError, want)
		}
	})
}

func TestHelloWorldNamesMissingArgument(t *testing.T) {
	eachBuild(t, func(t *testing.T, b build) {
		ctx, session := b.connect(t, "MCPServer_helloWorld", newest, nil)
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "helloWorld"})
		wantError(t, err, jsonrpc.CodeInvalidParams, "Invalid Params [Missing parameter: name]")
	})
}

func TestUnknownToolIsRefused(t *testing.T) {
	eachBuild(t, func(t *testing.T, b build) {
		ctx, session := b.connect(t, "MCPServer_helloWorld", newest, nil)
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "no such tool"})
		wantError(t, err, jsonrpc.CodeInvalidParams, "")
	})
}

func TestWordArtAsksTheModel(t *testing.T) {
	eachRevision(t, func(t *testing.T, b build, revision string) {
		ctx, session := b.connect(t, "MCPServer_wordArt", revision, modelAnswers(&mcp.TextContent{Text: "=Hi="}, nil))
		result := call(ctx, t, session, "wordArt", map[string]any{"text": "Hi"})
		if got, want := text(result), "=Hi="; got != want || result.IsError {
			t.Errorf("got %q (error %t), want %q", got, result.IsError, want)
		}
	})
}

func TestWordArtTellsThatTheModelGaveNoText(t *testing.T) {
	eachBuild(t, func(t *testing.T, b build) {
		image := &mcp.ImageContent{Data: []byte{0}, MIMEType: "image/png"}
		ctx, session := b.connect(t, "MCPServer_wordArt", newest, modelAnswers(image, nil))
		wantToolError(t, call(ctx, t, session, "wordArt", map[string]any{"text": "Hi"}), "No output returned by LLM")
	})
}

// In the modern era a refusal ends the call on the client's side; the server hears
// of it in the legacy one.
func TestWordArtPassesRefusalOn(t *testing.T) {
	ctx, session := unclamped.connect(t, "MCPServer_wordArt", newestLegacy, modelAnswers(nil, errors.New("the user declined")))
	wantToolError(t, call(ctx, t, session, "wordArt", map[string]any{"text": "Hi"}), "the user declined")
}

func TestWordArtTellsThatItNeedsAModel(t *testing.T) {
	eachRevision(t, func(t *testing.T, b build, revision string) {
		ctx, session := b.connect(t, "MCPServer_wordArt", revision, nil)
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "wordArt", Arguments: map[string]any{"text": "Hi"}})
		if b.isModern(revision) {
			wantError(t, err, missingCapability, "sampling")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		wantToolError(t, result, "sampling")
	})
}

func TestCancelledCallLeavesServerWell(t *testing.T) {
	eachRevision(t, func(t *testing.T, b build, revision string) {
		asked := make(chan struct{}, 1)
		testEnds := make(chan struct{})
		defer close(testEnds)
		ctx, session := b.connect(t, "MCPServer_wordArt", revision, &mcp.ClientOptions{
			CreateMessageHandler: func(ctx context.Context, _ *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
				asked <- struct{}{}
				select { // the user hesitates
				case <-ctx.Done():
					return nil, ctx.Err()
				case <-testEnds:
					return nil, errors.New("too late")
				}
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
		if _, err := session.ListTools(ctx, nil); err != nil {
			t.Errorf("tools/list after a cancelled call: %v", err)
		}
	})
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

// wantToolError checks that a result is an error that says a phrase.
func wantToolError(t *testing.T, result *mcp.CallToolResult, phrase string) {
	t.Helper()
	if got := text(result); !strings.Contains(got, phrase) || !result.IsError {
		t.Errorf("got %q (error %t), want an error with %q", got, result.IsError, phrase)
	}
}
