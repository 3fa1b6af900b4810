// Package gateway is the aspect that joins other MCP servers: it reads the
// mcp.json that a person already has, starts or reaches all the servers in it,
// and serves their tools, prompts and resources to one client.
//
// A client's request goes this way:
//
//	OnToolsCall, OnPromptsGet, …   by the tables of routes.go: whose is it?
//	  gateway.forward              params for that server
//	    flight.start               sent in the order of arrival, per server
//	      client.Do                of core/client; what the server asks and tells
//	                               meanwhile comes back to the flight
//	    flight.land                the answer, with names put back
package gateway

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"mcpserver/core"
)

// Aspect is the gateway.
func Aspect() *core.Aspect {
	g := &gateway{settings: defaultSettings()}
	return &core.Aspect{
		Name:        "MCPServer_gateway",
		Version:     "0.1.0",
		Title:       "Gateway",
		Description: "Joins the servers of an mcp.json into one.",
		Instructions: "The tools, prompts and resources of several servers, whose names begin with that of their server. " +
			"The tool about_tsar-mcp tells which servers there are, and why one is missing.",
		Relays:           true,
		Logging:          true,
		DynamicTools:     true,
		DynamicPrompts:   true,
		DynamicResources: true,
		ResourceUpdates:  true,
		Flags:            g.settings.addFlags,
		OnStartup:        g.startUp,
		OnInitialize:     g.onInitialize,
		OnInitialized:    g.onInitialized,
		OnFirstRequest:   g.onFirstRequest,
		OnShutdown:       g.shutDown,
		OnToolsCall:      g.callTool,
		OnPromptsGet:     g.getPrompt,
		OnComplete:       g.complete,
		OnResourcesRead:  g.readResource,
		OnList:           g.awaitLists,
		OnSubscribe:      g.subscribe,
		OnUnsubscribe:    g.unsubscribe,
		OnSetLevel:       g.setLevel,
		OnNotification:   g.notified,
		About:            g.about,
		Commands: []core.Command{{
			Name:    "Check",
			Summary: "connect to every server, print what there is, and end",
			Run:     g.check,
		}},
		SelfTests: selfTests(),
	}
}

// gateway is one run of the aspect. What belongs together stands in types of its
// own: a server (upstream.go), what is served under which name (names.go,
// routes.go, publish.go), a request under way (flight.go), what waits for a
// client that was asked something (parked.go).
type gateway struct {
	settings settings

	// What follows is set by startUp and never changed.
	context   context.Context // of all that the gateway does
	serving   bool            // rather than checking
	host      core.Host
	upstreams []*upstream // in the order of the configuration
	problems  []string    // of the configuration
	names     *names
	hurry     chan struct{} // closed when children must end at once

	ready     chan struct{} // closed when a client has said that it can be asked
	readyOnce sync.Once
	opening   sync.Once
	opened    atomic.Pointer[time.Time] // when the servers were started
	// capabilities are those of a client that has made a handshake: a JSON object.
	capabilities atomic.Pointer[string]
	level        atomic.Pointer[string] // of log messages, as set by such a client

	publishing publishing
	routes     atomic.Pointer[routes]
	parked     parked
	links      links
	watched    watched
}

// startUp reads the configuration. No server is started before the client has
// spoken, since what they are told of it depends on that.
func (g *gateway) startUp(ctx context.Context, host core.Host) error {
	if err := g.settings.check(); err != nil {
		return err
	}
	g.context, g.host, g.serving = ctx, host, true
	if g.settings.config == "" && host.SelfTesting() {
		return g.configure(nil)
	}
	servers, err := g.settings.servers(nil)
	if err != nil {
		return err
	}
	servers.warn(host)
	return g.configure(servers)
}

// configure makes the servers that are to be served.
func (g *gateway) configure(servers *servers) error {
	g.hurry = make(chan struct{})
	g.ready = make(chan struct{})
	g.parked.timeout = g.settings.resumeTimeout
	if servers == nil {
		servers = newServers()
	}
	var labels []string
	for _, entry := range servers.entries {
		labels = append(labels, entry.Name)
	}
	g.names = newNames(g.settings.separator, g.settings.longestName, labels)
	g.problems = servers.problems
	schemes := make(map[string]bool)
	for _, entry := range servers.entries {
		u := newUpstream(g, entry)
		for schemes[u.scheme] {
			u.scheme = schemeOf(entry.Name + "-" + hashOf(entry.Name, "")[:8])
		}
		schemes[u.scheme] = true
		u.fail(servers.failures[entry.Name])
		g.upstreams = append(g.upstreams, u)
	}
	g.routes.Store(newRoutes(nil))
	return nil
}

// onInitialize starts the servers, and declares to them what the client can do.
func (g *gateway) onInitialize(_ context.Context, request *core.Initialize) error {
	declared := carried(request.Params.Get("capabilities"))
	g.capabilities.Store(&declared)
	g.open(declared)
	return nil
}

// onInitialized lets servers ask the client.
func (g *gateway) onInitialized(context.Context) {
	g.readyOnce.Do(func() { close(g.ready) })
}

// onFirstRequest starts the servers for a client that makes no handshake. One of
// the modern era says with each request what it can do, so the servers are told
// all that can be carried.
func (g *gateway) onFirstRequest(_ context.Context, call *core.Call) {
	if call.Stateless() {
		g.open(carriedAtMost)
		return
	}
	g.open(carried(call.ClientCapabilities()))
}

// open starts the servers, once.
func (g *gateway) open(capabilities string) {
	g.opening.Do(func() {
		now := time.Now()
		g.opened.Store(&now)
		for _, u := range g.upstreams {
			u.open(capabilities)
		}
	})
}

// shutDown ends all servers, side by side. Those that do not end by themselves
// are killed before the time is over.
func (g *gateway) shutDown(ctx context.Context) error {
	g.opening.Do(func() {}) // nothing is started any more
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var all sync.WaitGroup
		for _, u := range g.upstreams {
			all.Go(u.close)
		}
		all.Wait()
	}()
	hurry, cancel := beforeDeadline(ctx, killTime)
	defer cancel()
	select {
	case <-ended:
		return nil
	case <-hurry.Done():
	}
	close(g.hurry)
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("some servers did not end in time: %w", ctx.Err())
	}
}

// about tells of all servers, for about_tsar-mcp.
func (g *gateway) about() []string {
	var lines []string
	for _, u := range g.upstreams {
		lines = append(lines, "Server "+u.name+": "+u.describe())
	}
	if len(g.upstreams) == 0 {
		lines = append(lines, "Servers: none")
	}
	for _, problem := range g.problems {
		lines = append(lines, "Configuration: "+problem)
	}
	for _, u := range g.upstreams {
		for _, note := range u.notes() {
			lines = append(lines, "Note: "+u.name+": "+note)
		}
	}
	return lines
}
