//go:build unix && !aix

package filesystem

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

func TestInfo(t *testing.T) {
	folder := makeFolder(t, "file=12345", "dir/", "link -> file")
	when := time.Date(2024, 2, 3, 4, 5, 6, 789e6, time.Local)
	if err := os.Chtimes(filepath.Join(folder, "file"), when.Add(time.Hour), when); err != nil {
		t.Fatal(err)
	}
	s := serve(t, nil, folder)
	stamp := `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)`
	for path, want := range map[string]string{
		"file": `size: 5\n(created: ` + stamp + `\n)?modified: 2024-02-03T04:05:06\.789\S*\naccessed: 2024-02-03T05:05:06\.789\S*\nisDirectory: false\nisFile: true\npermissions: 644`,
		"link": `size: 5\n(created: ` + stamp + `\n)?modified: 2024-02-03T04:05:06\.789\S*\naccessed: ` + stamp + `\nisDirectory: false\nisFile: true\npermissions: 644`,
		"dir":  `size: \d+\n(created: ` + stamp + `\n)?modified: ` + stamp + `\naccessed: ` + stamp + `\nisDirectory: true\nisFile: false\npermissions: 755`,
		".":    `(?s).*isDirectory: true.*`,
	} {
		if got := s.get(t, "get_file_info", arguments{"path": path}); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
		}
	}
	if got := s.refuse(t, "get_file_info", arguments{"path": "none"}); got != `"none" does not exist` {
		t.Errorf("what does not exist is %q", got)
	}
}

func TestAllowedDirectories(t *testing.T) {
	folder := makeFolder(t, "real/")
	fill(t, folder, "link -> real")
	s := serve(t, nil, folder+"/link", folder, folder)
	want := "Allowed directories:\n" + folder + "/link\n" + folder + "/real\n" + folder
	if got := s.get(t, "list_allowed_directories", nil); got != want {
		t.Errorf("they are\n%s\nwant\n%s", got, want)
	}
	if _, err := New(DefaultSettings(), folder+"/none"); err == nil {
		t.Error("a server for a directory that does not exist was made")
	}
	if _, err := New(Settings{}, folder); err == nil {
		t.Error("a server with empty settings was made")
	}
}
