package main

import (
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newModule gives a folder with all that create looks at.
func newModule(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, folder := range []string{"aspects/taken", "cmd/MCPServer_commandOnly"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	makefile := "CFG ?= Release\nall: x ## everything\ntest-go:\n\tgo test\n"
	if err := os.WriteFile(filepath.Join(root, "Makefile"), []byte(makefile), 0o666); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestCreateWritesFormattedFiles(t *testing.T) {
	for _, test := range []struct{ name, packageClause string }{
		{"weather", "package weather\n"},
		{"portScan2", "package portscan2\n"},
	} {
		root := newModule(t)
		files, err := create(root, test.name)
		if err != nil {
			t.Fatalf("create(%q): %v", test.name, err)
		}
		want := []string{
			filepath.Join("aspects", test.name, test.name+".go"),
			filepath.Join("aspects", test.name, test.name+"_test.go"),
			filepath.Join("cmd", "MCPServer_"+test.name, "main.go"),
		}
		if !slices.Equal(files, want) {
			t.Errorf("create(%q) wrote %q, want %q", test.name, files, want)
		}
		for i, file := range files {
			content, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Fatal(err)
			}
			formatted, err := format.Source(content)
			if err != nil || string(formatted) != string(content) {
				t.Errorf("create(%q): %s is not as gofmt has it (%v):\n%s", test.name, file, err, content)
			}
			if i < 2 && !strings.Contains(string(content), test.packageClause) {
				t.Errorf("create(%q): %s has no %q", test.name, file, test.packageClause)
			}
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"", "and then letters and digits"},
		{"1st", "and then letters and digits"},
		{"my_aspect", "and then letters and digits"},
		{"my-aspect", "and then letters and digits"},
		{"../escape", "and then letters and digits"},
		{"ärger", "and then letters and digits"},
		{strings.Repeat("a", 65), "64 at most"},
		{"func", "keyword"},
		{"Range", "keyword"},
		{"main", "meaning of its own"},
		{"Internal", "meaning of its own"},
		{"all", "target of make"},
		{"taken", "is there already"},
		{"Taken", "is there already"},
		{"COMMANDonly", "is there already"},
	} {
		root := newModule(t)
		before := tree(t, root)
		_, err := create(root, test.name)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("create(%q) gave the error %v, want %q in it", test.name, err, test.want)
		}
		if after := tree(t, root); !slices.Equal(before, after) {
			t.Errorf("create(%q) was refused and changed %q to %q", test.name, before, after)
		}
	}
}

func TestCreateTwice(t *testing.T) {
	root := newModule(t)
	if _, err := create(root, "weather"); err != nil {
		t.Fatal(err)
	}
	if _, err := create(root, "weather"); err == nil {
		t.Error("create made the same aspect twice")
	}
}

// tree lists what is in a folder.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}
