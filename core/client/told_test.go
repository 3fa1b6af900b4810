package client

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core/internal/wire"
)

// TestWhatBelongsToARequest comes in the server's order, before the answer, and
// to the request alone.
func TestWhatBelongsToARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var others []string
		c, _ := connectLegacy(t, Options{OnNotification: func(n Notification) {
			others = append(others, fmt.Sprintf("%s %v", n.Method, n.Tag))
		}}, actions{"tools/call": func(l *fakeLink, a arrival) string {
			token := a.params.Get("_meta.progressToken").Raw
			for i := range 50 {
				l.notify("notifications/message", fmt.Sprintf(`{"level":"info","data":%d}`, i))
				l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d}`, token, i))
			}
			l.notify("notifications/resources/updated", `{"uri":"a:b"}`)
			return `{"content":[]}`
		}})
		var told []string
		_, err := c.Do(t.Context(), &Request{
			Method: "tools/call", Params: []byte(`{"name":"t"}`), Tag: "mine",
			OnProgress: func(p Progress) { told = append(told, fmt.Sprint("progress ", p.Progress)) },
			OnNotification: func(n Notification) {
				told = append(told, fmt.Sprintf("%s %s %v %t", n.Method, n.Params, n.Tag, n.Exact))
			},
		})
		if err != nil || len(told) != 100 {
			t.Fatalf("the call gives %v and was told %d times, want 100", err, len(told))
		}
		for i := range 50 {
			message := fmt.Sprintf(`notifications/message {"level":"info","data":%d} mine true`, i)
			if told[2*i] != message || told[2*i+1] != fmt.Sprint("progress ", i) {
				t.Errorf("the call was told %q and %q as number %d", told[2*i], told[2*i+1], i)
			}
		}
		synctest.Wait()
		if got := strings.Join(others, "; "); got != "notifications/resources/updated <nil>" {
			t.Errorf("OnNotification was given %s", got)
		}
	})
}

// TestNotificationsAreLostAloud: a callback that does not return costs what comes
// after, and the log says how much.
func TestNotificationsAreLostAloud(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &logged{}
		blocked := make(chan struct{})
		c, server := connectLegacy(t, Options{Log: log.logger()}, actions{"tools/call": func(l *fakeLink, _ arrival) string {
			for range maxTold + 100 {
				l.notify("notifications/message", `{"level":"info","data":"x"}`)
			}
			return `{"content":[]}`
		}})
		_, err := c.Do(t.Context(), &Request{
			Method: "tools/call", Params: []byte(`{"name":"t"}`), OnNotification: func(Notification) { <-blocked },
		})
		// How many come before the callback is first run does not matter.
		if err != nil || !strings.Contains(log.String(), "notifications about a call were dropped") {
			t.Errorf("the call gives %v, and the log is %s", err, log)
		}
		link, _ := server.link()
		if meta := link.sent("tools/call")[0].params.Get("_meta"); meta.Exists() {
			t.Errorf("the call asks for progress that nobody wants: %s", meta.Raw)
		}
		close(blocked)
		disconnect(t, c)
	})
}

// TestWaitingNotificationsAreBoundedInBytes, whoever they are for.
func TestWaitingNotificationsAreBoundedInBytes(t *testing.T) {
	big := wire.Value{Kind: wire.Object, Raw: `{"x":"` + strings.Repeat("x", maxToldBytes/4) + `"}`}
	blocked := make(chan struct{})
	defer close(blocked)
	own := &told{onProgress: func(Progress) { <-blocked }}
	all := &notices{}
	dropped := 0
	for range 20 {
		own.progress(big, nil)
		dropped = max(dropped, all.addNotification(func() { <-blocked }, len(big.Raw)))
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	all.mu.Lock()
	defer all.mu.Unlock()
	if own.bytes > maxToldBytes || len(own.queue) == 0 || all.bytes > maxNoticeBytes || len(all.queue) == 0 || dropped < 15 {
		t.Errorf("%d bytes wait for the call's callback and %d for the client's, and %d were dropped", own.bytes, all.bytes, dropped)
	}
}
