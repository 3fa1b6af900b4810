package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pathIn gives the path that Open takes in a directory.
func pathIn(directory string) string {
	return filepath.Join(directory, fmt.Sprintf("MCPServer_test_%d.log", os.Getpid()))
}

func TestOpenReplacesALeftover(t *testing.T) {
	directory := t.TempDir()
	path := pathIn(directory)
	if err := os.WriteFile(path, []byte("of an earlier process\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	trace := New("MCPServer_test", Info, testLimit)
	trace.Infof("mine")
	if _, err := trace.Open(directory); err != nil {
		t.Fatal(err)
	}
	defer closeTrace(t, trace)
	wantTexts(t, "file", fileLines(t, path), "INFO mine")
}

func TestOpenRefusesADirectory(t *testing.T) {
	directory := t.TempDir()
	path := pathIn(directory)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	trace := New("MCPServer_test", Info, testLimit)
	defer closeTrace(t, trace)
	if _, err := trace.Open(directory); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got error %v, want one that names %s", err, path)
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		t.Errorf("the directory is gone: %v, %v", info, err)
	}
}

func TestOpenRefusesAnOddName(t *testing.T) {
	for _, name := range []string{"", "../escape", `..\escape`, "a:stream"} {
		trace := New(name, Info, testLimit)
		if _, err := trace.Open(t.TempDir()); err == nil {
			t.Errorf("name %q: got no error", name)
		}
		closeTrace(t, trace)
	}
}

func TestOpenTwice(t *testing.T) {
	trace := open(t, Info, testLimit)
	if _, err := trace.Open(t.TempDir()); err == nil {
		t.Error("got no error")
	}
}

func TestWithoutAFileTheTailStays(t *testing.T) {
	trace := New("MCPServer_test", Info, testLimit)
	defer closeTrace(t, trace)
	missing := filepath.Join(t.TempDir(), "missing")
	if _, err := trace.Open(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("got error %v, want one that names %s", err, missing)
	}
	if got := trace.Path(); got != "" {
		t.Errorf("Path: got %q, want none", got)
	}
	filler := strings.Repeat("x", 1000)
	for i := range 1000 {
		trace.Infof("%d %s", i, filler)
	}
	wantTexts(t, "tail", trace.Tail(2), "INFO 998 "+filler, "INFO 999 "+filler)

	if _, err := trace.Open(t.TempDir()); err != nil {
		t.Errorf("Open in a directory that exists: %v", err)
	}
}

// fill records numbered lines, of about a hundred bytes each, from first to
// before end.
func fill(trace *Trace, first, end int) {
	filler := strings.Repeat("x", 60)
	for i := first; i < end; i++ {
		trace.Infof("%d %s", i, filler)
	}
}

// numbers gives the numbers that fill gave the lines.
func numbers(t *testing.T, lines []string) []int {
	t.Helper()
	var all []int
	for _, line := range lines {
		var stamp, word string
		var number int
		if _, err := fmt.Sscan(line, &stamp, &word, &number); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		all = append(all, number)
	}
	return all
}

// upTo gives the n numbers before end.
func upTo(end, n int) []int {
	var all []int
	for i := end - n; i < end; i++ {
		all = append(all, i)
	}
	return all
}

func TestRotation(t *testing.T) {
	trace := open(t, Info, smallest)
	path := trace.Path()
	const total = 2000
	fill(trace, 0, total)

	all := trace.Tail(total)
	if got := numbers(t, all); !slices.Equal(got, upTo(total, len(got))) || len(got) < 100 || len(got) == total {
		t.Errorf("tail: got %d lines from %d to %d, want the last ones up to %d", len(got), got[0], got[len(got)-1], total-1)
	}
	if got := trace.Head(total); !slices.Equal(got, all) {
		t.Errorf("head: got %d lines, want the same %d as in the tail", len(got), len(all))
	}
	for _, name := range []string{path, path + ".old"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > smallest || info.Size() == 0 {
			t.Errorf("%s has %d bytes, want up to %d", name, info.Size(), smallest)
		}
	}
	if onDisk := append(fileLines(t, path+".old"), fileLines(t, path)...); !slices.Equal(onDisk, all) {
		t.Errorf("the files have %d lines, want the same %d as in the tail", len(onDisk), len(all))
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 2 {
		t.Errorf("got files %v, %v, want two", entries, err)
	}

	inFile := len(fileLines(t, path))
	for _, n := range []int{1, 2, inFile - 1, inFile, inFile + 1, len(all) - 1, len(all)} {
		if got := numbers(t, trace.Tail(n)); !slices.Equal(got, upTo(total, n)) {
			t.Errorf("Tail(%d): got %v", n, got)
		}
		if got := trace.Head(n); !slices.Equal(got, all[:n]) {
			t.Errorf("Head(%d): got %v", n, numbers(t, got))
		}
	}
	for _, n := range []int{0, -1} {
		if head, tail := trace.Head(n), trace.Tail(n); head != nil || tail != nil {
			t.Errorf("n = %d: got %q and %q, want nothing", n, head, tail)
		}
	}
}

func TestTailOfALongFile(t *testing.T) {
	trace := open(t, Info, testLimit)
	const total = 6000
	fill(trace, 0, total)
	counts := []int{1, 2000, total}
	for n := chunk/101 - 1; n <= chunk/85; n++ {
		counts = append(counts, n) // one of them has its line ends just within a chunk
	}
	for _, n := range counts {
		if got := numbers(t, trace.Tail(n)); !slices.Equal(got, upTo(total, n)) {
			t.Errorf("Tail(%d): got %d lines from %d to %d", n, len(got), got[0], got[len(got)-1])
		}
	}
	if got := len(trace.Tail(total + 1)); got != total {
		t.Errorf("Tail(%d): got %d lines", total+1, got)
	}
}

func TestRotationWithTheOldNameTaken(t *testing.T) {
	trace := open(t, Info, smallest)
	taken := filepath.Join(trace.Path()+".old", "something")
	if err := os.MkdirAll(taken, 0o755); err != nil {
		t.Fatal(err)
	}
	const total = 1000
	fill(trace, 0, total)
	got := numbers(t, trace.Tail(total))
	if !slices.Equal(got, upTo(total, len(got))) || len(got) == 0 {
		t.Errorf("got lines %v, want the last ones up to %d", got, total-1)
	}
	if info, err := os.Stat(trace.Path()); err != nil || info.Size() > smallest {
		t.Errorf("got file %v, %v, want one of at most %d bytes", info, err, smallest)
	}
	if _, err := os.Stat(taken); err != nil {
		t.Errorf("what had the old name is gone: %v", err)
	}
}

// breakFile makes every write to the trace's file fail, until the returned
// function is called.
func breakFile(t *testing.T, trace *Trace) (mend func()) {
	t.Helper()
	readOnly, err := os.Open(trace.Path())
	if err != nil {
		t.Fatal(err)
	}
	set := func(current *os.File) *os.File {
		trace.mu.Lock()
		defer trace.mu.Unlock()
		before := trace.file.current
		trace.file.current = current
		return before
	}
	working := set(readOnly)
	return func() {
		if err := set(working).Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWritesFailForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := open(t, Info, testLimit)
		trace.Errorf("written")
		mend := breakFile(t, trace)
		trace.Errorf("held")
		wantTexts(t, "tail while broken", trace.Tail(5), "ERROR written", "ERROR held")
		wantTexts(t, "file while broken", fileLines(t, trace.Path()), "ERROR written")

		mend()
		trace.Errorf("before the next try")
		wantTexts(t, "file when just mended", fileLines(t, trace.Path()), "ERROR written")
		time.Sleep(retryDelay)
		synctest.Wait()
		wantTexts(t, "file after the next try", fileLines(t, trace.Path()), "ERROR written", "ERROR held", "ERROR before the next try")
		if got := trace.Dropped(); got != 0 {
			t.Errorf("Dropped: got %d, want 0", got)
		}
	})
}

func TestWritesFailForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := open(t, Info, testLimit)
		trace.Errorf("written")
		mend := breakFile(t, trace)
		const total = 5000
		fill(trace, 0, total)
		lost := trace.Dropped()
		if lost == 0 || len(trace.held) > memoryLimit {
			t.Fatalf("%d records are lost and %d bytes held", lost, len(trace.held))
		}

		mend()
		time.Sleep(retryDelay)
		synctest.Wait()
		lines := fileLines(t, trace.Path())
		wantTexts(t, "first lines", lines[:2], "ERROR written", fmt.Sprintf("ERROR %d earlier records were lost", lost))
		if got, want := numbers(t, lines[2:]), upTo(total, total-int(lost)); !slices.Equal(got, want) {
			t.Errorf("got records %d to %d, want %d to %d", got[0], got[len(got)-1], want[0], want[len(want)-1])
		}
		trace.Errorf("after")
		wantTexts(t, "last line", trace.Tail(1), "ERROR after")
	})
}

