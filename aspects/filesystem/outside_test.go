//go:build unix && !aix

package filesystem

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcpserver/core/toolserver"
)

const (
	forms = `{"elicitation":{}}`
	yes   = `{"action":"accept","content":{"approve":true}}`
)

var asking = []string{"--outside=ask"}

// pair makes a directory that is allowed and one beside it.
func pair(t *testing.T) (inside, outside string) {
	t.Helper()
	above := makeFolder(t, "inside/a=inner", "outside/a=outer", "outside/b=other")
	fill(t, above, "inside/link -> ../outside/a")
	return filepath.Join(above, "inside"), filepath.Join(above, "outside")
}

func TestAskingForAPathOutside(t *testing.T) {
	inside, outside := pair(t)
	c := ready(t, forms, asking, inside)
	for _, test := range []struct{ path, answer, message, want string }{
		{outside + "/a", yes, `Allow the filesystem server to read "` + outside + `/a"? It is outside the allowed directories.`, "outer"},
		{"link", yes, `Allow the filesystem server to read "link"? It is outside the allowed directories. It leads to "` + outside + `/a".`, "outer"},
		{outside + "/a", `{"action":"accept","content":{"approve":false}}`, "Allow", "and the person did not allow it"},
		{outside + "/a", `{"action":"accept","content":{}}`, "Allow", "the client's elicitation answer does not fit the form: approve: is required"},
		{outside + "/a", `{"action":"decline"}`, "Allow", "and the person did not allow it"},
		{outside + "/a", `{"action":"cancel"}`, "Allow", "and the person did not allow it"},
		{outside + "/a", yes, "Allow", "outer"}, // no answer holds for another call
	} {
		c.send(callOf(1, "read_text_file", arguments{"path": test.path}, ""))
		question := c.next("elicitation/create")
		wants(t, "the question", question.Get("params.message").Str, test.message)
		c.answer(question, test.answer)
		if got := said(c.next("1")); got != test.want {
			wants(t, test.path+" "+test.answer, got, test.want)
		}
	}
	if got := c.call("read_text_file", arguments{"path": "a"}); got != "inner" {
		t.Errorf("a file inside reads %q", got)
	}
}

// A person who is asked for a tree is told that it is all of it.
func TestAskingForATreeOutside(t *testing.T) {
	inside, outside := pair(t)
	c := ready(t, forms, asking, inside)
	c.send(callOf(1, "directory_tree", arguments{"path": outside}, ""))
	question := c.next("elicitation/create")
	wants(t, "the question", question.Get("params.message").Str, "to list all that is in \""+outside+"\"?")
	c.answer(question, `{"action":"decline"}`)
	wants(t, "the tree", said(c.next("1")), "the person did not allow it")
}

// A call is asked about once for each path, though writers look twice.
func TestWritesAskOnce(t *testing.T) {
	inside, outside := pair(t)
	c := ready(t, forms, asking, inside)
	c.send(callOf(1, "write_file", arguments{"path": outside + "/new", "content": "x"}, ""))
	question := c.next("elicitation/create")
	wants(t, "the question", question.Get("params.message").Str, "to write")
	c.answer(question, yes)
	wants(t, "the write", said(c.next("1")), "Successfully wrote")
	wantFile(t, outside+"/new", "x")

	s := serve(t, func(settings *Settings) { settings.Outside = Ask }, inside)
	asked := 0
	ctx := toolserver.WithApprover(t.Context(), func(context.Context, string, string) (bool, error) { asked++; return true, nil })
	if got := s.execute(t, ctx, "write_file", arguments{"path": outside + "/new", "content": "y"}); got.IsError || asked != 1 {
		t.Errorf("the host was asked %d times, want once: %s", asked, got.Result)
	}
	wantFile(t, outside+"/new", "y")
}

// All paths of a call are asked about at once, and each answer holds for its
// own.
func TestAskingForSeveralPaths(t *testing.T) {
	inside, outside := pair(t)
	c := ready(t, forms, asking, inside)
	c.send(callOf(1, "read_multiple_files", arguments{"paths": []string{outside + "/a", "a", outside + "/b"}}, ""))
	for range 2 {
		question := c.next("elicitation/create")
		answer := `{"action":"decline"}`
		if strings.Contains(question.Get("params.message").Str, outside+"/b") {
			answer = yes
		}
		c.answer(question, answer)
	}
	got := said(c.next("1"))
	wants(t, "the files", got, "did not allow it")
	wants(t, "the files", got, "a:\ninner\n")
	wants(t, "the files", got, outside+"/b:\nother\n")
	if strings.Contains(got, "outer") {
		t.Errorf("what was not allowed was read: %s", got)
	}
}

