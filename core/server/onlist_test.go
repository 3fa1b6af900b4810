package server_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpserver/core"
	"mcpserver/core/server"
)

// gathering is an aspect with something of everything whose lists wait for a
// gate.
func gathering(g *gate) *core.Aspect {
	served := numbered(3)
	served.Tools = append(served.Tools, asking("ask"))
	served.OnList = func(context.Context, *core.Call) { g.pass() }
	return served
}

// The hook runs before each list is answered, also before its later pages, and
// what it has done is in the list.
func TestOnListRunsBeforeEachList(t *testing.T) {
	served := aspect(fast("own"))
	served.DynamicTools, served.DynamicPrompts, served.DynamicResources = true, true, true
	hosts := hosted(served)
	var host core.Host
	var did journal
	served.OnList = func(_ context.Context, call *core.Call) {
		did.add(call.Method())
		name := fmt.Sprint("new", len(did.entries))
		var err error
		switch call.Method() {
		case "tools/list":
			err = host.AddTools(fast(name))
		case "prompts/list":
			err = host.AddPrompts(textPrompt(name, "x"))
		case "resources/list":
			err = host.AddResources(textAt("a:"+name, "x"))
		case "resources/templates/list":
			err = host.AddTemplates(core.Template{URITemplate: "b:{" + name + "}", Name: name})
		}
		if err != nil {
			t.Error(err)
		}
	}
	c := connect(t, served, nil)
	host = <-hosts
	c.send(initialize)
	c.wantIDs(`"init"`)
	methods := []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"}
	for i, method := range methods {
		c.send(listPage(i+1, method, ""))
		got := c.next()
		if want := fmt.Sprint("new", i+1); got.Get("id").Int() != int64(i+1) || !strings.Contains(got.Get("result").Raw, want) {
			t.Errorf("%s was answered with %s, want %s in it", method, got.Raw, want)
		}
	}
	c.send(call(9, "own"))
	c.wantText("9", "own")
	c.wantEnd()
	did.want(t, methods...)
}

// While lists wait, all else goes on: calls in the aspect's only slot, what they
// ask, and the hook for other lists.
func TestOnListDelaysListsAlone(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := newGate(t)
			served := gathering(g)
			served.Asynchronous = asynchronous
			c := ready(t, served, &server.Options{Concurrency: 1})
			for i, method := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
				c.send(listPage(i+1, method, ""))
				<-g.reached
			}
			c.wantNothing()
			c.send(call(5, "n00"), ping(6))
			var ids []string
			for range 2 {
				ids = append(ids, c.next().Get("id").Raw)
			}
			if slices.Sort(ids); !slices.Equal(ids, []string{"5", "6"}) {
				t.Errorf("the answers to %q came, want those to a call and a ping", ids)
			}
			c.send(call(7, "ask"))
			c.send(sampled(c.wantMethod("sampling/createMessage").Get("id").Raw, "drawn"))
			c.wantText("7", "drawn")
			c.send(`{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"none"}}`)
			c.wantIDs("8")
			c.wantNothing()
			g.open()
			ids = nil
			for range 4 {
				got := c.next()
				if got.Get("result").Get("*.0.name").Str != "n00" {
					t.Errorf("got %s, want a list", got.Raw)
				}
				ids = append(ids, got.Get("id").Raw)
			}
			if slices.Sort(ids); !slices.Equal(ids, []string{"1", "2", "3", "4"}) {
				t.Errorf("the answers to %q came, want those to the lists", ids)
			}
			c.wantEnd()
		})
	}
}

// A list that waits is an open request: its id is taken, it can be cancelled,
// and its time is limited.
func TestListThatWaitsIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reasons := make(chan error, 10)
		served := aspect(fast("fast"))
		served.OnList = func(ctx context.Context, _ *core.Call) {
			<-ctx.Done()
			reasons <- ctx.Err()
		}
		c := ready(t, served, &server.Options{CallTimeout: time.Hour})
		c.send(list(1), list(1))
		c.wantError("1", -32600, "still open")
		c.send(cancellation(1), ping(2))
		c.wantIDs("2")
		if err := <-reasons; err != context.Canceled {
			t.Errorf("the hook's context has ended with %v, want %v", err, context.Canceled)
		}
		c.wantNothing()
		c.send(list(1))
		time.Sleep(time.Hour)
		c.wantError("1", -32603, "took longer than 1h")
		if err := <-reasons; err != context.DeadlineExceeded {
			t.Errorf("the hook's context has ended with %v, want %v", err, context.DeadlineExceeded)
		}
		c.wantNothing()
		c.wantEnd()
	})
}

