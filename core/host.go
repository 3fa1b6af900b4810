package core

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpserver/core/internal/link"
)

// Host is what the runner offers to an aspect. It is safe from any goroutine.
type Host struct {
	host link.Host
}

// NewHost makes the aspect's view of a runner.
func NewHost(host link.Host) Host { return Host{host} }

// Post sends a notification to the client. The params are anything that
// encoding/json can write as an object, or nil. It does not wait for the
// client: an error says that nothing was sent, because serving has ended or
// because the client has left too much unread.
func (h Host) Post(method string, params any) error {
	if params == nil {
		return h.host.Post(method, "")
	}
	encoded, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("params of %s: %w", method, err)
	}
	return h.host.Post(method, string(encoded))
}

// Action is work that runs among the aspect's handlers, so that with
// Asynchronous false it needs no locks.
type Action struct {
	// Run is required. Its context ends when serving does.
	Run func(ctx context.Context)
	// Discard, if any, runs instead of Run when serving ends first.
	Discard func()
}

// PostAction queues an action. An error says that it will neither run nor be
// discarded, because serving has ended or too much is queued.
func (h Host) PostAction(action Action) error {
	if action.Run == nil {
		return fmt.Errorf("PostAction: the action has no Run")
	}
	return h.host.PostAction(action.Run, action.Discard)
}

// SelfTesting reports whether it is "<binary> Test" that serves, and not a
// client that is served.
func (h Host) SelfTesting() bool { return h.host.SelfTesting() }

// Ask asks the client outside of any call and waits for all answers. It works
// after OnInitialized, in the legacy era alone; otherwise, and when the client
// lacks a capability, refuses or does not answer in time, it is an error.
func (h Host) Ask(ctx context.Context, inputs Inputs) (Answers, error) {
	questions, err := inputs.questions()
	if err != nil {
		return nil, err
	}
	given, err := h.host.Ask(ctx, questions)
	if err != nil {
		return nil, err
	}
	answers := make(Answers, len(given))
	for key, answer := range given {
		answers[key] = newAnswer(answer)
	}
	return answers, nil
}

// Log sends a log message to the client, if the aspect declares Logging and
// the client wants that level; otherwise it goes to the trace alone. The data
// is anything that encoding/json can write; the logger's name may be empty.
func (h Host) Log(level LogLevel, logger string, data any) {
	h.host.Log(level.level(), logger, encodeData(data))
}

// AddTools adds tools while serving, or replaces some that were added before;
// clients are told. The aspect must declare DynamicTools. A definition that
// cannot be listed, or has the name of one that stays, is left out: the error
// names each of them, and so do the trace and the tool about_tsar-mcp. The
// others are added.
func (h Host) AddTools(tools ...Tool) error { return h.host.AddDefinitions(tools) }

// RemoveTools removes tools that were added, and gives how many there were.
func (h Host) RemoveTools(names ...string) int {
	return h.host.RemoveDefinitions(link.Tools, names)
}

// AddPrompts is AddTools for prompts; the aspect must declare DynamicPrompts.
func (h Host) AddPrompts(prompts ...Prompt) error { return h.host.AddDefinitions(prompts) }

// RemovePrompts removes prompts that were added, and gives how many there were.
func (h Host) RemovePrompts(names ...string) int {
	return h.host.RemoveDefinitions(link.Prompts, names)
}

// AddResources is AddTools for resources; the aspect must declare
// DynamicResources.
func (h Host) AddResources(resources ...Resource) error { return h.host.AddDefinitions(resources) }

// RemoveResources removes resources that were added, by their URIs, and gives
// how many there were.
func (h Host) RemoveResources(uris ...string) int {
	return h.host.RemoveDefinitions(link.Resources, uris)
}

// AddTemplates is AddTools for templates; the aspect must declare
// DynamicResources.
func (h Host) AddTemplates(templates ...Template) error { return h.host.AddDefinitions(templates) }

// RemoveTemplates removes templates that were added, by their texts, and gives
// how many there were.
func (h Host) RemoveTemplates(texts ...string) int {
	return h.host.RemoveDefinitions(link.Templates, texts)
}

// ResourceUpdated tells the clients that have subscribed to a resource that its
// content has changed. The aspect must declare ResourceUpdates.
func (h Host) ResourceUpdated(uri string) error { return h.host.ResourceUpdated(uri, uri) }

// ResourcePartUpdated tells the clients that have subscribed to a resource that a
// part of it, which has a URI of its own, has changed.
func (h Host) ResourcePartUpdated(uri, part string) error { return h.host.ResourceUpdated(uri, part) }

// Args are the positional arguments of the command line.
func (h Host) Args() []string { return h.host.Arguments() }

// CommandLine is the whole command line, the program's name first.
func (h Host) CommandLine() []string { return h.host.CommandLine() }

// TraceLevel says which processes write a line to their trace file.
type TraceLevel uint8

// The levels: always, with --info, with --debug.
const (
	TraceError TraceLevel = iota
	TraceInfo
	TraceDebug
)

// Tracef writes a line to the trace file.
func (h Host) Tracef(level TraceLevel, format string, arguments ...any) {
	file := h.host.Trace()
	switch level {
	case TraceError:
		file.Errorf(format, arguments...)
	case TraceInfo:
		file.Infof(format, arguments...)
	default:
		file.Debugf(format, arguments...)
	}
}