func TestCloseRemovesAFileThatStayedEmpty(t *testing.T) {
	for _, traced := range []bool{false, true} {
		file := New("MCPServer_test", Errors, 1<<20)
		path, err := file.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if traced {
			file.Errorf("something")
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != traced {
			t.Errorf("traced something: %t; the file is there: %t", traced, err == nil)
		}
	}
}

func TestCloseReportsWhatCannotBeWritten(t *testing.T) {
	trace := New("MCPServer_test", Info, testLimit)
	if _, err := trace.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer trace.file.current.Close()
	breakFile(t, trace)
	trace.Infof("unwritten")
	if err := trace.Close(); err == nil || !strings.Contains(err.Error(), trace.file.path) {
		t.Errorf("got error %v, want one that names the file", err)
	}
	wantTexts(t, "tail", trace.Tail(2), "INFO unwritten")

	trace.flushDue() // a timer that went off during Close
	if got := fileLines(t, trace.file.path); got != nil {
		t.Errorf("after Close %q was written", got)
	}
}

// A write that ends within a line leaves a piece of it; the line is written
// again in full, on a line of its own.
func TestTornLineIsWrittenAgain(t *testing.T) {
	trace := open(t, Info, testLimit)
	trace.Errorf("whole")
	trace.mu.Lock()
	piece, err := trace.file.current.WriteString("2026-08-20T12:00:00.000Z INFO to")
	trace.file.size += int64(piece)
	trace.file.torn = true
	trace.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, "while torn", trace.Tail(5), "ERROR whole")
	trace.Errorf("torn")
	want := []string{"ERROR whole", "INFO to", "ERROR torn"}
	wantTexts(t, "tail", trace.Tail(5), want...)
	wantTexts(t, "head", trace.Head(5), want...)
	wantTexts(t, "file", fileLines(t, trace.Path()), want...)
	trace.Errorf("after")
	wantTexts(t, "file afterwards", fileLines(t, trace.Path()), append(want, "ERROR after")...)
}

