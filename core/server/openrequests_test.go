package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/trace"
)

// traffic is a session in which requests end in all the ways that there are,
// and many of them have waited in the queue. A build that does not serve
// subscriptions/listen refuses it.
func traffic() string {
	var lines strings.Builder
	say := func(format string, arguments ...any) { fmt.Fprintf(&lines, format+"\n", arguments...) }
	request := func(id int, tool string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
	}
	say(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"sampling":{}}}}`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for id := 0; id < 400; id += 20 {
		for i, tool := range []string{"answer", "fail", "panic", "exit", "defer", "complete", "ask", "none", "expire", "slow"} {
			say("%s", request(id+i, tool))
		}
		say(`[%s,%s,%s]`, request(id+10, "answer"), request(id+11, "ask"), request(id+12, "slow"))
		say(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, id+13)
		for i, how := range []string{"answer", "panic", "exit", "expire", "slow"} {
			say(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"how":%q}}`, id+14+i, how)
		}
		for _, cancelled := range []int{0, 4, 6, 8, 10, 13, 17, 18} {
			if id%40 == 0 {
				say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id+cancelled)
			}
		}
	}
	return lines.String()
}

// accountedAspect has the tools that traffic calls.
func accountedAspect() *core.Aspect {
	tool := func(name string, handler core.Handler) core.Tool { return core.Tool{Name: name, Handler: handler} }
	onList := func(ctx context.Context, call *core.Call) {
		switch call.Params().Get("how").Str {
		case "panic":
			panic("inside")
		case "exit":
			runtime.Goexit()
		case "expire":
			<-ctx.Done()
		case "slow":
			time.Sleep(5 * time.Millisecond)
		}
	}
	return &core.Aspect{Name: "MCPServer_test", Version: "1", DynamicTools: true, OnList: onList, Tools: []core.Tool{
		tool("answer", func(context.Context, *core.Call) (core.Result, error) { return core.Text("answer"), nil }),
		tool("fail", func(context.Context, *core.Call) (core.Result, error) { return nil, io.ErrUnexpectedEOF }),
		tool("panic", func(context.Context, *core.Call) (core.Result, error) { panic("inside") }),
		tool("exit", func(context.Context, *core.Call) (core.Result, error) { runtime.Goexit(); return nil, nil }),
		tool("defer", func(_ context.Context, call *core.Call) (core.Result, error) { call.Defer(); return core.Pending, nil }),
		tool("complete", func(_ context.Context, call *core.Call) (core.Result, error) {
			handle := call.Defer()
			time.AfterFunc(time.Millisecond, func() { _ = handle.Complete(core.Text("later"), nil) })
			return core.Pending, nil
		}),
		tool("ask", func(_ context.Context, call *core.Call) (core.Result, error) {
			if answer, given := call.Input("art"); given {
				return core.Text(answer.Text()), nil
			}
			question := core.Sampling{Messages: []core.Message{core.UserText("draw")}, MaxTokens: 1}
			return call.RequireInput(core.Inputs{"art": question}, nil)
		}),
		tool("expire", func(ctx context.Context, _ *core.Call) (core.Result, error) { <-ctx.Done(); return nil, ctx.Err() }),
		tool("slow", func(context.Context, *core.Call) (core.Result, error) {
			time.Sleep(5 * time.Millisecond)
			return core.Text("slow"), nil
		}),
	}}
}

// Whatever became of the requests, nothing is accounted for when they are gone.
func TestAccountOfOpenRequestsReturnsToZero(t *testing.T) {
	for _, asynchronous := range []bool{false, true} {
		for _, limit := range []int{64 << 10, 64 << 20} {
			t.Run(fmt.Sprintf("asynchronous=%t, limit %d", asynchronous, limit), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testAccount(t, asynchronous, limit) })
			})
		}
	}
}

func testAccount(t *testing.T, asynchronous bool, limit int) {
	served := accountedAspect()
	served.Asynchronous = asynchronous
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	c := newConnection(context.Background(), served, in, out, &Options{QueueLimit: limit, CallTimeout: 50 * time.Millisecond, Concurrency: 2})
	c.trace = trace.New(served.Name, trace.Errors, traceLimit)
	defer c.trace.Close()
	most := make(chan int64, 1)
	go func() {
		// The client answers every other question.
		most <- answerSome(fromServer, toServer, c)
	}()
	c.startReading()
	if _, err := io.WriteString(toServer, traffic()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	// Streams alone have no limit of time.
	for _, q := range c.requests.all() {
		if q.method != "subscriptions/listen" {
			t.Errorf("%s %s is still open", q.method, q.id)
		}
	}
	toServer.Close()
	<-c.inputEnded
	if err := c.finish(context.Background()); err != nil {
		t.Error(err)
	}
	out.Close()
	if peak := <-most; peak == 0 {
		t.Error("nothing was ever accounted for")
	}
	synctest.Wait()
	if load, open := c.requests.load.Load(), len(c.requests.all()); load != 0 || open != 0 {
		t.Errorf("%d requests are open and %d bytes accounted for at the end, want none", open, load)
	}
}

// answerSome plays the client, and gives the most that it saw accounted for.
func answerSome(from io.Reader, to io.Writer, c *connection) (most int64) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		most = max(most, c.requests.load.Load())
		id := gjson.GetBytes(lines.Bytes(), "id")
		if gjson.GetBytes(lines.Bytes(), "method").Str != "sampling/createMessage" || id.Int()%2 == 0 {
			continue
		}
		answer := `{"jsonrpc":"2.0","id":` + id.Raw + `,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"drawn"}}}`
		go func() { _, _ = io.WriteString(to, answer+"\n") }() // an error says that the input was closed
	}
	return most
}
