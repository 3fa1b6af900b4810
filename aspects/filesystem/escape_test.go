//go:build unix && !aix

package filesystem

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcpserver/core"
	"mcpserver/core/toolserver"
)

// trap makes a directory that is allowed, inside, beside one that is not.
func trap(t testing.TB) (inside, outside string) {
	t.Helper()
	above := makeFolder(t, "inside/a=text", "inside/sub/b=text", "outside/secret="+secret, "outside/folder/x="+secret, "insideout/secret="+secret)
	inside, outside = filepath.Join(above, "inside"), filepath.Join(above, "outside")
	fill(t, inside,
		"file -> ../outside/secret",
		"abs -> "+filepath.Join(outside, "secret"),
		"folder -> ../outside",
		"absfolder -> "+outside,
		"chain -> chain2", "chain2 -> folder/secret",
		"sub/up -> ../..",
		"none -> ../outside/none",
		"missing -> gone/../../outside/secret",
		"loop -> loop2", "loop2 -> loop",
		"proc -> /proc/self/root",
		"zero -> /dev/zero",
	)
	return inside, outside
}

func TestNothingOutsideIsReached(t *testing.T) {
	inside, outside := trap(t)
	s := serve(t, nil, inside)
	escapes := []string{
		"../outside/secret", outside + "/secret", inside + "/../outside/secret", inside + "out/secret",
		"file", "abs", "folder/secret", "absfolder/secret", "absfolder/folder/x", "chain", "sub/up/outside/secret",
		"none", "missing", "loop", "loop/x", "proc" + outside + "/secret", "zero", "/dev/zero", "/proc/self/environ", "/etc/passwd",
		strings.ToUpper(inside) + "/a", "a\x00", "folder/folder", "folder", "sub/up", "folder/new", "/", "..",
	}
	for _, path := range escapes {
		for _, test := range []struct {
			tool  string
			given arguments
		}{
			{"read_text_file", arguments{"path": path}},
			{"read_file", arguments{"path": path, "head": 1}},
			{"read_text_file", arguments{"path": path, "tail": 1}},
			{"read_media_file", arguments{"path": path}},
			{"write_file", arguments{"path": path, "content": "bad"}},
			{"edit_file", arguments{"path": path, "edits": []arguments{{"oldText": secret, "newText": "bad"}}}},
			{"list_directory", arguments{"path": path}},
			{"list_directory_with_sizes", arguments{"path": path}},
			{"directory_tree", arguments{"path": path}},
			{"search_files", arguments{"path": path, "pattern": "**"}},
			{"get_file_info", arguments{"path": path}},
			{"move_file", arguments{"source": path + "/x", "destination": "stolen"}},
			{"move_file", arguments{"source": "a", "destination": path + "/x"}},
			{"create_directory", arguments{"path": path + "/made"}},
		} {
			said := s.refuse(t, test.tool, test.given)
			if strings.Contains(said, secret) || strings.Contains(said, base64.StdEncoding.EncodeToString([]byte(secret))) {
				t.Errorf("%s %v told the secret: %s", test.tool, test.given, said)
			}
		}
		if got := s.get(t, "read_multiple_files", arguments{"paths": []string{path}}); strings.Contains(got, secret) || !strings.Contains(got, "Error - ") {
			t.Errorf("read_multiple_files of %q gave %s", path, got)
		}
	}
	wantFile(t, filepath.Join(outside, "secret"), secret)
	wantFile(t, filepath.Join(inside, "a"), "text")
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 2 {
		t.Errorf("outside has %v (%v), want what was there", entries, err)
	}
}

// The text of an error is the same whether there is something outside or not.
func TestErrorsDoNotTellWhatIsOutside(t *testing.T) {
	inside, _ := trap(t)
	fill(t, inside, "real -> ../outside/secret", "fake -> ../outside/nothing")
	s := serve(t, nil, inside)
	for _, tool := range []string{"read_text_file", "get_file_info", "list_directory"} {
		there := s.refuse(t, tool, arguments{"path": "real"})
		if not := s.refuse(t, tool, arguments{"path": "fake"}); strings.ReplaceAll(there, "real", "fake") != not {
			t.Errorf("%s tells %q and %q", tool, there, not)
		}
		if strings.Contains(there, "outside/") {
			t.Errorf("%s tells where the link leads: %s", tool, there)
		}
	}
}

