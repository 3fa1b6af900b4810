// Package setreminder is an asynchronous aspect: its tool answers at once, and
// the reminder follows when it is due. It is the one to copy for work that goes
// on after the answer.
//
// A legacy client gets the reminder as a log message. A modern client, which
// takes no message that it has not asked for, gets a link to the reminder with
// the answer and can subscribe to it.
package setreminder

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcpserver/core"
)

const (
	// longest is the most milliseconds that a reminder can be set for: 24 days.
	longest = 24 * 24 * 60 * 60 * 1000
	// kept is how many reminders can be read, the newest ones, and keptBytes
	// how long their texts may be together; the newest one can be read anyway.
	kept      = 1000
	keptBytes = 16 << 20

	scheme = "reminder:///"
)

// Aspect makes the setReminder server.
func Aspect() *core.Aspect {
	reminders := &reminders{byURI: make(map[string]*reminder), pending: make(map[*reminder]struct{})}
	return &core.Aspect{
		Name:         "MCPServer_setReminder",
		Version:      "0.1.0",
		Title:        "Set Reminder",
		Description:  "Reminds after a given time.",
		Asynchronous: true,
		Logging:      true,
		OnStartup:    reminders.start,
		OnShutdown:   reminders.stop,
		Tools: []core.Tool{{
			Name:        "setReminder",
			Description: "Sets a reminder; when it is due, the server sends a log message with its text, or an update of the linked resource.",
			Input: core.Object(
				core.String("Reminder", "What to be reminded of").Required(),
				core.Number("TimeoutMS", "After how many milliseconds; 24 days at most").Required(),
			),
			Handler: reminders.set,
		}},
		Templates: []core.Template{{
			URITemplate: scheme + "{id}",
			Name:        "reminder",
			Description: "A reminder that was set, before and after it is due.",
			MIMEType:    "application/json",
		}},
		ResourceUpdates: true,
		OnResourcesRead: reminders.read,
		SelfTests:       selfTests(),
	}
}

// reminder is one reminder. One that waits costs a runtime timer and no
// goroutine.
type reminder struct {
	uri, text string
	due       time.Time
	stateless bool
	timer     *time.Timer
}

// reminders are those that are not due yet, and the newest of all.
type reminders struct {
	host core.Host

	mu      sync.Mutex // guards what follows
	last    int        // the number given last
	newest  []*reminder
	size    int // of the texts of the newest, in bytes
	byURI   map[string]*reminder
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
	after := time.Duration(rounded) * time.Millisecond
	// A copy, since the argument is a part of the whole message.
	added := r.add(&reminder{text: strings.Clone(text), due: time.Now().Add(after), stateless: call.Stateless()})
	content := []core.Block{core.TextBlock{Text: "Reminder set for " + strconv.FormatInt(rounded, 10) + "ms: " + text}}
	if added.stateless {
		content = append(content, core.ResourceLink{URI: added.uri, Name: "reminder", MIMEType: "application/json"})
	}
	// The answer must precede the reminder, even one that is due at once.
	if err := call.Defer().Complete(&core.ToolResult{Content: content}, nil); err == nil {
		r.schedule(added, after)
	}
	return core.Pending, nil
}

// add gives the reminder its URI and makes it readable.
func (r *reminders) add(added *reminder) *reminder {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	added.uri = scheme + strconv.Itoa(r.last)
	r.byURI[added.uri] = added
	r.newest = append(r.newest, added)
	r.size += len(added.text)
	for len(r.newest) > kept || r.size > keptBytes && len(r.newest) > 1 {
		r.size -= len(r.newest[0].text)
		delete(r.byURI, r.newest[0].uri)
		r.newest[0] = nil
		r.newest = r.newest[1:]
	}
	return added
}

func (r *reminders) schedule(added *reminder, after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		r.host.Tracef(core.TraceError, "a reminder came after the end and is discarded")
		return
	}
	r.pending[added] = struct{}{}
	r.host.Tracef(core.TraceInfo, "%s is set and due in %v", added.uri, after)
	added.timer = time.AfterFunc(after, func() { r.remind(added) })
}

// remind tells the client that a reminder is due.
func (r *reminders) remind(due *reminder) {
	r.mu.Lock()
	delete(r.pending, due)
	stopped := r.stopped
	r.mu.Unlock()
	if stopped {
		return
	}
	r.host.Tracef(core.TraceInfo, "%s is due", due.uri)
	if !due.stateless {
		r.host.Log(core.LogInfo, "", "REMINDER: "+due.text)
	}
	if err := r.host.ResourceUpdated(due.uri); err != nil {
		r.host.Tracef(core.TraceInfo, "%s is due, but subscribers were not told: %v", due.uri, err)
	}
}

// read serves the reminders as resources.
func (r *reminders) read(_ context.Context, call *core.Call) (core.Result, error) {
	r.mu.Lock()
	found := r.byURI[call.URI()]
	_, waits := r.pending[found]
	r.mu.Unlock()
	if found == nil {
		return nil, core.ResourceNotFound(call.URI())
	}
	text, err := json.Marshal(struct {
		Reminder string    `json:"reminder"`
		Due      time.Time `json:"due"`
		IsDue    bool      `json:"isDue"`
	}{found.text, found.due.UTC(), !waits})
	if err != nil {
		return nil, err
	}
	return core.ResourceResult{{URI: found.uri, MIMEType: "application/json", Text: string(text)}}, nil
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
			Era:          core.LegacyEra,
			Tool:         "setReminder",
			Arguments:    `{"Reminder":"tea","TimeoutMS":50}`,
			Expect:       core.Expect{Values: map[string]any{"content.0.text": "Reminder set for 50ms: tea"}},
			Notification: reminder("tea"),
		},
		{
			Name:         "setReminder rounds a fraction up",
			Era:          core.LegacyEra,
			Tool:         "setReminder",
			Arguments:    `{"Reminder":"now","TimeoutMS":0.2}`,
			Expect:       core.Expect{Values: map[string]any{"content.0.text": "Reminder set for 1ms: now"}},
			Notification: reminder("now"),
		},
		{
			// The two tests above have set the first two reminders.
			Name:   "a modern client listens to the next reminder",
			Era:    core.ModernEra,
			Method: "subscriptions/listen",
			Params: `{"notifications":{"resourceSubscriptions":["reminder:///3"]}}`,
		},
		{
			Name:      "setReminder links to the reminder and updates it",
			Era:       core.ModernEra,
			Tool:      "setReminder",
			Arguments: `{"Reminder":"tea","TimeoutMS":50}`,
			Expect:    core.Expect{Values: map[string]any{"content.0.text": "Reminder set for 50ms: tea", "content.1.uri": "reminder:///3"}},
			Notification: &core.ExpectNotification{
				Method: "notifications/resources/updated",
				Values: map[string]any{"uri": "reminder:///3"},
			},
		},
		{
			Name:      "setReminder refuses the past",
			Tool:      "setReminder",
			Arguments: `{"Reminder":"too late","TimeoutMS":-1}`,
			Expect:    core.Expect{ToolError: true},
		},
		{
			Name:   "an unknown reminder is not found",
			Era:    core.LegacyEra,
			Method: "resources/read",
			Params: `{"uri":"reminder:///none"}`,
			Expect: core.Expect{ErrorCode: -32002, Values: map[string]any{"data.uri": "reminder:///none"}},
		},
	}
}
