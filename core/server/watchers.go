package server

import "sync"

// watchers tells the aspect when the first subscriber to a resource comes and
// the last one goes, whichever way they subscribe.
type watchers struct {
	connection *connection

	mu    sync.Mutex // guards what follows, and keeps what the aspect is told in order
	count map[string]int
}

func (w *watchers) wanted() bool {
	a := w.connection.aspect
	return a.OnSubscribe != nil || a.OnUnsubscribe != nil
}

// watch counts one more subscriber to each of the URIs. It fails when the
// aspect cannot be told, and then nothing is counted.
func (w *watchers) watch(uris []string) error {
	if !w.wanted() {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var first []string
	size := 0
	for _, uri := range uris {
		if w.count[uri] == 0 {
			first = append(first, uri)
			size += len(uri)
		}
	}
	if err := w.tellLocked(first, size, true); err != nil {
		return err
	}
	if w.count == nil {
		w.count = make(map[string]int)
	}
	for _, uri := range uris {
		w.count[uri]++
	}
	return nil
}

// unwatch counts one subscriber less to each of the URIs.
func (w *watchers) unwatch(uris []string) {
	if !w.wanted() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var last []string
	for _, uri := range uris {
		if w.count[uri]--; w.count[uri] == 0 {
			delete(w.count, uri)
			last = append(last, uri)
		}
	}
	// As many can wait as have come before, which is bounded.
	if err := w.tellLocked(last, 0, false); err != nil {
		w.connection.trace.Debugf("OnUnsubscribe did not run: %v", err)
	}
}

// tellLocked runs OnSubscribe or OnUnsubscribe for each of the URIs, among the
// aspect's handlers.
func (w *watchers) tellLocked(uris []string, size int, come bool) error {
	c := w.connection
	what, hook := "OnUnsubscribe", c.aspect.OnUnsubscribe
	if come {
		what, hook = "OnSubscribe", c.aspect.OnSubscribe
	}
	if hook == nil || len(uris) == 0 {
		return nil
	}
	return c.submit(&action{what: what, size: size, run: func() {
		for _, uri := range uris {
			// One that panics does not cost the others.
			if err := c.protect(what, func() { hook(c.context, uri) }); err != nil {
				c.trace.Errorf("%v", err)
			}
		}
	}})
}
