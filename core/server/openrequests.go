package server

import "sync"

// openRequests are the client's requests that are not answered, but for the
// one that the reading goroutine serves inline. It knows how much memory they
// keep.
type openRequests struct {
	heaviest int // bytes

	mu     sync.Mutex // guards what follows, and every block's holders
	byID   map[string]*request
	grown  int // the most entries since the map was made
	load   int // bytes that the open requests keep
	idlers []chan struct{}
}

const (
	// shrinkAbove is from how many entries on a map that has become empty is
	// made anew, since a map never gives memory back.
	shrinkAbove = 1024
	// requestSize is about what a request itself takes, in bytes.
	requestSize = 1024
)

// block is a piece of input that several requests may stand in. It is kept as
// long as one of them is.
type block struct {
	size    int // bytes
	holders int
}

func (r *openRequests) init(heaviest int) {
	r.byID = make(map[string]*request)
	r.heaviest = heaviest
}

// full reports whether the open requests keep so much memory that no other one
// can wait.
func (r *openRequests) full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.load > r.heaviest
}

func (r *openRequests) add(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[q.id] = q
	r.grown = max(r.grown, len(r.byID))
	r.load += requestSize
	if q.block.holders++; q.block.holders == 1 {
		r.load += q.block.size
	}
}

func (r *openRequests) remove(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, q.id)
	r.load -= requestSize
	if q.block.holders--; q.block.holders == 0 {
		r.load -= q.block.size
	}
	if len(r.byID) > 0 {
		return
	}
	if r.grown > shrinkAbove {
		r.byID, r.grown = make(map[string]*request), 0
	}
	r.tellIdleLocked()
}

// find gives the open request of that id, as sent, or nil.
func (r *openRequests) find(id string) *request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// all gives the open requests, in no order.
func (r *openRequests) all() []*request {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]*request, 0, len(r.byID))
	for _, q := range r.byID {
		all = append(all, q)
	}
	return all
}

// none gives a channel that is closed once no request is open.
func (r *openRequests) none() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	idle := make(chan struct{})
	r.idlers = append(r.idlers, idle)
	r.tellIdleLocked()
	return idle
}

func (r *openRequests) tellIdleLocked() {
	if len(r.byID) > 0 {
		return
	}
	for _, idle := range r.idlers {
		close(idle)
	}
	r.idlers = nil
}
