// Package probe holds aspects for tests: between them they have one of
// everything that an aspect can do, the wrong things included. They are driven
// by a client alone; nothing in them waits for time to pass.
package probe

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"mcpserver/core"
)

// version is that of all probes.
const version = "1.2.3"

// Aspect makes the probe with the tools, which runs one piece of its code at a
// time.
func Aspect() *core.Aspect { return aspect("MCPServer_probe") }

// AsyncAspect makes the same probe with handlers that run concurrently, and
// with a tool that waits for another one.
func AsyncAspect() *core.Aspect {
	a := aspect("MCPServer_probeAsync")
	a.Asynchronous = true
	w := &waiters{open: make(map[string]chan struct{})}
	a.Tools = append(a.Tools, w.tools()...)
	return a
}

// Unattended makes the probe without the tools that wait for something to
// happen, so that each call ends by itself once the client's input has; and
// without the one that prints, so that it can run inside a test.
func Unattended() *core.Aspect {
	a := Aspect()
	a.Tools = slices.DeleteFunc(a.Tools, func(tool core.Tool) bool {
		return tool.Name == "wait" || tool.Name == "later" || tool.Name == "print"
	})
	return a
}

func aspect(name string) *core.Aspect {
	p := &probe{deferred: make(map[string]*core.Deferred)}
	return &core.Aspect{
		Name:         name,
		Version:      version,
		Title:        "Probe",
		Description:  "Has one of everything.",
		WebsiteURL:   "https://probe.example/",
		Icons:        []core.Icon{{Source: "https://probe.example/icon.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}},
		Instructions: "Call the tools in any order.",
		Credit:       "made for tests",
		Logging:      true,
		Experimental: map[string]json.RawMessage{"probing": json.RawMessage(`{ "depth": 3 }`)},
		OnStartup:    p.start,
		Tools: slices.Concat(
			p.argumentTools(),
			p.contentTools(),
			p.failingTools(),
			p.notifyingTools(),
			p.askingTools(),
			p.lastingTools(),
		),
	}
}

// probe is the state that the tools share.
type probe struct {
	host core.Host

	mu       sync.Mutex // guards what follows
	deferred map[string]*core.Deferred
}

func (p *probe) start(_ context.Context, host core.Host) error {
	p.host = host
	return nil
}

// argumentTools show what reaches a handler.
func (p *probe) argumentTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "arguments",
			Title:       "Arguments",
			Description: "Gives its arguments back, after checking them.",
			Input: core.Object(
				core.String("text", "Any text").Required(),
				core.Integer("count", "A whole number").Minimum(0),
				core.Number("ratio", "A number"),
				core.Boolean("flag", "Yes or no"),
				core.String("colour", "One of three").OneOf("red", "green", "blue"),
				core.Array("list", "Some texts", core.String("", "")),
			),
			Handler: giveArguments,
		},
		{
			Name:        "anything",
			Description: "Gives its arguments back as they are.",
			Handler:     giveArguments,
		},
		{
			Name:        "whole",
			Description: "Gives the whole number n, or -1.",
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				n, err := call.Int("n", -1)
				if err != nil {
					return nil, err
				}
				return core.Text(strconv.FormatInt(n, 10)), nil
			},
		},
		{
			Name:        "request",
			Description: "Tells what the handler knows of the request and its client.",
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				return core.Text(string(mustMarshal(map[string]any{
					"method":       call.Method(),
					"name":         call.Name(),
					"version":      call.ProtocolVersion(),
					"meta":         call.Meta().Raw,
					"capabilities": call.ClientCapabilities().Raw,
					"client":       call.ClientInfo().Raw,
				}))), nil
			},
		},
	}
}

func giveArguments(_ context.Context, call *core.Call) (core.Result, error) {
	return core.Text(call.Arguments().Raw), nil
}

// mustMarshal is for values of which it is known that they can be written.
func mustMarshal(value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return encoded
}
