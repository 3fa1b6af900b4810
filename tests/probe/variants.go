package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mcpserver/core"
)

// Dynamic makes a probe whose tools come and go, two of them before the client
// is ready.
func Dynamic() *core.Aspect {
	var host core.Host
	added := func(name string) core.Tool {
		return core.Tool{Name: name, Description: "Was added.", Handler: answer(core.Text("this is " + name))}
	}
	return &core.Aspect{
		Name:         "MCPServer_probeDynamic",
		Version:      version,
		DynamicTools: true,
		OnStartup: func(_ context.Context, h core.Host) error {
			host = h
			return errors.Join(host.AddTools(added("early2")), host.AddTools(added("early1")))
		},
		Tools: []core.Tool{
			{Name: "add", Description: "Adds a tool of that name.", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				return core.Text("added"), host.AddTools(added(call.Arguments().Get("name").Str))
			}},
			{Name: "remove", Description: "Removes a tool of that name.", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				return core.Text(fmt.Sprintf("removed %d", host.RemoveTools(call.Arguments().Get("name").Str))), nil
			}},
		},
	}
}

// Preparing makes a probe whose preparation lasts until the client notifies
// it of its end, and fails if that notification gives an error. It declares no
// logging.
func Preparing() *core.Aspect {
	ready := make(chan error, 1)
	return &core.Aspect{
		Name:    "MCPServer_probePreparing",
		Version: version,
		Prepare: func(ctx context.Context) error {
			select {
			case err := <-ready:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		OnNotification: func(_ context.Context, notification *core.Notification) {
			if notification.Method != "notifications/prepared" {
				return
			}
			var err error
			if text := notification.Params.Get("error").Str; text != "" {
				err = errors.New(text)
			}
			select {
			case ready <- err:
			default:
			}
		},
		Tools: []core.Tool{{Name: "use", Description: "Uses what was prepared.", Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
			call.Log(core.LogEmergency, "", "nobody hears this")
			return core.Text("used"), nil
		}}},
	}
}

// Broken makes an aspect whose own description is at fault in many places.
func Broken() *core.Aspect {
	handler := answer(core.Text(""))
	return &core.Aspect{
		Name:         "MCPServer probeBroken",
		Experimental: map[string]json.RawMessage{"probing": json.RawMessage(`[]`)},
		Tools: []core.Tool{
			{Name: "fine", Handler: handler},
			{Name: "not fine", Handler: handler},
			{Name: "twoLines", Description: "one\ntwo", Handler: handler},
			{Name: "noHandler"},
			{Name: "readTrace", Handler: handler},
			{Name: "fine", Handler: handler},
			{Name: "noObject", Raw: json.RawMessage(`{"inputSchema":{"type":"string"}}`), Handler: handler},
			{Name: "twice", Input: core.Object(core.String("a", ""), core.String("a", "")), Handler: handler},
		},
		SelfTests: []core.SelfTest{{Name: "aimless"}},
	}
}