func TestTreesAndSearchesDoNotFollowLinks(t *testing.T) {
	inside, _ := trap(t)
	s := serve(t, nil, inside)
	if got := s.get(t, "search_files", arguments{"path": ".", "pattern": "**"}); strings.Contains(got, "folder/") || !strings.Contains(got, inside+"/folder") {
		t.Errorf("the search found %s", got)
	}
	if got := s.get(t, "directory_tree", arguments{"path": "."}); strings.Contains(got, "secret") {
		t.Errorf("the tree has %s", got)
	}
}

func TestLinksThatStayInsideWork(t *testing.T) {
	first := makeFolder(t, "a=one", "sub/b=two")
	second := makeFolder(t, "c=three", "sub/d=four")
	fill(t, first,
		"abs -> "+first+"/a", "relative -> sub/../a", "other -> "+second+"/c", "otherfolder -> "+second+"/sub",
		"sub/back -> "+first, "new -> sub/new")
	alias := filepath.Join(makeFolder(t), "alias")
	if err := os.Symlink(first, alias); err != nil {
		t.Fatal(err)
	}
	s := serve(t, nil, alias, second)
	for path, want := range map[string]string{
		"a": "one", "abs": "one", "relative": "one", "other": "three", "otherfolder/d": "four", "sub/back/sub/b": "two",
		alias + "/a": "one", first + "/a": "one", alias + "/sub/back/abs": "one",
	} {
		if got := s.get(t, "read_text_file", arguments{"path": path}); got != want {
			t.Errorf("%s reads %q, want %q", path, got, want)
		}
	}
	s.get(t, "write_file", arguments{"path": "other", "content": "changed"})
	wantFile(t, second+"/c", "changed")
	s.get(t, "write_file", arguments{"path": "new", "content": "made"})
	wantFile(t, first+"/sub/new", "made")
	s.get(t, "create_directory", arguments{"path": "otherfolder/x/y"})
	if info, err := os.Stat(second + "/sub/x/y"); err != nil || !info.IsDir() {
		t.Errorf("no directory was made through the link: %v", err)
	}
	if info, err := os.Lstat(first + "/other"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
}

// What is no regular file is refused, and nobody waits for it.
func TestSpecialFilesAreRefusedAtOnce(t *testing.T) {
	folder := makeFolder(t, "a=x")
	if err := syscall.Mkfifo(folder+"/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	fill(t, folder, "link -> pipe")
	s := serve(t, nil, folder)
	for _, path := range []string{"pipe", "link"} {
		for tool, given := range map[string]arguments{
			"read_text_file": {"path": path}, "read_media_file": {"path": path}, "list_directory": {"path": path},
			"write_file": {"path": path, "content": "x"}, "edit_file": {"path": path, "edits": []arguments{{"oldText": "a", "newText": "b"}}},
			"directory_tree": {"path": path}, "search_files": {"path": path, "pattern": "*"},
		} {
			s.refuse(t, tool, given)
		}
	}
	if got := s.get(t, "get_file_info", arguments{"path": "pipe"}); !strings.Contains(got, "isFile: false") {
		t.Errorf("the pipe is %s", got)
	}
	if got := s.get(t, "directory_tree", arguments{"path": "."}); !strings.Contains(got, "pipe") {
		t.Errorf("the tree has no pipe: %s", got)
	}
	if got := s.get(t, "list_directory_with_sizes", arguments{"path": "."}); !strings.Contains(got, "[FILE] pipe") {
		t.Errorf("the listing has no pipe: %s", got)
	}
}

// While somebody swaps files and directories for links that lead outside, no
// call reads or changes anything there.
func TestSwapsOpenNothing(t *testing.T) {
	above := makeFolder(t, "outside/folder/file="+secret, "outside/folder/secretname="+secret, "spare/")
	inside := filepath.Join(above, "inside")
	fill(t, inside, "folder/file=text", "direct=text")
	s := serve(t, nil, inside)
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				swap(inside, above, n)
			}
		}
	})
	end := sync.OnceFunc(func() { close(stop); swapping.Wait() })
	defer end()
	// It goes on until calls of both kinds have met the links, and what the
	// links take the place of, often enough.
	const often = 200
	var reads, writes met
	for n := 0; reads.less(often) || writes.less(often/10); n++ {
		if n > 1000*often {
			t.Fatalf("of the reads %+v, of the writes %+v", reads, writes)
		}
		for _, test := range swapped(n) {
			response := s.execute(t, t.Context(), test.tool, test.given)
			said := response.Result
			if strings.Contains(said, secret) || strings.Contains(said, "secretname") || strings.Contains(said, base64.StdEncoding.EncodeToString([]byte(secret))) {
				t.Fatalf("%s %v told: %s", test.tool, test.given, said)
			}
			if registered, _ := s.Registry().Tool(test.tool); registered.Access == toolserver.Read {
				reads.add(response)
			} else {
				writes.add(response)
			}
		}
	}
	end()
	entries, err := os.ReadDir(filepath.Join(above, "outside/folder"))
	if err != nil || len(entries) != 2 {
		t.Errorf("outside has %v (%v), want what was there", entries, err)
	}
	wantFile(t, filepath.Join(above, "outside/folder/file"), secret)
}

