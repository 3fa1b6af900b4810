package server

import (
	"sync"
	"sync/atomic"
)

// openRequests are the client's requests that are not answered, but for the
// one that the reading goroutine serves inline. It knows how much memory they
// keep, and those that were cancelled but still wait in a queue.
type openRequests struct {
	heaviest int // bytes
	load     atomic.Int64

	mu     sync.Mutex // guards what follows, and every block's holders
	byID   map[string]*request
	grown  int // the most entries since the map was made
	idlers []chan struct{}
}

const (
	// shrinkAbove is from how many entries on a map that has become empty is
	// made anew, since a map never gives memory back.
	shrinkAbove = 1024
	// entrySize is about what an entry of the table takes, in bytes.
	entrySize = 256
)

// block is a piece of memory that several requests stand in, or their texts. It
// is kept as long as one of them is.
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
func (r *openRequests) full() bool { return r.load.Load() > int64(r.heaviest) }

func (r *openRequests) add(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[q.id] = q
	r.grown = max(r.grown, len(r.byID))
	r.holdLocked(q)
}

// hold accounts for a request's memory once more, until letGo.
func (r *openRequests) hold(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.holdLocked(q)
}

func (r *openRequests) letGo(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.letGoLocked(q)
}

func (r *openRequests) holdLocked(q *request) {
	r.load.Add(entrySize)
	for _, b := range [...]*block{q.block, q.slab} {
		if b.holders++; b.holders == 1 {
			r.load.Add(int64(b.size))
		}
	}
}

func (r *openRequests) letGoLocked(q *request) {
	r.load.Add(-entrySize)
	for _, b := range [...]*block{q.block, q.slab} {
		if b.holders--; b.holders == 0 {
			r.load.Add(-int64(b.size))
		}
	}
}

func (r *openRequests) remove(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, q.id)
	r.letGoLocked(q)
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
