package trace

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const testLimit = 1 << 20

// open returns a trace with a file, which is closed at the end of the test.
func open(t *testing.T, level Level, limit int64) *Trace {
	t.Helper()
	trace := New("MCPServer_test", level, limit)
	if _, err := trace.Open(t.TempDir()); err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { closeTrace(t, trace) })
	return trace
}

func closeTrace(t *testing.T, trace *Trace) {
	t.Helper()
	if err := trace.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func fileLines(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

// texts takes the time off each line.
func texts(lines []string) []string {
	var all []string
	for _, line := range lines {
		_, text, _ := strings.Cut(line, " ")
		all = append(all, text)
	}
	return all
}

func wantTexts(t *testing.T, what string, lines []string, want ...string) {
	t.Helper()
	if got := texts(lines); !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestLevels(t *testing.T) {
	all := []string{"ERROR e 1", "INFO i 2", "DEBUG d 3", "IN {\"id\":4}", "OUT {\"id\":5}"}
	tests := []struct {
		level Level
		want  []string
	}{
		{Errors, all[:1]},
		{Info, all[:2]},
		{Debug, all[:3]},
		{Messages, all},
	}
	for _, test := range tests {
		trace := open(t, test.level, testLimit)
		trace.Errorf("e %d", 1)
		trace.Infof("i %d", 2)
		trace.Debugf("d %d", 3)
		trace.In(`{"id":4}`)
		trace.Out([]byte("{\"id\":5}\n"))
		wantTexts(t, fmt.Sprintf("level %d", test.level), trace.Tail(10), test.want...)
		for level := Errors; level <= Messages; level++ {
			if got, want := trace.On(level), level <= test.level; got != want {
				t.Errorf("level %d: On(%d) = %v, want %v", test.level, level, got, want)
			}
		}
	}
}

func TestTimeIsInUTCWithMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := New("MCPServer_test", Info, testLimit)
		time.Sleep(1500 * time.Millisecond)
		trace.Infof("hello")
		want := []string{"2000-01-01T00:00:01.500Z INFO hello"}
		if got := trace.Head(1); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestNilTrace(t *testing.T) {
	var trace *Trace
	if path, err := trace.Open(t.TempDir()); path != "" || err != nil {
		t.Errorf("Open: got %q, %v", path, err)
	}
	trace.Errorf("e")
	trace.Infof("i")
	trace.Debugf("d")
	trace.In("in")
	trace.Out([]byte("out"))
	if trace.On(Errors) || trace.Path() != "" || trace.Dropped() != 0 || trace.Head(1) != nil || trace.Tail(1) != nil {
		t.Error("a nil trace claims to have something")
	}
	if err := trace.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestRecordsBeforeOpenReachTheFile(t *testing.T) {
	trace := New("MCPServer_test", Info, testLimit)
	trace.Infof("first")
	wantTexts(t, "before Open", trace.Tail(5), "INFO first")
	if got := trace.Path(); got != "" {
		t.Errorf("Path before Open: got %q", got)
	}

	directory := t.TempDir()
	path, err := trace.Open(directory)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(directory, fmt.Sprintf("MCPServer_test_%d.log", os.Getpid())); path != want || trace.Path() != want {
		t.Errorf("got path %q and Path %q, want %q", path, trace.Path(), want)
	}
	wantTexts(t, "after Open", fileLines(t, path), "INFO first")

	trace.Errorf("second")
	wantTexts(t, "after an error", fileLines(t, path), "INFO first", "ERROR second")
	trace.Infof("third")
	closeTrace(t, trace)
	wantTexts(t, "after Close", fileLines(t, path), "INFO first", "ERROR second", "INFO third")
}

func TestMemoryBeforeOpenIsBounded(t *testing.T) {
	trace := New("MCPServer_test", Info, 4*testLimit)
	const total = 1000
	filler := strings.Repeat("x", 1000)
	for i := range total {
		trace.Infof("%d %s", i, filler)
	}
	if size := len(trace.held); size > memoryLimit || size < memoryLimit-1100 {
		t.Errorf("%d bytes are held, want up to %d", size, memoryLimit)
	}
	kept := len(trace.Tail(total))
	if got, want := trace.Dropped(), int64(total-kept); got != want {
		t.Errorf("Dropped: got %d, want %d", got, want)
	}

	path, err := trace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer closeTrace(t, trace)
	lines := texts(fileLines(t, path))
	if got, want := len(lines), kept+1; got != want {
		t.Fatalf("got %d lines in the file, want %d", got, want)
	}
	if want := fmt.Sprintf("ERROR %d earlier records were lost", total-kept); lines[0] != want {
		t.Errorf("first line: got %q, want %q", lines[0], want)
	}
	if want := fmt.Sprintf("INFO %d %s", total-kept, filler); lines[1] != want {
		t.Errorf("second line: got %.30q, want %.30q", lines[1], want)
	}
}

func TestCloseTwiceAndAfterwards(t *testing.T) {
	trace := New("MCPServer_test", Info, testLimit)
	path, err := trace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	trace.Infof("kept")
	closeTrace(t, trace)
	closeTrace(t, trace)
	trace.Errorf("too late")
	wantTexts(t, "file", fileLines(t, path), "INFO kept")
	if got := trace.Dropped(); got != 1 {
		t.Errorf("Dropped: got %d, want 1", got)
	}
	if _, err := trace.Open(t.TempDir()); err == nil {
		t.Error("Open after Close: got no error")
	}
}

func TestFlushTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := open(t, Info, testLimit)
		trace.Infof("one")
		trace.Infof("two")
		if got := fileLines(t, trace.Path()); got != nil {
			t.Errorf("before the delay: got %q, want an empty file", got)
		}
		time.Sleep(flushDelay)
		synctest.Wait()
		wantTexts(t, "after the delay", fileLines(t, trace.Path()), "INFO one", "INFO two")
		if trace.timer != nil {
			t.Error("an idle trace has a timer")
		}
		trace.Infof("three")
		time.Sleep(flushDelay)
		synctest.Wait()
		wantTexts(t, "after the second delay", fileLines(t, trace.Path()), "INFO one", "INFO two", "INFO three")
	})
}

func TestManyHeldBytesAreWrittenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := open(t, Info, testLimit)
		record := strings.Repeat("x", 1<<10)
		for range flushSize >> 10 {
			trace.Infof("%s", record)
		}
		if got, want := len(fileLines(t, trace.Path())), flushSize>>10; got != want {
			t.Errorf("got %d lines in the file, want %d", got, want)
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	const goroutines, each = 8, 200
	trace := New("MCPServer_test", Messages, 4*testLimit)
	directory := t.TempDir()
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range each {
				switch i % 4 {
				case 0:
					trace.Errorf("%d/%d", g, i)
				case 1:
					trace.In(fmt.Sprintf("%d/%d", g, i))
				case 2:
					trace.Out(fmt.Appendf(nil, "%d/%d", g, i))
				default:
					trace.Debugf("%d/%d", g, i)
				}
				if i == each/2 {
					trace.Tail(3)
					trace.Head(3)
					trace.Path()
					trace.Dropped()
				}
			}
		})
	}
	group.Go(func() {
		if _, err := trace.Open(directory); err != nil {
			t.Errorf("Open: %v", err)
		}
	})
	group.Wait()
	path := trace.Path()
	closeTrace(t, trace)

	whole := regexp.MustCompile(`^\S{23}Z (ERROR|IN|OUT|DEBUG) \d+/\d+$`)
	seen := make(map[string]bool)
	last := ""
	for _, line := range fileLines(t, path) {
		if !whole.MatchString(line) {
			t.Errorf("broken line %q", line)
		}
		if line[:24] < last {
			t.Errorf("line %q comes after one of %s", line, last)
		}
		last = line[:24]
		seen[line[strings.LastIndexByte(line, ' '):]] = true
	}
	if got, want := len(seen), goroutines*each; got != want {
		t.Errorf("got %d different records, want %d", got, want)
	}
}

func TestRecordAllocations(t *testing.T) {
	trace := New("MCPServer_test", Errors, testLimit)
	line := []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if got := testing.AllocsPerRun(100, func() {
		trace.In(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		trace.Out(line)
		trace.Debugf("nothing to see")
	}); got != 0 {
		t.Errorf("records that are not kept cost %v allocations, want none", got)
	}
}

func BenchmarkMessages(b *testing.B) {
	trace := New("MCPServer_test", Messages, 16<<20)
	if _, err := trace.Open(b.TempDir()); err != nil {
		b.Fatal(err)
	}
	defer trace.Close()
	message := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("ä b c ", 30) + `"}]}}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		trace.Out(message)
	}
}
