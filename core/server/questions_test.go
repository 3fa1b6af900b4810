package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// sampling is a question to the client's model.
func sampling() core.Sampling {
	return core.Sampling{Messages: []core.Message{core.UserText("draw")}, MaxTokens: 10}
}

// sampled is the client's answer to it, for the question with that id (as JSON).
func sampled(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"` + text + `"}}}`
}

// asking is a tool that asks the client's model and answers what it said.
func asking(name string) core.Tool {
	return core.Tool{Name: name, Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		if answer, given := call.Input("art"); given {
			return core.Text(answer.Text()), nil
		}
		return call.RequireInput(core.Inputs{"art": sampling()}, nil)
	}}
}

// A call that waits for the client holds no slot, and its second run queues as
// a new arrival.
func TestParkedCallHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, aspect(asking("ask"), fast("fast"), held("hold", g)), nil)
		c.send(call(1, "ask"))
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send(call(2, "fast"))
		c.wantText("2", "fast")
		c.send(call(3, "hold"), call(4, "fast"), sampled(id, "drawn"), call(5, "fast"), ping(6))
		c.wantIDs("6")
		g.open()
		c.wantIDs("3", "4")
		c.wantText("1", "drawn")
		c.wantIDs("5")
		c.wantEnd()
	})
}

func TestMoreQuestionsThanAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(asking("ask")), &server.Options{MaxQuestions: 2})
		c.send(call(1, "ask"), call(2, "ask"), call(3, "ask"))
		first := c.wantMethod("sampling/createMessage").Get("id").Raw
		second := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.wantToolError("3", "more than 2 questions")
		c.send(sampled(second, "two"), sampled(first, "one"))
		c.wantText("2", "two")
		c.wantText("1", "one")
		c.send(call(4, "ask"))
		c.wantMethod("sampling/createMessage")
		c.wantEnd()
	})
}

// A question that is not answered in time ends its call, and is withdrawn.
func TestUnansweredQuestionExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(asking("ask")), &server.Options{QuestionTimeout: 3 * time.Second})
		start := time.Now()
		c.send(call(1, "ask"))
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		if got := c.wantMethod("notifications/cancelled").Get("params.requestId").Raw; got != id {
			t.Errorf("the request %s was withdrawn, want %s", got, id)
		}
		c.wantToolError("1", "did not answer within 3s")
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it took %v, want 3s", took)
		}
		c.send(sampled(id, "late"), ping(2))
		c.wantIDs("2")
		c.wantEnd()
	})
}

// Cancelling a call withdraws what was asked for it, and nothing more comes.
func TestCancellingACallWithdrawsItsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(asking("ask")), nil)
		c.send(call(1, "ask"))
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send(cancellation(1))
		if got := c.wantMethod("notifications/cancelled").Get("params.requestId").Raw; got != id {
			t.Errorf("the request %s was withdrawn, want %s", got, id)
		}
		c.send(sampled(id, "late"), ping(2))
		c.wantIDs("2")
		time.Sleep(time.Hour)
		c.wantNothing()
		c.wantEnd()
	})
}

// A call's own time limit counts while it waits for the client.
func TestCallTimeoutWithdrawsTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(asking("ask")), &server.Options{CallTimeout: time.Second})
		c.send(call(1, "ask"))
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		for range 2 {
			switch got := c.next(); {
			case got.Get("method").Str == "notifications/cancelled" && got.Get("params.requestId").Raw == id:
			case got.Get("id").Raw == "1" && got.Get("result.isError").Bool():
			default:
				t.Errorf("got %s, want the question withdrawn and the call failed", got.Raw)
			}
		}
		c.wantNothing()
		c.wantEnd()
	})
}

// At the end of input a parked call fails at once, though another call still
// runs and its answer is on its way out.
func TestEndOfInputFailsParkedCallsAtOnce(t *testing.T) {
	for _, slowFirst := range []bool{false, true} {
		t.Run(fmt.Sprintf("behind a slow call=%t", slowFirst), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(t)
				c := ready(t, aspect(asking("ask"), held("hold", g)), nil)
				c.send(call(1, "ask"))
				c.wantMethod("sampling/createMessage")
				if slowFirst {
					c.send(call(2, "hold"), ping(3))
					c.wantIDs("3")
				}
				c.in.Close()
				c.atOnce(1)
				c.wantToolError("1", "input has ended")
				g.open()
				if slowFirst {
					c.wantText("2", "hold")
				}
				c.wantEnd()
			})
		})
	}
}

// Nothing is asked before the client is ready for it.
func TestQuestionsWaitForInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, aspect(asking("ask")), nil)
		c.send(initialize, call(1, "ask"), call(2, "ask"), ping(3))
		c.wantIDs(`"init"`, "3")
		c.send(cancellation(2), ping(4))
		c.wantIDs("4")
		c.wantNothing()
		c.send(initialized)
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send(sampled(id, "drawn"))
		c.wantText("1", "drawn")
		c.wantNothing()
		c.wantEnd()
	})
}

// hosted gives the aspect's host to the test.
func hosted(a *core.Aspect) (hosts <-chan core.Host) {
	given := make(chan core.Host, 1)
	a.OnStartup = func(_ context.Context, host core.Host) error { given <- host; return nil }
	return given
}

func TestAskBeforeInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := connect(t, served, nil)
		host := <-hosts
		for _, message := range []string{"", initialize} {
			if message != "" {
				c.send(message)
				c.wantIDs(`"init"`)
			}
			if _, err := host.Ask(t.Context(), core.Inputs{"art": sampling()}); err == nil || !strings.Contains(err.Error(), "notifications/initialized") {
				t.Errorf("Ask before initialized gave %v, want an error that says so", err)
			}
		}
		c.wantNothing()
		c.wantEnd()
	})
}

// Ask from a goroutine of the aspect's own, while the server waits for input.
func TestAskFromAGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		c.send(ping(0))
		c.wantIDs("0")
		synctest.Wait()
		texts := make(chan string, 1)
		go func() {
			answers, err := host.Ask(context.Background(), core.Inputs{"art": sampling(), "more": sampling()})
			texts <- fmt.Sprint(answers["art"].Text(), answers["more"].Text(), err)
		}()
		c.atOnce(2)
		first := c.wantMethod("sampling/createMessage").Get("id").Raw
		second := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send(sampled(first, "a"), sampled(second, "b"))
		if got := <-texts; got != "ab<nil>" {
			t.Errorf("Ask gave %q, want the texts a and b", got)
		}
		c.wantEnd()
	})
}

// A handler that waits for the client in its slot does not block the reading.
func TestAskInAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(core.Tool{Name: "ask", Handler: func(ctx context.Context, call *core.Call) (core.Result, error) {
			answers, err := call.Host().Ask(ctx, core.Inputs{"art": sampling()})
			return core.Text(answers["art"].Text()), err
		}}), nil)
		c.send(call(1, "ask"), call(2, "ask"))
		c.send(sampled(c.wantMethod("sampling/createMessage").Get("id").Raw, "one"))
		c.wantText("1", "one")
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send(cancellation(2))
		if got := c.wantMethod("notifications/cancelled").Get("params.requestId").Raw; got != id {
			t.Errorf("the request %s was withdrawn, want %s", got, id)
		}
		c.wantEnd()
	})
}

// A question that nobody waits for any more is withdrawn at once.
func TestAskWhoseContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect()
		hosts := hosted(served)
		c := ready(t, served, nil)
		host := <-hosts
		ctx, cancel := context.WithCancel(context.Background())
		failed := make(chan error, 1)
		go func() {
			_, err := host.Ask(ctx, core.Inputs{"art": sampling()})
			failed <- err
		}()
		c.wantMethod("sampling/createMessage")
		synctest.Wait()
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("Ask gave %v, want %v", err, context.Canceled)
		}
		c.atOnce(1)
		c.wantMethod("notifications/cancelled")
		c.wantEnd()
	})
}

func TestAskEndsWithTheInput(t *testing.T) {
	for _, how := range []string{"end of input", "signal"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				served := aspect()
				hosts := hosted(served)
				c := ready(t, served, nil)
				host := <-hosts
				failed := make(chan error, 1)
				go func() {
					_, err := host.Ask(context.Background(), core.Inputs{"art": sampling()})
					failed <- err
				}()
				synctest.Wait()
				if how == "signal" {
					c.signal()
				} else {
					c.in.Close()
				}
				if err := c.wait(); err != nil {
					t.Error(err)
				}
				if err := <-failed; err == nil {
					t.Error("Ask gave no error though no answer can come")
				}
				if _, err := host.Ask(context.Background(), core.Inputs{"art": sampling()}); err == nil {
					t.Error("Ask after the end gave no error")
				}
			})
		})
	}
}

// Responses that answer nothing, or answer wrongly, are never answered.
func TestResponsesThatAnswerNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := ready(t, aspect(asking("ask")), nil)
		c.send(
			sampled("999", "x"), sampled(`"1"`, "x"), sampled("null", "x"), sampled("1.5", "x"),
			`{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}`, ping(1),
		)
		c.wantIDs("1")
		c.send(call(2, "ask"))
		id := c.wantMethod("sampling/createMessage").Get("id").Raw
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-1,"message":"the user said no"}}`)
		c.wantToolError("2", "the user said no")
		c.send(sampled(id, "twice"), ping(3))
		c.wantIDs("3")
		c.wantEnd()
	})
}

// A handler that looks for its answer under another key than it asked by does not
// ask forever, also of a client that answers by itself.
func TestRoundsAreBounded(t *testing.T) {
	served := aspect(core.Tool{Name: "typo", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
		if _, given := call.Input("Sure"); given {
			return core.Text("never"), nil
		}
		return call.RequireInput(core.Inputs{"sure": core.Roots{}}, nil)
	}})
	c := connect(t, served, nil)
	c.send(strings.Replace(initialize, `"capabilities":{`, `"capabilities":{"roots":{},`, 1), initialized)
	c.next()
	c.send(call(1, "typo"))
	for rounds := 0; ; rounds++ {
		message := c.next()
		if message.Get("method").Str == "roots/list" {
			c.send(`{"jsonrpc":"2.0","id":` + message.Get("id").Raw + `,"result":{"roots":[]}}`)
			continue
		}
		if text := message.Get("result.content.0.text").Str; rounds != 100 || !strings.Contains(text, "under the keys of its questions") {
			t.Errorf("after %d rounds came %s", rounds, message.Raw)
		}
		break
	}
	c.wantEnd()
}
