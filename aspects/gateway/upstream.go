package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/aspects/gateway/config"
	"mcpserver/core"
	"mcpserver/core/client"
)

// upstream is one server that the gateway joins. Its client looks after the
// connection; upstream keeps what the server has, and has it published.
type upstream struct {
	gateway *gateway
	name    string
	entry   config.Entry
	scheme  string         // before its qualified URIs
	client  *client.Client // nil when the entry has failed

	settled    chan struct{} // closed when the first attempt to connect is over
	settleOnce sync.Once
	wake       chan struct{} // holds a token when there is something to read anew
	sending    turns
	// levels and subscribing are of telling it which log messages are wanted, and
	// which resources are watched.
	levels, subscribing turns

	reading sync.WaitGroup // of the goroutine that reads lists
	flying  sync.WaitGroup // of the calls that are under way; none is added when closing

	mu        sync.Mutex // guards what follows
	connected bool       // and its lists have been read
	reason    error      // why it is not; nil before the first attempt
	next      time.Duration
	stale     lists // to be read anew
	known     lists // of which the client tells that there may be a change, since it is connected
	have      inventory
	problems  map[lists][]string // what is to be known about names and definitions
	failures  map[lists]string   // why a list could not be read
	told      string             // the log level that a legacy server was told
	closing   bool
}

// lists says which of a server's lists.
type lists uint8

const (
	toolsList lists = 1 << iota
	promptsList
	resourcesList
	allLists = toolsList | promptsList | resourcesList
)

// inventory is what a server has listed last. It outlives a connection, so that
// a name which was served once is known to be this server's.
type inventory struct {
	tools                         []client.Tool
	prompts, resources, templates []json.RawMessage
}

// firstAgain and mostAgain bound the wait before a list that could not be read is
// tried anew.
const (
	firstAgain = 2 * time.Second
	mostAgain  = time.Minute
)

func newUpstream(g *gateway, entry config.Entry) *upstream {
	return &upstream{
		gateway: g,
		name:    entry.Name,
		entry:   entry,
		scheme:  schemeOf(entry.Name),
		settled: make(chan struct{}),
		wake:    make(chan struct{}, 1),
	}
}

// fail says that the server cannot even be tried; nil says nothing.
func (u *upstream) fail(reason error) {
	if reason == nil {
		return
	}
	u.mu.Lock()
	u.reason, u.next = reason, -1
	u.mu.Unlock()
	u.settle()
}

func (u *upstream) settle() { u.settleOnce.Do(func() { close(u.settled) }) }

// open starts the server, which is told what the client can do.
func (u *upstream) open(capabilities string) {
	select {
	case <-u.settled:
		return // it has failed
	default:
	}
	u.client = u.newClient(capabilities)
	u.client.Options.OnState = u.changedState
	u.client.Options.OnChange = u.changedList
	u.reading.Go(u.keepReading)
	if err := u.client.Start(); err != nil {
		u.fail(err)
	}
}

// newClient makes the client for the entry.
func (u *upstream) newClient(capabilities string) *client.Client {
	made := client.New(u.name, transportOf(u.entry, &u.gateway.settings, u.gateway.hurry))
	made.Options = client.Options{
		Name:         "MCPServer_gateway",
		Version:      "0.1.0",
		Capabilities: json.RawMessage(capabilities),
		Handlers: map[string]client.Handler{
			"sampling/createMessage": u.asked,
			"elicitation/create":     u.asked,
			"roots/list":             u.asked,
		},
		Log:            slog.New(traceHandler{u}),
		OnNotification: func(n client.Notification) { u.notice(nil, n) },
		ConnectTimeout: u.gateway.settings.connectTimeout,
		// A server that is slow to start looks like one that the probe has
		// silenced, which is started anew.
		ProbeTimeout:   u.gateway.settings.connectTimeout / 2,
		CallTimeout:    -1, // the client of the gateway has limits of its own
		MaxCallTimeout: -1,
	}
	if u.entry.Timeout > 0 {
		made.Options.CallTimeout = u.entry.Timeout
	}
	return made
}

