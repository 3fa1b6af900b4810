package client

import (
	"encoding/json"
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
	// maxQueuedProgress bounds the notices of one call that wait. The oldest are
	// dropped: a newer one says more.
	maxQueuedProgress = 256
	// progressGrace is how long an answer waits for the notices before it to be
	// taken by a callback that is slow.
	progressGrace = 250 * time.Millisecond
)

// progress hands the notices of one call to its callback. A goroutine does so
// while there are any, so that neither the reading nor another call ever waits
// for a callback.
type progress struct {
	callback func(Progress)

	mu      sync.Mutex
	queue   []Progress
	running bool
	idle    chan struct{} // closed when the goroutine ends
}

func newProgress(callback func(Progress)) *progress {
	if callback == nil {
		return nil
	}
	return &progress{callback: callback}
}

// add queues a notice.
func (p *progress) add(params wire.Value, members []wire.Member) {
	notice := Progress{Params: json.RawMessage(params.Raw), Message: find(members, "message").Text()}
	notice.Progress, _ = find(members, "progress").Float()
	notice.Total, _ = find(members, "total").Float()

	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == maxQueuedProgress {
		p.queue = append(p.queue[:0], p.queue[1:]...)
	}
	p.queue = append(p.queue, notice)
	if !p.running {
		p.running = true
		p.idle = make(chan struct{})
		go p.run(p.idle)
	}
}

// run ends when the queue is empty.
func (p *progress) run(idle chan struct{}) {
	defer close(idle)
	for {
		p.mu.Lock()
		if len(p.queue) == 0 {
			p.running = false
			p.mu.Unlock()
			return
		}
		next := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		p.callback(next)
	}
}

// finish waits for the notices that came before the answer, as long as the
// callback takes them promptly; what is left then is dropped.
func (p *progress) finish() {
	if p == nil {
		return
	}
	p.mu.Lock()
	idle, running := p.idle, p.running
	p.mu.Unlock()
	if !running {
		return
	}
	timer := time.NewTimer(progressGrace)
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
		p.mu.Lock()
		p.queue = nil
		p.mu.Unlock()
	}
}
