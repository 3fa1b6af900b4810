//lint:file-ignore SA1019 The legacy revisions have sampling, roots and logging, which the SDK deprecates for the modern one.

package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const everything = "MCPServer_everything"

// resourceNotFound is the code that the legacy revisions have for it.
const resourceNotFound = -32002

func TestEverythingListsByPages(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		list := func(arguments ...string) [4][]string {
			ctx, session := b.connectClient(t, newClient(nil), revision, everything, arguments...)
			return [4][]string{
				names(t, session.Tools(ctx, nil), func(tool *mcp.Tool) string { return tool.Name }),
				names(t, session.Prompts(ctx, nil), func(prompt *mcp.Prompt) string { return prompt.Name }),
				names(t, session.Resources(ctx, nil), func(resource *mcp.Resource) string { return resource.URI }),
				names(t, session.ResourceTemplates(ctx, nil), func(template *mcp.ResourceTemplate) string { return template.URITemplate }),
			}
		}
		whole, paged := list(), list("--page-size", "1")
		if !reflect.DeepEqual(paged, whole) {
			t.Errorf("got %q by pages, want %q", paged, whole)
		}
		for i, want := range []int{39, 6, 5, 2} {
			if got := len(whole[i]); got != want {
				t.Errorf("got %d entries %q, want %d", got, whole[i], want)
			}
		}
	})
}

// names gives what identifies the entries of a list.
func names[T any](t *testing.T, entries iter.Seq2[T, error], name func(T) string) []string {
	t.Helper()
	var all []string
	for entry, err := range entries {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, name(entry))
	}
	return all
}

func TestEverythingShowsAllContent(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		ctx, session := b.connect(t, everything, revision, nil)
		var got []string
		for _, block := range call(ctx, t, session, "test_multiple_content_types", nil).Content {
			got = append(got, fmt.Sprintf("%T", block))
		}
		want := []string{
			"*mcp.TextContent", "*mcp.ImageContent", "*mcp.AudioContent", "*mcp.ResourceLink", "*mcp.EmbeddedResource", "*mcp.EmbeddedResource",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}

		result := call(ctx, t, session, "weather", map[string]any{"city": "Rome", "days": 2})
		structured, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		var given struct{ Forecast []any }
		if err := json.Unmarshal(structured, &given); err != nil || len(given.Forecast) != 2 {
			t.Errorf("got the structured content %s (%v), want a forecast of 2 days", structured, err)
		}
	})
}

func TestEverythingReadsResources(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		ctx, session := b.connect(t, everything, revision, nil)
		for uri, want := range map[string]string{
			"test://static-text":             "This is the content of the static text resource.",
			"test://template/a%20b/data":     `{"id":"a b","templateTest":true,"data":"Data for ID: a b"}`,
			"test://watched-resource":        `{"changes":0,"isWatched":false}`,
			"test://weather/Italy/Rome":      `{"sky":"cloudy","celsius":28,"humidity":12}`,
			"test://template/%E2%82%AC/data": `{"id":"€","templateTest":true,"data":"Data for ID: €"}`,
		} {
			result, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				t.Errorf("reading %s: %v", uri, err)
			} else if got := result.Contents[0].Text; got != want {
				t.Errorf("got %q of %s, want %q", got, uri, want)
			}
		}
		code := int64(resourceNotFound)
		if b.isModern(revision) {
			code = jsonrpc.CodeInvalidParams
		}
		_, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://nothing"})
		wantError(t, err, code, "Resource Not Found")
	})
}

func TestEverythingAsksAtOnce(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		options := modelAnswers(&mcp.TextContent{Text: "Good day!"}, nil)
		options.ElicitationHandler = fillIn(map[string]any{"name": "Ada"})
		client := newClient(options)
		client.AddRoots(&mcp.Root{URI: "file:///a", Name: "A"})
		ctx, session := b.connectClient(t, client, revision, everything)
		got := text(call(ctx, t, session, "test_input_required_result_multiple_inputs", nil))
		if want := "Your name is Ada. The model says: Good day! Roots of your client: 1\nfile:///a A"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestEverythingAsksInRounds(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		asked := 0
		ctx, session := b.connect(t, everything, revision, &mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked++
				if strings.Contains(request.Params.Message, "color") {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"color": "blue"}}, nil
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
			},
		})
		got := text(call(ctx, t, session, "test_input_required_result_multi_round", nil))
		if want := "Ada likes blue."; got != want || asked != 2 {
			t.Errorf("got %q after %d questions, want %q after 2", got, asked, want)
		}
	})
}

