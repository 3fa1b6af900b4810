package server

import (
	"context"
	"sync"
)

// watchers tells the aspect when the first subscriber to a resource comes and
// the last one goes, whichever way they subscribe.
type watchers struct {
	connection *connection

	mu      sync.Mutex // guards what follows
	count   map[string]int
	news    []*news // what the aspect is yet to be told, in order
	due     int     // how many of these have had their turn among the handlers
	telling bool
}

// news are that the first subscribers came to some resources, or that the last
// ones went. They take their turn among the aspect's handlers; and where these
// run side by side, one telling still follows the other, in order.
type news struct {
	watchers *watchers
	uris     []string
	came     bool
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
	for _, uri := range uris {
		if w.count[uri] == 0 {
			first = append(first, uri)
		}
	}
	if err := w.announceLocked(first, true); err != nil {
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
	if err := w.announceLocked(last, false); err != nil {
		w.connection.trace.Debugf("OnUnsubscribe did not run: %v", err)
	}
}

// announceLocked lets the aspect be told, if it wants to be.
func (w *watchers) announceLocked(uris []string, came bool) error {
	hook := w.connection.aspect.OnUnsubscribe
	if came {
		hook = w.connection.aspect.OnSubscribe
	}
	if hook == nil || len(uris) == 0 {
		return nil
	}
	n := &news{watchers: w, uris: uris, came: came}
	if err := w.connection.submit(n); err != nil {
		return err
	}
	w.news = append(w.news, n)
	return nil
}

func (n *news) perform(*connection) {
	w := n.watchers
	w.mu.Lock()
	w.due++
	other := w.telling
	w.telling = true
	w.mu.Unlock()
	if !other {
		w.tell()
	}
}

// tell runs the hooks for what is due. A hook that ends its goroutine does not
// cost what waits behind it.
func (w *watchers) tell() {
	returned := false
	defer func() {
		if !returned {
			w.tell()
		}
	}()
	for uri, came, ok := w.next(); ok; uri, came, ok = w.next() {
		w.run(uri, came)
	}
	returned = true
}

// next gives what the aspect is to be told now.
func (w *watchers) next() (uri string, came, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.due == 0 {
		w.telling = false
		return "", false, false
	}
	first := w.news[0]
	uri, came = first.uris[0], first.came
	if first.uris = first.uris[1:]; len(first.uris) == 0 {
		w.news[0] = nil
		w.news = w.news[1:]
		w.due--
	}
	return uri, came, true
}

func (w *watchers) run(uri string, came bool) {
	c := w.connection
	what, hook := "OnUnsubscribe", c.aspect.OnUnsubscribe
	if came {
		what, hook = "OnSubscribe", c.aspect.OnSubscribe
	}
	if err := c.protect(what, func() { hook(c.context, uri) }); err != nil {
		c.trace.Errorf("%v", err)
	}
}

func (n *news) discard(c *connection, _ context.Context) {
	c.trace.Debugf("serving ended before the aspect was told of its subscribers: %d", len(n.uris))
}

// weight of those who went is none, so that they can always be told of: they
// are not more than those who came.
func (n *news) weight() int {
	if !n.came {
		return 0
	}
	weight := 256
	for _, uri := range n.uris {
		weight += len(uri)
	}
	return weight
}

func (n *news) awaitsPreparation() bool { return false }
