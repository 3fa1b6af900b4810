package client

import (
	"context"
	"errors"
	"testing"

	"mcpserver/core"
	"mcpserver/core/client/transport"
)

// queue is a fake's link that takes messages without waiting, as that of a child
// process does.
type queue struct {
	*fakeLink
	full bool
}

func (q *queue) Full() bool { return q.full }

// queued is a fake whose links are queues.
type queued struct {
	*fake
	full bool
}

func (q *queued) Open(ctx context.Context, receiver transport.Receiver) (transport.Link, error) {
	link, err := q.fake.Open(ctx, receiver)
	if err != nil {
		return nil, err
	}
	return &queue{link.(*fakeLink), q.full}, nil
}

// outcome is what Begin has told.
type outcome struct {
	result string
	err    error
}

// TestBegin on each way there is: by a link that does not wait and by one that
// may, and for requests that somebody has to wait for.
func TestBegin(t *testing.T) {
	for name, test := range map[string]struct {
		full, plain bool
		options     Options
	}{
		"at once": {plain: true, options: Options{CallTimeout: -1, MaxCallTimeout: -1}},
		"full":    {full: true, options: Options{CallTimeout: -1, MaxCallTimeout: -1}},
		"limited": {},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.Era = EraLegacy
			hold := make(chan struct{})
			server := &fake{serve: serveWith(legacyServer("2025-11-25"), actions{
				"tools/call": func(l *fakeLink, a arrival) string {
					switch a.params.Get("name").Str {
					case "good":
						l.notify("notifications/message", `{"level":"info","data":"first"}`)
						return `{"content":[ ] }`
					case "bad":
						l.fail(a.id, -32000, "no")
					case "held":
						<-hold
					}
					return ""
				},
			})}
			c := New("s", &queued{server, test.full})
			c.Options = test.options
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer disconnect(t, c)
			defer close(hold)
			current, _ := c.current()
			if got := current.isPlain(&Request{Method: "tools/call"}); got != test.plain {
				t.Errorf("it is sent at once: %t, want %t", got, test.plain)
			}
			begin := func(tool string, heard *[]string) (<-chan outcome, <-chan struct{}, func(error)) {
				outcomes, sent := make(chan outcome, 2), make(chan struct{}, 2)
				cancel := c.Begin(&Request{
					Method: "tools/call", Params: []byte(`{"name":"` + tool + `"}`),
					OnSent:         func() { sent <- struct{}{} },
					OnNotification: func(n Notification) { *heard = append(*heard, n.Method) },
				}, func(result string, err error) { outcomes <- outcome{result, err} })
				return outcomes, sent, cancel
			}
			var heard []string
			outcomes, sent, cancel := begin("good", &heard)
			<-sent
			if got := <-outcomes; got.result != `{"content":[ ] }` || got.err != nil {
				t.Errorf("the result is %q, %v", got.result, got.err)
			}
			if len(heard) != 1 {
				t.Errorf("the notifications before the answer are %q", heard)
			}
			cancel(errors.New("too late"))

			outcomes, _, _ = begin("bad", &heard)
			var failure *core.Error
			if got := <-outcomes; !errors.As(got.err, &failure) || failure.Code != -32000 {
				t.Errorf("the error is %v", got.err)
			}

			link, _ := server.link()
			reason := errors.New("not wanted")
			outcomes, sent, cancel = begin("held", &heard)
			<-sent
			cancel(reason)
			if got := <-outcomes; !errors.Is(got.err, reason) {
				t.Errorf("a cancelled request gives %v", got.err)
			}
			outcomes, sent, _ = begin("held", &heard)
			<-sent
			c.Interrupt()
			if got := <-outcomes; !errors.Is(got.err, ErrInterrupted) {
				t.Errorf("an interrupted request gives %v", got.err)
			}
			awaitCancelled(t, link, 2)

			outcomes, sent, _ = begin("held", &heard)
			<-sent
			link.die(errors.New("gone"))
			if got := <-outcomes; !errors.Is(got.err, ErrNotConnected) {
				t.Errorf("a request on a lost connection gives %v", got.err)
			}
			if len(outcomes) != 0 || len(c.running.open) != 0 {
				t.Errorf("it was told %d times more, and %d requests can be interrupted", len(outcomes), len(c.running.open))
			}
		})
	}
}

// awaitCancelled waits until the server has been told of so many cancellations.
func awaitCancelled(t *testing.T, l *fakeLink, count int) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		told := 0
		for _, message := range l.got {
			if message.Method == "notifications/cancelled" {
				told++
			}
		}
		if told == count {
			return
		}
		l.arrived.Wait()
	}
}

// TestBeginWithoutAConnection tells so, and that nothing was or will be sent.
func TestBeginWithoutAConnection(t *testing.T) {
	c := New("s", &fake{})
	sent, outcomes := make(chan struct{}, 1), make(chan error, 1)
	c.Begin(&Request{Method: "ping", OnSent: func() { sent <- struct{}{} }}, func(_ string, err error) { outcomes <- err })
	<-sent
	if err := <-outcomes; !errors.Is(err, ErrNotConnected) {
		t.Errorf("the error is %v", err)
	}
}
