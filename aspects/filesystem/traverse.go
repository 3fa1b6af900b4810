package filesystem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mcpserver/core/toolserver"
)

const (
	// deepest is how many levels of directories are gone into.
	deepest = 512
	// walkers is the most directories that are read side by side.
	walkers = 8
	// reportEvery is after how many entries progress is told, unless a test has
	// smaller trees.
	reportEvery = 5000
	// mostNamed is how many directories a note names.
	mostNamed = 20
)

// traversal goes through the directories below a place, several at a time, and
// follows no link.
type traversal[T any] struct {
	root *os.Root
	base string // where it begins, below root
	// visit gets the entries of a directory, in the order of their names, and
	// gives the directories to go into. It runs in several goroutines at once,
	// and does not keep the slice.
	visit func(in folder[T], entries []entry) (into []folder[T])
	// most is how many entries are visited, before it stops and is cut.
	most int
	// every is after how many entries progress is told.
	every int

	mu       sync.Mutex // guards what follows
	change   *sync.Cond // something of it has changed
	pending  []folder[T]
	busy     int // goroutines that read
	visited  int
	reported int
	cut      bool
	deep     []string // directories that were too deep to go into
	closed   []string // directories that cannot be read
	failure  error
}

// folder is a directory to go into: its name below the beginning ("" is that
// itself), how deep it is, and what the visitor keeps of it.
type folder[T any] struct {
	name  string
	depth int
	keep  T
}

// run goes through everything, and returns when nobody works any more. That the
// first directory cannot be read is its error; of others it takes notes.
func (t *traversal[T]) run(ctx context.Context, first T) error {
	t.change = sync.NewCond(&t.mu)
	t.pending = []folder[T]{{keep: first}}
	stop := context.AfterFunc(ctx, func() { t.fail(context.Cause(ctx)) })
	defer stop()
	var working sync.WaitGroup
	for range min(walkers, runtime.GOMAXPROCS(0)) {
		working.Go(func() { t.work(ctx) })
	}
	working.Wait()
	return t.failure
}

func (t *traversal[T]) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failure == nil {
		t.failure = err
	}
	t.change.Broadcast()
}

// work reads directories until there are none left.
func (t *traversal[T]) work(ctx context.Context) {
	var reader entryReader
	defer reader.close()
	var entries []entry // of one directory after the other
	for {
		next, ok := t.next()
		if !ok {
			return
		}
		var err error
		entries, err = t.read(ctx, &reader, next, entries[:0])
		var into []folder[T]
		if err == nil {
			into = t.visit(next, entries)
		}
		t.done(ctx, next, into, err)
	}
}

// next takes a directory, and waits for one while others may still find some.
// The one found last comes first, so that few are pending at any time.
func (t *traversal[T]) next() (taken folder[T], ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		switch last := len(t.pending) - 1; {
		case t.failure != nil, t.cut, last < 0 && t.busy == 0:
			t.change.Broadcast()
			return folder[T]{}, false
		case last >= 0:
			taken, t.pending = t.pending[last], t.pending[:last]
			t.busy++
			return taken, true
		}
		t.change.Wait()
	}
}

// read appends the entries of a directory, and no more of them than there are
// left to visit.
func (t *traversal[T]) read(ctx context.Context, reader *entryReader, in folder[T], entries []entry) ([]entry, error) {
	err := reader.read(ctx, t.root, t.base, in.name, func(found []entry) bool {
		left := t.count(len(found))
		entries = append(entries, found[:left]...)
		return left == len(found)
	})
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return entries, err
}

// count gives how many of so many entries may be visited.
func (t *traversal[T]) count(entries int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	left := min(entries, t.most-t.visited)
	t.visited += left
	if left < entries {
		t.cut = true
	}
	return left
}

// done takes account of a directory.
func (t *traversal[T]) done(ctx context.Context, in folder[T], into []folder[T], err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	switch {
	case err == nil, errors.Is(err, os.ErrNotExist) && in.name != "":
	case in.name == "" || ctx.Err() != nil:
		if t.failure == nil {
			t.failure = err
		}
	default:
		t.closed = append(t.closed, in.name)
	}
	for _, below := range slices.Backward(into) {
		if below.depth > deepest {
			t.deep = append(t.deep, below.name)
			continue
		}
		t.pending = append(t.pending, below)
	}
	if t.visited-t.reported >= t.every {
		t.reported = t.visited
		toolserver.Progress(ctx, float64(t.visited), 0, fmt.Sprintf("%d entries", t.visited))
	}
	t.change.Broadcast()
}

// notes says what the answer does not have.
func (t *traversal[T]) notes() []string {
	var notes []string
	if t.cut {
		notes = append(notes, fmt.Sprintf("Cut: there are more than %d entries (--max-entries); a directory further down has less.", t.most))
	}
	if len(t.closed) > 0 {
		notes = append(notes, "Not readable: "+someOf(t.closed))
	}
	if len(t.deep) > 0 {
		notes = append(notes, fmt.Sprintf("Not gone into, as they are more than %d levels deep: %s", deepest, someOf(t.deep)))
	}
	return notes
}

// someOf names directories, in order and not too many.
func someOf(names []string) string {
	slices.Sort(names)
	var shown []string
	for _, name := range names[:min(len(names), mostNamed)] {
		shown = append(shown, quoted(name))
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
