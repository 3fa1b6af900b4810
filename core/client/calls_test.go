package client

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestAbandonedCallIsCancelled: exactly once, with its own id, and it is not
// sent again.
func TestAbandonedCallIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := connectLegacy(t, Options{}, actions{"tools/call": constant("")})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.CallTool(ctx, "t", nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call gives %v", err)
		}
		synctest.Wait()
		link, _ := server.link()
		calls, cancelled := link.sent("tools/call"), link.sent("notifications/cancelled")
		if len(calls) != 1 || len(cancelled) != 1 || cancelled[0].params.Get("requestId").Raw != calls[0].id {
			t.Errorf("the server got the calls %v and the cancellations %v", calls, cancelled)
		}
		link.result(calls[0].id, `{"content":[]}`) // late
		if err := c.Ping(t.Context()); err != nil {
			t.Errorf("after a late response a ping gives %v", err)
		}
	})
}

// TestCancellingOneCall leaves the other one alone, and the server.
func TestCancellingOneCall(t *testing.T) {
	release := make(chan struct{})
	begun := make(chan struct{}, 2)
	c, server := connectLegacy(t, Options{}, actions{"tools/call": func(l *fakeLink, a arrival) string {
		begun <- struct{}{}
		if a.params.Get("name").Str == "good" {
			go func() {
				<-release
				l.result(a.id, `{"content":[]}`)
			}()
		}
		return ""
	}})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error), make(chan error)
	go func() { _, err := c.CallTool(ctx, "bad", nil); first <- err }()
	go func() { _, err := c.CallTool(t.Context(), "good", nil); second <- err }()
	<-begun
	<-begun
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call gives %v", err)
	}
	close(release)
	if err := <-second; err != nil {
		t.Errorf("the other call gives %v", err)
	}
	if _, links := server.link(); links != 1 {
		t.Errorf("there have been %d links, want 1", links)
	}
}

// TestInitializeIsNotCancelled, as the specification demands.
func TestInitializeIsNotCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{serve: serveWith(actions{"initialize": constant("")})}
		c := New("s", server)
		c.Options.Era = EraLegacy
		c.Options.ConnectTimeout = 40 * time.Second
		begun := time.Now()
		mustContain(t, c.Connect(t.Context()), "connecting took too long", "40s")
		if passed := time.Since(begun); passed != 40*time.Second {
			t.Errorf("Connect gave up after %v, want 40s", passed)
		}
		link, _ := server.link()
		if got := len(link.sent("notifications/cancelled")); got != 0 {
			t.Errorf("the server got %d cancellations of initialize", got)
		}
	})
}

// TestSlowStart: a server may take its time within the limit.
func TestSlowStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{serve: serveWith(legacyServer("2025-11-25"), actions{"initialize": func(l *fakeLink, a arrival) string {
			time.Sleep(40 * time.Second)
			return `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}`
		}})}
		c := connect(t, server, Options{Era: EraLegacy, ConnectTimeout: time.Minute})
		disconnect(t, c)
	})
}

// TestLimitsOfACall: progress keeps a call alive, up to a limit that it does not
// move; the error says which limit it was.
func TestLimitsOfACall(t *testing.T) {
	for _, test := range []struct {
		name     string
		options  Options
		progress time.Duration // between notices; 0 is none
		answer   time.Duration // 0 is never
		want     string        // of the error; "" is none
		after    time.Duration
	}{
		{"quiet", Options{}, 0, 0, "without progress (limit: 1m0s)", time.Minute},
		{"own limit", Options{CallTimeout: time.Second}, 0, 0, "without progress (limit: 1s)", time.Second},
		{"progress", Options{CallTimeout: 10 * time.Second}, 5 * time.Second, 90 * time.Second, "", 90 * time.Second},
		{"endless", Options{CallTimeout: 10 * time.Second, MaxCallTimeout: time.Minute}, 5 * time.Second, 0, "for a whole call (limit: 1m0s)", time.Minute},
		{"no limit", Options{CallTimeout: -1, MaxCallTimeout: -1, HealthInterval: -1}, 0, 100 * time.Hour, "", 100 * time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := connectLegacy(t, test.options, actions{"tools/call": func(l *fakeLink, a arrival) string {
					go serveSlowly(l, a, test.progress, test.answer)
					return ""
				}})
				begun := time.Now()
				_, err := c.Do(t.Context(), &Request{Method: "tools/call", Params: []byte(`{"name":"t"}`), OnProgress: func(Progress) {}})
				if test.want == "" && err != nil {
					t.Errorf("the call gives %v", err)
				}
				if test.want != "" {
					mustContain(t, err, test.want)
				}
				if passed := time.Since(begun); passed != test.after {
					t.Errorf("the call ended after %v, want %v", passed, test.after)
				}
			})
		})
	}
}

