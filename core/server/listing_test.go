package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core"
	"mcpserver/core/internal/trace"
)

// Lists that have waited for one and the same thing are not all written for a
// client that does not read.
func TestListsThatWaitedTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lists, size, limit = 200, 10 << 10, 100 << 10
		opened := make(chan struct{})
		served := &core.Aspect{
			Name: "MCPServer_test", Version: "1",
			OnList: func(context.Context, *core.Call) { <-opened },
			Tools: []core.Tool{{Name: "t", Description: strings.Repeat("x", size), Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Text(""), nil
			}}},
		}
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		c := newConnection(context.Background(), served, in, out, &Options{OutputLimit: limit})
		c.trace = trace.New(served.Name, trace.Errors, traceLimit)
		defer c.trace.Close()
		c.startReading()
		for id := range lists {
			if _, err := fmt.Fprintf(toServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", id); err != nil {
				t.Fatal(err)
			}
		}
		close(opened)
		synctest.Wait()
		// One is on its way to the client, and one more may be beyond the limit.
		if unread := c.out.Unwritten(); unread < size || unread > limit+3*size {
			t.Errorf("%d bytes of lists were written for a client that reads nothing, want about %d", unread, limit)
		}
		lines := bufio.NewScanner(fromServer)
		for range lists {
			if !lines.Scan() {
				t.Fatalf("the output has ended: %v", lines.Err())
			}
		}
		toServer.Close()
		<-c.inputEnded
		if err := c.finish(context.Background()); err != nil {
			t.Error(err)
		}
		out.Close()
	})
}
