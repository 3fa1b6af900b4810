package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

// watched are the resources that clients have subscribed to.
type watched struct {
	mu     sync.Mutex
	served map[string]bool // by the URIs that clients know
	// byServer has the servers' own URIs of these.
	byServer map[*upstream]map[string]*subscription
}

// subscription is one to a server's resource. It outlives connections.
type subscription struct {
	served map[string]bool // under which URIs clients have subscribed to it
	// asked says that the server was told, and refused that it would not watch it,
	// so that it has to be asked anew when it has come back.
	asked, refused bool
}

// subscribe is told that a client wants to know about a resource.
func (g *gateway) subscribe(_ context.Context, uri string) {
	w := &g.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.served == nil {
		w.served = make(map[string]bool)
		w.byServer = make(map[*upstream]map[string]*subscription)
	}
	w.served[uri] = true
	g.watchLocked(uri)
}

// unsubscribe is told that nobody wants to know any more.
func (g *gateway) unsubscribe(_ context.Context, uri string) {
	w := &g.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.served, uri)
	g.unwatchLocked(uri, nil)
}

// watchAgain looks whether the resources that clients have subscribed to are
// those of other servers by now, such as one that has come up or come back; nil
// is none.
func (g *gateway) watchAgain(come *upstream) {
	w := &g.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.byServer[come] {
		if s.refused {
			s.asked, s.refused = false, false
		}
	}
	for uri := range w.served {
		g.watchLocked(uri)
	}
}

// watchLocked tells the servers that a resource may be of.
func (g *gateway) watchLocked(uri string) {
	t, known := g.ownerOf(uri)
	targets := []target{t}
	if known {
		g.unwatchLocked(uri, t.upstream)
	} else {
		targets = g.candidates(uri)
	}
	for _, t := range targets {
		if s := g.watched.addLocked(t); !s.asked && t.upstream.isConnected() {
			s.asked = true
			g.follow(t, true)
		}
	}
}

func (w *watched) addLocked(t target) *subscription {
	subscriptions := w.byServer[t.upstream]
	if subscriptions == nil {
		subscriptions = make(map[string]*subscription)
		w.byServer[t.upstream] = subscriptions
	}
	if subscriptions[t.name] == nil {
		subscriptions[t.name] = &subscription{served: make(map[string]bool)}
	}
	subscriptions[t.name].served[t.served] = true
	return subscriptions[t.name]
}

// unwatchLocked tells the servers, apart from one, that a resource is not watched
// under a URI any more.
func (g *gateway) unwatchLocked(uri string, except *upstream) {
	for u, subscriptions := range g.watched.byServer {
		for own, s := range subscriptions {
			if u == except || !s.served[uri] {
				continue
			}
			if delete(s.served, uri); len(s.served) == 0 {
				delete(subscriptions, own)
				g.follow(target{upstream: u, name: own}, false)
			}
		}
	}
}

// under gives the URIs under which clients have subscribed to a server's
// resource, or to one that it is a part of: whole is the server's URI of that.
func (w *watched) under(u *upstream, own string) (served []string, whole string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.byServer[u][own]; s != nil {
		return slices.Sorted(maps.Keys(s.served)), own
	}
	for name, s := range w.byServer[u] {
		if strings.HasPrefix(own, strings.TrimSuffix(name, "/")+"/") && len(name) > len(whole) {
			served, whole = slices.Sorted(maps.Keys(s.served)), name
		}
	}
	return served, whole
}

// refuse notes that a server does not watch a resource.
func (w *watched) refuse(t target) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.byServer[t.upstream][t.name]; s != nil {
		s.refused = true
	}
}

// follow tells the server, in the background and in order. What is read from it
// afterwards is read when the server knows.
func (g *gateway) follow(t target, wanted bool) {
	u := t.upstream
	if u.client == nil {
		return
	}
	place := u.subscribing.take()
	place.begin(func() {
		go func() {
			defer place.over()
			ctx, cancel := context.WithTimeout(g.context, g.settings.connectTimeout)
			defer cancel()
			tell := u.client.Subscribe
			if !wanted {
				tell = u.client.Unsubscribe
			}
			if err := tell(ctx, t.name); err != nil {
				g.tracef(core.TraceInfo, "%v", err)
				g.watched.refuse(t)
			}
		}()
	})
}

// updated tells clients that a server's resource has changed.
func (u *upstream) updated(params json.RawMessage) {
	g := u.gateway
	own := gjson.GetBytes(params, "uri").Str
	served, whole := g.watched.under(u, own)
	if len(served) == 0 {
		g.tracef(core.TraceDebug, "the server %s tells of %s, which nobody has subscribed to", u.name, shorten(own))
	}
	for _, uri := range served {
		part := uri
		switch {
		case whole == own:
		case uri == whole:
			part = own
		default:
			part = u.qualified(own)
		}
		if err := g.host.ResourcePartUpdated(uri, part); err != nil {
			g.tracef(core.TraceInfo, "an update of %s was not told: %v", shorten(own), err)
		}
	}
}
