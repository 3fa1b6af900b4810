package gateway

import (
	"crypto/rand"
	"sync"
	"time"
)

// parked are the calls of servers that wait for a client of the modern era to
// come back with answers. Each is resumed once, or expires.
type parked struct {
	timeout time.Duration

	mu    sync.Mutex // guards what follows
	byKey map[string]*waiting
}

type waiting struct {
	flight *flight
	timer  *time.Timer
}

// maxParked bounds them.
const maxParked = 1_000

// full reports whether nothing more can be parked.
func (p *parked) full() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.byKey) >= maxParked
}

// add parks a flight and gives the key to resume it with, which cannot be
// guessed.
func (p *parked) add(f *flight) (key string) {
	key = rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byKey == nil {
		p.byKey = make(map[string]*waiting)
	}
	p.byKey[key] = &waiting{f, time.AfterFunc(p.timeout, func() {
		if p.take(key) != nil {
			f.cancel(errNobodyResumed)
		}
	})}
	return key
}

// take gives the flight of a key, once; nil if there is none.
func (p *parked) take(key string) *flight {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.byKey[key]
	if w == nil {
		return nil
	}
	delete(p.byKey, key)
	w.timer.Stop()
	return w.flight
}
