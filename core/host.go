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

// AddTool adds a tool, or replaces one added before, while serving. Clients
// are told. The aspect must declare DynamicTools.
func (h Host) AddTool(tool Tool) error {
	if problems := validateTool(tool); len(problems) > 0 {
		return fmt.Errorf("tool %q: %w", tool.Name, problems[0])
	}
	return h.host.AddTool(tool)
}

// RemoveTools removes tools that were added, and gives how many there were.
func (h Host) RemoveTools(names ...string) int {
	return h.host.RemoveTools(names...)
}

// ResourceUpdated tells the clients that have subscribed to a resource that its
// content has changed. The aspect must declare ResourceUpdates.
func (h Host) ResourceUpdated(uri string) error { return h.host.ResourceUpdated(uri) }

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
