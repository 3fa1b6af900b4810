//go:build unix && !aix

package filesystem

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	folder := makeFolder(t, "b=1", "a/c=2", "a/e/", "link -> a", `quo"te=`)
	s := serve(t, nil, folder)
	want := `[
  {
    "name": "a",
    "type": "directory",
    "children": [
      {
        "name": "c",
        "type": "file"
      },
      {
        "name": "e",
        "type": "directory",
        "children": []
      }
    ]
  },
  {
    "name": "b",
    "type": "file"
  },
  {
    "name": "link",
    "type": "file"
  },
  {
    "name": "quo\"te",
    "type": "file"
  }
]`
	if got := s.get(t, "directory_tree", arguments{"path": "."}); got != want {
		t.Errorf("the tree is\n%s\nwant\n%s", got, want)
	}
	if got := s.get(t, "directory_tree", arguments{"path": "a/e"}); got != "[]" {
		t.Errorf("the tree of an empty directory is %s", got)
	}
}

// The length of a tree's text is known before it is written.
func TestTreeLength(t *testing.T) {
	b := &branch{leaves: []leaf{
		{"a", nil},
		{"dir", &branch{leaves: []leaf{{"größe", nil}, {"empty", &branch{}}}}},
		{"z", &branch{}},
		{"\x01\n\"\\<&>\u2028\x7f\xff", nil},
	}}
	if got, want := b.length(0), len(b.text(0)); got != want {
		t.Errorf("the length is %d, want %d", got, want)
	}
}

// Names that take more room in JSON than in the directory count as much as they
// take.
func TestTreesOfOddNamesEnd(t *testing.T) {
	b := &branch{}
	for range mostText / 1000 {
		b.leaves = append(b.leaves, leaf{strings.Repeat("\x01", 250), nil})
	}
	if got := b.length(0); got <= mostText {
		t.Errorf("its text counts as %d bytes, want more than %d", got, mostText)
	}
}

// paths gives all of a tree's paths, each directory's with a slash behind it.
func paths(t *testing.T, tree string) string {
	t.Helper()
	type node struct {
		Name     string
		Type     string
		Children []node
	}
	var nodes []node
	if err := json.Unmarshal([]byte(tree), &nodes); err != nil {
		t.Fatalf("%v: %s", err, tree)
	}
	var all []string
	var walk func(prefix string, nodes []node)
	walk = func(prefix string, nodes []node) {
		for _, n := range nodes {
			name := prefix + n.Name
			if n.Type == "directory" {
				name += "/"
			}
			all = append(all, name)
			walk(name, n.Children)
		}
	}
	walk("", nodes)
	return strings.Join(all, " ")
}

func TestTreeExclusions(t *testing.T) {
	folder := makeFolder(t, "a/x.go=", "a/y.txt=", "b/a/z.go=", "c=")
	s := serve(t, nil, folder)
	for _, test := range []struct {
		patterns []string
		want     string
	}{
		{nil, "a/ a/x.go a/y.txt b/ b/a/ b/a/z.go c"},
		{[]string{"a"}, "b/ c"},
		{[]string{"b/a"}, "a/ a/x.go a/y.txt b/ c"},
		{[]string{"*.go"}, "a/ a/x.go a/y.txt b/ b/a/ b/a/z.go c"},
		{[]string{"**/*.go"}, "a/ a/y.txt b/ b/a/ c"},
		{[]string{"a/**"}, "a/ b/ b/a/ b/a/z.go c"},
		{[]string{"**/a/**", "c"}, "a/ b/ b/a/"},
		{[]string{""}, "a/ a/x.go a/y.txt b/ b/a/ b/a/z.go c"},
	} {
		if got := paths(t, s.get(t, "directory_tree", arguments{"path": ".", "excludePatterns": test.patterns})); got != test.want {
			t.Errorf("without %q it is %s, want %s", test.patterns, got, test.want)
		}
	}
	if got := s.refuse(t, "directory_tree", arguments{"path": ".", "excludePatterns": []string{"[a"}}); got != `excludePatterns: the pattern "[a" is malformed` {
		t.Errorf("a malformed pattern gives %s", got)
	}
}

