//go:build unix && !aix

package filesystem

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"mcpserver/core/toolserver"
)

func TestWhoWaitsForWhom(t *testing.T) {
	read := func(path string) claim { return claim{path, false} }
	write := func(path string) claim { return claim{path, true} }
	for _, test := range []struct {
		earlier, later claim
		want           bool
	}{
		{write("/a"), read("/a"), true},
		{write("/a"), write("/a"), true},
		{read("/a"), write("/a"), true},
		{read("/a"), read("/a"), false},
		{write("/a/b"), read("/a"), true},  // a listing sees what was made
		{write("/a"), read("/a/b"), true},  // a directory may have been moved there
		{read("/a"), write("/a/b"), false}, // a long search holds up no writes
		{write("/a"), read("/ab"), false},
		{write("/a"), write("/b"), false},
	} {
		if got := test.later.mustFollow(test.earlier); got != test.want {
			t.Errorf("%v waits for %v: %t, want %t", test.later, test.earlier, got, test.want)
		}
	}
}

func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrder(nil)
		first := o.arrive([]claim{{"/a", true}})
		second := o.arrive([]claim{{"/a", false}})
		other := o.arrive([]claim{{"/b", true}})
		ctx, cancel := context.WithCancel(t.Context())
		results := make(map[string]error)
		waits := func(name string, ctx context.Context, turn *turn) {
			go func() { results[name] = turn.wait(ctx); o.end(turn) }()
			synctest.Wait()
		}
		waits("other", t.Context(), other)
		waits("second", t.Context(), second)
		third := o.arrive([]claim{{"/a", true}})
		waits("third", ctx, third)
		if _, done := results["second"]; done || len(results) != 1 {
			t.Errorf("before the first has ended, %v have gone on", results)
		}
		cancel()
		synctest.Wait()
		if !errors.Is(results["third"], context.Canceled) {
			t.Errorf("a call that was cancelled waited on, or ended with %v", results["third"])
		}
		o.end(first)
		synctest.Wait()
		if err, done := results["second"]; !done || err != nil {
			t.Errorf("after the first has ended, the second is done: %t, %v", done, err)
		}
		gate := make(chan struct{})
		o.hold(gate)
		waits("held", t.Context(), o.arrive(nil))
		if _, done := results["held"]; done {
			t.Error("a call passed the gate")
		}
		close(gate)
		synctest.Wait()
		if len(results) != 4 || len(o.turns) != 0 {
			t.Errorf("%v have gone on, and %d turns are left", results, len(o.turns))
		}
	})
}

// Locks are given back, also by who does not get all of them.
func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l locks
		release, err := l.take(t.Context(), "/b", "/a", "/b")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var failure error
		go func() { _, failure = l.take(ctx, "/0", "/a", "/c") }()
		synctest.Wait()
		if failure != nil {
			t.Fatal(failure)
		}
		cancel()
		synctest.Wait()
		if !errors.Is(failure, context.Canceled) {
			t.Errorf("who waits for a lock got %v", failure)
		}
		release()
		if len(l.held) != 0 {
			t.Errorf("there are left %v", l.held)
		}
	})
}

// A call that names more files than any may names no more than that to the
// order, which compares them to those of all other calls.
func TestClaimsAreFew(t *testing.T) {
	s := serve(t, nil, makeFolder(t))
	paths := `{"paths":[` + strings.Repeat(`"a",`, 10*mostPaths) + `"a"]}`
	for _, tool := range []string{"read_multiple_files", "write_file"} {
		if got := s.claims(tool, toolserver.ParseArguments(paths)); len(got) > mostPaths+1 {
			t.Errorf("%s claims %d paths", tool, len(got))
		}
	}
}

func TestClaims(t *testing.T) {
	folder := makeFolder(t)
	s := serve(t, nil, folder)
	for _, test := range []struct {
		tool, arguments string
		want            []claim
	}{
		{"read_text_file", `{"path":"a"}`, []claim{{folder + "/a", false}}},
		{"write_file", `{"path":"a/../b"}`, []claim{{folder + "/b", true}}},
		{"move_file", `{"source":"a","destination":"/b"}`, []claim{{folder + "/a", true}, {"/b", true}}},
		{"read_multiple_files", `{"paths":["a","",7,"b"]}`, []claim{{folder + "/a", false}, {folder + "/b", false}}},
		{"write_file", `{"path":5}`, nil},
		{"list_allowed_directories", `{}`, nil},
		{"none", `{"path":"a"}`, nil},
	} {
		got := s.claims(test.tool, toolserver.ParseArguments(test.arguments))
		if len(got) != len(test.want) {
			t.Errorf("%s %s claims %v, want %v", test.tool, test.arguments, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%s %s claims %v, want %v", test.tool, test.arguments, got, test.want)
			}
		}
	}
}