// serveSlowly tells of progress until it answers, or the link ends.
func serveSlowly(l *fakeLink, a arrival, progress, answer time.Duration) {
	begun := time.Now()
	for answer == 0 || time.Since(begun) < answer {
		step := progress
		if step == 0 {
			step = answer
		}
		if step == 0 {
			return
		}
		select {
		case <-time.After(step):
		case <-l.done:
			return
		}
		if progress > 0 {
			l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":1}`, a.params.Get("_meta.progressToken").Raw))
		}
	}
	l.result(a.id, `{"content":[]}`)
}

// TestProgress arrives in order, before the answer.
func TestProgress(t *testing.T) {
	c, server := connectLegacy(t, Options{}, actions{"tools/call": func(l *fakeLink, a arrival) string {
		for i := range 100 {
			l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":100,"message":"m","x":1}`,
				a.params.Get("_meta.progressToken").Raw, i))
		}
		return `{"content":[]}`
	}})
	var got []Progress
	_, err := c.Do(t.Context(), &Request{
		Method: "tools/call", Params: []byte(`{"name":"t","_meta":{"progressToken":"theirs","other":1}}`),
		OnProgress: func(p Progress) { got = append(got, p) },
	})
	if err != nil || len(got) != 100 {
		t.Fatalf("the call gives %v and %d notices, want 100", err, len(got))
	}
	for i, p := range got {
		if p.Progress != float64(i) || p.Total != 100 || p.Message != "m" || !strings.Contains(string(p.Params), `"x":1`) {
			t.Errorf("notice %d is %+v", i, p)
		}
	}
	link, _ := server.link()
	if meta := link.sent("tools/call")[0].params.Get("_meta").Raw; !strings.HasPrefix(meta, `{"other":1,"progressToken":`) || strings.Contains(meta, "theirs") {
		t.Errorf("_meta is %s, want the client's own token", meta)
	}
	if _, err := c.CallTool(t.Context(), "t", nil); err != nil || link.sent("tools/call")[1].params.Get("_meta").Exists() {
		t.Errorf("without OnProgress the call gives %v and has a _meta", err)
	}
}

