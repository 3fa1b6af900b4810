// Notes is the example of docs/TOOL_SERVER.md: a tool server, an MCP server of
// it, and with --host a host that uses it without MCP.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"mcpserver/core"
	"mcpserver/core/server"
	"mcpserver/core/toolserver"
)

func main() {
	notes, err := NewNotes()
	if err == nil && slices.Contains(os.Args[1:], "--host") {
		if err = converse(os.Stdout, notes); err == nil {
			return
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server.Main(toolserver.Aspect(notes, &toolserver.Options{Aspect: core.Aspect{Version: "0.1.0"}}))
}

// converse makes the calls of a conversation.
func converse(out io.Writer, notes toolserver.Server) error {
	h := &host{out: out, server: notes, person: func(question string) bool {
		fmt.Fprintf(out, "  %s yes\n", question)
		return true
	}}
	if err := h.permissions.Add(toolserver.Rule{Pattern: "notes.write_note:secret*", Glob: true, Deny: true}); err != nil {
		return err
	}
	for _, call := range []struct{ tool, arguments string }{
		{"write_note", `{"title":"lunch","text":"soup"}`},
		{"write_note", `{"text":"soup", "title":"lunch"}`},
		{"write_note", `{"title":"secret plan","text":"cake"}`},
		{"read_note", `{"title":"lunch"}`},
		{"read_note", `{"title":"dinner"}`},
		{"read_note", `not JSON`},
		{"clear_notes", `{}`},
	} {
		if err := h.call(context.Background(), call.tool, call.arguments); err != nil {
			return err
		}
	}
	return nil
}
