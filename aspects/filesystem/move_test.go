//go:build unix && !aix

package filesystem

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestMove(t *testing.T) {
	folder, second := makeFolder(t, "a=A", "dir/x=X", "b=B", "link -> a", "dangling -> none"), makeFolder(t)
	s := serve(t, nil, folder, second)
	for _, test := range []struct{ from, to, want string }{
		{"a", "c", "Successfully moved a to c"},
		{"dir", "moved", "Successfully moved dir to moved"},
		{"link", "moved/link", "Successfully moved link to moved/link"},
		{"dangling", "moved/dangling", "Successfully moved dangling to moved/dangling"},
		{"b", second + "/b", "Successfully moved b to " + second + "/b"},
		{"none", "x", `!"none" does not exist`},
		{"c", "moved", `!"moved" exists already`},
		{"c", "moved/dangling", `!"moved/dangling" exists already`},
		{"c", "c", `!"c" exists already`},
		{"c", "none/x", `!"none/x" is in a directory that does not exist`},
		{"moved", "moved/y", `!"moved/y" is in the directory that is to be moved there`},
		{".", "x", `!"." is an allowed directory or has one in it, which cannot be moved or replaced`},
		{folder, "x", "cannot be moved or replaced"},
		{filepath.Dir(folder), "x", "is outside the allowed directories"},
	} {
		response := s.execute(t, t.Context(), "move_file", arguments{"source": test.from, "destination": test.to})
		got := response.Result
		if response.IsError {
			got = "!" + got
		}
		if got != test.want && !(strings.HasPrefix(got, "!") && !strings.HasPrefix(test.want, "S") && strings.Contains(got, test.want)) {
			t.Errorf("moving %s to %s gave %s, want %s", test.from, test.to, got, test.want)
		}
	}
	wantFile(t, folder+"/c", "A")
	wantFile(t, folder+"/moved/x", "X")
	wantFile(t, second+"/b", "B")
	for link, want := range map[string]string{"/moved/link": "a", "/moved/dangling": "none"} {
		if target, err := os.Readlink(folder + link); err != nil || target != want {
			t.Errorf("%s leads to %q (%v), want %q", link, target, err, want)
		}
	}
}

// An allowed directory within another one stays where it is.
func TestInnerDirectoriesAreNotMoved(t *testing.T) {
	folder := makeFolder(t, "above/inner/x=")
	s := serve(t, nil, folder, folder+"/above/inner")
	for _, path := range []string{"above/inner", "above"} {
		wants(t, "moving "+path, s.refuse(t, "move_file", arguments{"source": path, "destination": "y"}), "cannot be moved or replaced")
	}
}

// Of many moves to one name one goes well, and nothing is lost.
func TestMovesToOneName(t *testing.T) {
	folder := makeFolder(t)
	for n := range 40 {
		fill(t, folder, fmt.Sprintf("%d=%d", n, n))
	}
	s := serve(t, nil, folder)
	var moving sync.WaitGroup
	moved := make(chan int, 40)
	for n := range 40 {
		moving.Go(func() {
			if !s.execute(t, t.Context(), "move_file", arguments{"source": fmt.Sprint(n), "destination": "one"}).IsError {
				moved <- n
			}
		})
	}
	moving.Wait()
	close(moved)
	if len(moved) != 1 {
		t.Fatalf("%d moves went well, want 1", len(moved))
	}
	wantFile(t, folder+"/one", fmt.Sprint(<-moved))
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 40 {
		t.Errorf("there are %d files (%v), want 40", len(entries), err)
	}
}

// The way for systems on which a rename replaces what is there.
func TestRenameLooking(t *testing.T) {
	folder := makeFolder(t, "a=A", "b=B")
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	at := func(name string) place { return place{root: root, within: folder, name: name} }
	if err := renameLooking(at("a"), at("b")); !os.IsExist(err) {
		t.Errorf("a rename to what exists gave %v", err)
	}
	if err := renameLooking(at("a"), at("c")); err != nil {
		t.Error(err)
	}
	wantFile(t, folder+"/b", "B")
	wantFile(t, folder+"/c", "A")
}

func TestCreateDirectory(t *testing.T) {
	folder := makeFolder(t, "a=", "there/", "link -> there")
	s := serve(t, nil, folder)
	for _, path := range []string{"new", "there", "x/y/z", "link/below", "~root/x"} {
		if got := s.get(t, "create_directory", arguments{"path": path}); got != "Successfully created directory "+path {
			t.Errorf("making %s says %q", path, got)
		}
		if info, err := os.Stat(filepath.Join(folder, path)); err != nil || !info.IsDir() {
			t.Errorf("%s is no directory: %v", path, err)
		}
	}
	for path, want := range map[string]string{"a": `"a" exists already`, "a/b": `"a/b" is not a directory`, "none/../../x": "outside"} {
		wants(t, "making "+path, s.refuse(t, "create_directory", arguments{"path": path}), want)
	}
}
