package filesystem

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func text(s string) *string { return &s }

func TestEdits(t *testing.T) {
	for _, test := range []struct {
		name, before string
		edits        []edit
		want         string // or the error's beginning, with "!" before it
	}{
		{"one", "a b c", []edit{{text("b"), text("x"), false}}, "a x c"},
		{"in order", "a", []edit{{text("a"), text("b"), false}, {text("b"), text("c"), false}}, "c"},
		{"no match", "a", []edit{{text("a"), text("b"), false}, {text("x"), text("c"), false}}, `!edit 2: oldText has no match: "x"`},
		{"several", "a a", []edit{{text("a"), text("b"), false}}, "!edit 1: oldText matches 2 times, and must match once, unless replaceAll is given"},
		{"several, all", "a a", []edit{{text("a"), text("aa"), true}}, "aa aa"},
		{"dollars are plain", "a", []edit{{text("a"), text("$&$1"), false}}, "$&$1"},
		{"remove", "abc", []edit{{text("b"), text(""), false}}, "ac"},
		{"empty old", "abc", []edit{{text(""), text("x"), false}}, "!edit 1: oldText is empty"},
		{"empty file", "", []edit{{text(""), text("x\n"), false}}, "x\n"},
		{"none", "abc", nil, "abc"},

		{"CRLF stays", "a\r\nb\r\nc\r\n", []edit{{text("b\nc"), text("x\ny\nz"), false}}, "a\r\nx\r\ny\r\nz\r\n"},
		{"CRLF in the arguments", "a\nb\nc\n", []edit{{text("b\r\nc"), text("x\r\ny"), false}}, "a\nx\ny\n"},
		{"CRLF, one line", "a\r\nb\r\n", []edit{{text("a"), text("x\ny"), false}}, "x\r\ny\r\nb\r\n"},
		{"CRLF, last line", "a\r\nb", []edit{{text("b"), text("x\ny"), false}}, "a\r\nx\r\ny"},
		{"mixed", "a\nb\r\nc\n", []edit{{text("c"), text("x\ny"), false}}, "a\nb\r\nx\ny\n"},
		{"LF does not split CRLF", "a\r\nb\nc", []edit{{text("\nb"), text("-b"), false}}, "a-b\nc"},
		{"break at the front", "a\nb\nc", []edit{{text("\nb"), text("-b"), false}}, "a-b\nc"},
		{"breaks behind a CRLF", "a\r\n\n\nb", []edit{{text("\n\n"), text("x"), false}}, "a\r\nxb"},
		{"matches over each other", "b\nb\r\nb", []edit{{text("b\nb"), text("x"), true}}, "x\r\nb"},
		{"matches over each other, one", "b\nb\r\nb", []edit{{text("b\nb"), text("x"), false}}, "!edit 1: oldText matches 2 times"},
		{"old Mac stays", "a\rb\r", []edit{{text("b"), text("x"), false}}, "a\rx\r"},

		{"mark stays", "\ufeffa\nb", []edit{{text("a\n"), text("x\n"), false}}, "\ufeffx\nb"},
		{"mark in the edit", "\ufeffa\nb", []edit{{text("\ufeffa\n"), text("\ufeffx\n"), false}}, "\ufeffx\nb"},
		{"mark in the old text", "\ufeffa\nb", []edit{{text("\ufeffa\n"), text("x\n"), false}}, "\ufeffx\nb"},
		{"mark within", "\ufeffa\ufeffb", []edit{{text("\ufeffb"), text("x"), false}}, "\ufeffax"},
		{"mark, whole file", "\ufeffa", []edit{{text("a"), text(""), false}}, "\ufeff"},
		{"bytes stay", "\xff\xfe a \xe9", []edit{{text("a"), text("b"), false}}, "\xff\xfe b \xe9"},

		{"indented", "if x {\n\t\tfoo()\n\t\tbar()\n}\n", []edit{{text("foo()\nbar()"), text("foo(1)\nbar(2)"), false}}, "if x {\n\t\tfoo(1)\n\t\tbar(2)\n}\n"},
		{"relative", "    a\n      b\n", []edit{{text("  a\n    b"), text("  c\n    d\n  e"), false}}, "    c\n      d\n    e\n"},
		{"lenient, CRLF", "  a\r\n  b\r\n", []edit{{text("a\nb"), text("c\nd"), false}}, "  c\r\n  d\r\n"},
		{"trailing blanks", "    def f:\n        if x:\n            return 1\n", []edit{{text("if x:  \n            return 1"), text("if y:\n            return 3"), false}}, "    def f:\n        if y:\n            return 3\n"},
		{"less indented", "\t\ta\n\tb\n", []edit{{text("    a\n  b"), text("  c\n\n d"), false}}, "c\n\nd\n"},
		{"lenient, twice", " a\n b\n\n  a\n  b\n", []edit{{text("a\nb"), text("c"), false}}, "!edit 1: oldText has no exact match, and 2 that differ by indentation alone"},
		{"lenient, one line is exact", " a\n", []edit{{text("a"), text("c"), false}}, " c\n"},
		{"exact before lenient", " a\n\na\n", []edit{{text("\na\n"), text("\nc\n"), false}}, " a\n\nc\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := apply(t.Context(), test.before, test.edits, ample)
			if want, fails := strings.CutPrefix(test.want, "!"); fails {
				if err == nil || !strings.HasPrefix(err.Error(), "was not edited: "+want) {
					t.Errorf("it gave %q, %v; want the error %q", got, err, want)
				}
				return
			}
			if err != nil || got != test.want {
				t.Errorf("it gave %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestEditFile(t *testing.T) {
	folder := makeFolder(t, "file=one\r\ntwo\r\nthree\r\n", "binary=\x00one")
	s := serve(t, nil, folder)
	path := filepath.Join(folder, "file")
	diff := "```diff\nIndex: " + path + "\n" + strings.Repeat("=", 67) + "\n--- " + path + "\toriginal\n+++ " + path +
		"\tmodified\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n```\n\n"
	given := arguments{"path": "file", "dryRun": true, "edits": []arguments{{"oldText": "two", "newText": "2"}}}
	if got := s.get(t, "edit_file", given); got != diff {
		t.Errorf("the dry run gave\n%s\nwant\n%s", got, diff)
	}
	wantFile(t, path, "one\r\ntwo\r\nthree\r\n")
	given["dryRun"] = false
	if got := s.get(t, "edit_file", given); got != diff {
		t.Errorf("the edit gave\n%s\nwant\n%s", got, diff)
	}
	wantFile(t, path, "one\r\n2\r\nthree\r\n")
	want := `"file" was not edited: edit 1: oldText has no match: "two"`
	if got := s.refuse(t, "edit_file", given); got != want {
		t.Errorf("the edit that has been made already says %q, want %q", got, want)
	}
	given["edits"] = []arguments{{"oldText": "e", "newText": "E", "replaceAll": true}}
	s.get(t, "edit_file", given)
	wantFile(t, path, "onE\r\n2\r\nthrEE\r\n")
	given = arguments{"path": "file", "replaceAll": true, "edits": []arguments{{"oldText": "E", "newText": "e"}}}
	s.get(t, "edit_file", given)
	wantFile(t, path, "one\r\n2\r\nthree\r\n")
	for _, path := range []string{"binary", "none", "."} {
		s.refuse(t, "edit_file", arguments{"path": path, "edits": []arguments{{"oldText": "one", "newText": "2"}}})
	}
	wantFile(t, filepath.Join(folder, "binary"), "\x00one")
}

// ample are limits that no test comes to by chance.
var ample = editLimits{length: 1 << 20, work: mostWork}

// Edits end when the work that they may do is done, which is far before the
// last of them.
func TestManyEditsEnd(t *testing.T) {
	body := strings.Repeat("line of text\n", 1000)
	most := editLimits{length: 1 << 30, work: mostWork / 1000}
	var edits []edit
	for range 20_000 {
		edits = append(edits, edit{text("line of text\n\n"), text("x"), false})
	}
	if _, err := apply(t.Context(), body, edits, most); err == nil {
		t.Error("edits without a match went well")
	}
	for i := range edits {
		edits[i] = edit{text("text\nline"), text("text\nline"), true}
	}
	if _, err := apply(t.Context(), body, edits, most); err == nil || !strings.Contains(err.Error(), "too many edits") {
		t.Errorf("20,000 edits of a long file gave %v, want an error about their number", err)
	}
	if _, err := apply(t.Context(), strings.Repeat("a", 1000), []edit{{text("a"), text(strings.Repeat("b", 1000)), true}}, editLimits{10_000, mostWork}); err == nil {
		t.Error("a file became longer than it may")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := apply(ctx, "a", edits, ample); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled edit gave %v", err)
	}
}

// Edits that take too long, or more memory than the file is worth, for simple
// ways to do them.
func TestLargeEditsEnd(t *testing.T) {
	const size = 1 << 20
	most := editLimits{length: 2 * size, work: mostWork / 16}
	letters, lines := strings.Repeat("a", size), strings.Repeat("a\n", size/2)
	for _, test := range []struct {
		name, text, old, replacement, want string
	}{
		{"many matches in one line", letters[:mostMatches/2], "a", "b", ""},
		{"many matches in the last line", "\n" + letters[:mostMatches/2], "a", "b", ""},
		{"more matches than are taken", letters, "a", "b", "matches more than 1000000 times"},
		{"growth", letters[:mostMatches/2], "a", strings.Repeat("b", 1000), "becomes longer than 2097152 bytes"},
		{"growth by line breaks", strings.Repeat("a\r\n", 1000), "a", strings.Repeat("\n", 1100), "becomes longer"},
		{"lines that are nearly found", lines, strings.Repeat("a\n", 10_000) + "b", "x", "too many edits"},
		{"spaces", strings.Repeat(" ", size), "x", "y", "no match"},
		{"a line of spaces", strings.Repeat(" ", size), " x ", "y", "no match"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := apply(t.Context(), test.text, []edit{{&test.old, &test.replacement, true}}, most)
			runtime.ReadMemStats(&after)
			if test.want == "" {
				if want := strings.ReplaceAll(test.text, test.old, test.replacement); err != nil || got != want {
					t.Errorf("it gave %d bytes, %v, want %d", len(got), err, len(want))
				}
			} else if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it gave %d bytes, %v, want an error with %q", len(got), err, test.want)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 128*size {
				t.Errorf("it took %d bytes of memory", took)
			}
		})
	}
}

// FuzzEdit: an edit changes nothing but what it is about. What is before the
// match and behind it stays byte for byte.
func FuzzEdit(f *testing.F) {
	for _, seed := range [][3]string{
		{"a b c", "b", "x"},
		{"a\r\nb\r\n", "a\nb", "x\ny"},
		{"\ufeffa", "a", ""},
		{"  a\n  b", "a\nb", "c\nd"},
		{"\xff\xfea", "a", "\xff"},
		{"a\n\n\n", "\n\n", "\n"},
		{"", "", "x"},
		{"\r\n\r\n", "\n", "x"},
		{"\r", "\r\n", "y"},
		{"b\nb\r\nb", "b\nb", "x"},
		{"a\r\n\n\nb", "\n\n", "x"},
	} {
		f.Add(seed[0], seed[1], seed[2], true)
		f.Add(seed[0], seed[1], seed[2], false)
	}
	f.Fuzz(func(t *testing.T, before, old, replacement string, all bool) {
		after, err := apply(t.Context(), before, []edit{{&old, &replacement, all}}, ample)
		if err != nil {
			return
		}
		body, wanted := strings.TrimPrefix(before, byteOrderMark), withLF(old)
		if begin, end, exact := strings.Cut(body, wanted); exact && !all && wanted != "" && !strings.Contains(body, "\r") {
			marked := before[:len(before)-len(body)]
			if want := marked + begin + withLF(replacement) + end; after != want {
				t.Errorf("%q became %q, want %q", before, after, want)
			}
		}
		changes := compare(splitLines(before), splitLines(after))
		if back := patched(splitLines(before), splitLines(after), changes); back != after {
			t.Errorf("the changes from %q make %q, want %q", before, back, after)
		}
		if diff := unifiedDiff("f", before, after); len(diff) > longestDiff+1000 {
			t.Errorf("the diff has %d bytes", len(diff))
		}
	})
}

// patched makes the new text of the old one by its changes.
func patched(old, new []string, changes []change) string {
	var made []string
	at := 0
	for _, c := range changes {
		made = append(append(made, old[at:c.old.begin]...), new[c.new.begin:c.new.end]...)
		at = c.old.end
	}
	return strings.Join(append(made, old[at:]...), "")
}