// swapped are calls about what is swapped. Writing waits for the disk, and so
// most rounds have reads alone.
func swapped(round int) []call {
	calls := []call{
		{"read_text_file", arguments{"path": "folder/file"}},
		{"read_text_file", arguments{"path": "direct", "tail": 2}},
		{"read_media_file", arguments{"path": "folder/file"}},
		{"list_directory", arguments{"path": "folder"}},
		{"search_files", arguments{"path": ".", "pattern": "**"}},
		{"directory_tree", arguments{"path": "folder"}},
	}
	if round%10 > 0 {
		return calls
	}
	return append(calls,
		call{"write_file", arguments{"path": "folder/file", "content": fmt.Sprint(round)}},
		call{"write_file", arguments{"path": fmt.Sprintf("folder/new%d", round), "content": "x"}},
		call{"create_directory", arguments{"path": fmt.Sprintf("folder/made%d", round)}},
		call{"move_file", arguments{"source": "folder/file", "destination": fmt.Sprintf("moved%d", round)}},
	)
}

// call is a call of a tool.
type call struct {
	tool  string
	given arguments
}

// met counts the calls that came to a link to the outside, and those that came
// to what it takes the place of.
type met struct{ links, files int }

func (m *met) add(response toolserver.Response) {
	switch {
	case !response.IsError:
		m.files++
	case strings.Contains(response.Result, "outside the allowed directories"):
		m.links++
	}
}

func (m *met) less(than int) bool { return min(m.links, m.files) < than }

// swap makes a link to the outside of a directory and of a file, and back. It
// does not care what fails: something else may be there at the moment.
func swap(inside, above string, n int) {
	folder, direct, link := inside+"/folder", inside+"/direct", filepath.Join(above, "spare/link")
	if n%2 == 0 {
		_ = os.Rename(folder, above+"/spare/folder")
		_ = os.Symlink(above+"/outside/folder", folder)
		_ = os.Symlink(above+"/outside/folder/file", link)
		_ = os.Rename(link, direct)
		return
	}
	_ = os.RemoveAll(folder) // the link, or a directory that a call has made while there was none
	_ = os.Rename(above+"/spare/folder", folder)
	_ = os.WriteFile(link, []byte("text"), 0o644)
	_ = os.Rename(link, direct)
	_ = os.WriteFile(folder+"/file", []byte("text"), 0o644)
}

