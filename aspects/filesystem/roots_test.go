//go:build unix && !aix

package filesystem

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
)

const withRoots = `{"roots":{"listChanged":true}}`

// rootsOf makes the answer of a client that has these roots.
func rootsOf(uris ...string) string {
	var roots []string
	for _, uri := range uris {
		roots = append(roots, `{"uri":"`+uri+`"}`)
	}
	return `{"roots":[` + strings.Join(roots, ",") + `]}`
}

func TestRoots(t *testing.T) {
	first, second := makeFolder(t, "sub/deep/x=", "other/y="), makeFolder(t, "z=")
	for _, test := range []struct {
		name, policy string
		given, roots []string
		want         []string
	}{
		{"narrower", "within", []string{first}, []string{"file://" + first + "/sub"}, []string{first + "/sub"}},
		{"wider", "within", []string{first + "/sub"}, []string{"file://" + first}, []string{first + "/sub"}},
		{"the same", "within", []string{first}, []string{"file://" + first + "/"}, []string{first}},
		{"some", "within", []string{first, second}, []string{"file://" + first + "/sub", "file://" + first + "/other"}, []string{first + "/sub", first + "/other"}},
		{"some outside", "within", []string{first}, []string{"file://" + second, "file://" + first + "/sub"}, []string{first + "/sub"}},
		{"some that do not exist", "within", []string{first}, []string{"file://" + first + "/none", "file://" + first + "/sub"}, []string{first + "/sub"}},
		{"none on this machine", "within", []string{first}, []string{"https://x/y", "file://elsewhere" + first, "x/y"}, []string{first}},
		{"none given", "within", nil, []string{"file://" + second, "file://" + first + "/sub"}, []string{second, first + "/sub"}},
		{"none told", "within", []string{first}, nil, []string{first}},
		{"replace", "replace", []string{first}, []string{"file://" + second}, []string{second}},
		{"replace by none", "replace", []string{first}, nil, []string{first}},
		{"others count", "within", nil, []string{"https://x/y", "file://" + first + "/none", "file://" + first + "/sub/deep/x", "file://elsewhere" + first, "file://" + second}, []string{second}},
		{"local host", "within", nil, []string{"file://localhost" + second}, []string{second}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := ready(t, withRoots, []string{"--roots=" + test.policy}, test.given...)
			c.send(callOf(1, "list_allowed_directories", nil, ""))
			c.answer(c.next("roots/list"), rootsOf(test.roots...))
			answer := c.next("1")
			if got, want := said(answer), "Allowed directories:\n"+strings.Join(test.want, "\n"); got != want {
				t.Errorf("there are\n%s\nwant\n%s", got, want)
			}
			for _, root := range test.roots {
				if strings.Contains(root, "x/y") || strings.Contains(root, "/none") || strings.Contains(root, "deep") || strings.Contains(root, "elsewhere") {
					wants(t, "what is left out", answer.Get("result.content.1.text").Str, root)
				}
			}
		})
	}
}

func TestRootsAreNotAskedForWhereTheyDoNotCount(t *testing.T) {
	folder := makeFolder(t, "a=x")
	for _, c := range []*client{ready(t, withRoots, []string{"--roots=ignore"}, folder), ready(t, `{}`, nil, folder)} {
		if got := c.call("read_text_file", arguments{"path": "a"}); got != "x" { // next fails at a question
			t.Errorf("it reads %q", got)
		}
	}
	c := ready(t, `{}`, nil)
	wants(t, "a server without directories", c.call("read_text_file", arguments{"path": "a"}), "no directories are allowed")
	wants(t, "a server without directories", c.call("read_text_file", arguments{"path": folder + "/a"}), "outside the allowed directories")
}