// TestSlowCallbackDelaysNobody: one that blocks for ever holds up neither the
// answer of its own call nor another call, and memory is bounded.
func TestSlowCallbackDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := connectLegacy(t, Options{OnNotification: func(Notification) { <-t.Context().Done() }}, actions{"tools/call": func(l *fakeLink, a arrival) string {
			for i := range 10_000 {
				l.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d}`, a.params.Get("_meta.progressToken").Raw, i))
				l.notify("notifications/message", `{"level":"info","data":"x"}`)
			}
			return `{"content":[]}`
		}})
		blocked := make(chan struct{})
		begun := time.Now()
		_, err := c.Do(t.Context(), &Request{
			Method: "tools/call", Params: []byte(`{"name":"t"}`), OnProgress: func(Progress) { <-blocked },
		})
		if passed := time.Since(begun); err != nil || passed > toldGrace {
			t.Errorf("the call gives %v after %v", err, passed)
		}
		if _, err := c.CallTool(t.Context(), "t", nil); err != nil {
			t.Errorf("another call gives %v", err)
		}
		c.notices.mu.Lock()
		waiting, dropped := len(c.notices.queue), c.notices.dropped
		c.notices.mu.Unlock()
		if waiting != maxNotices || dropped == 0 {
			t.Errorf("%d notifications wait and %d were dropped, want %d and some", waiting, dropped, maxNotices)
		}
		close(blocked)
	})
}

func TestProgressOfNobody(t *testing.T) {
	c, server := connectLegacy(t, Options{}, actions{"ping": constant(`{}`)})
	link, _ := server.link()
	for _, params := range []string{
		`{"progressToken":1,"progress":1}`, `{"progressToken":"x"}`, `{"progressToken":{}}`, `{}`, `[]`, `null`, `{"progressToken":99999,"progress":"x"}`,
	} {
		link.notify("notifications/progress", params)
	}
	if err := c.Ping(t.Context()); err != nil || c.Strays() != 0 {
		t.Errorf("after nonsense about progress a ping gives %v, and %d messages were stray", err, c.Strays())
	}
}

// TestNothingGrows: calls that succeed, fail, are cancelled and time out leave
// nothing behind.
func TestNothingGrows(t *testing.T) {
	c, _ := connectLegacy(t, Options{}, actions{"tools/call": func(l *fakeLink, a arrival) string {
		switch a.params.Get("name").Str {
		case "good":
			return `{"content":[]}`
		case "bad":
			l.fail(a.id, -1, "bad")
		}
		return ""
	}})
	before := runtime.NumGoroutine()
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for i := range 500 {
				ctx, cancel := context.WithCancel(t.Context())
				name := []string{"good", "bad", "silent"}[i%3]
				if name == "silent" {
					cancel()
				}
				_, err := c.CallTool(ctx, name, nil)
				if (err == nil) != (name == "good") {
					t.Errorf("a %s call gives %v", name, err)
				}
				cancel()
			}
		})
	}
	callers.Wait()
	connection, err := c.current()
	if err != nil {
		t.Fatal(err)
	}
	connection.calls.mu.Lock()
	open := len(connection.calls.open)
	connection.calls.mu.Unlock()
	c.running.mu.Lock()
	running := len(c.running.open)
	c.running.mu.Unlock()
	if open+running > 0 {
		t.Errorf("%d calls are open and %d can be interrupted after all have ended", open, running)
	}
	disconnect(t, c)
	if now := runtime.NumGoroutine(); now > before+5 {
		t.Errorf("there are %d goroutines, %d before", now, before)
	}
}

// TestRegistryUnderLoad: lists and calls while the list changes, for the race
// detector; each list is whole and in the server's order.
func TestRegistryUnderLoad(t *testing.T) {
	var mu sync.Mutex
	n := 0
	c, _ := connectLegacy(t, Options{}, actions{"tools/call": constant(`{"content":[]}`), "tools/list": func(*fakeLink, arrival) string {
		mu.Lock()
		defer mu.Unlock()
		n++
		return fmt.Sprintf(`{"tools":[{"name":"a%d","inputSchema":{"type":"object"}},{"name":"b%d","inputSchema":{"type":"object"}}]}`, n, n)
	}})
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 50 {
				if _, _, err := c.RefreshTools(t.Context()); err != nil {
					t.Errorf("RefreshTools: %v", err)
				}
			}
		})
		workers.Go(func() {
			for range 50 {
				tools := c.Tools()
				if len(tools) != 2 || tools[0].Name[1:] != tools[1].Name[1:] || tools[0].Name[0] != 'a' {
					t.Errorf("the tools are %v", tools)
				}
				c.ListTools()
				if _, err := c.CallTool(t.Context(), "a1", nil); err != nil {
					t.Errorf("CallTool: %v", err)
				}
			}
		})
	}
	workers.Wait()
}

// TestCancelledAndDisconnected: the server is told what is cancelled before the
// connection ends.
func TestCancelledAndDisconnected(t *testing.T) {
	for range 50 {
		c, server := connectLegacy(t, Options{}, actions{"tools/call": constant("")})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := c.CallTool(ctx, "t", nil); done <- err }()
		link, _ := server.link()
		for len(link.sent("tools/call")) == 0 {
			runtime.Gosched()
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		disconnect(t, c)
		if got := len(link.sent("notifications/cancelled")); got != 1 {
			t.Fatalf("the server was told %d times", got)
		}
	}
}
