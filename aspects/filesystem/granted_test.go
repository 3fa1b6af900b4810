//go:build unix && !aix

package filesystem

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcpserver/core/toolserver"
)

// granted gives what is at a path outside that the person has allowed.
func granted(t *testing.T, s *Server, want wanted) located {
	t.Helper()
	a := s.begin(t.Context())
	t.Cleanup(a.close)
	a.grant(want.given, want.given)
	return a.find(want)
}

// What the person has allowed is one path. Should somebody make a link of a
// directory on the way to it, or of itself, just after it was looked at, nothing
// that the link leads to is opened or changed.
func TestSwapsOfWhatThePersonAllowed(t *testing.T) {
	for name, swap := range map[string]func(t *testing.T, outside string){
		"a directory on the way": func(t *testing.T, outside string) {
			move(t, outside+"/way/folder", outside+"/away")
			fill(t, outside, "way/folder -> ../secrets")
		},
		"the first directory": func(t *testing.T, outside string) {
			move(t, outside+"/way", outside+"/away")
			fill(t, outside, "way -> trap")
		},
		"the file": func(t *testing.T, outside string) {
			fill(t, outside, "link -> ../../secrets/file")
			move(t, outside+"/link", outside+"/way/folder/file")
			move(t, outside+"/way/folder/sub", outside+"/away")
			fill(t, outside, "way/folder/sub -> ../../secrets/sub")
		},
		"the file, for one beside it": func(t *testing.T, outside string) {
			fill(t, outside, "link -> beside")
			move(t, outside+"/link", outside+"/way/folder/file")
			move(t, outside+"/way/folder/sub", outside+"/away")
			fill(t, outside, "way/folder/sub -> besides")
		},
	} {
		t.Run(name, func(t *testing.T) {
			above := makeFolder(t, "inside/", "outside/way/folder/file=open", "outside/way/folder/sub/x=open",
				"outside/way/folder/beside="+secret, "outside/way/folder/besides/secretname="+secret)
			outside := above + "/outside"
			for _, folder := range []string{outside + "/secrets", outside + "/trap/folder"} {
				fill(t, folder, "file="+secret, "sub/secretname="+secret, "beside="+secret)
			}
			s := serve(t, func(settings *Settings) { settings.Outside = Ask }, above+"/inside")
			folder := outside + "/way/folder"
			file := granted(t, s, wanted{given: folder + "/file", verb: "read"})
			changed := granted(t, s, wanted{given: folder + "/file", verb: "write", changes: true})
			fresh := granted(t, s, wanted{given: folder + "/fresh", verb: "write", changes: true})
			made := granted(t, s, wanted{given: folder + "/new/made", verb: "create", changes: true})
			moved := granted(t, s, wanted{given: folder + "/file", verb: "move", changes: true, itself: true})
			sub := granted(t, s, wanted{given: folder + "/sub", verb: "list"})
			for _, found := range []located{file, changed, fresh, made, moved, sub} {
				if found.err != nil {
					t.Fatal(found.err)
				}
			}
			before := secrets(t, outside)
			swap(t, outside)

			for _, read := range []func() (string, error){
				func() (string, error) { return file.wholeText(t.Context(), 100) },
				func() (string, error) { return file.head(t.Context(), 1, 100) },
				func() (string, error) { return file.tail(t.Context(), 1, 100) },
			} {
				if text, err := read(); strings.Contains(text, secret) {
					t.Errorf("it reads %q, %v", text, err)
				}
			}
			var reader entryReader
			defer reader.close()
			_ = reader.read(t.Context(), sub.root, sub.name, "", func(entries []entry) bool {
				for _, found := range entries {
					if strings.Contains(found.name, "secret") {
						t.Errorf("the listing has %q", found.name)
					}
				}
				return true
			})
			_ = changed.write([]byte("bad"))
			_ = fresh.write([]byte("bad"))
			_ = made.root.MkdirAll(made.name, 0o777)
			a := s.begin(t.Context())
			_ = a.move(moved, granted(t, s, wanted{given: above + "/inside/stolen", changes: true, itself: true}))
			if stolen, err := os.ReadFile(above + "/inside/stolen"); strings.Contains(string(stolen), secret) {
				t.Errorf("it moved %q, %v", stolen, err)
			}
			if after := secrets(t, outside); after != before {
				t.Errorf("there were\n%s\nand are\n%s", before, after)
			}
		})
	}
}

