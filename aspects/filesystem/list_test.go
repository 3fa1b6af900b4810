//go:build unix && !aix

package filesystem

import (
	"fmt"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	folder := makeFolder(t, "b.txt=12345", "a/x=1", "C=", "z -> a", "big="+strings.Repeat("x", 1536), "line\n[DIR] forged=x", "empty/")
	s := serve(t, nil, folder)
	got := s.get(t, "list_directory", arguments{"path": "."})
	want := "[FILE] C\n[DIR] a\n[FILE] b.txt\n[FILE] big\n[DIR] empty\n" + `[FILE] "line\n[DIR] forged"` + "\n[FILE] z"
	if got != want {
		t.Errorf("the listing is\n%s\nwant\n%s", got, want)
	}
	if got := s.get(t, "list_directory", arguments{"path": "empty"}); got != "" {
		t.Errorf("an empty directory has %q", got)
	}
	for _, path := range []string{"b.txt", "none"} {
		s.refuse(t, "list_directory", arguments{"path": path})
	}
}

// So do lists.
func TestListsOfOddNamesEnd(t *testing.T) {
	entries := make([]entry, 100_000)
	for i := range entries {
		entries[i].name = strings.Repeat("\x01", 250)
	}
	if got, length := fitting(entries); got != mostText/1010 || length != got*1010 {
		t.Errorf("%d entries of %d bytes fit, want %d", got, length, mostText/1010)
	}
}

func TestListWithSizes(t *testing.T) {
	folder := makeFolder(t, "b.txt=12345", "a/x=1", "big="+strings.Repeat("x", 1536))
	s := serve(t, nil, folder)
	line := func(kind, name, size string) string { return fmt.Sprintf("%s %-30s %10s\n", kind, name, size) }
	directory := fmt.Sprintf("[DIR] %-30s \n", "a")
	totals := "\nTotal: 2 files, 1 directories\nCombined size: 1.50 KB"
	for by, want := range map[string]string{
		"name": directory + line("[FILE]", "b.txt", "5 B") + line("[FILE]", "big", "1.50 KB") + totals,
		"size": line("[FILE]", "big", "1.50 KB") + line("[FILE]", "b.txt", "5 B") + directory + totals,
	} {
		got := s.get(t, "list_directory_with_sizes", arguments{"path": ".", "sortBy": by})
		if got != want {
			t.Errorf("sorted by %s it is\n%s\nwant\n%s", by, got, want)
		}
	}
	s.refuse(t, "list_directory_with_sizes", arguments{"path": ".", "sortBy": "date"})
}

func TestSizeText(t *testing.T) {
	for size, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.00 KB", 1536: "1.50 KB", 1 << 20: "1.00 MB", 1 << 30: "1.00 GB", 1 << 40: "1.00 TB", 1 << 50: "1024.00 TB",
	} {
		if got := sizeText(size); got != want {
			t.Errorf("sizeText(%d) = %q, want %q", size, got, want)
		}
	}
}

// Listings, trees and searches end at --max-entries, and say so.
func TestEntryLimit(t *testing.T) {
	folder := makeFolder(t, "1=", "2=", "3=", "4/5=", "4/6=")
	s := serve(t, func(settings *Settings) { settings.MaxEntries = 3 }, folder)
	for tool, given := range map[string]arguments{
		"list_directory": {"path": "."}, "list_directory_with_sizes": {"path": "."}, "directory_tree": {"path": "."},
		"search_files": {"path": ".", "pattern": "**"},
	} {
		response := s.execute(t, t.Context(), tool, given)
		if response.IsError || !strings.Contains(response.Result, "Cut: ") || !strings.Contains(response.Result, "--max-entries") {
			t.Errorf("%s gave %s", tool, response.Result)
		}
		delete(given, "pattern")
		if tool != "search_files" && strings.Contains(s.get(t, tool, arguments{"path": "4"}), "Cut: ") {
			t.Errorf("%s of two entries is cut", tool)
		}
	}
	if got := s.get(t, "search_files", arguments{"path": ".", "pattern": "[123]"}); got != folder+"/1\n"+folder+"/2\n"+folder+"/3" {
		t.Errorf("a search with as many matches as are allowed gave %s", got)
	}
}
