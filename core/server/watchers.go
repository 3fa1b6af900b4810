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
	load    int     // the weight of all of them
	telling bool
}

// news are that the first subscribers came to some resources, or that the last
// ones went. They take their turn among the aspect's handlers; and where these
// run side by side, one telling still follows the other, in order.
type news struct {
	watchers *watchers
	uris     []string
	said     int // how many of these the aspect knows
	came     bool
	told     func() // called when the aspect has been told; nil is nothing
}

func (w *watchers) wanted() bool {
	a := w.connection.aspect
	return a.OnSubscribe != nil || a.OnUnsubscribe != nil
}

// watch counts one more subscriber to each of the URIs, and sees to it that told
// is called when the aspect knows of them all; unless it does already, which
// watch reports. It fails when the aspect cannot be told, and then nothing is
// counted.
func (w *watchers) watch(uris []string, told func()) (known bool, err error) {
	if !w.wanted() || len(uris) == 0 {
		return true, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var first []string
	for _, uri := range uris {
		if w.count[uri] == 0 {
			first = append(first, uri)
		}
	}
	n := &news{uris: first, came: true, told: told}
	known = w.connection.aspect.OnSubscribe == nil || len(first) == 0 && len(w.news) == 0
	switch {
	// Those who go can always be told of. There are not more of them than were
	// there, so that it is enough to let nobody in.
	case w.load+n.size() > w.connection.options.queueLimit():
		return false, errBusy
	case !known:
		if err := w.announceLocked(n); err != nil {
			return false, err
		}
	}
	if w.count == nil {
		w.count = make(map[string]int)
	}
	for _, uri := range uris {
		w.count[uri]++
	}
	return known, nil
}

// tellAfter sees to it that told is called when the aspect knows what is news now;
// unless it does already, which tellAfter reports.
func (w *watchers) tellAfter(told func()) (known bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.news) == 0 {
		return true, nil
	}
	return false, w.announceLocked(&news{came: true, told: told})
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
	if w.connection.aspect.OnUnsubscribe == nil || len(last) == 0 {
		return
	}
	if err := w.announceLocked(&news{uris: last}); err != nil {
		w.connection.trace.Debugf("OnUnsubscribe did not run: %v", err)
	}
}

// announceLocked queues news for the aspect.
func (w *watchers) announceLocked(n *news) error {
	n.watchers = w
	if err := w.connection.submit(n); err != nil {
		return err
	}
	w.news = append(w.news, n)
	w.load += n.size()
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
	for step := w.next(); step != nil; step = w.next() {
		step()
	}
	returned = true
}

// next gives the next step of telling what is due; nil when there is none.
func (w *watchers) next() (step func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.due == 0 {
		w.telling = false
		return nil
	}
	if c := w.connection; c.context.Err() != nil {
		c.trace.Debugf("serving ended before the aspect was told all of its subscribers")
		w.news, w.due, w.load = nil, 0, 0
		w.telling = false
		return nil
	}
	first := w.news[0]
	if first.said < len(first.uris) {
		uri := first.uris[first.said]
		first.said++
		return func() { w.run(uri, first.came) }
	}
	w.news[0] = nil
	w.news = w.news[1:]
	w.due--
	w.load -= first.size()
	if first.told == nil {
		return func() {}
	}
	return first.told
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

// weight implements work: watchers keep account of it themselves, until the
// aspect has been told.
func (n *news) weight() int { return 0 }

// size is about how many bytes it keeps in memory.
func (n *news) size() int {
	size := 256
	for _, uri := range n.uris {
		size += len(uri) + 16
	}
	return size
}

func (n *news) awaitsPreparation() bool { return false }
