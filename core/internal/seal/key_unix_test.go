//go:build unix

package seal

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestKeyFileIsPrivate(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	if _, err := Secret(noVariable, folderOf(config)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{
		config:                             fs.ModeDir | 0o700,
		filepath.Join(config, "mcpserver"): fs.ModeDir | 0o700,
		filepath.Join(config, "mcpserver/state.key"): 0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != want {
			t.Errorf("%s has the mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

func TestKeyFileThatOthersCouldRead(t *testing.T) {
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666, 0o777} {
		path := keyFile(t, bytes.Repeat([]byte{7}, KeySize))
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		wantRandom(t, folderOf(filepath.Dir(filepath.Dir(path))), path, "0600")
	}
}

func TestKeyFileThatIsALink(t *testing.T) {
	real := keyFile(t, bytes.Repeat([]byte{7}, KeySize))
	for name, target := range map[string]string{"to a key": real, "to nothing": real + ".none"} {
		config := t.TempDir()
		path := filepath.Join(config, "mcpserver", "state.key")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { wantRandom(t, folderOf(config), path, "regular") })
	}
}

// owned is what the system says of a file of another user.
type owned struct {
	fs.FileInfo
	owner int
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: uint32(o.owner)} }

func TestKeyFileOfAnotherUser(t *testing.T) {
	info, err := os.Lstat(keyFile(t, make([]byte, KeySize)))
	if err != nil {
		t.Fatal(err)
	}
	if err := checkPrivate(owned{info, os.Geteuid()}); err != nil {
		t.Errorf("checkPrivate of the user's own file: %v", err)
	}
	err = checkPrivate(owned{info, os.Geteuid() + 1})
	if err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("checkPrivate of another user's file: %v, want an error that says so", err)
	}
}