// Roots that have nothing in common with the command line leave nothing of it,
// rather than all.
func TestRootsThatLeaveNothing(t *testing.T) {
	first, second := makeFolder(t, "sub/a=x"), makeFolder(t, "b="+secret)
	const why = "the client's roots and the directories on the server's command line have nothing in common (--roots=replace serves the roots, --roots=ignore the directories)"
	for name, told := range map[string][]string{
		"others":             {"file://" + second},
		"one beside":         {"file://" + first + "/subway", "https://x/y"},
		"one that is gone":   {"file://" + first + "/none"},
		"one that is a file": {"file://" + first + "/sub/a"},
	} {
		t.Run(name, func(t *testing.T) {
			c := ready(t, withRoots, nil, first+"/sub")
			c.answer(c.next("roots/list"), rootsOf(told...))
			for path, want := range map[string]string{
				first + "/sub/a": "/sub/a\" is outside the allowed directories, of which there are none: " + why,
				second + "/b":    "/b\" is outside the allowed directories, of which there are none: " + why,
				"a":              `!"a" cannot be found, since no directories are allowed: ` + why,
			} {
				for tool, given := range map[string]arguments{
					"read_text_file": {"path": path}, "write_file": {"path": path, "content": "bad"}, "list_directory": {"path": path},
					"search_files": {"path": path, "pattern": "**"}, "move_file": {"source": path, "destination": path},
				} {
					wants(t, tool+" "+path, c.call(tool, given), want)
				}
			}
			c.send(callOf(1, "list_allowed_directories", nil, ""))
			answer := c.next("1")
			if got := said(answer); got != "Allowed directories:\n" {
				t.Errorf("there are %q", got)
			}
			wants(t, "the note", answer.Get("result.content.1.text").Str, "There are none: "+why+".")
			// Other roots count anew, and no statement is as none.
			for _, further := range []struct{ told, want string }{{"file://" + first, "x"}, {"file://" + second, "!"}, {"https://x/y", "x"}} {
				c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
				c.answer(c.next("roots/list"), rootsOf(further.told))
				if got := c.call("read_text_file", arguments{"path": "a"}); !strings.HasPrefix(got, further.want) {
					t.Errorf("under %s it reads %q, want %q", further.told, got, further.want)
				}
			}
			wantFile(t, first+"/sub/a", "x")
		})
	}
}

// The person decides about every path, where --outside says so.
func TestRootsThatLeaveNothingAndAsking(t *testing.T) {
	first, second := makeFolder(t, "a=x"), makeFolder(t)
	c := ready(t, `{"roots":{},"elicitation":{}}`, asking, first)
	c.answer(c.next("roots/list"), rootsOf("file://"+second))
	for answer, want := range map[string]string{yes: "x", `{"action":"decline"}`: "and the person did not allow it"} {
		c.send(callOf(1, "read_text_file", arguments{"path": first + "/a"}, ""))
		c.answer(c.next("elicitation/create"), answer)
		wants(t, "after "+answer, said(c.next("1")), want)
	}
}

// No call that comes behind a change of the roots reaches what they leave out.
func TestRootsThatChange(t *testing.T) {
	folder := makeFolder(t, "one/a=x", "two/a=y")
	c := ready(t, withRoots, nil, folder)
	c.answer(c.next("roots/list"), rootsOf("file://"+folder+"/one"))
	if got := c.call("read_text_file", arguments{"path": "a"}); got != "x" {
		t.Errorf("under the first root it reads %q", got)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, callOf(1, "read_text_file", arguments{"path": folder + "/one/a"}, ""))
	c.answer(c.next("roots/list"), rootsOf("file://"+folder+"/two"))
	wants(t, "a call behind the change", said(c.next("1")), "outside the allowed directories")
	if got := c.call("read_text_file", arguments{"path": "a"}); got != "y" {
		t.Errorf("under the second root it reads %q", got)
	}
	// A client that cannot tell leaves all as it is.
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	question := c.next("roots/list")
	c.send(`{"jsonrpc":"2.0","id":` + question.Get("id").Raw + `,"error":{"code":-32603,"message":"no"}}`)
	if got := c.call("read_text_file", arguments{"path": "a"}); got != "y" {
		t.Errorf("after an error it reads %q", got)
	}
}

// More calls than run at once may wait for the roots.
func TestManyCallsWaitForTheRoots(t *testing.T) {
	folder := makeFolder(t, "one/a=x")
	c := ready(t, withRoots, nil, folder)
	question := c.next("roots/list")
	for id := 1; id <= 3*atOnce; id++ {
		c.send(callOf(id, "read_text_file", arguments{"path": "a"}, ""))
	}
	c.answer(question, rootsOf("file://"+folder+"/one"))
	for id := 1; id <= 3*atOnce; id++ {
		if got := said(c.next(strconv.Itoa(id))); got != "x" {
			t.Errorf("call %d reads %q", id, got)
		}
	}
}

