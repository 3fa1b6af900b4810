//go:build linux || darwin

package gateway_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestFailedConnects and their servers leave nothing behind.
func TestFailedConnects(t *testing.T) {
	const rounds, servers = 5, 100
	// The first answer of this server is never finished, nor is any other.
	const script = `i=0; while read line; do i=$((i+1)); echo "{\"jsonrpc\":\"2.0\",\"id\":$i,\"resu"; done`
	var entries []string
	for i := range servers {
		entries = append(entries, fmt.Sprintf(`"s%d":{"command":"/bin/sh","args":["-c",%s]}`, i, quoted(strings.ReplaceAll(script, "$", "$$"))))
	}
	config := writeConfig(t, `{"mcpServers":{`+strings.Join(entries, ",")+`}}`)
	descriptors, goroutines := 0, 0
	for round := range rounds {
		out, _, err := check(t, config, "", "--connect-timeout=1m")
		if err == nil || strings.Count(out, "cannot be read") != servers {
			t.Fatalf("Check prints\n%.2000s\n%v", out, err)
		}
		if round == 0 {
			runtime.GC()
			descriptors, goroutines = openDescriptors(), runtime.NumGoroutine()
		}
	}
	mustFall(t, "goroutines", runtime.NumGoroutine, goroutines)
	mustFall(t, "descriptors", openDescriptors, descriptors)
	if child, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("a child is left: %d, %v", child, err)
	}
}
