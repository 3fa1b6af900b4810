//go:build unix && !aix

package filesystem

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Killed at any moment, a writer leaves the old content or the new one, and the
// next server removes what else it has left.
func TestKilledWhileWriting(t *testing.T) {
	root := folder(t)
	contents := make(map[string]bool)
	content := func(n int) string { return strings.Repeat(fmt.Sprintf("%08d\n", n), 50_000) }
	path := filepath.Join(root, "file")
	write(t, path, content(0))
	contents[content(0)] = true
	leftovers := 0
	for n := 1; n <= 25; n++ {
		c := serve(t, root)
		contents[content(n)] = true
		c.send(c.callOf("write_file", arguments{"path": "file", "content": content(n)}))
		// The moment at which it is killed is another one each time, from
		// before the first byte to behind the answer.
		waitForTemporary(root, n%7, c)
		c.kill()
		left, err := filepath.Glob(filepath.Join(root, ".file.*.mcptmp"))
		if err != nil {
			t.Fatal(err)
		}
		leftovers += len(left)
		got, err := os.ReadFile(path)
		if err != nil || !contents[string(got)] {
			t.Fatalf("after kill %d the file has %d bytes (%v), and is neither the old one nor the new", n, len(got), err)
		}
	}
	t.Logf("%d writers left a temporary file", leftovers)
	serve(t, root)
	deadline := time.Now().Add(guard)
	for {
		left, err := filepath.Glob(filepath.Join(root, ".*.mcptmp"))
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("a server that has started left %q (%v)", left, err)
		}
		if len(left) == 0 {
			return
		}
		runtime.Gosched()
	}
}

// waitForTemporary waits until the temporary file is there and has so many
// fifths of the content, or the answer has come.
func waitForTemporary(root string, fifths int, c *client) {
	for {
		select {
		case <-c.lines:
			return
		default:
		}
		found, _ := filepath.Glob(filepath.Join(root, ".file.*.mcptmp"))
		if len(found) > 0 {
			if info, err := os.Stat(found[0]); err == nil && info.Size() >= int64(fifths*90_000) {
				return
			}
		}
	}
}

// Nothing is held open between calls: many calls, those that fail included,
// leave as many descriptors as there were. FILESYSTEM_CALLS is how many.
func TestDescriptorsStayFew(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("descriptors of another process are counted in /proc")
	}
	calls := 5_000
	if wanted := os.Getenv("FILESYSTEM_CALLS"); wanted != "" {
		if _, err := fmt.Sscan(wanted, &calls); err != nil {
			t.Fatal(err)
		}
	}
	root := folder(t)
	write(t, filepath.Join(root, "file"), "text")
	write(t, filepath.Join(root, "sub", "x"), "x")
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	c := serve(t, root)
	kinds := []string{
		"read_text_file", "list_directory", "get_file_info", "directory_tree", "search_files", "read_media_file", "list_directory_with_sizes", "create_directory",
	}
	paths := []string{"file", "sub", "out", "none", "sub/x/y", "/etc", ".", "sub/.."}
	round := func(count int) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range count {
				<-c.lines
			}
		}()
		for n := range count {
			c.send(c.callOf(kinds[n%len(kinds)], arguments{"path": paths[n/len(kinds)%len(paths)], "pattern": "**"}))
		}
		<-done
	}
	count := func() int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.command.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	round(200)
	before := count()
	round(calls)
	if after := count(); after > before {
		t.Errorf("%d descriptors are open after %d calls, %d before", after, calls, before)
	}
}

