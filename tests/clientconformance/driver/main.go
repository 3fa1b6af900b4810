// Command driver is the client that the official conformance suite judges: it
// connects to the server whose URL is its last argument, uses everything that
// the server offers, and disconnects. It knows no scenario. The suite starts it
// with
//
//	MCP_CONFORMANCE_CONTEXT   a JSON object whose toolCalls, if there are any,
//	                          are the calls to make; otherwise each tool is
//	                          called once, with arguments made up from its schema
//
// What the server answers is for the suite to judge, errors included. The exit
// status is 1 if there is no connection or no answer.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/client"
	"mcpserver/core/client/transport"
)

// patience bounds the whole run: the suite kills a client after 30 seconds, and
// what a client says on its own tells more.
const patience = 25 * time.Second

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: driver URL")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := drive(ctx, os.Args[len(os.Args)-1], os.Getenv("MCP_CONFORMANCE_CONTEXT")); err != nil {
		fmt.Fprintln(os.Stderr, "driver:", err)
		os.Exit(1)
	}
}

// drive uses the server at a URL. Wanted may name the calls to make.
func drive(ctx context.Context, url, wanted string) error {
	server := client.New("judged", &transport.HTTP{URL: url})
	server.Options = client.Options{
		Name:     "mcpserver-conformance-driver",
		Version:  "1.0.0",
		Handlers: answers(),
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if err := server.Connect(ctx); err != nil {
		return err
	}
	return errors.Join(
		callTools(ctx, server, wanted),
		getPrompts(ctx, server),
		readResources(ctx, server),
		server.Disconnect(),
	)
}

// toolCall is one call to make.
type toolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// callTools makes the calls side by side, so that questions about one are open
// while others are made.
func callTools(ctx context.Context, server *client.Client, wanted string) error {
	calls, err := plan(server.Tools(), wanted)
	if err != nil {
		return err
	}
	failures := make(chan error)
	for _, call := range calls {
		go func() {
			_, err := server.CallTool(ctx, call.Name, call.Arguments)
			failures <- unanswered("tools/call "+call.Name, err)
		}()
	}
	for range calls {
		err = errors.Join(err, <-failures)
	}
	return err
}

// unanswered gives the error of a request, unless it is the server's answer.
func unanswered(request string, err error) error {
	var answer *core.Error
	if err == nil || errors.As(err, &answer) {
		fmt.Println(request, "is answered; error:", answer)
		return nil
	}
	return fmt.Errorf("%s: %w", request, err)
}

// plan gives the calls that are wanted, or one of each tool.
func plan(tools []client.Tool, wanted string) (calls []toolCall, err error) {
	if named := gjson.Get(wanted, "toolCalls"); named.Exists() {
		err = json.Unmarshal([]byte(named.Raw), &calls)
		return calls, err
	}
	for _, tool := range tools {
		schema := gjson.GetBytes(tool.Definition, "inputSchema")
		calls = append(calls, toolCall{Name: tool.Name, Arguments: example(schema, tools)})
	}
	return calls, nil
}

func getPrompts(ctx context.Context, server *client.Client) error {
	prompts, err := server.ListPrompts(ctx)
	for _, prompt := range prompts {
		arguments := map[string]string{}
		for _, argument := range gjson.GetBytes(prompt, "arguments").Array() {
			arguments[argument.Get("name").Str] = "example"
		}
		name := gjson.GetBytes(prompt, "name").Str
		_, failure := server.GetPrompt(ctx, name, arguments)
		err = errors.Join(err, unanswered("prompts/get "+name, failure))
	}
	return err
}

func readResources(ctx context.Context, server *client.Client) error {
	resources, err := server.ListResources(ctx)
	for _, resource := range resources {
		uri := gjson.GetBytes(resource, "uri").Str
		_, failure := server.ReadResource(ctx, uri)
		err = errors.Join(err, unanswered("resources/read "+uri, failure))
	}
	return err
}
