//go:build npmserver && linux

package filesystem

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

const (
	// leastRatio is how many times as fast as the npm server we have to be.
	leastRatio = 3
	// rounds is how often each server does each thing; the best time counts,
	// and the most memory.
	rounds = 5
	// reads is how many files are read without waiting for answers.
	reads = 5_000
)

// Most memory of ours, in KiB.
const (
	mostIdle     = 8 << 10
	mostInSearch = 20 << 10
	mostInTree   = 60 << 10
)

// The tree: 50,000 files, 16 in a directory, as in the sources of a large
// program.
const (
	files       = 50_000
	inDirectory = 16
)

// fileName gives the name of one of the files.
func fileName(n int) string {
	directory := n / inDirectory
	return filepath.Join(fmt.Sprintf("part%02d", directory/125), fmt.Sprintf("package%02d", directory/5%25), fmt.Sprintf("module%d", directory%5), fmt.Sprintf("file%05d.txt", n))
}

var forest = sync.OnceValues(func() (string, error) {
	root, err := os.MkdirTemp("", "forest")
	leftovers = append(leftovers, root)
	for n := 0; n < files && err == nil; n++ {
		path := filepath.Join(root, fileName(n))
		if n%inDirectory == 0 {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, fmt.Appendf(nil, "This is file %d.\n", n), 0o644)
		}
	}
	return root, err
})

// trees gives a directory with 50,000 files, which is removed at the end.
func trees(b *testing.B) string {
	b.Helper()
	root, err := forest()
	if err != nil {
		b.Fatal(err)
	}
	return root
}

// measured is what a server needed.
type measured struct {
	time time.Duration
	peak int // KiB
}

// measure has a server of its own do all calls. The answers together must have
// at least so many bytes.
func measure(b *testing.B, command *exec.Cmd, bytes int64, calls func(c *client) []string) measured {
	b.Helper()
	c := start(b, command)
	defer c.kill()
	c.text("list_allowed_directories", nil)
	requests := calls(c)
	c.onlyCount.Store(true)
	begin := time.Now()
	go c.send(requests...)
	for range requests {
		<-c.lines
	}
	done := measured{time.Since(begin), c.status("VmHWM")}
	if got := c.received.Load(); got < bytes {
		b.Fatalf("%s gave %d bytes, want at least %d", command.Path, got, bytes)
	}
	return done
}

// and gives the shorter time of two rounds, and the larger memory.
func (m measured) and(other measured) measured {
	if m == (measured{}) {
		return other
	}
	return measured{min(m.time, other.time), max(m.peak, other.peak)}
}

// status gives a number of the process's status, such as VmRSS in KiB.
func (c *client) status(name string) int {
	c.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.command.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + `:\s+(\d+)`).FindSubmatch(text)
	if found == nil {
		c.t.Fatalf("the process's status has no %s", name)
	}
	number, err := strconv.Atoi(string(found[1]))
	if err != nil {
		c.t.Fatal(err)
	}
	return number
}

// report tells both and their ratio, and fails if ours is too slow or large.
func report(b *testing.B, ours, theirs measured, most int) {
	b.Helper()
	ratio := float64(theirs.time) / float64(ours.time)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.time.Microseconds())/1000, "ms")
	b.ReportMetric(float64(theirs.time.Microseconds())/1000, "npm-ms")
	b.ReportMetric(ratio, "times-as-fast")
	b.ReportMetric(float64(ours.peak)/1024, "MiB")
	b.ReportMetric(float64(theirs.peak)/1024, "npm-MiB")
	b.Logf("%v, %d KiB; npm %v, %d KiB", ours.time, ours.peak, theirs.time, theirs.peak)
	if ratio < leastRatio {
		b.Errorf("it took %v and the npm server %v, %.1f times as long; want %d times", ours.time, theirs.time, ratio, leastRatio)
	}
	if most > 0 && ours.peak > most {
		b.Errorf("it took %d KiB, want at most %d", ours.peak, most)
	}
}

// both compares the servers by calls that are sent all at once.
func both(b *testing.B, most int, bytes int64, calls func(c *client) []string) {
	b.Helper()
	compare(b, most, func(command *exec.Cmd) measured { return measure(b, command, bytes, calls) }, trees(b))
}

// compare has the servers take turns, so that a busy moment of the machine is
// bad for both.
func compare(b *testing.B, most int, run func(command *exec.Cmd) measured, root string) {
	b.Helper()
	for b.Loop() {
		var ours, theirs measured
		for range rounds {
			ours = ours.and(run(exec.Command(binary, root)))
			theirs = theirs.and(run(npm(b, root)))
		}
		report(b, ours, theirs, most)
	}
}

// BenchmarkStart is from the process's start to its answer to initialize, and
// the memory of a server that has nothing to do.
func BenchmarkStart(b *testing.B) {
	compare(b, mostIdle, func(command *exec.Cmd) measured {
		begin := time.Now()
		c := start(b, command)
		defer c.kill()
		spent := time.Since(begin)
		c.text("list_allowed_directories", nil)
		return measured{spent, c.idle()}
	}, trees(b))
}

// idle gives the memory of a server once it no longer changes, in KiB.
func (c *client) idle() int {
	c.t.Helper()
	last, since := c.status("VmRSS"), time.Now()
	for time.Since(since) < time.Second {
		time.Sleep(50 * time.Millisecond)
		if now := c.status("VmRSS"); now != last {
			last, since = now, time.Now()
		}
	}
	return last
}

// one makes a single call.
func one(tool string, given arguments) func(c *client) []string {
	return func(c *client) []string { return []string{c.callOf(tool, given)} }
}

func BenchmarkTree(b *testing.B) {
	both(b, mostInTree, 5_000_000, one("directory_tree", arguments{"path": trees(b)}))
}

func BenchmarkSearch(b *testing.B) {
	both(b, mostInSearch, 20_000, one("search_files", arguments{"path": trees(b), "pattern": "**/*99.txt"}))
}

func BenchmarkSearchByPath(b *testing.B) {
	both(b, mostInSearch, 100_000, one("search_files", arguments{
		"path": trees(b), "pattern": "part*/**/file{01,02}*", "excludePatterns": []string{"**/package00"},
	}))
}

func BenchmarkReads(b *testing.B) {
	both(b, 0, 500_000, func(c *client) (calls []string) {
		for n := range reads {
			calls = append(calls, c.callOf("read_text_file", arguments{"path": filepath.Join(trees(b), fileName(n*(files/reads)))}))
		}
		return calls
	})
}
