package gateway_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"mcpserver/core/server"
)

// These tests do not run beside others, since they count what the process has.

// openDescriptors counts, where the system tells; else it is always 0.
func openDescriptors() int {
	entries, _ := os.ReadDir("/dev/fd")
	return len(entries)
}

// mustFall waits until there are no more than that of something.
func mustFall(t *testing.T, what string, count func() int, most int) {
	t.Helper()
	for deadline := time.Now().Add(patience); count() > most; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("there are %d %s, want no more than %d", count(), what, most)
		}
	}
}

// TestManyCalls leave nothing behind, whichever way they end.
func TestManyCalls(t *testing.T) {
	const calls, atOnce = 3_000, 100
	f, slow := legacyServer(t, "s", "ok", "fail", "wait", "mention"), legacyServer(t, "slow", "x")
	slow.entry = `"timeout":"50ms"`
	slow.on("tools/call", silent)
	f.on("tools/call", func(l *link, a arrival) string {
		switch a.params.Get("name").Str {
		case "ok":
			return textResult("ok")
		case "fail":
			l.fail(a.id, -32000, "no")
		case "mention":
			return `{"content":[{"type":"resource_link","uri":"r://x/` + a.id + `","name":"n"}]}`
		}
		return ""
	})
	c := legacyWith(t, settings{options: &server.Options{}}, `{}`, f, slow)
	c.awaitTools(func(names []string) bool { return len(names) == 5 })
	run := func() {
		for range calls / atOnce / 3 {
			var lines, ids []string
			for i := range atOnce {
				tool := []string{"s.ok", "s.fail", "s.wait", "slow.x", "s.mention"}[i%5]
				id, line := c.line("tools/call", callParams(tool, ""))
				lines = append(lines, line)
				if tool == "s.wait" {
					lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
				} else {
					ids = append(ids, id)
				}
			}
			c.send(lines...)
			for _, id := range ids {
				c.answer(id)
			}
			c.fence()
		}
	}
	run()
	goroutines, descriptors := runtime.NumGoroutine(), openDescriptors()
	run()
	run()
	mustFall(t, "goroutines", runtime.NumGoroutine, goroutines+3)
	mustFall(t, "descriptors", openDescriptors, descriptors)
}

// TestManyGateways leave nothing behind.
func TestManyGateways(t *testing.T) {
	descriptors, goroutines := 0, 0
	for round := range 20 {
		f, m := legacyServer(t, "s", "x"), modernServer(t, "m", "x")
		c := legacy(t, f, m)
		c.wantText("s.x", "s:x")
		c.wantText("m.x", "m:x")
		c.close()
		f.listener.Close()
		m.listener.Close()
		if round == 0 {
			runtime.GC()
			descriptors, goroutines = openDescriptors(), runtime.NumGoroutine()
		}
	}
	mustFall(t, "goroutines", runtime.NumGoroutine, goroutines)
	mustFall(t, "descriptors", openDescriptors, descriptors)
}