func TestTornLineCountsTowardsTheBound(t *testing.T) {
	tests := []struct {
		next    string
		wantOld string
		want    string
	}{
		{"12345678\n", "", "0123\nabcde\n12345678\n"},
		{"123456789\n", "0123\nabcde", "123456789\n"},
	}
	for _, test := range tests {
		path := filepath.Join(t.TempDir(), "file")
		f, err := newFile(path, 20)
		if err != nil {
			t.Fatal(err)
		}
		piece, err := f.current.WriteString("0123\nabcde")
		if err != nil {
			t.Fatal(err)
		}
		f.size, f.torn = int64(piece), true
		if _, err := f.write(f.fitting([]byte(test.next))); err != nil {
			t.Errorf("%q: %v", test.next, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != test.want {
			t.Errorf("%q: got file %q, %v, want %q", test.next, got, err, test.want)
		}
		if got, _ := os.ReadFile(path + ".old"); string(got) != test.wantOld {
			t.Errorf("%q: got old file %q, want %q", test.next, got, test.wantOld)
		}
		if _, err := f.write([]byte("x\n")); err != nil {
			t.Errorf("%q: %v", test.next, err)
		}
		if got, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(got), "x\n") || strings.Contains(string(got), "\n\n") {
			t.Errorf("%q: got file %q, %v after another line", test.next, got, err)
		}
		if err := f.close(); err != nil {
			t.Error(err)
		}
	}
}

// Who cannot read the file back is told so in its place.
func TestUnreadableFile(t *testing.T) {
	trace := open(t, Info, testLimit)
	trace.Infof("one")
	trace.Tail(1)
	trace.mu.Lock()
	working := trace.file.current
	writeOnly, err := os.OpenFile(trace.file.path, os.O_WRONLY|os.O_APPEND, 0)
	trace.file.current = writeOnly
	trace.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	defer working.Close()
	trace.Head(5)
	trace.Tail(5)
	trace.Errorf("two")
	lines := fileLines(t, trace.Path())
	if len(lines) != 4 || !strings.Contains(lines[1], "cannot read the trace file back") {
		t.Errorf("got %q, want both failures to read recorded", lines)
	}
}