func TestRootThatVanishesAndReturns(t *testing.T) {
	above := makeFolder(t, "root/a=one", "elsewhere/a="+secret)
	root := filepath.Join(above, "root")
	s := serve(t, nil, root)
	s.get(t, "read_text_file", arguments{"path": "a"})
	if err := os.Rename(root, above+"/gone"); err != nil {
		t.Fatal(err)
	}
	s.refuse(t, "read_text_file", arguments{"path": "a"})
	s.refuse(t, "write_file", arguments{"path": "a", "content": "x"})
	fill(t, above, "root -> elsewhere")
	if said := s.refuse(t, "read_text_file", arguments{"path": "a"}); strings.Contains(said, secret) {
		t.Errorf("a root that became a link was followed: %s", said)
	}
	if err := os.Remove(root); err != nil {
		t.Fatal(err)
	}
	fill(t, root, "a=two")
	if got := s.get(t, "read_text_file", arguments{"path": "a"}); got != "two" {
		t.Errorf("the new root reads %q, want two", got)
	}
	for _, path := range []string{".", root} {
		s.refuse(t, "move_file", arguments{"source": path, "destination": "b"})
	}
}

// An allowed directory below another one is opened from that one, in which
// somebody may make a link of what is between the two.
func TestRootWithinARoot(t *testing.T) {
	above := makeFolder(t, "root/way/inner/a=one", "outside/inner/a="+secret)
	root := filepath.Join(above, "root")
	nested := []string{root + "/way/inner", root}
	roots := readRoots([]core.Root{{URI: "file://" + nested[0]}, {URI: "file://" + nested[1]}})
	s := serve(t, nil, nested...)
	if got := s.get(t, "read_text_file", arguments{"path": "a"}); got != "one" {
		t.Errorf("it reads %q", got)
	}
	if err := os.Rename(root+"/way", root+"/away"); err != nil {
		t.Fatal(err)
	}
	fill(t, root, "way -> ../outside")
	for _, list := range [][]directory{s.given.list, roots.list} {
		a := s.begin(t.Context())
		if opened, err := a.open(list[0]); err == nil {
			t.Errorf("through the link it opened %s", opened.Name())
		}
		a.close()
	}
	s.refuse(t, "read_text_file", arguments{"path": root + "/way/inner/a"})
}

// An allowed directory that somebody has put a pipe in the place of holds
// nobody up.
func TestRootThatBecomesAPipe(t *testing.T) {
	root := filepath.Join(makeFolder(t, "root/a=one"), "root")
	s := serve(t, nil, root)
	if err := os.Rename(root, root+".away"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(root, 0o666); err != nil {
		t.Fatal(err)
	}
	refused := make(chan string, 1)
	go func() { refused <- s.execute(t, t.Context(), "read_text_file", arguments{"path": "a"}).Result }()
	select {
	case got := <-refused:
		wants(t, "reading", got, "is in an allowed directory that is not a directory")
	case <-time.After(time.Minute):
		t.Fatal("it waits for somebody to write to the pipe")
	}
}

// Nothing stays open between calls, whether they go well or not.
func TestDescriptorsAreGivenBack(t *testing.T) {
	inside, _ := trap(t)
	s := serve(t, nil, inside)
	round := func() {
		for _, path := range []string{"a", "sub", "folder/secret", "none", "loop", "gone"} {
			for _, tool := range []string{"read_text_file", "list_directory", "get_file_info", "directory_tree", "read_media_file"} {
				s.execute(t, t.Context(), tool, arguments{"path": path})
			}
			s.execute(t, t.Context(), "search_files", arguments{"path": path, "pattern": "*"})
		}
		s.execute(t, t.Context(), "write_file", arguments{"path": "a", "content": "text"})
		s.execute(t, t.Context(), "move_file", arguments{"source": "a", "destination": "b"})
		s.execute(t, t.Context(), "move_file", arguments{"source": "b", "destination": "a"})
	}
	round()
	before := descriptors(t)
	for range 10 {
		round()
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors are open after the calls, %d before", after, before)
	}
}

// descriptors counts those that are open, by asking for each one.
func descriptors(t *testing.T) (count int) {
	t.Helper()
	for fd := range 1024 {
		var status syscall.Stat_t
		if syscall.Fstat(fd, &status) == nil {
			count++
		}
	}
	return count
}
