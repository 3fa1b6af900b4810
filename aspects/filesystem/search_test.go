//go:build unix && !aix

package filesystem

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"mcpserver/core"
)

func TestSearch(t *testing.T) {
	folder := makeFolder(t, "a.go=", "b.txt=", ".hidden.go=", "src/c.go=", "src/deep/d.go=", "src/deep/e.txt=", "vendor/f.go=", "line\nbreak.go=", "link.go -> a.go")
	s := serve(t, nil, folder)
	for _, test := range []struct {
		pattern  string
		excluded []string
		want     string
	}{
		{"*.go", nil, `.hidden.go a.go "line\nbreak.go" link.go`},
		{"**/*.go", []string{"*.go"}, "src/c.go src/deep/d.go vendor/f.go"},
		{"./src/*.go", nil, "src/c.go"},
		{"src/**", nil, "src/c.go src/deep src/deep/d.go src/deep/e.txt"},
		{"{a.go,src/**}", nil, "a.go src/c.go src/deep src/deep/d.go src/deep/e.txt"},
		{"**/deep", nil, "src/deep"},
		{"**/*.{go,txt}", []string{"*", "vendor"}, ""},
		{"src/**/*.{go,txt}", []string{"**/deep"}, "src/c.go"},
		{"src/**/*.{go,txt}", nil, "src/c.go src/deep/d.go src/deep/e.txt"},
		{"[ab].*", nil, "a.go b.txt"},
		{"[!a].*", nil, "b.txt"},
		{"?.txt", nil, "b.txt"},
		{"", nil, ""},
		{"nothing", nil, ""},
		{"**/*.go", []string{"src/**", "vendor/**", "*.go"}, ""},
	} {
		got := s.get(t, "search_files", arguments{"path": ".", "pattern": test.pattern, "excludePatterns": test.excluded})
		want := "No matches found"
		if test.want != "" {
			var lines []string
			for _, name := range strings.Fields(test.want) {
				if strings.HasPrefix(name, `"`) {
					lines = append(lines, `"`+folder+"/"+name[1:])
				} else {
					lines = append(lines, filepath.Join(folder, name))
				}
			}
			want = strings.Join(lines, "\n")
		}
		if got != want {
			t.Errorf("%q without %q found\n%s\nwant\n%s", test.pattern, test.excluded, got, want)
		}
	}
	for pattern, want := range map[string]string{
		"[a":                         "malformed",
		"{a":                         "malformed",
		strings.Repeat("{a,b}", 7):   "more than 64",
		strings.Repeat("a", 1001):    "1001 bytes",
		strings.Repeat("{a,{b,c", 9): "malformed",
	} {
		if got := s.refuse(t, "search_files", arguments{"path": ".", "pattern": pattern}); !strings.Contains(got, want) {
			t.Errorf("%q is refused with %q, want %q in it", pattern, got, want)
		}
	}
	if got := s.refuse(t, "search_files", arguments{"path": ".", "pattern": "*", "excludePatterns": make([]string, 101)}); !strings.Contains(got, "101 patterns") {
		t.Errorf("101 patterns are refused with %q", got)
	}
}

// A search whose answer would be too long is cut, and says so, also within one
// directory and where names take more room than they have bytes.
func TestSearchLengthIsBounded(t *testing.T) {
	entries := make([]entry, 100_000)
	for i := range entries {
		entries[i].name = strings.Repeat("\x01", 250)
	}
	all, err := newGlob("**")
	if err != nil {
		t.Fatal(err)
	}
	running := &search{pattern: all, most: len(entries)}
	running.visit(t.Context(), len("/folder"))(folder[struct{}]{}, entries)
	got := running.answer("/folder", nil)
	if text := got.Content[0].(core.TextBlock).Text; len(text) > mostText || len(text) < mostText-2000 {
		t.Errorf("the answer has %d bytes, want nearly %d", len(text), mostText)
	}
	if len(got.Content) != 2 || len(running.matches) > mostText/1000 {
		t.Errorf("it does not say that it is cut, or has kept %d matches", len(running.matches))
	}
}

// A call that is cancelled stops within a directory, too.
func TestCancelledMatchingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	entries := []entry{{"a", false}, {"b", true}}
	all, err := newGlob("**")
	if err != nil {
		t.Fatal(err)
	}
	running := &search{pattern: all, most: 10}
	if into := running.visit(ctx, 0)(folder[struct{}]{}, entries); len(into) > 0 || len(running.matches) > 0 {
		t.Errorf("a search found %q and went into %v", running.matches, into)
	}
	grown := &branch{}
	if into := grow(ctx, nil)(folder[*branch]{keep: grown}, entries); len(into) > 0 || len(grown.leaves) > 0 {
		t.Errorf("a tree has %v and went into %v", grown.leaves, into)
	}
}

// Patterns that lead simple matchers astray for longer than anybody lives.
func TestMatchingEnds(t *testing.T) {
	name := strings.Repeat("a", 250)
	deep := strings.Repeat(name[:50]+"/", 60) + name
	for _, pattern := range []string{
		strings.Repeat("*a", 100) + "b", "**/" + strings.Repeat("*a", 100) + "b", strings.Repeat("**/*a*/", 140) + "b",
		strings.Repeat("{a,*}", 6) + "b", strings.Repeat("*{a,b}", 6) + "*" + strings.Repeat("a*", 100) + "b",
		strings.Repeat("**/{*,a*}/", 6) + strings.Repeat("**/*/", 150) + "b", strings.Repeat("[!b]*", 100) + "b",
	} {
		made, err := newGlob(pattern)
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range []string{name, deep} {
			if made.match(path, name) {
				t.Errorf("%s matches %s", pattern, path)
			}
		}
	}
}
