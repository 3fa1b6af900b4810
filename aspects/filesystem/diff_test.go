package filesystem

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	lines := func(from, to int) string {
		var text strings.Builder
		for i := from; i <= to; i++ {
			fmt.Fprintf(&text, "%d\n", i)
		}
		return text.String()
	}
	for _, test := range []struct{ name, before, after, want string }{
		{"nothing", "a\n", "a\n", ""},
		{"all", "a\n", "b\n", "@@ -1,1 +1,1 @@\n-a\n+b\n"},
		{"made", "", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"emptied", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
		{"context", lines(1, 20), lines(1, 9) + "x\n" + lines(11, 20), "@@ -6,9 +6,9 @@\n 6\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n 14\n"},
		{"near changes share a hunk", lines(1, 9), "x\n" + lines(2, 8) + "y\n", "@@ -1,9 +1,9 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n+y\n"},
		{"far changes do not", lines(1, 12), "x\n" + lines(2, 11) + "y\n", "@@ -1,5 +1,5 @@\n-1\n+x\n 2\n 3\n 4\n 5\n@@ -8,5 +8,5 @@\n 8\n 9\n 10\n 11\n-12\n+y\n"},
		{"no break at the end", "a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{"line breaks", "a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{"no UTF-8", "\xff\n", "\xfe\n", "@@ -1,1 +1,1 @@\n-\ufffd\n+\ufffd\n"},
		{"moved", "a\nb\nc\nd\n", "b\nc\nd\na\n", "@@ -1,4 +1,4 @@\n-a\n b\n c\n d\n+a\n"},
	} {
		head := "Index: f\n" + strings.Repeat("=", 67) + "\n--- f\toriginal\n+++ f\tmodified\n"
		if got := unifiedDiff("f", test.before, test.after); got != head+test.want {
			t.Errorf("%s: the diff is\n%s\nwant\n%s", test.name, got, head+test.want)
		}
	}
	if got := fenced("```\n"); got != "````diff\n```\n````\n\n" {
		t.Errorf("a diff with a fence in it is fenced as %q", got)
	}
}

// The changes that are found always lead from the one text to the other,
// whatever these are, and do not take long or get long.
func TestCompare(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	made := func(length, kinds int) []string {
		lines := make([]string, length)
		for i := range lines {
			lines[i] = fmt.Sprintf("a line of the kind %d\n", random.IntN(kinds))
		}
		return lines
	}
	for range 500 {
		old, new := made(random.IntN(40), 1+random.IntN(20)), made(random.IntN(40), 1+random.IntN(20))
		if got := patched(old, new, compare(old, new)); got != strings.Join(new, "") {
			t.Fatalf("the changes from %q to %q make %q", old, new, got)
		}
	}
	for _, kinds := range []int{2, 1000, 1_000_000} {
		old, new := made(30_000, kinds), made(30_000, kinds)
		if got := patched(old, new, compare(old, new)); got != strings.Join(new, "") {
			t.Errorf("the changes between long texts of %d lines are wrong", kinds)
		}
		diff := unifiedDiff("f", strings.Join(old, ""), strings.Join(new, ""))
		if len(diff) > longestDiff+1000 || !strings.Contains(diff, "… the diff is cut: ") {
			t.Errorf("the diff of %d kinds of lines has %d bytes, and is not cut", kinds, len(diff))
		}
	}
}

// A diff is the same whether or not lines that have not changed are set aside.
func TestDiffOfLongTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var lines []string
		for range random.IntN(40) {
			lines = append(lines, []string{"a\n", "b\n", "a\r\n", "\n", "end"}[min(random.IntN(60), 4)])
		}
		for i := range lines {
			if random.IntN(2) == 0 {
				lines[i] = fmt.Sprintf("%d\n", i)
			}
		}
		before := strings.Join(lines, "")
		at := random.IntN(len(before) + 1)
		to := min(len(before), at+random.IntN(6))
		after := before[:at] + []string{"", "x", "x\n", "\n", "a\nx"}[random.IntN(5)] + before[to:]
		if random.IntN(5) == 0 {
			after = strings.TrimSuffix(after, "\n")
		}
		got := unifiedDiff("f", before, after)
		var want strings.Builder
		want.WriteString(unifiedDiff("f", "", ""))
		writeHunks(&want, splitLines(before), splitLines(after), 0)
		if got != want.String() {
			t.Fatalf("from %q to %q it is\n%s\nwant\n%s", before, after, got, want.String())
		}
	}
	long := strings.Repeat("line\n", mostCompared)
	if got := unifiedDiff("f", long, "x\n"+long+"x\n"); !strings.HasSuffix(got, "… the diff is cut: from the first change to the last there are more than 1000000 lines\n") {
		t.Errorf("the diff of a file that is too long ends with %q", got[max(0, len(got)-200):])
	}
	if got := unifiedDiff("f", long+"a\n", long+"b\n"); !strings.HasSuffix(got, "@@ -999997,5 +999997,5 @@\n line\n line\n line\n line\n-a\n+b\n") {
		t.Errorf("the diff of a long file's last line is %q", got)
	}
}
