package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestIsNewEnough(t *testing.T) {
	for _, test := range []struct {
		version string
		want    bool
	}{
		{"v22.0.0", true},
		{"v100.1.0", true},
		{"v21.9.9", false},
		{"v20.20.2", false},
		{"", false},
		{"no version", false},
	} {
		fake{Version: test.version}.use(t)
		if got := isNewEnough(t.Context(), os.Args[0]); got != test.want {
			t.Errorf("Node.js %q is new enough: %t, want %t", test.version, got, test.want)
		}
	}
	if isNewEnough(t.Context(), filepath.Join(t.TempDir(), "node")) {
		t.Error("a Node.js that is not there is new enough")
	}
}

// TestInstall tells that npm is needed by its not being there.
func TestInstall(t *testing.T) {
	t.Setenv("PATH", "")
	folder := t.TempDir()
	if err := install(t.Context(), folder); err == nil {
		t.Error("a folder without lockfile gives no error")
	}
	lock, installed := filepath.Join(folder, "package-lock.json"), filepath.Join(folder, "node_modules", ".package-lock.json")
	if err := os.Mkdir(filepath.Dir(installed), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{lock, installed} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	for _, test := range []struct {
		name    string
		of      time.Time // the packages
		isError bool
	}{
		{"packages as old as the lockfile", now, false},
		{"packages newer than it", now.Add(time.Hour), false},
		{"packages older than it", now.Add(-time.Hour), true},
	} {
		for path, at := range map[string]time.Time{lock: now, installed: test.of} {
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		err := install(t.Context(), folder)
		if (err != nil) != test.isError || err != nil && !strings.Contains(err.Error(), "npm ci in "+folder) {
			t.Errorf("%s: got error %v, want one of npm: %t", test.name, err, test.isError)
		}
	}
}
