package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	write(t, path, `{"servers": {"a": {"command": "x"}}}`)
	file, err := Read(path)
	if err != nil || file.Path != path || len(file.Entries) != 1 {
		t.Errorf("Read gave %+v, %v", file, err)
	}
}

func TestReadErrors(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "bad.json", "{\n\"é\" \"secret\"}")
	write(t, "big.json", `{"servers": {}}`+strings.Repeat(" ", maxFile))
	for _, test := range []struct {
		path, want string
		is         error
	}{
		{"", "the path of the file is empty; name a file", nil},
		{"none.json", "there is no file " + filepath.Join(folder, "none.json") + "; check the path, or create the file", fs.ErrNotExist},
		{"none/mcp.json", "there is no file " + filepath.Join(folder, "none", "mcp.json") + "; check the path, or create the file", fs.ErrNotExist},
		{folder, folder + " is a directory; name a file in it", nil},
		{"bad.json", "bad.json: line 2, column 5: expected a colon after the name, found '\"'", nil},
		{"big.json", "big.json is larger than 4 MiB; name another file, or shorten it", nil},
		{os.DevNull, os.DevNull + " is a device, a pipe or a socket; name a regular file", nil},
	} {
		_, err := Read(test.path)
		if err == nil || err.Error() != test.want || test.is != nil && !errors.Is(err, test.is) {
			t.Errorf("Read(%q) gave %v\nwant %s", test.path, err, test.want)
		}
	}
	var syntax *SyntaxError
	if _, err := Read("bad.json"); !errors.As(err, &syntax) || syntax.Line != 2 || syntax.Column != 5 {
		t.Errorf("Read gave %v, want a syntax error with its place", err)
	}
}

// TestCannotRead has causes that a test cannot bring about everywhere: root may
// read all files.
func TestCannotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	for _, test := range []struct {
		cause error
		want  string
	}{
		{fs.ErrPermission, path + " may not be read by this user; change its permissions, or those of the folders it is in"},
		{errors.New("input/output error"), path + " cannot be read: input/output error"},
	} {
		err := cannotRead(path, &fs.PathError{Op: "open", Path: path, Err: test.cause})
		if err.Error() != test.want || !errors.Is(err, test.cause) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