// What cannot be read is told, and the rest of the tree is there.
func TestUnreadableDirectories(t *testing.T) {
	root := folder(t)
	write(t, filepath.Join(root, "a", "file"), "")
	write(t, filepath.Join(root, "closed", "secret"), "")
	write(t, filepath.Join(root, "z", "file"), "text")
	write(t, filepath.Join(root, "unreadable"), "text")
	for path, mode := range map[string]os.FileMode{"closed": 0, "unreadable": 0, "z": 0o555} {
		if err := os.Chmod(filepath.Join(root, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "closed"), 0o755) })
	c := start(t, asNobody(exec.Command(binary, root)))
	for tool, want := range map[string]string{"directory_tree": `"name": "z"`, "search_files": root + "/z/file"} {
		result := c.call(tool, arguments{"path": ".", "pattern": "**"})
		if got := result.Get("content.0.text").Str; !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s gave %s", tool, result.Raw)
		}
		if got := result.Get("content.1.text").Str; got != `Not readable: "closed"` {
			t.Errorf("%s notes %q", tool, got)
		}
	}
	for tool, test := range map[string]struct {
		given arguments
		want  string
	}{
		"list_directory":   {arguments{"path": "closed"}, `"closed" cannot be accessed: permission denied`},
		"read_text_file":   {arguments{"path": "unreadable"}, `"unreadable" cannot be accessed: permission denied`},
		"write_file":       {arguments{"path": "unreadable", "content": "x"}, `"unreadable" cannot be accessed: permission denied`},
		"create_directory": {arguments{"path": "z/x"}, `"z/x" cannot be accessed: permission denied`},
	} {
		if got := c.call(tool, test.given); got.Get("content.0.text").Str != test.want || !got.Get("isError").Bool() {
			t.Errorf("%s gave %s, want %s", tool, got.Raw, test.want)
		}
	}
}

// A pipe among the files holds nobody up.
func TestPipesHoldNobodyUp(t *testing.T) {
	root := folder(t)
	write(t, filepath.Join(root, "file"), "text")
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := serve(t, root)
	for tool, given := range map[string]arguments{
		"read_text_file": {"path": "pipe"}, "read_media_file": {"path": "pipe"}, "write_file": {"path": "pipe", "content": "x"},
		"edit_file": {"path": "pipe", "edits": []arguments{}},
	} {
		if got := c.call(tool, given); !got.Get("isError").Bool() {
			t.Errorf("%s of a pipe gave %s", tool, got.Raw)
		}
	}
	c.text("directory_tree", arguments{"path": "."})
	c.text("search_files", arguments{"path": ".", "pattern": "**"})
	if got := c.text("read_multiple_files", arguments{"paths": []string{"pipe", "file"}}); !strings.Contains(got, "file:\ntext") {
		t.Errorf("beside a pipe, the file reads %q", got)
	}
}

// A file as long as a message may be is written, and the server goes on.
func TestLargeWrites(t *testing.T) {
	root := folder(t)
	c := serve(t, root)
	content := strings.Repeat("0123456789abcde\n", 10<<20/16)
	c.text("write_file", arguments{"path": "large", "content": content})
	got, err := os.ReadFile(filepath.Join(root, "large"))
	if err != nil || string(got) != content {
		t.Errorf("the file has %d bytes (%v), want %d", len(got), err, len(content))
	}
	if read := c.text("read_text_file", arguments{"path": "large"}); read != content {
		t.Errorf("it reads %d bytes, want %d", len(read), len(content))
	}
}

// Directories of the command line that cannot be used are left out, unless none
// is left. Roots stand for them where there are none.
func TestCommandLine(t *testing.T) {
	root := folder(t)
	write(t, filepath.Join(root, "file"), "text")
	for _, test := range []struct {
		given []string
		want  int
		says  string
	}{
		{[]string{root}, 0, ""},
		{[]string{root, root + "/none"}, 0, `Warning: left out: "` + root + `/none" does not exist`},
		{[]string{root + "/none"}, 1, "none of the directories can be used"},
		{[]string{root + "/file"}, 1, "none of the directories can be used"},
		{[]string{"--outside=maybe", root}, 2, "it must be one of: deny, ask, allow"},
		{[]string{"--max-read=few", root}, 2, "--max-read"},
		{[]string{}, 0, ""},
		{[]string{"Test"}, 0, "0 failures"},
		{[]string{"Test", "--outside=ask", root}, 0, "0 failures"},
	} {
		command := exec.Command(binary, test.given...)
		command.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
		output, _ := command.CombinedOutput() // the status tells
		if status := command.ProcessState.ExitCode(); status != test.want || !strings.Contains(string(output), test.says) {
			t.Errorf("%q ended with %d, want %d and %q in:\n%s", test.given, status, test.want, test.says, output)
		}
	}
}