// What the person allows is one path: where a link there leads is another.
func TestLinksOutsideAreAskedForAnew(t *testing.T) {
	inside, outside := pair(t)
	above := filepath.Dir(outside)
	fill(t, above, "elsewhere/x="+secret, "outside/further -> ../elsewhere/x", "outside/folder -> "+above+"/elsewhere", "outside/back -> ../inside/a", "link -> outside")
	c := ready(t, forms, asking, inside)
	for path, leads := range map[string][]string{
		outside + "/further":          {outside + "/further", above + "/elsewhere/x"},
		outside + "/folder/x":         {outside + "/folder/x", above + "/elsewhere/x"},
		above + "/link/folder/x":      {above + "/link/folder/x", outside + "/folder/x", above + "/elsewhere/x"},
		"../link/../outside/folder/x": {outside + "/folder/x", above + "/elsewhere/x"},
		outside + "/back":             {outside + "/back"},
	} {
		for refused := range len(leads) + 1 {
			c.send(callOf(1, "read_text_file", arguments{"path": path}, ""))
			for n, lead := range leads[:min(refused+1, len(leads))] {
				question := c.next("elicitation/create")
				wants(t, "the question", question.Get("params.message").Str, lead+`"`)
				if n == refused {
					c.answer(question, `{"action":"decline"}`)
				} else {
					c.answer(question, yes)
				}
			}
			got, want := said(c.next("1")), secret
			switch {
			case refused < len(leads):
				want = fmt.Sprintf("!%q is outside the allowed directories (list_allowed_directories names them), and the person did not allow it", path)
			case strings.HasSuffix(path, "back"):
				want = "inner"
			}
			if got != want {
				t.Errorf("%s with %d times yes gave %s, want %s", path, refused, got, want)
			}
		}
	}
}

func TestAskWithoutAPersonIsDeny(t *testing.T) {
	inside, outside := pair(t)
	for _, capabilities := range []string{`{}`, `{"elicitation":{"url":{}}}`} {
		c := ready(t, capabilities, asking, inside)
		got := c.call("read_text_file", arguments{"path": outside + "/a"})
		wants(t, "the read", got, "is outside the allowed directories")
		wants(t, "the read", got, "the person cannot be asked: the client does not offer it (elicitation)")
	}
	s := serve(t, func(settings *Settings) { settings.Outside = Ask }, inside)
	wants(t, "in process", s.refuse(t, "read_text_file", arguments{"path": outside + "/a"}), "cannot be asked")
}

func TestDenyAsksNobody(t *testing.T) {
	inside, outside := pair(t)
	c := ready(t, forms, nil, inside)
	got := c.call("read_text_file", arguments{"path": outside + "/a"})
	if want := fmt.Sprintf("!%q is outside the allowed directories (list_allowed_directories names them)", outside+"/a"); got != want {
		t.Errorf("it gave %s, want %s", got, want)
	}
}

func TestAllowReadsAndWrites(t *testing.T) {
	inside, outside := pair(t)
	c := ready(t, `{}`, []string{"--outside=allow"}, inside)
	if got := c.call("read_text_file", arguments{"path": "link"}); got != "outer" {
		t.Errorf("the link reads %q", got)
	}
	wants(t, "the write", c.call("write_file", arguments{"path": "../outside/b", "content": "new"}), "Successfully")
	wantFile(t, outside+"/b", "new")
	wants(t, "the move", c.call("move_file", arguments{"source": outside + "/b", "destination": "b"}), "Successfully")
	wantFile(t, inside+"/b", "new")
	wants(t, "the search", c.call("search_files", arguments{"path": outside, "pattern": "*"}), outside+"/a")
	wants(t, "moving the directory itself", c.call("move_file", arguments{"source": inside, "destination": outside + "/x"}), "cannot be moved")
	wants(t, "moving what has it in it", c.call("move_file", arguments{"source": filepath.Dir(inside), "destination": "/x"}), "cannot be moved")
}
