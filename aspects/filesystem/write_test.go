//go:build unix && !aix

package filesystem

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mcpserver/core/toolserver"
)

func TestWrite(t *testing.T) {
	folder := makeFolder(t, "old=text", "sub/x=", "link -> sub/x", "dangling -> sub/new")
	s := serve(t, nil, folder)
	for path, changed := range map[string]string{
		"old": "old", "new": "new", "sub/../sub/y": "sub/y", "link": "sub/x", "dangling": "sub/new", folder + "/absolute": "absolute",
	} {
		if got := s.get(t, "write_file", arguments{"path": path, "content": "für " + path}); got != "Successfully wrote to "+path {
			t.Errorf("writing %s says %q", path, got)
		}
		wantFile(t, filepath.Join(folder, changed), "für "+path)
	}
	for path, want := range map[string]string{
		"sub":                    `"sub" is a directory`,
		".":                      `"." is a directory`,
		"none/x":                 `"none/x" is in a directory that does not exist`,
		"old/x":                  `"old/x" is not a directory`,
		"none/../..":             `is outside the allowed directories`,
		strings.Repeat("x", 300): "failed: file name too long",
	} {
		if got := s.refuse(t, "write_file", arguments{"path": path, "content": ""}); !strings.Contains(got, want) {
			t.Errorf("writing %s is refused with %q, want %q", path, got, want)
		}
	}
	long := strings.Repeat("ü", 120)
	s.get(t, "write_file", arguments{"path": long, "content": "x"})
	wantFile(t, filepath.Join(folder, long), "x")
	wantNoTemporaries(t, folder)
}

func wantNoTemporaries(t *testing.T, folder string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(folder, ".*"+temporaryEnd))
	if err != nil || len(left) > 0 {
		t.Errorf("there are left %q (%v)", left, err)
	}
}

func TestWriteKeepsModeAndOwner(t *testing.T) {
	folder := makeFolder(t, "file=x")
	path := filepath.Join(folder, "file")
	s := serve(t, nil, folder)
	for _, mode := range []os.FileMode{0o600, 0o640, 0o755, 0o444 | 0o200, 0o666, 0o755 | os.ModeSetuid} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		s.get(t, "write_file", arguments{"path": "file", "content": mode.String()})
		s.get(t, "edit_file", arguments{"path": "file", "edits": []arguments{{"oldText": "-", "newText": "+", "replaceAll": true}}})
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("the mode is %v (%v), want %v", info.Mode(), err, mode)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12, 34); err != nil {
			t.Fatal(err)
		}
		s.get(t, "write_file", arguments{"path": "file", "content": "x"})
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 12 || owner.Gid != 34 {
			t.Errorf("the owner is %d:%d, want 12:34", owner.Uid, owner.Gid)
		}
	}
	// A new file has what the umask leaves.
	before := syscall.Umask(0o027)
	defer syscall.Umask(before)
	s.get(t, "write_file", arguments{"path": "new", "content": "x"})
	if info, err := os.Stat(filepath.Join(folder, "new")); err != nil || info.Mode() != 0o640 {
		t.Errorf("a new file has the mode %v (%v), want 0640", info.Mode(), err)
	}
}

