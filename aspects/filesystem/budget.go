package filesystem

import (
	"context"
	"slices"
	"sync"
)

const (
	// mostHeld is how much of files and of long answers the calls that go on
	// side by side have in memory together, in bytes, unless --max-read is more.
	// With its copies on the way to the client, it takes some times as much.
	mostHeld = 32 << 20
	// neverHeld is what is too small to be waited for.
	neverHeld = 64 << 10
)

// budget has calls wait for memory, in the order in which they come. A call
// takes what it needs at once, so that no two wait for each other.
type budget struct {
	mu      sync.Mutex // guards what follows
	used    int64
	waiting []*share
}

// share is what one call takes.
type share struct {
	size, most int64
	granted    chan struct{} // closed when it has it
}

// take waits until so much of most is free, or ctx ends. What is more than most
// is as much as that. release gives it back.
func (b *budget) take(ctx context.Context, size, most int64) (release func(), err error) {
	if size <= neverHeld {
		return func() {}, nil
	}
	taken := &share{min(size, most), most, make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, taken)
	b.grantLocked()
	b.mu.Unlock()
	release = sync.OnceFunc(func() { b.giveBack(taken) })
	select {
	case <-taken.granted:
		return release, nil
	case <-ctx.Done():
		release()
		return nil, context.Cause(ctx)
	}
}

func (b *budget) grantLocked() {
	for len(b.waiting) > 0 && b.used+b.waiting[0].size <= b.waiting[0].most {
		first := b.waiting[0]
		b.waiting = b.waiting[1:]
		b.used += first.size
		close(first.granted)
	}
}

// giveBack gives a share back, or its place among those that wait.
func (b *budget) giveBack(given *share) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := slices.Index(b.waiting, given); at >= 0 {
		b.waiting = slices.Delete(b.waiting, at, at+1)
	} else {
		b.used -= given.size
	}
	b.grantLocked()
}

// holding is what a call that is served to a client holds until its answer has
// been written.
type holding struct {
	release []func() // used by the call's own goroutine alone, and after it
}

type holdingKey struct{}

// held gives a context under which calls hold memory until end.
func held(ctx context.Context) (holds context.Context, end func()) {
	h := &holding{}
	return context.WithValue(ctx, holdingKey{}, h), func() {
		for _, release := range h.release {
			release()
		}
	}
}

// hold takes memory for the call, once for all that it needs. It is given back
// when the answer has been written, or, in a program, when the call ends.
func (a *access) hold(size int64) error {
	release, err := a.memory.take(a.ctx, size, max(mostHeld, a.settings.MaxRead))
	if err != nil {
		return err
	}
	if h, served := a.ctx.Value(holdingKey{}).(*holding); served {
		h.release = append(h.release, release)
		return nil
	}
	a.release = append(a.release, release)
	return nil
}
