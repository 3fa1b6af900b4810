//go:build unix && !aix

package filesystem

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestAbsolute(t *testing.T) {
	t.Setenv("HOME", "/home/me")
	d := directories{list: []directory{{given: "/r/a", real: "/r/a"}, {given: "/r/b", real: "/r/b"}}}
	for _, test := range []struct{ given, want string }{
		{"/r/a/x", "/r/a/x"},
		{"/r/a/../../etc/passwd", "/etc/passwd"},
		{"//r///a/./x/", "/r/a/x"},
		{"x", "/r/a/x"},
		{"../b/x", "/r/b/x"},
		{"../../x", "/x"},
		{".", "/r/a"},
		{"~", "/home/me"},
		{"~/x", "/home/me/x"},
		{"~you/x", "/r/a/~you/x"},
		{" x", "/r/a/ x"},
		{`a\b`, `/r/a/a\b`},
	} {
		if got, err := d.absolute(test.given); got != test.want || err != nil {
			t.Errorf("absolute(%q) = %q, %v; want %q", test.given, got, err, test.want)
		}
	}
	for _, given := range []string{"", "a\x00b", `C:\x`, "c:/x", "z:", strings.Repeat("x", longestPath+1)} {
		got, err := d.absolute(given)
		if err == nil {
			t.Fatalf("absolute(%.20q) = %q, want an error", given, got)
		}
		if again := about(given, err); strings.Count(again.Error(), quoted(given)) != 1 {
			t.Errorf("the error about %.20q is %q, want the path in it once", given, again)
		}
	}
	if got, err := (directories{}).absolute("x"); err == nil {
		t.Errorf("absolute without directories = %q, want an error", got)
	}
}

func TestIsWithin(t *testing.T) {
	for _, test := range []struct {
		path, above string
		want        bool
	}{
		{"/a", "/a", true},
		{"/a/b", "/a", true},
		{"/ab", "/a", false},
		{"/A/b", "/a", false},
		{"/", "/a", false},
		{"/a", "/", true},
		{"/", "/", true},
	} {
		if got := isWithin(test.path, test.above); got != test.want {
			t.Errorf("isWithin(%q, %q) = %t, want %t", test.path, test.above, got, test.want)
		}
	}
}

func TestNamesForgeNothing(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"plain", "plain"},
		{"größe 名", "größe 名"},
		{`quo"te`, `quo"te`},
		{"a\n[DIR] b", `"a\n[DIR] b"`},
		{"a\x1b[2J", `"a\x1b[2J"`},
		{"a\u2028b", `"a\u2028b"`},
		{"a\xffb", `"a\xffb"`},
		{"a\u202etxt.exe", `"a\u202etxt.exe"`},
		{"a\u2067b\u200e", `"a\u2067b\u200e"`},
		{"\u05d0\u05d1 \U0001f468\u200d\U0001f469", "\u05d0\u05d1 \U0001f468\u200d\U0001f469"},
	} {
		if got := entryName(test.name); got != test.want {
			t.Errorf("entryName(%q) = %s, want %s", test.name, got, test.want)
		}
	}
}

// A name is found by other Unicode characters for the same letters.
func TestEquivalentNames(t *testing.T) {
	one, two := "gr\u00fcn", "gru\u0308n"
	folder := makeFolder(t, one+"/"+two+"=text", "both/"+one+"=", "both/"+two+"=", "outside -> ..")
	s := serve(t, nil, folder)
	for _, path := range []string{one + "/" + two, two + "/" + one, one + "/" + one, two + "/" + two} {
		if got := s.get(t, "read_text_file", arguments{"path": path}); got != "text" {
			t.Errorf("%q reads %q", path, got)
		}
	}
	s.get(t, "write_file", arguments{"path": two + "/" + one, "content": "new"})
	wantFile(t, filepath.Join(folder, one, two), "new")
	s.get(t, "read_text_file", arguments{"path": "both/" + one})
	s.get(t, "read_text_file", arguments{"path": "both/" + two})
	fill(t, folder, "both/\u1e69=", "both/s\u0323\u0307=")
	wants(t, "a third form of two names", s.refuse(t, "read_text_file", arguments{"path": "both/s\u0307\u0323"}), "could be several files")
	s.get(t, "write_file", arguments{"path": "n\u00e9w", "content": "x"})
	s.refuse(t, "read_text_file", arguments{"path": "outside/" + two})
}

// Whatever the path, nothing outside is read, and no tool panics.
func FuzzPaths(f *testing.F) {
	for _, seed := range []string{
		"", ".", "..", "a", "link", "out", "out/secret", "deep/../out/secret", "../outside/secret", "/etc/passwd",
		"~", "~root", "a\x00", "a/", "loop/x", "abs/a", "deep/up/outside/secret", strings.Repeat("a/", 500), "out/../a", "./out/./secret",
	} {
		f.Add(seed)
	}
	above := makeFolder(f, "outside/secret=SECRET", "inside/a=text", "inside/deep/b=text",
		"inside/link -> a", "inside/out -> ../outside", "inside/loop -> loop", "inside/deep/up -> ../..")
	inside := filepath.Join(above, "inside")
	fill(f, inside, "abs -> "+inside)
	s := serve(f, nil, inside)
	f.Fuzz(func(t *testing.T, path string) {
		for _, tool := range []string{"read_text_file", "list_directory", "get_file_info", "directory_tree", "read_media_file"} {
			response := s.execute(t, t.Context(), tool, arguments{"path": path})
			if strings.Contains(response.Result, "SECRET") || strings.Contains(response.Result, "panicked") ||
				!response.IsError && strings.Contains(response.Result, "secret") {
				t.Errorf("%s of %q gave %q", tool, path, response.Result)
			}
		}
		response := s.execute(t, t.Context(), "move_file", arguments{"source": "none", "destination": path})
		if !response.IsError {
			t.Errorf("something was moved to %q: %s", path, response.Result)
		}
	})
}
