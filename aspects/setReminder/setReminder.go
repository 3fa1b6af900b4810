// Package setreminder is an asynchronous aspect: its tool answers at once, and
// a notification follows when the reminder is due. It is the one to copy for
// work that goes on after the answer.
package setreminder

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"mcpserver/core"
)

// longest is the most milliseconds that a reminder can be set for: 24 days.
const longest = 24 * 24 * 60 * 60 * 1000

// Aspect makes the setReminder server.
func Aspect() *core.Aspect {
	reminders := &reminders{pending: make(map[*reminder]struct{})}
	return &core.Aspect{
		Name:         "MCPServer_setReminder",
		Version:      "0.1.0",
		Title:        "Set Reminder",
		Description:  "Reminds after a given time, with a log message.",
		Asynchronous: true,
		Logging:      true,
		OnStartup:    reminders.start,
		OnShutdown:   reminders.stop,
		Tools: []core.Tool{{
			Name:        "setReminder",
			Description: "Sets a reminder; when it is due, the server sends a log message with its text.",
			Input: core.Object(
				core.String("Reminder", "What to be reminded of").Required(),
				core.Number("TimeoutMS", "After how many milliseconds; 24 days at most").Required(),
			),
			Handler: reminders.set,
		}},
		SelfTests: selfTests(),
	}
}

// reminder is one reminder. One that waits costs a runtime timer and no
// goroutine.
type reminder struct {
	text  string
	timer *time.Timer
}

// reminders are those that are not due yet.
type reminders struct {
	host core.Host

	mu      sync.Mutex // guards what follows
	pending map[*reminder]struct{}
	stopped bool
}

func (r *reminders) start(_ context.Context, host core.Host) error {
	r.host = host
	return nil
}

func (r *reminders) set(_ context.Context, call *core.Call) (core.Result, error) {
	text, err := call.RequireString("Reminder")
	if err != nil {
		return nil, err
	}
	milliseconds, err := call.RequireFloat("TimeoutMS")
	if err != nil {
		return nil, err
	}
	if milliseconds < 0 || milliseconds > longest {
		return nil, fmt.Errorf("TimeoutMS must be from 0 to %d (24 days)", longest)
	}
	rounded := int64(math.Ceil(milliseconds))
	answer := core.Text("Reminder set for " + strconv.FormatInt(rounded, 10) + "ms: " + text)
	// The answer must precede the reminder, even one that is due at once.
	if err := call.Defer().Complete(answer, nil); err == nil {
		r.schedule(text, time.Duration(rounded)*time.Millisecond)
	}
	return core.Pending, nil
}

func (r *reminders) schedule(text string, after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		r.host.Tracef(core.TraceError, "a reminder came after the end and is discarded")
		return
	}
	added := &reminder{text: text}
	added.timer = time.AfterFunc(after, func() { r.remind(added) })
	r.pending[added] = struct{}{}
}

// remind tells the client that a reminder is due, unless serving has ended.
func (r *reminders) remind(due *reminder) {
	r.mu.Lock()
	delete(r.pending, due)
	stopped := r.stopped
	r.mu.Unlock()
	if !stopped {
		r.host.Log(core.LogInfo, "", "REMINDER: "+due.text)
	}
}

func (r *reminders) stop(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	for waiting := range r.pending {
		waiting.timer.Stop()
	}
	if len(r.pending) > 0 {
		r.host.Tracef(core.TraceError, "reminders discarded at the end, not due yet: %d", len(r.pending))
	}
	clear(r.pending)
	return nil
}

func selfTests() []core.SelfTest {
	reminder := func(text string) *core.ExpectNotification {
		return &core.ExpectNotification{
			Method: "notifications/message",
			Values: map[string]any{"level": "info", "data": "REMINDER: " + text},
		}
	}
	return []core.SelfTest{
		{
			Name:         "setReminder reminds",
			Tool:         "setReminder",
			Arguments:    `{"Reminder":"tea","TimeoutMS":50}`,
			Expect:       core.Expect{Values: map[string]any{"content.0.text": "Reminder set for 50ms: tea"}},
			Notification: reminder("tea"),
		},
		{
			Name:         "setReminder rounds a fraction up",
			Tool:         "setReminder",
			Arguments:    `{"Reminder":"now","TimeoutMS":0.2}`,
			Expect:       core.Expect{Values: map[string]any{"content.0.text": "Reminder set for 1ms: now"}},
			Notification: reminder("now"),
		},
		{
			Name:      "setReminder refuses the past",
			Tool:      "setReminder",
			Arguments: `{"Reminder":"too late","TimeoutMS":-1}`,
			Expect:    core.Expect{ToolError: true},
		},
	}
}
