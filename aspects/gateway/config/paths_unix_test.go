//go:build unix

package config

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAPipeKeepsNobodyWaiting: nobody writes to it.
func TestAPipeKeepsNobodyWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Read(path)
	if want := path + " is a device, a pipe or a socket; name a regular file"; err == nil || err.Error() != want {
		t.Errorf("Read gave %v, want %s", err, want)
	}
}

func TestWorkspaceFolder(t *testing.T) {
	for _, test := range []struct{ path, working, want string }{
		{"", "/src", "/src"},
		{"/home/me/.vscode/mcp.json", "/src", "/home/me"},
		{".vscode/mcp.json", "/src", "/src"},
		{"a/.vscode/mcp.json", "/src", "/src/a"},
		{"../.vscode/mcp.json", "/src/b", "/src"},
		{"mcp.json", "/src/.vscode", "/src"},
		{"/home/me/mcp.json", "/src", "/src"},
		{"/home/me/.vscode/x/mcp.json", "/src", "/src"},
		{".vscode", "/src", "/src"},
		{"mcp.json", "", ""},
	} {
		file := &File{Path: test.path}
		if got := file.workspace(test.working); got != test.want {
			t.Errorf("the workspace of %q in %q is %q, want %q", test.path, test.working, got, test.want)
		}
	}
}

func TestPathsBecomeAbsolute(t *testing.T) {
	for _, test := range []struct{ file, dir, want, err string }{
		{dir: "", want: ""},
		{dir: "x", want: "/src/x"},
		{dir: ".", want: "/src"},
		{dir: "../x", want: "/x"},
		{dir: "/x/", want: "/x/"},
		{dir: "~", want: "/home/me"},
		{dir: "~/x", want: "/home/me/x"},
		{dir: "~/${TOKEN}", want: "/home/me/t0ken"},
		{dir: "x~", want: "/src/x~"},
		{dir: "${EMPTY}", want: ""},
		{dir: "${TILDE:-~}/x", want: "/src/~/x"}, // what a reference stands for is no ~
		{dir: "~other/x", err: "the home directory of another user is not known; write the whole path"},
		{dir: "${userHome}", want: "/home/me"},
		{file: "/p/.vscode/mcp.json", dir: "", want: "/p"},
		{file: "/p/.vscode/mcp.json", dir: "x", want: "/p/x"},
		{file: "/p/.vscode/mcp.json", dir: "${workspaceFolder}/y", want: "/p/y"},
		{file: "/p/.vscode/mcp.json", dir: "${cwd}", want: "/src"},
		{file: "/p/mcp.json", dir: "", want: ""},
		{file: "/p/mcp.json", dir: "x", want: "/src/x"},
	} {
		file := &File{Path: test.file}
		got, err := file.Resolve(Entry{Name: "s", Type: Stdio, Command: "x", Dir: test.dir}, testVariables())
		switch {
		case test.err == "" && (err != nil || got.Dir != test.want):
			t.Errorf("%+v gave %q, %v", test, got.Dir, err)
		case test.err != "" && (err == nil || err.Error() != `server "s": cwd: `+test.err):
			t.Errorf("%+v gave %v", test, err)
		}
	}
	_, err := new(File).Resolve(Entry{Name: "s", Type: Stdio, Command: "x", Dir: "~/x"}, nil)
	if want := `server "s": cwd: the home directory, ~, is not known; write the whole path`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
