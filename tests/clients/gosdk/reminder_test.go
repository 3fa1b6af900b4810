//lint:file-ignore SA1019 The legacy revisions have logging, which the SDK deprecates for the modern one.

package gosdk

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestSetReminderRemindsByLogMessage(t *testing.T) {
	eachRevision(t, func(t *testing.T, b build, revision string) {
		if b.isModern(revision) {
			revision = newestLegacy // no message comes there that nobody asked for
		}
		reminders := make(chan *mcp.LoggingMessageParams, 1)
		ctx, session := b.connect(t, "MCPServer_setReminder", revision, &mcp.ClientOptions{
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
		if got := receive(ctx, t, reminders); got.Level != "info" || got.Data != "REMINDER: tea" {
			t.Errorf("got reminder %q %q, want info %q", got.Level, got.Data, "REMINDER: tea")
		}
	})
}

func TestSetReminderTellsSubscribers(t *testing.T) {
	eachRevision(t, func(t *testing.T, b build, revision string) {
		updates := make(chan string, 1)
		acknowledged := make(chan struct{}, 1)
		ctx, session := b.connect(t, "MCPServer_setReminder", revision, &mcp.ClientOptions{
			ResourceUpdatedHandler: func(_ context.Context, update *mcp.ResourceUpdatedNotificationRequest) {
				updates <- update.Params.URI
			},
		}, signalAcknowledgement(acknowledged))
		subscribe := func(uri string) {
			if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
				t.Fatalf("subscribing to %s: %v", uri, err)
			}
			if b.isModern(revision) {
				receive(ctx, t, acknowledged)
			}
		}
		uri := remindSubscriber(ctx, t, session, subscribe, b.isModern(revision))
		if got := receive(ctx, t, updates); got != uri {
			t.Errorf("got an update of %q, want %q", got, uri)
		}
		if !isDue(ctx, t, session, uri) {
			t.Errorf("%s is not due after its update", uri)
		}
	})
}

// signalAcknowledgement makes a middleware that tells of the acknowledgement of a
// subscription, for which the SDK has no handler.
func signalAcknowledgement(acknowledged chan<- struct{}) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				acknowledged <- struct{}{}
			}
			return next(ctx, method, request)
		}
	}
}

// remindSubscriber sets a reminder that is not due before subscribe is done, however
// slow that is, and returns its URI.
func remindSubscriber(ctx context.Context, t *testing.T, session *mcp.ClientSession, subscribe func(uri string), isLinked bool) string {
	t.Helper()
	for number, timeout := 1, 50*time.Millisecond; ; number, timeout = number+1, 2*timeout {
		result := call(ctx, t, session, "setReminder", map[string]any{"Reminder": "tea", "TimeoutMS": timeout.Milliseconds()})
		uri := fmt.Sprintf("reminder:///%d", number)
		if link := linkIn(result); isLinked && (link == nil || link.URI != uri) {
			t.Fatalf("got the link %v, want one to %s", link, uri)
		}
		subscribe(uri)
		if !isDue(ctx, t, session, uri) {
			return uri
		}
	}
}

// linkIn returns the resource link in a result, or nil.
func linkIn(result *mcp.CallToolResult) *mcp.ResourceLink {
	for _, block := range result.Content {
		if link, ok := block.(*mcp.ResourceLink); ok {
			return link
		}
	}
	return nil
}

// isDue reads a reminder and reports whether it is due.
func isDue(ctx context.Context, t *testing.T, session *mcp.ClientSession, uri string) bool {
	t.Helper()
	result, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatalf("reading %s: %v", uri, err)
	}
	var reminder struct{ IsDue bool }
	if err := json.Unmarshal([]byte(result.Contents[0].Text), &reminder); err != nil {
		t.Fatalf("reading %s: %v", uri, err)
	}
	return reminder.IsDue
}

// receive waits for a value, but not forever.
func receive[T any](ctx context.Context, t *testing.T, values <-chan T) T {
	t.Helper()
	select {
	case value := <-values:
		return value
	case <-ctx.Done():
		t.Fatalf("nothing came: %v", ctx.Err())
		panic("unreachable")
	}
}
