package bridge

import (
	"slices"
	"strconv"
	"sync"
)

// call is a request of an HTTP client on its way through the server.
type call struct {
	method        string
	id            string // as its client wrote it
	sentID        string // as the server was sent it
	progressToken string // as sameValue gives it; "" is none
	wantsLog      bool   // it says so itself, as requests of the modern era do
	isAbandoned   bool   // its client is gone; the calls' mutex guards it
	box           *mailbox
}

func newCall(m message) *call {
	c := &call{method: m.method, id: m.id, sentID: m.id, box: newMailbox()}
	if token := m.get(pathProgressToken); token.Exists() {
		c.progressToken = sameValue(token.Raw)
	}
	c.wantsLog = m.get(pathLogLevel).Exists()
	return c
}

// isSubscription reports whether the call stays open until one side ends it.
func (c *call) isSubscription() bool { return c.method == "subscriptions/listen" }

// How a call has ended.
type ending int

const (
	neverBegun ending = iota
	answered
	cancelled
)

// calls are those that one process has to answer, and what became of the others.
type calls struct {
	mu    sync.Mutex
	last  int               // the latest number that add made an id of
	open  []*call           // oldest first
	ended map[string]ending // by what sameValue gives of the id that the server was sent
}

// firstID is above what clients number their requests with.
const firstID = 1_000_000

// add opens a call. With another id it gives the call one that no other has, of
// the same JSON type, so that the server has to do with both types. It reports
// false for an id that is open already.
func (cs *calls) add(c *call, withAnotherID bool) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if withAnotherID {
		cs.last++
		c.sentID = strconv.Itoa(firstID + cs.last)
		if c.id[0] == '"' {
			c.sentID = `"bridge-` + c.sentID + `"`
		}
	}
	if cs.find(c.sentID, sameValue) != nil {
		return false
	}
	cs.open = append(cs.open, c)
	return true
}

// find gives the open call with an id, as the server was sent it, or nil. The
// caller holds cs.mu.
func (cs *calls) find(id string, key func(string) string) *call {
	for _, c := range cs.open {
		if key(c.sentID) == key(id) {
			return c
		}
	}
	return nil
}

// get gives the open call that the server means by an id, even if it has changed
// the id's type, or nil, and how the call with that id has ended.
func (cs *calls) get(id string) (*call, ending) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.find(id, sameValue)
	if c == nil {
		c = cs.find(id, sameText)
	}
	return c, cs.ended[sameValue(id)]
}

// end closes a call and reports whether it was open.
func (cs *calls) end(c *call, how ending) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	i := slices.Index(cs.open, c)
	if i < 0 {
		return false
	}
	cs.open = slices.Delete(cs.open, i, i+1)
	if cs.ended == nil {
		cs.ended = make(map[string]ending)
	}
	cs.ended[sameValue(c.sentID)] = how
	return true
}

// endAll closes all calls and gives those that were open.
func (cs *calls) endAll() []*call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	open := cs.open
	cs.open = nil
	return open
}

// abandon keeps a call open that nobody waits for any more.
func (cs *calls) abandon(c *call) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.isAbandoned = true
}

// newest gives the latest open call that somebody waits for, that is no
// subscription and that matches, or nil.
func (cs *calls) newest(matches func(*call) bool) *call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range slices.Backward(cs.open) {
		if !c.isAbandoned && !c.isSubscription() && matches(c) {
			return c
		}
	}
	return nil
}

// only gives the open call that is no subscription if there is just one, or nil.
func (cs *calls) only() *call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var found *call
	for _, c := range cs.open {
		if c.isSubscription() {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	return found
}

func (cs *calls) subscriptions() []*call {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var found []*call
	for _, c := range cs.open {
		if c.isSubscription() {
			found = append(found, c)
		}
	}
	return found
}

func anyCall(*call) bool    { return true }
func wantsLog(c *call) bool { return c.wantsLog }
func hasToken(token string) func(*call) bool {
	return func(c *call) bool { return c.progressToken != "" && c.progressToken == token }
}
