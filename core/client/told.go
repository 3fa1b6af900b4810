package client

import (
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"mcpserver/core/internal/wire"
)

// Progress is a notice about how far a call has come.
type Progress struct {
	Progress float64
	// Total is 0 when it is not known.
	Total   float64
	Message string
	// Params is the whole notice, with the progress token that the client chose.
	Params json.RawMessage
}

const (
	// maxTold and maxToldBytes bound what waits for the callbacks of one call. The
	// oldest is dropped: of progress, a newer notice says more.
	maxTold      = 1024
	maxToldBytes = 64 << 20
	// toldGrace is how long an answer waits for what came before it to be taken
	// by a callback that is slow.
	toldGrace = 250 * time.Millisecond
)

// told hands what the server says about one call to the call's callbacks, in
// order. A goroutine does so while there is anything, so that neither the
// reading nor another call ever waits for a callback.
type told struct {
	onProgress     func(Progress)
	onNotification func(Notification)
	log            *slog.Logger

	mu      sync.Mutex
	queue   []telling
	bytes   int // of params in queue
	running bool
	over    bool          // nothing more is taken
	lost    int           // what was dropped and cannot be missed
	idle    chan struct{} // closed when the goroutine ends
}

// telling is one run of a callback.
type telling struct {
	run  func()
	size int // of the params, in bytes
	// canBeMissed says that nothing is lost when a later one is told.
	canBeMissed bool
}

// newTold gives nil when a request has no callbacks.
func newTold(request *Request, log *slog.Logger) *told {
	if request.OnProgress == nil && request.OnNotification == nil {
		return nil
	}
	return &told{onProgress: request.OnProgress, onNotification: request.OnNotification, log: log}
}

func (t *told) wantsProgress() bool { return t != nil && t.onProgress != nil }

func (t *told) wantsNotifications() bool { return t != nil && t.onNotification != nil }

// progress queues a notice.
func (t *told) progress(params wire.Value, members []wire.Member) {
	notice := Progress{Params: json.RawMessage(params.Raw), Message: find(members, "message").Text()}
	notice.Progress, _ = find(members, "progress").Float()
	notice.Total, _ = find(members, "total").Float()
	t.add(telling{func() { t.onProgress(notice) }, len(notice.Params), true})
}

// notification queues any other notification.
func (t *told) notification(n Notification) {
	t.add(telling{func() { t.onNotification(n) }, len(n.Params), false})
}

func (t *told) add(next telling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	for len(t.queue) == maxTold || len(t.queue) > 0 && t.bytes+next.size > maxToldBytes {
		t.drop(t.take())
	}
	t.queue = append(t.queue, next)
	t.bytes += next.size
	if !t.running {
		t.running = true
		t.idle = make(chan struct{})
		go t.run(t.idle)
	}
}

// take takes the oldest out of the queue.
func (t *told) take() telling {
	oldest := t.queue[0]
	t.queue[0] = telling{}
	t.queue = t.queue[1:]
	t.bytes -= oldest.size
	return oldest
}

// drop counts what is lost that cannot be missed.
func (t *told) drop(dropped telling) {
	if !dropped.canBeMissed {
		t.lost++
	}
}

// run ends when the queue is empty.
func (t *told) run(idle chan struct{}) {
	defer close(idle)
	for {
		t.mu.Lock()
		if len(t.queue) == 0 {
			t.running = false
			t.mu.Unlock()
			return
		}
		next := t.take()
		t.mu.Unlock()
		next.run()
	}
}

// isBusy reports whether there is something that has not been taken.
func (t *told) isBusy() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running && !t.over
}

// finish waits for what came before the answer, as long as the callbacks take it
// promptly; what is left then is dropped.
func (t *told) finish() {
	if t == nil {
		return
	}
	t.mu.Lock()
	idle, running := t.idle, t.running && !t.over
	t.mu.Unlock()
	if running {
		waitBriefly(idle)
	}
	t.end()
}

// end drops what has not been told.
func (t *told) end() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	for _, untold := range t.queue {
		t.drop(untold)
	}
	t.queue, t.over = nil, true
	if t.lost > 0 {
		t.log.Warn("notifications about a call were dropped, since its callback does not keep up", "dropped", t.lost)
	}
}

func waitBriefly(event <-chan struct{}) {
	timer := time.NewTimer(toldGrace)
	defer timer.Stop()
	select {
	case <-event:
	case <-timer.C:
	}
}
