package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestInterruptWaitsForNobody: neither for a callback or a handler of the host
// that does not return, nor for somebody else who loads the list of tools.
func TestInterruptWaitsForNobody(t *testing.T) {
	never := make(chan struct{})
	progressing := func(l *fakeLink, a arrival) string {
		l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":1}`, a.params.Get("_meta.progressToken").Raw))
		l.notify("notifications/message", `{"level":"info","data":"x"}`)
		return ""
	}
	asking := constant(`{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}`)
	deaf := map[string]Handler{"roots/list": func(context.Context, ServerRequest) (json.RawMessage, error) {
		<-never
		return nil, errors.New("never")
	}}
	call := func(ctx context.Context, c *Client) error {
		_, err := c.Do(ctx, &Request{
			Method: "tools/call", Params: []byte(`{"name":"t"}`),
			OnProgress:     func(Progress) { <-never },
			OnNotification: func(Notification) { <-never },
		})
		return err
	}
	refresh := func(ctx context.Context, c *Client) error { _, _, err := c.RefreshTools(ctx); return err }
	for _, test := range []struct {
		name    string
		connect func(*testing.T, Options, ...actions) (*Client, *fake)
		action  func(*fakeLink, arrival) string
		do      func(ctx context.Context, c *Client) error
	}{
		{"callback", connectLegacy, progressing, call},
		{"handler", connectModern, asking, call},
		{"ping", connectLegacy, nil, func(ctx context.Context, c *Client) error { return c.Ping(ctx) }},
		{"refreshing", connectLegacy, nil, refresh},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never = make(chan struct{})
				c, server := test.connect(t, Options{Handlers: deaf}, actions{"tools/call": test.action, "ping": constant("")})
				link, _ := server.link()
				if test.name == "refreshing" {
					link.mute("tools/list")
					link.notify("notifications/tools/list_changed", `{}`)
					time.Sleep(gatherTime) // now the client itself is at it
				}
				done := make(chan error)
				go func() { done <- test.do(t.Context(), c) }()
				synctest.Wait()
				begun := time.Now()
				c.Interrupt()
				if err := <-done; !errors.Is(err, ErrInterrupted) {
					t.Errorf("what was interrupted gives %v", err)
				}
				if passed := time.Since(begun); passed > 0 {
					t.Errorf("Interrupt took %v", passed)
				}
				close(never)
				disconnect(t, c)
			})
		})
	}
}