// secrets tells all that is in the directories that no link may lead to, and how
// many secrets there are anywhere.
func secrets(t *testing.T, outside string) string {
	t.Helper()
	var found []string
	count := 0
	err := filepath.WalkDir(outside, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var content []byte
		if entry.Type().IsRegular() {
			content, err = os.ReadFile(path)
		}
		if string(content) == secret {
			count++
		}
		if below := strings.TrimPrefix(path, outside); strings.HasPrefix(below, "/secrets") || strings.HasPrefix(below, "/trap") {
			found = append(found, below+" "+string(content))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s, %d secrets", strings.Join(found, "\n"), count)
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// What the person has allowed works as what is inside does.
func TestEveryToolOutside(t *testing.T) {
	above := makeFolder(t, "inside/in=inner", "outside/folder/file=text\n", "outside/folder/sub/x=x", "outside/folder/link -> file", "outside/loose -> folder")
	outside := above + "/outside"
	s := serve(t, func(settings *Settings) { settings.Outside = Ask }, above+"/inside")
	asked := 0
	ctx := toolserver.WithApprover(t.Context(), func(_ context.Context, subject, _ string) (bool, error) {
		asked++
		return true, nil
	})
	for _, test := range []struct {
		tool  string
		given arguments
		want  string
		asked int
	}{
		{"read_text_file", arguments{"path": outside + "/folder/file"}, "text\n", 1},
		{"read_text_file", arguments{"path": outside + "/folder/link"}, "text\n", 2},
		{"read_text_file", arguments{"path": outside + "/loose/link"}, "text\n", 3},
		{"get_file_info", arguments{"path": outside + "/folder/file"}, "size: 5\n", 1},
		{"get_file_info", arguments{"path": outside + "/folder"}, "isDirectory: true", 1},
		{"list_directory", arguments{"path": outside + "/folder"}, "[FILE] file\n[FILE] link\n[DIR] sub", 1},
		{"list_directory_with_sizes", arguments{"path": outside + "/folder"}, "5 B", 1},
		{"list_directory", arguments{"path": "/"}, "[DIR]", 1},
		{"directory_tree", arguments{"path": outside + "/loose"}, `"name": "x"`, 2},
		{"search_files", arguments{"path": outside + "/folder", "pattern": "**/x"}, outside + "/folder/sub/x", 1},
		{"write_file", arguments{"path": outside + "/folder/new", "content": "new"}, "Successfully", 1},
		{"write_file", arguments{"path": outside + "/loose/new", "content": "newer"}, "Successfully", 2},
		{"edit_file", arguments{"path": outside + "/folder/new", "edits": []arguments{{"oldText": "newer", "newText": "newest"}}}, "+newest", 1},
		{"create_directory", arguments{"path": outside + "/folder/a/b"}, "Successfully", 1},
		{"create_directory", arguments{"path": outside + "/folder/a/b"}, "Successfully", 1},
		{"write_file", arguments{"path": outside + "/folder/a/b/c", "content": ""}, "Successfully", 1},
		{"move_file", arguments{"source": outside + "/folder/new", "destination": outside + "/folder/a/moved"}, "Successfully", 2},
		{"move_file", arguments{"source": outside + "/folder/a", "destination": "a"}, "Successfully", 1},
		{"move_file", arguments{"source": "a/moved", "destination": outside + "/back"}, "Successfully", 1},
		{"read_multiple_files", arguments{"paths": []string{outside + "/back", "in"}}, "newest", 1},
		{"write_file", arguments{"path": outside + "/none/x", "content": ""}, `!"` + outside + `/none/x" is in a directory that does not exist`, 1},
		{"write_file", arguments{"path": outside + "/folder", "content": ""}, `!"` + outside + `/folder" is a directory`, 1},
		{"read_text_file", arguments{"path": outside + "/folder"}, `!"` + outside + `/folder" is a directory`, 1},
		{"read_text_file", arguments{"path": outside + "/back/x"}, `!"` + outside + `/back/x" is not a directory`, 1},
		{"read_text_file", arguments{"path": "/dev/null"}, "is not a regular file", 1},
		{"move_file", arguments{"source": "/", "destination": "x"}, "cannot be moved", 1},
	} {
		asked = 0
		response := s.execute(t, ctx, test.tool, test.given)
		got := response.Result
		if response.IsError {
			got = "!" + got
		}
		if !strings.Contains(got, test.want) || asked != test.asked {
			t.Errorf("%s %v, asked %d times, gave %.300q, want %q and %d", test.tool, test.given, asked, got, test.want, test.asked)
		}
	}
	wantFile(t, outside+"/back", "newest")
}
