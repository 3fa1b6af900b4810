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
	mu sync.Mutex
	// served has the servers' own URIs of those that clients know them by.
	served map[string]map[*upstream]string
	// byServer has the same by server and its own URI.
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
		w.served = make(map[string]map[*upstream]string)
		w.byServer = make(map[*upstream]map[string]*subscription)
	}
	if w.served[uri] == nil {
		w.served[uri] = make(map[*upstream]string)
	}
	g.watchLocked(uri)
}

// unsubscribe is told that nobody wants to know any more.
func (g *gateway) unsubscribe(_ context.Context, uri string) {
	w := &g.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	g.unwatchLocked(uri, nil)
	delete(w.served, uri)
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
		if s := g.watched.addLocked(uri, t); !s.asked && t.upstream.isConnected() {
			s.asked = true
			g.follow(t, true)
		}
	}
}

func (w *watched) addLocked(uri string, t target) *subscription {
	subscriptions := w.byServer[t.upstream]
	if subscriptions == nil {
		subscriptions = make(map[string]*subscription)
		w.byServer[t.upstream] = subscriptions
	}
	s := subscriptions[t.name]
	if s == nil {
		s = &subscription{served: make(map[string]bool)}
		subscriptions[t.name] = s
	}
	s.served[uri] = true
	w.served[uri][t.upstream] = t.name
	return s
}

// unwatchLocked tells the servers, apart from one, that a resource is not watched
// under a URI any more.
func (g *gateway) unwatchLocked(uri string, except *upstream) {
	w := &g.watched
	for u, own := range w.served[uri] {
		if u == except {
			continue
		}
		delete(w.served[uri], u)
		s := w.byServer[u][own]
		if delete(s.served, uri); len(s.served) == 0 {
			delete(w.byServer[u], own)
			g.follow(target{upstream: u, name: own}, false)
		}
	}
}

// under gives the URIs under which clients have subscribed to a server's
// resource, or to one that it is a part of: whole is the server's URI of that.
func (w *watched) under(u *upstream, own string) (served []string, whole string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	find := func(name string) bool {
		s := w.byServer[u][name]
		if s == nil {
			return false
		}
		served, whole = slices.Sorted(maps.Keys(s.served)), name
		return true
	}
	if find(own) {
		return served, whole
	}
	for end := strings.LastIndexByte(own, '/'); end >= 0; end = strings.LastIndexByte(own[:end], '/') {
		if find(own[:end+1]) || find(own[:end]) {
			break
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