// Code that fails in the hook costs that list alone.
func TestOnListFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := aspect(fast("fast"))
		served.OnList = func(_ context.Context, call *core.Call) {
			switch call.Params().Get("how").Str {
			case "panic":
				panic("secret inside")
			case "exit":
				runtime.Goexit()
			}
		}
		c := ready(t, served, nil)
		for _, how := range []string{"panic", "exit"} {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"how":"` + how + `"}}`)
			c.wantError("1", -32603, "tools/list failed unexpectedly")
			c.send(call(2, "fast"), ping(3))
			c.wantIDs("2", "3")
			c.send(list(4))
			if got := names(c.next()); !slices.Contains(got, "fast") {
				t.Errorf("after a hook that failed the list has %q", got)
			}
			c.wantTraced("tools/list panicked")
		}
		c.wantEnd()
	})
}

// Cursors work as they do without the hook.
func TestOnListAndPages(t *testing.T) {
	served := numbered(5)
	served.PageSize = 2
	var did journal
	served.OnList = func(_ context.Context, call *core.Call) { did.add(call.Method()) }
	c := ready(t, served, nil)
	if got := strings.Join(pages(t, c, "prompts/list"), ", "); got != "n00 n01, n02 n03, n04" {
		t.Errorf("the pages are %s", got)
	}
	c.send(listPage(1, "prompts/list", `"forged"`))
	c.wantError("1", -32602, "cursor")
	c.send(listPage(2, "prompts/list", `5`))
	c.wantError("2", -32602, "cursor is not a string")
	c.wantEnd()
	did.want(t, slices.Repeat([]string{"prompts/list"}, 5)...)
}

// A batch waits for its lists.
func TestOnListInABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := connect(t, gathering(g), nil)
		c.send(initialize2025, initialized, `[`+list(1)+`,`+ping(2)+`,`+listPage(3, "prompts/list", "")+`]`, ping(4))
		c.wantIDs(`"init"`, "4")
		c.wantNothing()
		g.open()
		if got := c.next(); len(got.Array()) != 3 {
			t.Errorf("got %s, want three answers", got.Raw)
		}
		c.wantEnd()
	})
}

// At the end of input, lists may take as long to finish as calls may.
func TestOnListAtTheEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t)
		c := ready(t, gathering(g), nil)
		c.send(list(1))
		<-g.reached
		c.in.Close()
		time.Sleep(29 * time.Second)
		c.wantNothing()
		g.open()
		if got := names(c.next()); !slices.Contains(got, "n00") {
			t.Errorf("the list has %q", got)
		}
		c.wantEnd()
	})
}

// When serving ends, a list that still waits is answered with an error.
func TestOnListAtTheEnd(t *testing.T) {
	for _, how := range []string{"signal", "end of input"} {
		synctest.Test(t, func(t *testing.T) {
			reasons := make(chan error, 1)
			served := aspect()
			served.OnList = func(ctx context.Context, _ *core.Call) {
				<-ctx.Done()
				reasons <- ctx.Err()
			}
			c := ready(t, served, nil)
			c.send(list(1))
			c.wantNothing()
			if how == "signal" {
				c.signal()
			} else {
				c.in.Close()
			}
			c.wantError("1", -32603, "shutting down")
			if err := c.wait(); err != nil {
				t.Error(err)
			}
			if err := <-reasons; err == nil {
				t.Error("the hook's context has not ended")
			}
		})
	}
}

// Lists that wait, cancelled or not, take no more memory than other open
// requests may.
func TestListsThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 2000
		g := newGate(t)
		served := aspect(fast("fast"))
		served.OnList = func(context.Context, *core.Call) { g.pass() }
		c := ready(t, served, &server.Options{QueueLimit: 100 << 10})
		for id := range count {
			c.send(list(id), cancellation(id))
		}
		synctest.Wait()
		waiting := len(g.reached)
		refused := 0
		for len(c.lines) > 0 {
			if c.next().Get("error.message").Exists() {
				refused++
			}
		}
		if waiting == 0 || refused == 0 || waiting+refused != count {
			t.Errorf("%d lists wait and %d were refused, want %d together and some of each", waiting, refused, count)
		}
		g.open()
		synctest.Wait()
		c.send(list(1))
		c.wantIDs("1")
		c.wantEnd()
	})
}