// However often the roots change, the last answer is the one that counts.
func TestRootsThatChangeOften(t *testing.T) {
	folder := makeFolder(t, "one/a=x", "two/a=y")
	c := ready(t, withRoots, nil, folder)
	messages := slices.Repeat([]string{`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`}, 300)
	c.send(append(messages, callOf(1, "read_text_file", arguments{"path": folder + "/one/a"}, ""))...)
	var answer gjson.Result
	for !answer.Exists() {
		switch message := c.read(); {
		case message.Get("method").Str == "roots/list":
			c.answer(message, rootsOf("file://"+folder+"/two"))
		case message.Get("id").Raw == "1":
			answer = message
		}
	}
	wants(t, "a call behind all changes", said(answer), "outside the allowed directories")
}

// An answer counts also when calls no longer wait for it.
func TestRootsThatAreToldLate(t *testing.T) {
	folder := makeFolder(t, "one/a=x", "two/a=y")
	s, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	s.rootsLimit = time.Nanosecond
	c := connectTo(t, aspectOf(s, nil), nil, folder)
	c.handshake(withRoots)
	question := c.next("roots/list")
	if got := c.call("read_text_file", arguments{"path": "one/a"}); got != "x" {
		t.Errorf("before the answer it reads %q", got)
	}
	c.answer(question, rootsOf("file://"+folder+"/two"))
	want := "Allowed directories:\n" + folder + "/two"
	for deadline := time.Now().Add(time.Minute); c.call("list_allowed_directories", nil) != want; {
		if time.Now().After(deadline) {
			t.Fatal("the answer does not count")
		}
	}
	wants(t, "after the answer", c.call("read_text_file", arguments{"path": folder + "/one/a"}), "outside the allowed directories")
}

func TestMoreRootsThanCount(t *testing.T) {
	folder := makeFolder(t)
	read := readRoots(slices.Repeat([]core.Root{{URI: "file://" + folder}}, mostRoots+5))
	if got := strings.Join(read.leftOut, "; "); len(read.list) != mostRoots || got != "5 more roots, since no more than 1000 count" {
		t.Errorf("%d roots count, and left out are %q", len(read.list), got)
	}
}

// A root below a given directory that becomes a link to the outside is none.
func TestRootsThatBecomeLinks(t *testing.T) {
	above := makeFolder(t, "given/root/a=x", "outside/root/a="+secret)
	given := filepath.Join(above, "given")
	c := ready(t, withRoots, nil, given)
	c.answer(c.next("roots/list"), rootsOf("file://"+given+"/root"))
	if got := c.call("read_text_file", arguments{"path": "a"}); got != "x" {
		t.Errorf("it reads %q", got)
	}
	if err := os.Rename(given+"/root", given+"/away"); err != nil {
		t.Fatal(err)
	}
	fill(t, given, "root -> ../outside/root")
	if got := c.call("read_text_file", arguments{"path": "a"}); strings.Contains(got, secret) || !strings.HasPrefix(got, "!") {
		t.Errorf("through the link it reads %q", got)
	}
}

func TestFileURIs(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a/b": "/a/b", "file:///a%20b/%C3%BC": "/a b/ü", "file://localhost/a": "/a", "file:///a/../b/": "/b", "FILE:///a": "/a",
		"file://host/a": "", "https://a/b": "", "/a/b": "", "file:a": "", "file:///a%00b": "", "": "", "file:///%zz": "",
	} {
		if got, err := fileOf(uri); got != want || (err == nil) != (want != "") {
			t.Errorf("fileOf(%q) = %q, %v; want %q", uri, got, err, want)
		}
	}
	read := readRoots([]core.Root{{URI: "https://a"}, {URI: "file:///nowhere/at/all"}})
	want := `"https://a" is no file URI of this machine; "file:///nowhere/at/all" does not exist`
	if got := strings.Join(read.leftOut, "; "); got != want {
		t.Errorf("left out are %s, want %s", got, want)
	}
}
