// Caller is the example of docs/CLIENT.md: it starts an MCP server, or goes to
// one at a URL, lists its tools and calls one.
//
//	caller TOOL ARGUMENTS SERVER [ARGUMENT...]
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core/client"
	"mcpserver/core/client/transport"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: caller TOOL ARGUMENTS SERVER [ARGUMENT...]")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run calls a tool of a server, first as a host of tool servers does, then for
// its whole result.
func run(ctx context.Context, out io.Writer, tool, arguments string, where []string) (err error) {
	server := client.New("art", reach(where))
	server.Options = client.Options{
		Name: "caller", Version: "0.1.0",
		Handlers: map[string]client.Handler{"sampling/createMessage": sample},
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if err := server.Connect(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Disconnect()) }()

	info, _ := server.Server()
	fmt.Fprintf(out, "connected to a server of the %s era, version %s\n", info.Era, info.Version)
	for _, tool := range gjson.Get(server.ListTools(), "#.name").Array() {
		fmt.Fprintln(out, "it has", tool)
	}
	fmt.Fprintln(out, server.Execute(ctx, tool, arguments))
	return callOnce(ctx, out, server, tool, arguments)
}

// reach says how to get to a server: by its URL, or by the command that starts
// it.
func reach(where []string) transport.Transport {
	if strings.Contains(where[0], "://") {
		return &transport.HTTP{URL: where[0], BearerVariable: "SERVER_TOKEN"}
	}
	return &transport.Stdio{Command: where[0], Arguments: where[1:]}
}

// sample stands for a language model.
func sample(_ context.Context, request client.ServerRequest) (json.RawMessage, error) {
	prompt := gjson.GetBytes(request.Params, "messages.0.content.text").Str
	text := "*** " + prompt[strings.LastIndex(prompt, "\n")+1:] + " ***"
	return json.Marshal(map[string]any{
		"role": "assistant", "model": "none",
		"content": map[string]any{"type": "text", "text": text},
	})
}

func callOnce(ctx context.Context, out io.Writer, server *client.Client, tool, arguments string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("nobody waits any more"))
	defer cancel()
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": json.RawMessage(arguments)})
	if err != nil {
		return err
	}
	result, err := server.Do(ctx, &client.Request{
		Method:     "tools/call",
		Params:     params,
		OnProgress: func(p client.Progress) { fmt.Fprintln(out, "progress:", p.Progress, p.Message) },
		OnNotification: func(n client.Notification) {
			fmt.Fprintln(out, "the server says:", n.Method, string(n.Params))
		},
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, string(result))
	return nil
}