// While a secret file is replaced, nobody else may read the new content.
func TestTemporaryFilesAreNeverWider(t *testing.T) {
	folder := makeFolder(t, "secret=x")
	if err := os.Chmod(filepath.Join(folder, "secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	file, name, err := place{root: root, within: folder, name: "secret", info: info}.createTemporary(info)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !isTemporary(name) || !strings.HasPrefix(name, ".secret.") {
		t.Errorf("the temporary file has the name %q", name)
	}
	if made, err := file.Stat(); err != nil || made.Mode() != 0o600 {
		t.Errorf("it has the mode %v (%v), want 0600", made.Mode(), err)
	}
}

// All of many edits of one file take effect, by whatever name they know it.
func TestParallelEditsLoseNothing(t *testing.T) {
	folder := makeFolder(t, "file=start\n", "link -> file", "sub/up -> ..")
	s := serve(t, nil, folder)
	names := []string{"file", "link", "sub/up/file", folder + "/file"}
	var editing sync.WaitGroup
	for n := range 50 {
		editing.Go(func() {
			response := s.execute(t, t.Context(), "edit_file", arguments{
				"path": names[n%len(names)], "edits": []arguments{{"oldText": "start\n", "newText": fmt.Sprintf("start\nline %d.\n", n)}},
			})
			if response.IsError {
				t.Errorf("edit %d: %s", n, response.Result)
			}
		})
	}
	editing.Wait()
	content, err := os.ReadFile(filepath.Join(folder, "file"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		if !strings.Contains(string(content), fmt.Sprintf("line %d.\n", n)) {
			t.Errorf("edit %d is lost", n)
		}
	}
	if len(s.locks.held) != 0 {
		t.Errorf("%d locks are left", len(s.locks.held))
	}
}

// Who reads while a file is written sees the old content or the new.
func TestReadersSeeWholeFiles(t *testing.T) {
	a, b := strings.Repeat("a", 100_000), strings.Repeat("b", 100_000)
	folder := makeFolder(t, "file="+a)
	s := serve(t, nil, folder)
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
				s.execute(t, t.Context(), "write_file", arguments{"path": "file", "content": []string{a, b}[n%2]})
			}
		}
	})
	defer writing.Wait()
	defer close(stop)
	last, changes := a, 0
	for reads := 0; changes < 20; reads++ {
		got := s.get(t, "read_text_file", arguments{"path": "file"})
		switch got {
		case last:
		case a, b:
			last = got
			changes++
		default:
			t.Fatalf("read %d has %d bytes, and is neither the old content nor the new", reads, len(got))
		}
	}
}

// A directory that is moved while a file in it is written keeps nothing but that
// file.
func TestDirectoryMovesWhileWriting(t *testing.T) {
	folder := makeFolder(t, "folder/file=old")
	s := serve(t, nil, folder)
	written := make(chan toolserver.Response, 1)
	go func() {
		written <- s.execute(t, t.Context(), "write_file", arguments{"path": "folder/file", "content": strings.Repeat("new\n", 2<<20)})
	}()
	for {
		begun, err := filepath.Glob(folder + "/folder/.file.*" + temporaryEnd)
		if err != nil {
			t.Fatal(err)
		}
		if len(begun) > 0 || len(written) > 0 {
			break
		}
	}
	if err := os.Rename(folder+"/folder", folder+"/moved"); err != nil {
		t.Fatal(err)
	}
	if got := <-written; got.IsError {
		t.Error(got.Result)
	}
	wantNoTemporaries(t, folder+"/moved")
}

func TestSweep(t *testing.T) {
	live, dead := "."+"file.0123456789abcdef"+temporaryEnd, ".file.fedcba9876543210"+temporaryEnd
	folder := makeFolder(t, "file=x", "sub/"+dead+"=x", live+"=x", dead+"=x", ".file.mcptmp=x", "file.0123456789abcdef.mcptmp=x", ".file.0123456789abcdeg.mcptmp=x", "target=x")
	fill(t, folder, ".link.0123456789abcdef"+temporaryEnd+" -> target")
	if err := syscall.Mkfifo(filepath.Join(folder, ".pipe.0123456789abcdef"+temporaryEnd), 0o666); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(filepath.Join(folder, live), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := lockFile(held); err != nil {
		t.Fatal(err)
	}
	s := serve(t, nil, folder)
	sweepAll(t.Context(), s.given, t.Logf)
	var left []string
	for _, name := range []string{"file", "target", live, dead, "sub/" + dead, ".file.mcptmp", "file.0123456789abcdef.mcptmp", ".file.0123456789abcdeg.mcptmp", ".pipe.0123456789abcdef.mcptmp", ".link.0123456789abcdef.mcptmp"} {
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil {
			left = append(left, name)
		}
	}
	want := "file target " + live + " .file.mcptmp file.0123456789abcdef.mcptmp .file.0123456789abcdeg.mcptmp .pipe.0123456789abcdef.mcptmp .link.0123456789abcdef.mcptmp"
	if got := strings.Join(left, " "); got != want {
		t.Errorf("after the sweep there are\n%s\nwant\n%s", got, want)
	}
	if got := s.get(t, "list_directory", arguments{"path": "."}); strings.Contains(got, live) {
		t.Errorf("the listing shows a file that is being written:\n%s", got)
	}
}
