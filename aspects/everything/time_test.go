package everything_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// The time of these tests is their own: it goes on when nothing else does.

func TestWatchedResourceChangesWhileSomebodyIsSubscribed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			uri   = `"params":{"uri":"test://watched-resource"}`
			state = `{"jsonrpc":"2.0","id":1,"method":"resources/read",` + uri + `}`
			// Ten minutes pass meanwhile.
			wait = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"longRunning","arguments":{"seconds":600,"steps":1}}}`
		)
		c := connect(t, nil)
		c.initialize(`{}`)
		wantChanges := func(changes, isWatched string) {
			t.Helper()
			c.send(state)
			text := c.answer().Get("contents.0.text").Str
			if want := `{"changes":` + changes + `,"isWatched":` + isWatched + `}`; text != want {
				t.Errorf("the resource is %s, want %s", text, want)
			}
		}
		c.send(wait)
		c.answer()
		wantChanges("0", "false")
		for _, changes := range []string{"3", "6"} {
			c.send(`{"jsonrpc":"2.0","id":3,"method":"resources/subscribe",%s}`, uri)
			c.answer()
			for range 3 {
				want(t, c.next(), "method", "notifications/resources/updated")
			}
			wantChanges(changes, "true")
			c.send(`{"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe",%s}`, uri)
			c.answer()
			c.send(wait)
			want(t, c.next(), "id", "2")
			wantChanges(changes, "false")
		}
		c.end()
	})
}

func TestLongCallsCanBeCancelled(t *testing.T) {
	for _, tool := range []string{"longRunning", "answerLater"} {
		t.Run(tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				c := connect(t, nil)
				c.initialize(`{}`)
				c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{"seconds":600}}}`, tool)
				synctest.Wait()
				c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
				c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
				want(t, c.next(), "id", "2")
				c.end()
				synctest.Wait()
				if passed := time.Since(start); passed >= 600*time.Second {
					t.Errorf("the call went on for %v after it was cancelled", passed)
				}
			})
		})
	}
}

func TestLongRunningReportsItsSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := connect(t, nil)
		c.initialize(`{}`)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"longRunning","arguments":{"seconds":60,"steps":3},"_meta":{"progressToken":"p"}}}`)
		for step, message := range []string{"Step 1 of 3 is done.", "Step 2 of 3 is done.", "Step 3 of 3 is done."} {
			want(t, c.next(), "params.message", message)
			if passed, due := time.Since(start), time.Duration(step+1)*20*time.Second; passed != due {
				t.Errorf("step %d took until %v, want %v", step+1, passed, due)
			}
		}
		want(t, c.answer(), "content.0.text", "Done after 1m0s; steps: 3")
		c.end()
	})
}

// Other calls are answered while an answer is put off.
func TestAnswerLaterHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, nil)
		c.initialize(`{}`)
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"answerLater"}}`)
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_simple_text"}}`)
		want(t, c.next(), "id", "2")
		want(t, c.next(), "result.content.0.text", "This answer came 2s after its handler.")
		c.end()
	})
}