func TestEverythingShowsForms(t *testing.T) {
	tests := []struct {
		tool string
		fill map[string]any
		want string
	}{
		{"test_elicitation_sep1034_defaults", map[string]any{"age": 31}, `{"age":31,"name":"John Doe","score":95.5,"status":"active","verified":true}`},
		{
			"test_elicitation_sep1330_enums",
			map[string]any{"untitledSingle": "option1", "titledSingle": "value2", "legacyEnum": "opt3", "untitledMulti": []any{"option1"}, "titledMulti": []any{"value1", "value3"}},
			`{"legacyEnum":"opt3","titledMulti":["value1","value3"],"titledSingle":"value2","untitledMulti":["option1"],"untitledSingle":"option1"}`,
		},
		{
			"fillInForm",
			map[string]any{"name": "Ada", "guests": 3, "email": "ada@example.com", "color": "#0000ff", "days": []any{"Sunday"}},
			`{"color":"#0000ff","days":["Sunday"],"email":"ada@example.com","guests":3,"name":"Ada","newsletter":false,"size":"medium"}`,
		},
	}
	for _, test := range tests {
		t.Run(test.tool, func(t *testing.T) {
			eachEra(t, func(t *testing.T, b build, revision string) {
				ctx, session := b.connect(t, everything, revision, &mcp.ClientOptions{ElicitationHandler: fillIn(test.fill)})
				result := call(ctx, t, session, test.tool, nil)
				if got, want := text(result), "You answered: "+test.want; got != want || result.IsError {
					t.Errorf("got %q (error %t), want %q", got, result.IsError, want)
				}
			})
		})
	}
}

// fillIn makes a user who fills in every form in the same way.
func fillIn(content map[string]any) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: content}, nil
	}
}

func TestEverythingShowsPages(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		visits := make(chan *mcp.ElicitParams, 1)
		over := make(chan string, 1)
		ctx, session := b.connect(t, everything, revision, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{URL: &mcp.URLElicitationCapabilities{}}},
			ElicitationHandler: func(_ context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				visits <- request.Params
				return &mcp.ElicitResult{Action: "accept"}, nil
			},
			ElicitationCompleteHandler: func(_ context.Context, request *mcp.ElicitationCompleteNotificationRequest) {
				over <- request.Params.ElicitationID
			},
		})
		result := call(ctx, t, session, "visitPage", map[string]any{"url": "https://example.com/a"})
		if got, want := text(result), "You agreed to visit https://example.com/a."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		visit := receive(ctx, t, visits)
		if visit.Mode != "url" || visit.URL != "https://example.com/a" {
			t.Errorf("got the question %+v, want one for the page", visit)
		}
		if b.isModern(revision) {
			return
		}
		if got := receive(ctx, t, over); got == "" || got != visit.ElicitationID {
			t.Errorf("visit %q is over, want %q", got, visit.ElicitationID)
		}
	})
}

func TestEverythingTellsOfChangedLists(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		changed := make(chan string, 8)
		ctx, session := b.connect(t, everything, revision, &mcp.ClientOptions{
			ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { changed <- "tools" },
			PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { changed <- "prompts" },
			ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changed <- "resources" },
		})
		await := func(list string) {
			for receive(ctx, t, changed) != list { // some changes are told twice
			}
		}

		call(ctx, t, session, "test_trigger_tool_change", nil)
		await("tools")
		if got, want := text(call(ctx, t, session, "addedTool", nil)), "This tool was added while the server ran."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		call(ctx, t, session, "test_trigger_prompt_change", nil)
		await("prompts")
		if _, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "addedPrompt"}); err != nil {
			t.Errorf("getting addedPrompt: %v", err)
		}
		call(ctx, t, session, "toggleResource", nil)
		await("resources")
		if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "test://added/x"}); err != nil {
			t.Errorf("reading test://added/x: %v", err)
		}
	})
}

