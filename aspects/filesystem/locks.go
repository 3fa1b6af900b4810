package filesystem

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// locks keep two writers from one file, by whatever names they know it. They
// are taken by the paths of places, without links.
type locks struct {
	mu   sync.Mutex // guards what follows
	held map[string]*lock
}

type lock struct {
	users int
	token chan struct{} // holds one value while nobody has the lock
}

// take waits for the paths until ctx ends; release gives them back. Each call
// takes all that it needs at once, in one order, so that no two wait for each
// other.
func (l *locks) take(ctx context.Context, paths ...string) (release func(), err error) {
	keys := make([]string, len(paths))
	for i, path := range paths {
		keys[i] = foldCase(path)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	var taken []string
	release = func() {
		for _, key := range taken {
			l.find(key, 0).token <- struct{}{}
			l.leave(key)
		}
	}
	for _, key := range keys {
		select {
		case <-l.find(key, 1).token:
			taken = append(taken, key)
		case <-ctx.Done():
			l.leave(key)
			release()
			return nil, context.Cause(ctx)
		}
	}
	return release, nil
}

// find gives the lock of a path, with so many users more.
func (l *locks) find(key string, users int) *lock {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.held[key]
	if found == nil {
		if l.held == nil {
			l.held = make(map[string]*lock)
		}
		found = &lock{token: make(chan struct{}, 1)}
		found.token <- struct{}{}
		l.held[key] = found
	}
	found.users += users
	return found
}

func (l *locks) leave(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.held[key]
	if found.users--; found.users == 0 {
		delete(l.held, key)
	}
}

// foldCase gives one text for paths that may be the same file on systems that
// usually do not tell upper from lower case. Where that makes two files one,
// their writers merely wait for each other.
func foldCase(path string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(path)
	}
	return path
}
