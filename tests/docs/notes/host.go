package main

import (
	"context"
	"fmt"
	"io"

	"mcpserver/core/toolserver"
)

// host runs what a model asks for. There is one for each conversation.
type host struct {
	out         io.Writer
	server      toolserver.Server
	permissions toolserver.Permissions
	duplicates  toolserver.Duplicates
	person      func(question string) bool
}

// call runs a tool if the person, and the rules that the person made, allow it.
func (h *host) call(ctx context.Context, tool, arguments string) error {
	fmt.Fprintf(h.out, "%s %s\n", tool, arguments)
	switch h.permissions.Decide(h.server, tool, arguments) {
	case toolserver.Denied:
		fmt.Fprintln(h.out, "  denied")
		return nil
	case toolserver.Undecided:
		if !h.person("Run it, always?") {
			return h.permissions.Remember(h.server, tool, arguments, toolserver.Denied)
		}
		if err := h.permissions.Remember(h.server, tool, arguments, toolserver.Allowed); err != nil {
			return err
		}
	}
	if h.duplicates.Record(h.server, tool, arguments).InARow > 0 {
		fmt.Fprintln(h.out, "  just called: left out")
		return nil
	}
	response, err := toolserver.ParseResponse(h.server.Execute(h.approving(ctx), tool, arguments))
	if err != nil {
		return err
	}
	fmt.Fprintf(h.out, "  failed: %t, result: %s\n", response.IsError, response.Result)
	for _, directive := range response.Directives {
		fmt.Fprintf(h.out, "  directive: %s\n", directive.JSON())
	}
	return nil
}

// approving gives a context under which tools can ask the person.
func (h *host) approving(ctx context.Context) context.Context {
	return toolserver.WithApprover(ctx, func(_ context.Context, _, message string) (bool, error) {
		return h.person(message), nil
	})
}