func TestEverythingTellsOfAnUpdate(t *testing.T) {
	const watched = "test://watched-resource"
	eachEra(t, func(t *testing.T, b build, revision string) {
		t.Parallel() // the resource changes every two seconds
		updates := make(chan string, 8)
		acknowledged := make(chan struct{}, 1)
		ctx, session := b.connect(t, everything, revision, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, update *mcp.ResourceUpdatedNotificationRequest) {
				updates <- update.Params.URI
			},
		}, signalAcknowledgement(acknowledged))
		// The resource learns of its subscribers beside what the client is answered.
		await := func(state string) {
			for {
				result, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: watched})
				if err != nil {
					t.Fatalf("reading %s: %v", watched, err)
				}
				if strings.Contains(result.Contents[0].Text, state) {
					return
				}
			}
		}

		if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: watched}); err != nil {
			t.Fatalf("subscribing to %s: %v", watched, err)
		}
		if b.isModern(revision) {
			receive(ctx, t, acknowledged)
		}
		await(`"isWatched":true`)
		if got := receive(ctx, t, updates); got != watched {
			t.Errorf("got an update of %q, want %q", got, watched)
		}
		if err := session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: watched}); err != nil {
			t.Fatalf("unsubscribing from %s: %v", watched, err)
		}
		await(`"isWatched":false`)
	})
}

func TestEverythingCompletesArguments(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		ctx, session := b.connect(t, everything, revision, nil)
		for _, reference := range []*mcp.CompleteReference{
			{Type: "ref/prompt", Name: "travel"},
			{Type: "ref/resource", URI: "test://weather/{country}/{city}"},
		} {
			result, err := session.Complete(ctx, &mcp.CompleteParams{
				Ref:      reference,
				Argument: mcp.CompleteParamsArgument{Name: "city", Value: "M"},
				Context:  &mcp.CompleteContext{Arguments: map[string]string{"country": "Italy"}},
			})
			if err != nil {
				t.Fatalf("completing a city of %v: %v", reference, err)
			}
			if got, want := result.Completion, (mcp.CompletionResultDetails{Values: []string{"Milan"}, Total: 1}); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v for %v, want %+v", got, reference, want)
			}
		}
	})
}

func TestEverythingReportsProgressAndLogs(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		reports := make(chan mcp.ProgressNotificationParams, 8)
		messages := make(chan *mcp.LoggingMessageParams, 8)
		ctx, session := b.connect(t, everything, revision, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, report *mcp.ProgressNotificationClientRequest) { reports <- *report.Params },
			LoggingMessageHandler:       func(_ context.Context, message *mcp.LoggingMessageRequest) { messages <- message.Params },
		})
		params := &mcp.CallToolParams{Name: "longRunning", Arguments: map[string]any{"seconds": 0.01, "steps": 2}}
		params.SetProgressToken("a token")
		if _, err := session.CallTool(ctx, params); err != nil {
			t.Fatal(err)
		}
		for step := 1.0; step <= 2; step++ {
			got := receive(ctx, t, reports)
			if got.ProgressToken != "a token" || got.Progress != step || got.Total != 2 || got.Message == "" {
				t.Errorf("got the report %+v, want step %v of 2", got, step)
			}
		}

		logging := &mcp.CallToolParams{Name: "test_logging_tool"}
		if b.isModern(revision) {
			logging.Meta = mcp.Meta{mcp.MetaKeyLogLevel: "alert"}
		} else if err := session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "alert"}); err != nil {
			t.Fatal(err)
		}
		if _, err := session.CallTool(ctx, logging); err != nil {
			t.Fatal(err)
		}
		for _, level := range []mcp.LoggingLevel{"alert", "emergency"} {
			if got := receive(ctx, t, messages); got.Level != level || got.Logger != "everything" {
				t.Errorf("got a message of %s by %q, want %s by everything", got.Level, got.Logger, level)
			}
		}
	})
}

func TestEverythingEndsCancelledCalls(t *testing.T) {
	eachEra(t, func(t *testing.T, b build, revision string) {
		reported := make(chan struct{}, 100)
		client := newClient(&mcp.ClientOptions{
			ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { reported <- struct{}{} },
		})
		ctx, session := b.connectClient(t, client, revision, everything, "--info")
		callContext, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() {
			params := &mcp.CallToolParams{Name: "longRunning", Arguments: map[string]any{"seconds": 20, "steps": 100}}
			params.SetProgressToken(7)
			_, err := session.CallTool(callContext, params)
			ended <- err
		}()
		receive(ctx, t, reported)
		cancel()
		if err := receive(ctx, t, ended); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v of the cancelled call, want %v", err, context.Canceled)
		}
		for {
			trace := text(call(ctx, t, session, "readTrace", map[string]any{"nLines": 50, "tail": true}))
			if strings.Contains(trace, "longRunning ends after ") {
				break
			}
		}
	})
}
