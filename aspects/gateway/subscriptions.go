package gateway

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

// watched are the resources that clients have subscribed to, by the server's own
// URIs.
type watched struct {
	mu   sync.Mutex
	byUs map[*upstream]map[string]string // own URI to the one that is served
}

func (w *watched) add(t target) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byUs == nil {
		w.byUs = make(map[*upstream]map[string]string)
	}
	if w.byUs[t.upstream] == nil {
		w.byUs[t.upstream] = make(map[string]string)
	}
	w.byUs[t.upstream][t.name] = t.served
}

// remove gives those that were subscribed to under a served URI.
func (w *watched) remove(served string) (removed []target) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for u, uris := range w.byUs {
		for own, under := range uris {
			if under == served {
				delete(uris, own)
				removed = append(removed, target{upstream: u, name: own, served: served})
			}
		}
	}
	return removed
}

// under gives the served URIs that an update of a server's resource is news for:
// its own, or that of a resource which it is a part of.
func (w *watched) under(u *upstream, own string) (served string, part, found bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if served, found = w.byUs[u][own]; found {
		return served, false, true
	}
	for whole, under := range w.byUs[u] {
		if strings.HasPrefix(own, strings.TrimSuffix(whole, "/")+"/") {
			return under, true, true
		}
	}
	return "", false, false
}

// subscribe is told that a client wants to know about a resource.
func (g *gateway) subscribe(_ context.Context, uri string) {
	t, found := g.ownerOf(uri)
	targets := []target{t}
	if !found {
		targets = g.candidates(uri)
	}
	for _, t := range targets {
		g.watched.add(t)
		g.follow(t, true)
	}
	if len(targets) == 0 {
		g.tracef(core.TraceInfo, "subscribe to %s: %v", shorten(uri), errNoSubscriptions)
	}
}

// unsubscribe is told that nobody wants to know any more.
func (g *gateway) unsubscribe(_ context.Context, uri string) {
	for _, t := range g.watched.remove(uri) {
		g.follow(t, false)
	}
}

// follow tells the server, in the background and in order. What is read from it
// afterwards is read when the server knows.
func (g *gateway) follow(t target, wanted bool) {
	u := t.upstream
	if u.client == nil {
		return
	}
	settled := make(chan struct{})
	u.mu.Lock()
	before := u.subscribing
	u.subscribing = settled
	u.mu.Unlock()
	go func() {
		defer close(settled)
		if before != nil {
			<-before
		}
		ctx, cancel := context.WithTimeout(g.context, g.settings.connectTimeout)
		defer cancel()
		tell := u.client.Subscribe
		if !wanted {
			tell = u.client.Unsubscribe
		}
		if err := tell(ctx, t.name); err != nil {
			g.tracef(core.TraceInfo, "%v", err)
		}
	}()
}

// afterSubscriptions does something when the server knows of all subscriptions so
// far: at once, or on another goroutine.
func (u *upstream) afterSubscriptions(something func()) {
	u.mu.Lock()
	subscribing := u.subscribing
	u.mu.Unlock()
	if subscribing == nil {
		something()
		return
	}
	select {
	case <-subscribing:
		something()
	default:
		go func() {
			<-subscribing
			something()
		}()
	}
}

// updated tells clients that a server's resource has changed.
func (u *upstream) updated(params json.RawMessage) {
	g := u.gateway
	own := gjson.GetBytes(params, "uri").Str
	served, part, found := g.watched.under(u, own)
	var err error
	switch {
	case !found:
		g.tracef(core.TraceDebug, "the server %s tells of %s, which nobody has subscribed to", u.name, shorten(own))
	case part:
		if served != own && strings.HasPrefix(served, u.scheme) {
			params = json.RawMessage(withURI(string(params), u.qualified(own)))
		}
		err = g.host.Forward("notifications/resources/updated", params)
	default:
		err = g.host.ResourceUpdated(served)
	}
	if err != nil {
		g.tracef(core.TraceInfo, "an update of %s was not told: %v", shorten(own), err)
	}
}
