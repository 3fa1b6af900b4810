package server

import (
	"sync/atomic"
	"time"
)

const (
	// overdue is how long the reading goroutine may be away from reading
	// before another one takes over: between one and two of it.
	overdue = time.Millisecond
	// drowsy is after how many quiet looks the watchdog goes to sleep.
	drowsy = 20
)

// turn says whether the reading goroutine is away in a handler or a write, and
// lets exactly one side decide whether it is still the reading one when it
// comes back: the goroutine itself (leave) or the watchdog (displace).
//
// The count is odd while the goroutine is away.
type turn struct {
	count  atomic.Uint64
	asleep atomic.Bool
	wake   chan struct{}
}

// enter says that the reading goroutine goes away. Only it may call it.
func (t *turn) enter() (epoch uint64) {
	epoch = t.count.Add(1)
	if t.asleep.Load() && t.asleep.CompareAndSwap(true, false) {
		t.wake <- struct{}{}
	}
	return epoch
}

// leave says that it is back, and reports whether it is still the reading one.
func (t *turn) leave(epoch uint64) (still bool) {
	return t.count.CompareAndSwap(epoch, epoch+1)
}

// displace makes the goroutine that is away since that epoch no longer the
// reading one; it fails when that one was back first.
func (t *turn) displace(epoch uint64) bool {
	return t.count.CompareAndSwap(epoch, epoch+1)
}

// watch is the watchdog: it calls takeOver whenever the reading goroutine has
// been away too long. It sleeps while nothing goes on, and ends with done.
func (t *turn) watch(done <-chan struct{}, takeOver func()) {
	ticker := time.NewTicker(overdue)
	defer ticker.Stop()
	last, quiet := uint64(0), 0
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		now := t.count.Load()
		switch {
		case now != last:
			last, quiet = now, 0
		case now%2 == 1:
			if t.displace(now) {
				takeOver()
			}
			quiet = 0
		default:
			quiet++
		}
		if quiet < drowsy {
			continue
		}
		ticker.Stop()
		if !t.sleep(done) {
			return
		}
		ticker.Reset(overdue)
		quiet = 0
	}
}

// sleep waits until the reading goroutine goes away again. It reports false
// when done was closed first.
func (t *turn) sleep(done <-chan struct{}) bool {
	t.asleep.Store(true)
	if t.count.Load()%2 == 1 && t.asleep.CompareAndSwap(true, false) {
		return true
	}
	select {
	case <-t.wake:
		return true
	case <-done:
		return false
	}
}
