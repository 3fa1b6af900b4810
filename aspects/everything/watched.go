package everything

import (
	"context"
	"sync"
	"time"

	"mcpserver/core"
)

const (
	watchedURI = "test://watched-resource"
	// watchedEvery is how often it changes while somebody is subscribed to it.
	watchedEvery = 2 * time.Second
)

// watchedResource is a resource that changes only while somebody is subscribed
// to it; otherwise it costs nothing.
type watchedResource struct {
	host core.Host

	mu      sync.Mutex  // guards what follows
	timer   *time.Timer // of the next change; nil while nobody is subscribed
	changes int         // so far
	isOver  bool        // serving has ended
}

func (w *watchedResource) resource() core.Resource {
	return core.Resource{
		URI:         watchedURI,
		Name:        "watched-resource",
		Title:       "A resource to watch",
		Description: "Subscribe to it: as long as somebody does, it changes every two seconds, and subscribers are told.",
		MIMEType:    "application/json",
		Read:        w.read,
	}
}

func (w *watchedResource) start(_ context.Context, host core.Host) error {
	w.host = host
	return nil
}

// subscribed is told when the first subscriber comes.
func (w *watchedResource) subscribed(_ context.Context, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if uri != watchedURI || w.timer != nil || w.isOver {
		return
	}
	w.timer = time.AfterFunc(watchedEvery, w.change)
}

// unsubscribed is told when the last subscriber has gone.
func (w *watchedResource) unsubscribed(_ context.Context, uri string) {
	if uri == watchedURI {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.restLocked()
	}
}

func (w *watchedResource) stop(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isOver = true
	w.restLocked()
	return nil
}

func (w *watchedResource) restLocked() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

// change runs when the timer says so.
func (w *watchedResource) change() {
	w.mu.Lock()
	isWatched := w.timer != nil
	if isWatched {
		w.changes++
		w.timer.Reset(watchedEvery)
	}
	w.mu.Unlock()
	if !isWatched {
		return
	}
	if err := w.host.ResourceUpdated(watchedURI); err != nil {
		w.host.Tracef(core.TraceInfo, "%s has changed, but subscribers were not told: %v", watchedURI, err)
	}
}

func (w *watchedResource) read(_ context.Context, call *core.Call) (core.Result, error) {
	w.mu.Lock()
	changes, isWatched := w.changes, w.timer != nil
	w.mu.Unlock()
	return jsonContents(call, struct {
		Changes   int  `json:"changes"`
		IsWatched bool `json:"isWatched"`
	}{changes, isWatched})
}