// close ends the server, which is told first that nothing is wanted any more.
func (u *upstream) close() {
	if u.client != nil {
		u.mu.Lock()
		u.closing = true
		u.mu.Unlock()
		u.client.Interrupt()
		landed := make(chan struct{})
		go func() {
			u.flying.Wait()
			close(landed)
		}()
		select {
		case <-landed:
		case <-time.After(childGrace):
			u.gateway.tracef(core.TraceError, "calls of the server %s did not end", u.name)
		}
		// The client has logged what went wrong, and nobody can do anything
		// about it.
		_ = u.client.Disconnect()
		u.reading.Wait()
	}
}

// takeOff counts a call of the server until it lands. It reports whether it may
// begin.
func (u *upstream) takeOff() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.closing {
		u.flying.Add(1)
	}
	return !u.closing
}

// isSettled reports whether the first attempt to connect is over.
func (u *upstream) isSettled() bool {
	select {
	case <-u.settled:
		return true
	default:
		return false
	}
}

// changedState is told by the client how its connection is.
func (u *upstream) changedState(state client.State) {
	if state.Connected {
		u.mu.Lock()
		u.told = ""
		u.known = 0
		for list, capability := range map[lists]string{promptsList: "prompts", resourcesList: "resources"} {
			if u.has(capability) {
				u.known |= list
			}
		}
		u.mu.Unlock()
		u.readAgain(allLists)
		return
	}
	u.mu.Lock()
	news := u.connected || u.reason == nil || u.reason.Error() != state.Reason.Error()
	u.connected, u.reason, u.next = false, state.Reason, state.Next
	u.mu.Unlock()
	u.gateway.publish(allLists, nil)
	u.settle()
	if news {
		u.gateway.log(core.LogWarning, u.name, u.describe())
	}
}

// changedList is told by the client that a list is another one now. After
// connecting, it says so once of each list, which is read then anyway.
func (u *upstream) changedList(change client.Change) {
	list := map[client.ListKind]lists{
		client.ToolList:     toolsList,
		client.PromptList:   promptsList,
		client.ResourceList: resourcesList,
	}[change.List]
	u.mu.Lock()
	known := u.known&list != 0
	u.known &^= list
	u.mu.Unlock()
	if !known {
		u.readAgain(list)
	}
}

// readAgain has lists read in the background.
func (u *upstream) readAgain(which lists) {
	u.mu.Lock()
	u.stale |= which
	u.mu.Unlock()
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// keepReading reads lists whenever there is news, until the gateway ends. What
// could not be read is tried again, and what was there before stays.
func (u *upstream) keepReading() {
	patience := client.Backoff{First: firstAgain, Most: mostAgain}
	retry := time.NewTimer(0)
	<-retry.C
	failures, unread := 0, lists(0)
	for {
		which := lists(0)
		select {
		case <-u.gateway.context.Done():
			return
		case <-retry.C:
			which = unread
		case <-u.wake:
		}
		u.mu.Lock()
		which |= u.stale
		u.stale = 0
		u.mu.Unlock()
		if which == 0 || !u.client.IsConnected() {
			continue
		}
		failed := u.read(u.gateway.context, which)
		if unread = unread&^which | failed; unread == 0 {
			failures = 0
		}
		if failed != 0 {
			delay, _ := patience.Delay(failures)
			failures++
			retry.Reset(delay)
		}
		u.mu.Lock()
		first := !u.connected && u.client.IsConnected()
		isBack := first && u.reason != nil
		if first {
			u.connected, u.reason = true, nil
		}
		u.mu.Unlock()
		if first {
			u.gateway.publish(allLists, u)
		} else {
			u.gateway.publish(which, nil)
		}
		if isBack {
			u.gateway.log(core.LogInfo, u.name, u.describe())
		}
		u.settle()
	}
}

// read reads lists from the server, and gives those that could not be had.
func (u *upstream) read(ctx context.Context, which lists) (failed lists) {
	ctx, cancel := context.WithTimeout(ctx, u.gateway.settings.connectTimeout)
	defer cancel()
	if which&toolsList != 0 {
		tools, err := u.loadTools(ctx)
		if u.note(toolsList, "tools", err, func() { u.have.tools = tools }) {
			failed |= toolsList
		}
	}
	fetch := func(list lists, what string, into *[]json.RawMessage, ask func(context.Context) ([]json.RawMessage, error)) {
		if which&list == 0 || failed&list != 0 {
			return
		}
		entries, err := ask(ctx)
		if u.note(list, what, err, func() { *into = entries }) {
			failed |= list
		}
	}
	fetch(promptsList, "prompts", &u.have.prompts, u.client.ListPrompts)
	fetch(resourcesList, "resources", &u.have.resources, u.client.ListResources)
	fetch(resourcesList, "resource templates", &u.have.templates, u.client.ListResourceTemplates)
	return failed
}

// loadTools gives the tools that the client has listed. If it could not, it is
// tried again the next time.
func (u *upstream) loadTools(ctx context.Context) ([]client.Tool, error) {
	tools, err := u.client.LoadedTools()
	u.mu.Lock()
	again := u.failures[toolsList] != ""
	u.mu.Unlock()
	if err == nil || !again {
		return tools, err
	}
	if _, _, err := u.client.RefreshTools(ctx); err != nil {
		return nil, err
	}
	return u.client.LoadedTools()
}

// note keeps a list that was read, or why it could not be. It reports whether it
// could not.
func (u *upstream) note(list lists, what string, err error, keep func()) (failed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err == nil {
		delete(u.failures, list)
		keep()
		return false
	}
	if u.failures == nil {
		u.failures = make(map[lists]string)
	}
	u.failures[list] = fmt.Sprintf("its %s could not be listed: %s", what, oneLine(err))
	u.gateway.tracef(core.TraceError, "%v", err)
	return true
}

// inventory gives what the server has listed last, and whether it is there.
func (u *upstream) inventory() (have inventory, connected bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.have, u.connected
}

// isConnected reports whether the server is there.
func (u *upstream) isConnected() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.connected
}

