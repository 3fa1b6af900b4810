package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core/client/transport"
)

// states keeps what a client was told of its connection.
type states struct {
	mu  sync.Mutex
	all []State
}

func (s *states) note(state State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, state)
}

func (s *states) seen() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// TestServerThatDies: open calls fail at once with the reason and are not
// repeated; the client comes back and tells what has changed.
func TestServerThatDies(t *testing.T) {
	for _, busy := range []bool{false, true} {
		t.Run(fmt.Sprintf("in a call %t", busy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told states
				changes := make(chan Change, 10)
				c, server := connectLegacy(t, Options{OnState: told.note, OnChange: func(change Change) { changes <- change }}, actions{
					"tools/call": constant(""),
					"tools/list": func(l *fakeLink, _ arrival) string {
						return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}]}`, l.number)
					},
				})
				link, _ := server.link()
				result := make(chan error, 1)
				if busy {
					go func() { _, err := c.CallTool(t.Context(), "t", nil); result <- err }()
				}
				synctest.Wait()
				begun := time.Now()
				link.die(&transport.ExitError{Status: "signal: killed", Stderr: "panic: oops"})
				synctest.Wait()
				if busy {
					mustContain(t, <-result, `server "s"`, "not connected", "signal: killed", "panic: oops")
				}
				if passed := time.Since(begun); passed != 0 {
					t.Errorf("the call failed after %v", passed)
				}
				if c.IsConnected() || c.ListTools() != `[]` || len(c.Tools()) > 0 {
					t.Errorf("after its death the server is connected %t with tools %s", c.IsConnected(), c.ListTools())
				}
				_, err := c.CallTool(t.Context(), "t", nil)
				mustContain(t, err, "not connected", "signal: killed")
				time.Sleep(time.Second)
				synctest.Wait()
				if !c.IsConnected() || c.ListTools() == `[]` {
					t.Errorf("the client has not come back")
				}
				if change := <-changes; !slices.Equal(change.Added, []string{"s.t1"}) || !slices.Equal(change.Removed, []string{"s.t0"}) {
					t.Errorf("the change of the tools is told as %+v", change)
				}
				if seen := told.seen(); len(seen) != 2 || seen[0].Connected || seen[0].Next <= 0 || !seen[1].Connected {
					t.Errorf("the states are %+v, want a loss and a return", seen)
				}
				link, links := server.link()
				if got := len(link.sent("tools/call")); got > 0 || links != 2 {
					t.Errorf("on link %d the call was repeated %d times", links, got)
				}
				disconnect(t, c)
			})
		})
	}
}

// TestCrashLoop: a server that dies again and again is started ever more
// rarely, also when it gets as far as the handshake.
func TestCrashLoop(t *testing.T) {
	for name, serve := range map[string]func(l *fakeLink){
		"at once":             func(*fakeLink) {},
		"after the handshake": serveWith(legacyServer("2025-11-25"), actions{"notifications/initialized": nil, "tools/list": func(l *fakeLink, a arrival) string { go l.die(errors.New("crash")); return oneTool }}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fake{serve: serve}
				c := New("s", server)
				c.Options.Era = EraLegacy
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Hour)
				if _, links := server.link(); links < 100 || links > 300 {
					t.Errorf("in an hour the server was started %d times", links)
				}
				disconnect(t, c)
			})
		})
	}
}

func TestAttemptsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told states
		c, server := connectLegacy(t, Options{OnState: told.note, Reconnect: Backoff{Attempts: 3}})
		link, _ := server.link()
		server.setRefuse(errors.New("gone for good"))
		link.die(errors.New("killed"))
		time.Sleep(time.Hour)
		seen := told.seen()
		if len(seen) != 4 || seen[3].Next >= 0 || seen[2].Next < 0 {
			t.Errorf("the states are %+v, want a loss and three failures, the last one final", seen)
		}
		_, err := c.CallTool(t.Context(), "t", nil)
		mustContain(t, err, "not connected", "gone for good")
		server.setRefuse(nil)
		if err := c.Connect(t.Context()); err != nil {
			t.Errorf("Connect after giving up gives %v", err)
		}
		disconnect(t, c)
	})
}

// TestStart: the first attempt is repeated too.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told states
		server := &fake{serve: serveWith(legacyServer("2025-11-25"))}
		server.setRefuse(errors.New("not yet"))
		c := New("s", server)
		c.Options = Options{Era: EraLegacy, OnState: told.note}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		_, err := c.CallTool(t.Context(), "t", nil)
		mustContain(t, err, "not yet")
		server.setRefuse(nil)
		time.Sleep(time.Second)
		synctest.Wait()
		if !c.IsConnected() || len(told.seen()) != 2 {
			t.Errorf("the client is connected %t, and the states are %+v", c.IsConnected(), told.seen())
		}
		disconnect(t, c)
	})
}

// TestDisconnectAnywhere: in each moment of a client's life it ends all and is
// prompt.
func TestDisconnectAnywhere(t *testing.T) {
	for _, after := range []time.Duration{0, time.Millisecond, time.Second, 4 * time.Second, time.Minute} {
		for name, serve := range map[string]func(l *fakeLink){
			"good":   serveWith(legacyServer("2025-11-25")),
			"silent": func(l *fakeLink) { <-l.done },
			"dying": func(l *fakeLink) {
				select {
				case <-time.After(time.Second):
				case <-l.done:
				}
			},
		} {
			synctest.Test(t, func(t *testing.T) {
				server := &fake{serve: serve}
				c := New("s", server)
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(after)
				begun := time.Now()
				disconnect(t, c)
				if passed := time.Since(begun); passed > 0 {
					t.Errorf("after %v with a %s server Disconnect took %v", after, name, passed)
				}
				for _, link := range server.links {
					<-link.closed
				}
			})
		}
	}
}

func TestDelay(t *testing.T) {
	b := &Backoff{First: time.Second, Most: 10 * time.Second, Attempts: 100}
	for failures, most := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 2: 4 * time.Second, 3: 8 * time.Second, 4: 10 * time.Second, 99: 10 * time.Second} {
		different := map[time.Duration]bool{}
		for range 100 {
			delay, ok := b.Delay(failures)
			if !ok || delay > most || delay < most/2 {
				t.Errorf("Delay(%d) = %v, %t; want up to %v and at least half of it", failures, delay, ok, most)
			}
			different[delay] = true
		}
		if len(different) < 2 {
			t.Errorf("Delay(%d) is always the same", failures)
		}
	}
	if _, ok := b.Delay(100); ok {
		t.Error("there is an attempt more than allowed")
	}
	if delay, ok := (&Backoff{}).Delay(1 << 40); !ok || delay > 30*time.Second {
		t.Errorf("the zero Backoff gives %v, %t after very many failures", delay, ok)
	}
}

// TestHealthIsCheckedWhenIdle: any answer is a good one, and nothing is asked
// while a call is open.
func TestHealthIsCheckedWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, server := connectLegacy(t, Options{CallTimeout: time.Hour, MaxCallTimeout: -1}, actions{
			"ping":       func(l *fakeLink, a arrival) string { l.fail(a.id, -32601, "what is a ping?"); return "" },
			"tools/call": constant(""),
		})
		time.Sleep(time.Hour + time.Second) // so that no check falls on the end of the call
		link, links := server.link()
		if pings := len(link.sent("ping")); links != 1 || pings < 100 {
			t.Errorf("after an hour there have been %d links and %d pings", links, pings)
		}
		pings := len(link.sent("ping"))
		_, err := c.CallTool(t.Context(), "t", nil)
		mustContain(t, err, "limit: 1h")
		if got := len(link.sent("ping")); got != pings {
			t.Errorf("during a call there were %d pings", got-pings)
		}
		disconnect(t, c)
	})
}

// TestServerThatGoesSilent: two attempts without an answer end the connection.
func TestServerThatGoesSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told states
		c, server := connectLegacy(t, Options{OnState: told.note}, actions{"ping": constant("")})
		time.Sleep(2 * time.Minute)
		seen := told.seen()
		if _, links := server.link(); links < 2 || len(seen) < 2 || !errors.Is(seen[0].Reason, errUnhealthy) {
			t.Errorf("there have been %d links, and the states are %+v", links, seen)
		}
		disconnect(t, c)
	})
}

// TestLostSession: one new session for all, and only what may be repeated is.
func TestLostSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		definitions := `{"tools":[{"name":"read","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},` +
			`{"name":"put","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}},{"name":"write","inputSchema":{"type":"object"}}]}`
		lose := func(l *fakeLink, _ arrival) string {
			if l.number > 0 {
				return `{"content":[],"contents":[]}`
			}
			l.die(transport.ErrSessionLost)
			return ""
		}
		c, server := connectLegacy(t, Options{}, actions{
			"tools/list": constant(definitions), "tools/call": func(l *fakeLink, a arrival) string {
				if l.number == 0 && len(l.sent("tools/call")) < 3 {
					return ""
				}
				return lose(l, a)
			},
		})
		results := map[string]chan error{}
		for _, name := range []string{"read", "put", "write"} {
			result := make(chan error, 1)
			results[name] = result
			go func() { _, err := c.CallTool(t.Context(), name, nil); result <- err }()
		}
		for name, result := range results {
			err := <-result
			if name == "write" && !errors.Is(err, transport.ErrSessionLost) || name != "write" && err != nil {
				t.Errorf("the call of %s gives %v", name, err)
			}
		}
		link, links := server.link()
		if links != 2 || len(link.sent("initialize")) != 1 || len(link.sent("tools/call")) != 2 {
			t.Errorf("there have been %d links; the last one has %d handshakes and %d calls, want 2, 1, 2",
				links, len(link.sent("initialize")), len(link.sent("tools/call")))
		}
		disconnect(t, c)
	})
}

// TestSessionsThatAreLostAtOnce are not begun anew at full speed.
func TestSessionsThatAreLostAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{serve: serveWith(legacyServer("2025-11-25"), actions{"tools/list": func(l *fakeLink, _ arrival) string {
			go l.die(transport.ErrSessionLost)
			return oneTool
		}})}
		c := New("s", server)
		c.Options.Era = EraLegacy
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if _, links := server.link(); links > 300 {
			t.Errorf("in an hour there have been %d sessions", links)
		}
		disconnect(t, c)
	})
}

// TestDisconnectInACallback does not wait for itself.
func TestDisconnectInACallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := make(chan error, 1)
		var c *Client
		c, server := connectLegacy(t, Options{OnState: func(State) { done <- c.Disconnect() }, Handlers: map[string]Handler{
			"roots/list": func(context.Context, ServerRequest) (json.RawMessage, error) { select {} },
		}})
		link, _ := server.link()
		link.die(errors.New("killed"))
		if err := <-done; err != nil {
			t.Errorf("Disconnect in a callback gives %v", err)
		}
	})
}
