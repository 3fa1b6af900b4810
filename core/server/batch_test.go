package server_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
	"mcpserver/core/server"
)

// batching starts a server under the revision that has batches.
func batching(t *testing.T, a *core.Aspect) *client {
	t.Helper()
	c := connect(t, a, nil)
	c.send(initialize2025)
	c.wantIDs(`"init"`)
	c.send(initialized)
	return c
}

// wantBatch takes one message, an array that answers these ids in any order.
func (c *client) wantBatch(ids ...string) {
	c.t.Helper()
	got := c.next()
	answered := make(map[string]bool)
	for _, answer := range got.Array() {
		answered[answer.Get("id").Raw] = true
	}
	if !got.IsArray() || len(answered) != len(ids) {
		c.t.Fatalf("got %.300s, want a batch that answers %v", got.Raw, ids)
	}
	for _, id := range ids {
		if !answered[id] {
			c.t.Fatalf("got %.300s, want a batch that answers %v", got.Raw, ids)
		}
	}
}

// A batch is answered when all its members are; what comes behind it is served
// meanwhile.
func TestBatchWithASlowMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := batching(t, aspect(held("hold", g), fast("fast")))
		c.send("["+strings.Join([]string{ping(1), call(2, "hold"), call(3, "fast"), initialized}, ",")+"]", ping(4))
		c.wantIDs("4")
		c.wantNothing()
		g.open()
		c.wantBatch("1", "2", "3")
		c.wantEnd()
	})
}

// A cancelled member is left out, and a batch that has nothing left to answer
// is not answered.
func TestCancelledMembersOfABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reasons := make(chan error, 3)
		served := aspect(waiting("wait", reasons))
		served.Asynchronous = true
		c := batching(t, served)
		c.send("[" + call(1, "wait") + "," + ping(2) + "]")
		c.send("[" + call(3, "wait") + "," + call(4, "wait") + "]")
		c.wantNothing()
		c.send(cancellation(1))
		c.wantBatch("2")
		c.send(cancellation(3), cancellation(4), ping(5))
		c.wantIDs("5")
		c.wantNothing()
		c.wantEnd()
	})
}

// A member that asks the client holds up its batch alone.
func TestMemberOfABatchThatAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := batching(t, aspect(asking("ask"), fast("fast")))
		c.send("["+call(1, "ask")+","+call(2, "fast")+"]", call(3, "fast"))
		var question string
		for range 2 {
			if got := c.next(); got.Get("method").Str == "sampling/createMessage" {
				question = got.Get("id").Raw
			} else if got.Get("id").Raw != "3" {
				t.Fatalf("got %.300s, want the question and the answer to 3", got.Raw)
			}
		}
		c.send(sampled(question, "drawn"))
		c.wantBatch("1", "2")
		c.wantEnd()
	})
}

// At the end every member that is still open is answered with an error, in one
// array.
func TestBatchAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := batching(t, aspect(held("hold", g), fast("fast")))
		c.send("[" + ping(1) + "," + call(2, "hold") + "," + call(3, "fast") + "]")
		<-g.reached
		c.signal()
		if err := c.wait(); err != nil {
			t.Error(err)
		}
		c.wantBatch("1", "2", "3")
	})
}

// Many answers of a batch that are too large together are replaced by errors,
// each in its place.
func TestAnswersOfABatchAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const calls, size, limit = 50, 100 << 10, 1 << 20
		c := connect(t, aspect(big("big", size)), &server.Options{OutputLimit: limit})
		c.send(initialize2025)
		c.wantIDs(`"init"`)
		members := make([]string, calls)
		for id := range calls {
			members[id] = call(id, "big")
		}
		c.send("[" + strings.Join(members, ",") + "]")
		got := c.next()
		answered, refused := make(map[string]bool), 0
		for _, answer := range got.Array() {
			answered[answer.Get("id").Raw] = true
			switch {
			case answer.Get("error.code").Int() == -32603 && strings.Contains(answer.Get("error.message").Str, "too large together"):
				refused++
			case len(answer.Get("result.content.0.text").Str) != size:
				t.Fatalf("got %.300s, want %d bytes of text or an error", answer.Raw, size)
			}
		}
		if len(answered) != calls {
			t.Errorf("%d of %d members were answered", len(answered), calls)
		}
		if refused < calls-limit/size || refused == calls {
			t.Errorf("%d of %d members were answered with an error, want all but %d", refused, calls, limit/size)
		}
		if len(got.Raw) > limit+calls*200 {
			t.Errorf("the batch was answered with %d bytes, want %d or so at most", len(got.Raw), limit)
		}
		c.send(ping(99))
		c.wantIDs("99")
		c.wantEnd()
	})
}
