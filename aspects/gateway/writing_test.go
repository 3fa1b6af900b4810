package gateway_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"mcpserver/core/server"
)

// slowly gives a few bytes at a time.
type slowly struct{ io.Reader }

func (s slowly) Read(buffer []byte) (int, error) { return s.Reader.Read(buffer[:min(len(buffer), 13)]) }

// TestWholeLines: a client that reads slowly gets whole messages, however many
// come at once, and what is about a call in its order.
func TestWholeLines(t *testing.T) {
	t.Parallel()
	const calls, size = 32, 64 << 10
	a, b := legacyServer(t, "a", "x"), modernServer(t, "b", "x")
	for _, f := range []*fake{a, b} {
		f.on("tools/call", func(l *link, a arrival) string {
			n := a.params.Get("arguments.n").Raw
			l.notify("notifications/progress", `{"progressToken":`+a.params.Get("_meta.progressToken").Raw+`,"progress":1,"message":"n`+n+`"}`)
			l.notify("notifications/message", `{"level":"error","logger":"n`+n+`","data":"`+strings.Repeat("y", 1<<10)+`"}`)
			f.has("prompts", promptOf("p"+n))
			f.notifyChanged("prompts", 1)
			return textResult(n + " " + strings.Repeat("x", size))
		})
	}
	c := connect(t, settings{slow: true}, a, b)
	c.initialize(`{}`)
	c.settle()
	var ids, lines []string
	for i := range calls {
		id, line := c.line("tools/call", fmt.Sprintf(`{"name":"%s.x","arguments":{"n":%d},"_meta":{"progressToken":"t%d"}}`, []string{"a", "b"}[i%2], i, i))
		ids, lines = append(ids, id), append(lines, line)
	}
	c.send(lines...)
	for i, id := range ids {
		got := c.answer(id).Get("result.content.0.text").Str
		if want := fmt.Sprintf("%d %s", i, strings.Repeat("x", size)); got != want {
			t.Errorf("call %d gives %.30q", i, got)
		}
		places := c.order(fmt.Sprintf(`"progressToken":"t%d"`, i), `"id":`+id+`,`)
		if places[0] < 0 || places[0] > places[1] {
			t.Errorf("the progress of call %d is message %d, and its answer %d", i, places[0], places[1])
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, message := range c.messages {
		if !gjson.Valid(message.Raw) || message.Get("jsonrpc").Str != "2.0" {
			t.Errorf("the client has got %.100q", message.Raw)
		}
	}
}

// TestClientThatReadsNothing holds up nothing but itself: when it reads, all
// answers are there.
func TestClientThatReadsNothing(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.on("tools/call", constant(textResult(strings.Repeat("x", 4<<10))))
	c := connect(t, settings{options: &server.Options{OutputLimit: 64 << 10}}, f)
	c.initialize(`{}`)
	c.settle()
	c.pauseReading()
	var ids []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			id, line := c.line("tools/call", callParams("s.x", ""))
			ids = append(ids, id)
			if _, err := io.WriteString(c.in, line+"\n"); err != nil {
				return
			}
		}
	}()
	f.awaitSent("tools/call", 5)
	f.link(0).notify("notifications/message", `{"level":"error","data":"`+strings.Repeat("y", 128<<10)+`"}`)
	c.resumeReading()
	<-done
	for _, id := range ids {
		if got := c.answer(id); len(got.Get("result.content.0.text").Str) != 4<<10 {
			t.Errorf("a call gives %.200s", got.Raw)
		}
	}
	if got := len(f.sent("tools/call")); got != 100 {
		t.Errorf("the server was called %d times", got)
	}
}
