package server_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
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
