package filesystem

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// Calls get memory in the order in which they come, and give it back whether or
// not they got it.
func TestBudget(t *testing.T) {
	const unit, most = 1 << 20, 10 << 20
	synctest.Test(t, func(t *testing.T) {
		var b budget
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		got := make(map[string]error)
		releases := make(map[string]func())
		take := func(name string, ctx context.Context, size int64) {
			go func() {
				release, err := b.take(ctx, size, most)
				mu.Lock()
				defer mu.Unlock()
				releases[name], got[name] = release, err
			}()
			synctest.Wait()
		}
		has := func(names ...string) {
			t.Helper()
			for _, name := range names {
				if err, done := got[name]; !done || err != nil {
					t.Errorf("%s waits, or got %v", name, err)
				}
			}
			if len(got) != len(names) {
				t.Errorf("those that have gone on are %v, want %v", got, names)
			}
		}
		take("first", t.Context(), 6*unit)
		take("cancelled", ctx, 20*unit)
		take("behind it", t.Context(), 4*unit)
		take("small", t.Context(), neverHeld)
		has("first", "small")
		cancel()
		synctest.Wait()
		if !errors.Is(got["cancelled"], context.Canceled) {
			t.Errorf("who was cancelled got %v", got["cancelled"])
		}
		delete(got, "cancelled")
		has("first", "small", "behind it")
		take("all", t.Context(), 100*unit)
		releases["first"]()
		releases["first"]()
		synctest.Wait()
		has("first", "small", "behind it")
		releases["behind it"]()
		synctest.Wait()
		has("first", "small", "behind it", "all")
		releases["all"]()
		if b.used != 0 || len(b.waiting) != 0 {
			t.Errorf("%d bytes are held, and %d wait", b.used, len(b.waiting))
		}
	})
}

// No call leaves memory held, or waits for what it holds itself.
func TestCallsGiveMemoryBack(t *testing.T) {
	text := strings.Repeat("line\n", 50_000) + "last"
	folder := makeFolder(t, "large="+text, "other="+text)
	s := serve(t, func(settings *Settings) { settings.MaxRead = 1 << 20 }, folder)
	for _, test := range []struct {
		tool  string
		given arguments
	}{
		{"read_text_file", arguments{"path": "large"}},
		{"read_text_file", arguments{"path": "large", "head": 3}},
		{"read_text_file", arguments{"path": "large", "tail": 3}},
		{"read_text_file", arguments{"path": "none"}},
		{"read_media_file", arguments{"path": "large"}},
		{"read_multiple_files", arguments{"paths": []string{"large", "other", "none"}}},
		{"edit_file", arguments{"path": "large", "edits": []arguments{{"oldText": "last", "newText": "end"}}}},
		{"edit_file", arguments{"path": "large", "edits": []arguments{{"oldText": "none", "newText": "end"}}}},
		{"directory_tree", arguments{"path": "."}},
		{"search_files", arguments{"path": ".", "pattern": "**"}},
		{"list_directory", arguments{"path": "."}},
	} {
		s.execute(t, t.Context(), test.tool, test.given)
		if s.memory.used != 0 {
			t.Errorf("%s %v leaves %d bytes held", test.tool, test.given, s.memory.used)
		}
	}
}
