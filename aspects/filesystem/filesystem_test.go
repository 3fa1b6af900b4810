package filesystem

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/server"
	"mcpserver/core/toolserver"
)

func TestAspectIsValid(t *testing.T) {
	if err := core.Validate(Aspect()); err != nil {
		t.Error(err)
	}
}

func TestSelfTests(t *testing.T) {
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), Aspect(), io.Discard, &verdicts, nil); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
}

// secret is what no call may tell.
const secret = "SECRET"

// arguments are those of a call.
type arguments map[string]any

// serve makes a server for the directories with the default settings, changed.
func serve(t testing.TB, change func(*Settings), directories ...string) *Server {
	t.Helper()
	settings := DefaultSettings()
	if change != nil {
		change(&settings)
	}
	s, err := New(settings, directories...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// execute runs a tool as a host does.
func (s *Server) execute(t testing.TB, ctx context.Context, tool string, given arguments) toolserver.Response {
	t.Helper()
	raw, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	response, err := toolserver.ParseResponse(s.Execute(ctx, tool, string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// get gives the answer of a call that must go well.
func (s *Server) get(t testing.TB, tool string, given arguments) string {
	t.Helper()
	response := s.execute(t, t.Context(), tool, given)
	if response.IsError {
		t.Fatalf("%s %v failed: %s", tool, given, response.Result)
	}
	return response.Result
}

// refuse gives the error of a call that must fail.
func (s *Server) refuse(t testing.TB, tool string, given arguments) string {
	t.Helper()
	response := s.execute(t, t.Context(), tool, given)
	if !response.IsError {
		t.Fatalf("%s %v went well: %s", tool, given, response.Result)
	}
	return response.Result
}

// folder makes a directory without links in its path. Each name that ends in
// "/" is a directory in it, each "a -> b" a link, all else "name=content" files.
func makeFolder(t testing.TB, entries ...string) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	fill(t, folder, entries...)
	return folder
}

func fill(t testing.TB, folder string, entries ...string) {
	t.Helper()
	for _, entry := range entries {
		name, target, isLink := strings.Cut(entry, " -> ")
		name, content, _ := strings.Cut(name, "=")
		path := filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(target, path)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(path, 0o755)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func wantFile(t testing.TB, path, want string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || string(content) != want {
		t.Errorf("%s has %q (%v), want %q", path, content, err, want)
	}
}

func TestReadsAreReadTools(t *testing.T) {
	s := serve(t, nil, makeFolder(t))
	for name, want := range map[string]bool{"read_text_file": true, "directory_tree": true, "write_file": false, "move_file": false, "none": false} {
		if got := s.SkipDuplicateCheck(name); got != want {
			t.Errorf("SkipDuplicateCheck(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestPermissionPatterns(t *testing.T) {
	folder := makeFolder(t)
	s := serve(t, nil, folder)
	for _, test := range []struct{ tool, arguments, want string }{
		{"read_text_file", `{"path":"a/b"}`, "filesystem.read_text_file"},
		{"write_file", `{"path":"a/b"}`, "filesystem.write_file:" + filepath.Join(folder, "a")},
		{"write_file", `{"path":"` + folder + `/a/x/../c"}`, "filesystem.write_file:" + filepath.Join(folder, "a")},
		{"move_file", `{"source":"a/b","destination":"c/d"}`, "filesystem.move_file:" + filepath.Join(folder, "a") + ":" + filepath.Join(folder, "c")},
		{"write_file", `nonsense`, "filesystem.write_file"},
	} {
		if got := s.PermissionPattern("filesystem."+test.tool, test.arguments); got != test.want {
			t.Errorf("PermissionPattern(%s, %s) = %q, want %q", test.tool, test.arguments, got, test.want)
		}
	}
}

func TestReadsAnchorOnTheirFile(t *testing.T) {
	folder := makeFolder(t, "a=x", "b=y")
	s := serve(t, nil, folder)
	for _, test := range []struct {
		tool  string
		given arguments
		want  string
	}{
		{"read_text_file", arguments{"path": "./a"}, "file:" + filepath.Join(folder, "a")},
		{"read_multiple_files", arguments{"paths": []string{"a", "b"}}, ""},
		{"write_file", arguments{"path": "c", "content": ""}, ""},
		{"read_text_file", arguments{"path": "none"}, ""},
	} {
		got := ""
		for _, directive := range s.execute(t, t.Context(), test.tool, test.given).Directives {
			var key struct{ Key string }
			if err := json.Unmarshal([]byte(directive.JSON()), &key); err != nil {
				t.Fatal(err)
			}
			got = key.Key
		}
		if got != test.want {
			t.Errorf("%s %v anchors on %q, want %q", test.tool, test.given, got, test.want)
		}
	}
}

func TestConfigure(t *testing.T) {
	first, second := makeFolder(t), makeFolder(t, "a=x")
	s := serve(t, nil, first)
	if err := s.Configure(`{"outside":"sometimes"}`); err == nil {
		t.Error(`Configure({"outside":"sometimes"}) went well`)
	}
	if err := s.Configure(`{"directories":["/nowhere/at/all"]}`); err == nil {
		t.Error("Configure with a directory that does not exist went well")
	}
	if err := s.Configure(`{"max_read":1,"directories":["` + second + `"]}`); err != nil {
		t.Fatal(err)
	}
	if got := s.get(t, "read_text_file", arguments{"path": "a"}); got != "x" {
		t.Errorf("read %q, want x", got)
	}
	if err := s.SetWorkingDir(first); err != nil {
		t.Fatal(err)
	}
	s.refuse(t, "read_text_file", arguments{"path": "a"})
	if err := s.SetWorkingDir(filepath.Join(second, "a")); err == nil {
		t.Error("a file became the working directory")
	}
}
