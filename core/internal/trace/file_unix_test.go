//go:build unix

package trace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

func TestOpenFollowsNoLink(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{victim, filepath.Join(t.TempDir(), "dangling"), t.TempDir()} {
		directory := t.TempDir()
		path := pathIn(directory)
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		trace := New("MCPServer_test", Info, testLimit)
		trace.Infof("kept in memory")
		if _, err := trace.Open(directory); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("link to %s: got error %v, want one that names %s", target, err, path)
		}
		wantTexts(t, "tail", trace.Tail(1), "INFO kept in memory")
		if got, err := os.Readlink(path); err != nil || got != target {
			t.Errorf("link to %s: it is now %q, %v", target, got, err)
		}
		closeTrace(t, trace)
	}
	if got, err := os.ReadFile(victim); err != nil || string(got) != "precious" {
		t.Errorf("the victim holds %q, %v", got, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(victim)); err != nil || len(entries) != 1 {
		t.Errorf("got files %v, %v beside the victim", entries, err)
	}
}

func TestOpenRefusesAPipe(t *testing.T) {
	directory := t.TempDir()
	path := pathIn(directory)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	trace := New("MCPServer_test", Info, testLimit)
	defer closeTrace(t, trace)
	if _, err := trace.Open(directory); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v, want one that names %s", err, path)
	}
}

func TestRotationFollowsNoLink(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	trace := open(t, Info, smallest)
	if err := os.Symlink(victim, trace.Path()+".old"); err != nil {
		t.Fatal(err)
	}
	fill(trace, 0, 1000)
	if got, err := os.ReadFile(victim); err != nil || string(got) != "precious" {
		t.Errorf("the victim holds %q, %v", got, err)
	}
	if info, err := os.Lstat(trace.Path() + ".old"); err != nil || !info.Mode().IsRegular() {
		t.Errorf("got old file %v, %v, want a regular one", info, err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	trace := open(t, Info, smallest)
	fill(trace, 0, 1000)
	for _, path := range []string{trace.Path(), trace.Path() + ".old"} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("%s has mode %o, want 600", path, got)
		}
	}
}

// foreignFile gives the path of a file that belongs to another user.
func foreignFile(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		return "/etc/passwd"
	}
	path := filepath.Join(t.TempDir(), "foreign")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 1, -1); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnotherUsersFileIsNotReplaced(t *testing.T) {
	path := foreignFile(t)
	created, err := create(path)
	if err == nil || !strings.Contains(err.Error(), path+" is taken by") {
		t.Errorf("got %v, error %v, want one that says %s is taken", created, err, path)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}

// The folder for temporary files is emptied now and then, also while we run.
func TestFileIsDeletedWhileInUse(t *testing.T) {
	trace := open(t, Info, smallest)
	fill(trace, 0, 10)
	trace.Tail(1)
	if err := os.Remove(trace.Path()); err != nil {
		t.Fatal(err)
	}
	fill(trace, 10, 400)
	if got := numbers(t, trace.Tail(50)); !slices.Equal(got, upTo(400, 50)) {
		t.Errorf("got lines %v", got)
	}
	if _, err := os.Stat(trace.Path()); err != nil {
		t.Errorf("no new file was made: %v", err)
	}
}

func TestDirectoryIsDeletedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := open(t, Info, smallest)
		directory := filepath.Dir(trace.Path())
		if err := os.RemoveAll(directory); err != nil {
			t.Fatal(err)
		}
		fill(trace, 0, 400)
		if got := numbers(t, trace.Tail(50)); !slices.Equal(got, upTo(400, 50)) {
			t.Errorf("without a directory: got lines %v", got)
		}
		if err := os.Mkdir(directory, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(retryDelay)
		synctest.Wait()
		lines := fileLines(t, trace.Path())
		if got := numbers(t, lines); !slices.Equal(got, upTo(400, len(lines))) || len(lines) == 0 {
			t.Errorf("with it: got lines %v in the file", got)
		}
	})
}
