package probe

import (
	"context"
	"fmt"

	"mcpserver/core"
)

// notifyingTools send messages beside their answers.
func (p *probe) notifyingTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "progress",
			Description: "Reports the values as progress of a total of 10.",
			Input:       core.Object(core.Array("values", "What to report", core.Number("", ""))),
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				for _, value := range call.Arguments().Get("values").Array() {
					call.Progress(value.Num, 10, "at "+value.Raw)
				}
				return core.Text("done"), nil
			},
		},
		{
			Name:        "afterwards",
			Description: "Reports progress and logs before and after its answer.",
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				call.Progress(1, 0, "")
				err := call.Defer().Complete(core.Text("answered"), nil)
				call.Progress(2, 0, "")
				call.Log(core.LogError, "", "too late")
				return core.Pending, err
			},
		},
		{
			Name:        "log",
			Description: "Logs data of each shape, and a message of each level.",
			Handler: func(_ context.Context, call *core.Call) (core.Result, error) {
				call.Log(core.LogError, "probe", "a text")
				call.Log(core.LogError, "", map[string]any{"n": 1})
				call.Log(core.LogError, "", nil)
				call.Log(core.LogError, "", make(chan int))
				for level := core.LogDebug; level <= core.LogEmergency; level++ {
					call.Log(level, "", int(level))
				}
				return core.Text("logged"), nil
			},
		},
		{
			Name:        "act",
			Description: "Posts an action, which logs a message.",
			Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Text("posted"), p.host.PostAction(core.Action{Run: func(context.Context) {
					p.host.Log(core.LogInfo, "", "the action ran")
				}})
			},
		},
		{
			Name:        "post",
			Description: "Posts a notification without params.",
			Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Text("posted"), p.host.Post("notifications/tools/list_changed", nil)
			},
		},
		{
			Name:        "misuse",
			Description: "Uses the host as it must not be used, and tells what it says.",
			Handler: func(context.Context, *core.Call) (core.Result, error) {
				return core.Text(fmt.Sprintf("%v\n%v\n%v\n%v",
					p.host.Post("notifications/probe", []int{1}),
					p.host.Post("notifications/probe", make(chan int)),
					p.host.PostAction(core.Action{}),
					p.host.AddTools(core.Tool{Name: "late", Handler: answer(core.Text(""))}),
				)), nil
			},
		},
	}
}
