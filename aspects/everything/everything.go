// Package everything is an aspect that offers one of each thing that a server
// can offer, to try a client against. It is also what the official conformance
// suite judges: whatever is named test_… has its name, its arguments and its
// answer from there.
package everything

import (
	"context"
	"slices"
	"time"

	"mcpserver/core"
)

// Aspect makes the everything server.
func Aspect() *core.Aspect {
	watched := &watchedResource{}
	return &core.Aspect{
		Name:        "MCPServer_everything",
		Version:     "0.1.0",
		Title:       "Everything",
		Description: "Offers one of each thing that a server can offer, to try a client against.",
		WebsiteURL:  "https://modelcontextprotocol.io",
		Icons:       icons(),
		Instructions: "Nothing here does real work: each tool, prompt and resource shows a client one thing that servers can do, " +
			"and its description says what to expect.",
		Asynchronous:     true,
		Logging:          true,
		DynamicTools:     true,
		DynamicPrompts:   true,
		DynamicResources: true,
		ResourceUpdates:  true,
		// All is the same for every user, and clients are told of changes.
		Caching:       core.Caching{Lists: core.CacheHint{Lifetime: 10 * time.Second, Public: true}},
		OnStartup:     watched.start,
		OnShutdown:    watched.stop,
		OnSubscribe:   watched.subscribed,
		OnUnsubscribe: watched.unsubscribed,
		Tools:         tools(),
		Prompts:       prompts(),
		Resources:     append(staticResources(), watched.resource()),
		Templates:     templates(),
		SelfTests:     selfTests(),
	}
}

// tools are all that are listed from the start. The first one takes any
// arguments, which the conformance suite counts on.
func tools() []core.Tool {
	all := slices.Concat(
		contentTools(),
		structuredTools(),
		lastingTools(),
		loggingTools(),
		askingTools(),
		formTools(),
		roundTools(),
		changingTools(),
	)
	for i := range all {
		if all[i].Annotations == nil {
			all[i].Annotations = &core.ToolAnnotations{ReadOnlyHint: core.Hint(true), OpenWorldHint: core.Hint(false)}
		}
	}
	return all
}

// says gives a handler that answers with the text.
func says(text string) core.Handler {
	return func(context.Context, *core.Call) (core.Result, error) { return core.Text(text), nil }
}

// shows gives a handler that answers with the blocks.
func shows(content ...core.Block) core.Handler {
	return func(context.Context, *core.Call) (core.Result, error) {
		return &core.ToolResult{Content: content}, nil
	}
}