// What is excluded does not count, and is not read.
func TestExcludedDirectoriesDoNotCutTheTree(t *testing.T) {
	entries := []string{"a="}
	for _, name := range strings.Split("bcdefghijklmnopqrstuvwxyz", "") {
		entries = append(entries, "modules/"+name+"=")
	}
	s := serve(t, func(settings *Settings) { settings.MaxEntries = 10 }, makeFolder(t, entries...))
	for _, pattern := range []string{"modules/**", "modules"} {
		for _, tool := range []string{"directory_tree", "search_files"} {
			got := s.get(t, tool, arguments{"path": ".", "pattern": "**", "excludePatterns": []string{pattern}})
			if strings.Contains(got, "--max-entries") {
				t.Errorf("%s without %s gave %s", tool, pattern, got)
			}
		}
	}
}

// Paths that are longer than the system takes at once are gone along, too.
func TestLongPaths(t *testing.T) {
	folder := makeFolder(t)
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	name := strings.Repeat("x", 200)
	path := strings.TrimSuffix(strings.Repeat(name+"/", 30), "/")
	if err := root.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile(path+"/end", []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := serve(t, nil, folder)
	if got := s.get(t, "search_files", arguments{"path": ".", "pattern": "**/end"}); got != folder+"/"+path+"/end" {
		t.Errorf("the search found %.300s", got)
	}
	wants(t, "the tree", s.get(t, "directory_tree", arguments{"path": "."}), `"name": "end"`)
	if got := s.get(t, "read_text_file", arguments{"path": path + "/end"}); got != "text" {
		t.Errorf("the file reads %q", got)
	}
}

// A walk takes as long as its path, not as long as all the paths on its way, and
// ends with its call.
func TestDeepPaths(t *testing.T) {
	folder := makeFolder(t)
	s := serve(t, nil, folder)
	deep := strings.Repeat("d/", 1500)
	for _, test := range []struct {
		tool  string
		given arguments
		want  string
	}{
		{"create_directory", arguments{"path": deep}, "Successfully created"},
		{"write_file", arguments{"path": deep + "file", "content": "text"}, "Successfully wrote"},
		{"edit_file", arguments{"path": deep + "file", "edits": []arguments{{"oldText": "text", "newText": "new"}}}, "+new"},
		{"read_text_file", arguments{"path": deep + "file"}, "new"},
		{"move_file", arguments{"source": deep + "file", "destination": "file"}, "Successfully moved"},
	} {
		wants(t, test.tool, s.get(t, test.tool, test.given), test.want)
	}
	wantFile(t, folder+"/file", "new")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := s.begin(ctx)
	defer a.close()
	if found := a.find(wanted{given: deep + "file", changes: true}); !errors.Is(found.err, context.Canceled) {
		t.Errorf("a walk of a call that has ended gave %v", found.err)
	}
}

// A tree that is deeper than anybody reads ends somewhere, and says where.
func TestDeepTreesEnd(t *testing.T) {
	folder := makeFolder(t)
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	for range deepest + 50 { // one by one: the whole path is longer than the system takes
		if err := root.Mkdir("d", 0o755); err != nil {
			t.Fatal(err)
		}
		below, err := root.OpenRoot("d")
		if err != nil {
			t.Fatal(err)
		}
		root.Close()
		root = below
	}
	root.Close()
	s := serve(t, nil, folder)
	for _, tool := range []string{"directory_tree", "search_files"} {
		if got := s.get(t, tool, arguments{"path": ".", "pattern": "**/d"}); !strings.Contains(got, "Not gone into, as they are more than 512 levels deep") {
			t.Errorf("%s does not say that it has stopped: …%.300q", tool, got[max(0, len(got)-300):])
		}
	}
}