// has reports whether the server declares a capability.
func (u *upstream) has(capability string) bool {
	info, ok := u.client.Server()
	value := gjson.GetBytes(info.Capabilities, capability)
	return ok && value.Exists() && value.Type != gjson.Null && value.Type != gjson.False
}

// describe says in a line how the server is.
func (u *upstream) describe() string {
	u.mu.Lock()
	connected, reason, next := u.connected, u.reason, u.next
	u.mu.Unlock()
	info, there := client.ServerInfo{}, false
	if connected {
		info, there = u.client.Server()
	}
	switch {
	case connected && !there:
		return "not connected: the connection was lost a moment ago"
	case connected:
		return fmt.Sprintf("connected, %s era, %s, %d tools", info.Era, info.Version, u.gateway.routes.Load().toolsOf(u))
	case reason == nil && u.gateway.opened.Load() == nil:
		return "not started yet"
	case reason == nil:
		return "starting"
	case next < 0:
		return "not served: " + u.reasonOf(reason)
	case next == 0:
		return "not connected: " + u.reasonOf(reason) + "; it is tried again now"
	}
	return fmt.Sprintf("not connected: %s; next attempt within %v", u.reasonOf(reason), next.Round(time.Millisecond))
}

// notes gives what is to be known about names and definitions.
func (u *upstream) notes() []string {
	var notes []string
	if u.client != nil {
		notes = u.client.ToolProblems()
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, list := range []lists{toolsList, promptsList, resourcesList} {
		if u.failures[list] != "" && u.reason == nil {
			notes = append(notes, u.failures[list])
		}
	}
	return slices.Concat(notes, u.problems[toolsList], u.problems[promptsList], u.problems[resourcesList])
}

// setProblems keeps what publishing found.
func (u *upstream) setProblems(list lists, problems []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.problems == nil {
		u.problems = make(map[lists][]string)
	}
	u.problems[list] = problems
}

// unavailable is the error for a request to a server that is not there.
func (u *upstream) unavailable() error {
	u.mu.Lock()
	reason := u.reason
	u.mu.Unlock()
	if reason == nil {
		reason = errors.New("it is still starting")
	}
	return fmt.Errorf("server %q is not connected: %s", u.name, u.reasonOf(reason))
}

// mostReason is how long a reason may be that is shown, in bytes: a server over
// HTTP may answer with a whole page.
const mostReason = 600

// reasonOf gives an error on one line, without the server's name before it.
func (u *upstream) reasonOf(err error) string {
	text := strings.TrimPrefix(oneLine(err), fmt.Sprintf("server %q: ", u.name))
	if len(text) > mostReason {
		text = text[:mostReason/2] + " … " + text[len(text)-mostReason/2:]
	}
	return strings.ToValidUTF8(text, "")
}
