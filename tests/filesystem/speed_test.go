//go:build filesystem && linux

package filesystem

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The tree that is measured: 50 times 20 directories with 50 files each.
const wide, deep, many = 50, 20, 50

var extensions = []string{"txt", "md", "go", "json"}

func fileName(a, b, c int) string {
	return fmt.Sprintf("d%02d/e%02d/f%02d.%s", a, b, c, extensions[c%len(extensions)])
}

// bigTree makes the tree.
func bigTree(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	for a := range wide {
		for b := range deep {
			if err := os.MkdirAll(filepath.Join(root, filepath.Dir(fileName(a, b, 0))), 0o755); err != nil {
				t.Fatal(err)
			}
			for c := range many {
				text := strings.Repeat(fmt.Sprintf("file %d %d %d\n", a, b, c), 20)
				if err := os.WriteFile(filepath.Join(root, fileName(a, b, c)), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return root
}

// peak gives the most memory that the server had resident so far, in MiB.
func (c *conversation) peak() float64 {
	c.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.command.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		c.t.Fatal("the system does not tell the peak of memory")
	}
	kilobytes, err := strconv.Atoi(fields[0])
	if err != nil {
		c.t.Fatal(err)
	}
	return float64(kilobytes) / 1024
}

func (c *conversation) search(root string) {
	c.t.Helper()
	answer := c.call("search_files", arguments{"path": root, "pattern": "**/f07.json"})
	if found := strings.Count(answer.Get("result.content.0.text").Str, "f07.json"); found != wide*deep {
		c.t.Fatalf("the search found %d files, want %d", found, wide*deep)
	}
}

func (c *conversation) tree(root string) {
	c.t.Helper()
	answer := c.call("directory_tree", arguments{"path": root})
	if text := answer.Get("result.content.0.text").Str; strings.Count(text, `"type": "file"`) != wide*deep*many {
		c.t.Fatalf("the tree has not all files: %.300s", text)
	}
}

// reads5000 gives what asks for 5,000 files and reads all answers.
func reads5000(c *conversation, root string) func() {
	const number = 5000
	var requests bytes.Buffer
	encoder := json.NewEncoder(&requests)
	for i := range number {
		path := filepath.Join(root, fileName(i%wide, i/wide%deep, i/wide/deep%many))
		err := encoder.Encode(map[string]any{"jsonrpc": "2.0", "id": 1_000_000 + i, "method": "tools/call", "params": map[string]any{
			"name": "read_text_file", "arguments": arguments{"path": path},
		}})
		if err != nil {
			c.t.Fatal(err)
		}
	}
	return func() {
		c.t.Helper()
		written := make(chan error, 1)
		go func() {
			_, err := c.in.Write(requests.Bytes())
			written <- err
		}()
		for range number {
			answer, err := c.out.ReadSlice('\n')
			if err != nil || !bytes.Contains(answer, []byte(`"text":"file `)) {
				c.t.Fatalf("got %.300s, %v", answer, err)
			}
		}
		if err := <-written; err != nil {
			c.t.Fatal(err)
		}
	}
}

// TestMemory holds our server to its limits on a tree of 50,000 files.
func TestMemory(t *testing.T) {
	root := bigTree(t)
	c := start(t, ours, root)
	c.ask("tools/list", arguments{})
	for _, step := range []struct {
		what  string
		limit float64
		do    func()
	}{
		{"idle", 8, func() {}},
		{"in a search", 20, func() { c.search(root) }},
		{"in the tree", 60, func() { c.tree(root) }},
	} {
		step.do()
		if peak := c.peak(); peak > step.limit {
			t.Errorf("%s: %.1f MiB are resident, want at most %.0f", step.what, peak, step.limit)
		} else {
			t.Logf("%s: %.1f MiB", step.what, peak)
		}
	}
	c.end()
}

// BenchmarkAgainstNPM takes each measure from both servers in turn, and reports
// how many times as fast ours is.
func BenchmarkAgainstNPM(b *testing.B) {
	root := bigTree(b)
	for _, measure := range []struct {
		name string
		do   func(c *conversation) func()
	}{
		{"search", func(c *conversation) func() { return func() { c.search(root) } }},
		{"tree", func(c *conversation) func() { return func() { c.tree(root) } }},
		{"reads5000", func(c *conversation) func() { return reads5000(c, root) }},
	} {
		b.Run(measure.name, func(b *testing.B) {
			compare(b, func(server kind) time.Duration {
				c := start(b, server, root)
				defer c.end()
				c.ask("tools/list", arguments{})
				do := measure.do(c)
				began := time.Now()
				do()
				return time.Since(began)
			})
		})
	}
	b.Run("start", func(b *testing.B) {
		compare(b, func(server kind) time.Duration {
			began := time.Now()
			c := start(b, server, root)
			defer c.end()
			return time.Since(began)
		})
	})
}

// compare reports what both servers take, and the ratio.
func compare(b *testing.B, measure func(server kind) time.Duration) {
	spent := make(map[string]time.Duration)
	for b.Loop() {
		for _, server := range []kind{ours, npms} {
			spent[server.name] += measure(server)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(spent[ours.name].Seconds()*1000/float64(b.N), "ms-ours")
	b.ReportMetric(spent[npms.name].Seconds()*1000/float64(b.N), "ms-npm")
	b.ReportMetric(float64(spent[npms.name])/float64(spent[ours.name]), "times-as-fast")
}
