package probe

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strings"

	"mcpserver/core"
)

// Hooks makes the probe with a hook of each kind, flags of its own and
// positional arguments.
func Hooks() *core.Aspect {
	h := &hooks{}
	return &core.Aspect{
		Name:           "MCPServer_probeHooks",
		Version:        version,
		Logging:        true,
		OnStartup:      h.start,
		OnInitialize:   h.initialize,
		OnInitialized:  h.initialized,
		OnToolsCall:    h.toolsCall,
		OnMethod:       h.method,
		OnNotification: h.notification,
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&h.greeting, "greeting", "hello", "what to greet `with`")
			flags.StringVar(&h.startupFault, "startup-fault", "", "how start-up fails: error or panic")
		},
		Positional: "[animal ...]",
		Tools: []core.Tool{
			{Name: "wait", Description: "Says that it waits, and does so until its context ends.", Handler: h.wait},
			{Name: "plain", Description: "Answers from the table.", Handler: answer(core.Text("the table's answer"))},
			{Name: "commandLine", Description: "Tells what was given on the command line.", Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Text(fmt.Sprintf("%s; %s; %d words", h.greeting, strings.Join(h.host.Args(), " "), len(h.host.CommandLine()))), nil
			}},
		},
	}
}

type hooks struct {
	host                   core.Host
	greeting, startupFault string
}

func (h *hooks) start(_ context.Context, host core.Host) error {
	h.host = host
	switch h.startupFault {
	case "error":
		return errors.New("the database is gone")
	case "panic":
		panic("a secret of the inside")
	}
	return nil
}

// initialize refuses clients by their names.
func (h *hooks) initialize(_ context.Context, request *core.Initialize) error {
	switch request.Params.Get("clientInfo.name").Str {
	case "unwelcome":
		return core.InvalidParams("not this client")
	case "unlucky":
		return errors.New("the licence server is down")
	case "fatal":
		panic("a secret of the inside")
	case "curious":
		h.host.Log(core.LogInfo, "", request.Requested+" becomes "+request.Negotiated)
	}
	return nil
}

// initialized asks for the roots, which a client without them refuses.
func (h *hooks) initialized(ctx context.Context) {
	answers, err := h.host.Ask(ctx, core.Inputs{"roots": core.Roots{}})
	if err != nil {
		h.host.Log(core.LogInfo, "", "no roots: "+err.Error())
		return
	}
	h.host.Log(core.LogInfo, "", fmt.Sprintf("%d roots", len(answers["roots"].Roots())))
}

func (h *hooks) wait(ctx context.Context, _ *core.Call) (core.Result, error) {
	h.host.Log(core.LogInfo, "", "waiting")
	<-ctx.Done()
	return nil, ctx.Err()
}

func (h *hooks) toolsCall(_ context.Context, call *core.Call) (core.Result, error) {
	switch call.Name() {
	case "asking":
		if given, ok := call.Input("roots"); ok {
			return core.Text("the hook got " + given.JSON().Raw), nil
		}
		return call.RequireInput(core.Inputs{"roots": core.Roots{}}, nil)
	case "hooked", "about_tsar-mcp":
		return core.Text("the hook saw " + call.Params().Raw), nil
	case "refused":
		return nil, core.InvalidParams("the hook refuses")
	case "failed":
		return nil, errors.New("the hook fails")
	case "fatal":
		panic("a secret of the inside")
	}
	return nil, nil
}

func (h *hooks) method(_ context.Context, call *core.Call) (core.Result, error) {
	switch call.Method() {
	case "zoo/feed":
		return core.RawResult(`{ "fed": true }`), nil
	case "zoo/error":
		return nil, errors.New("the lion is asleep")
	case "zoo/protocolError":
		return nil, &core.Error{Code: -32050, Message: "Closed", Data: json.RawMessage(`[1]`)}
	case "zoo/panic":
		panic("a secret of the inside")
	case "zoo/goexit":
		runtime.Goexit()
	case "zoo/ask":
		return call.RequireInput(core.Inputs{"roots": core.Roots{}}, nil)
	case "zoo/progress":
		call.Progress(1, 0, "")
		return core.RawResult(`{}`), nil
	}
	return nil, nil
}

func (h *hooks) notification(_ context.Context, notification *core.Notification) {
	switch notification.Method {
	case "notifications/panic":
		panic("a secret of the inside")
	case "notifications/goexit":
		runtime.Goexit()
	}
	h.host.Log(core.LogInfo, "", strings.TrimSpace("saw "+notification.Method+" "+notification.Params.Raw))
}
