//go:build unix && !aix

// Package gateway tests MCPServer_gateway as a process of its own, in front of
// other processes: under a load during which servers are killed and, with the
// build tag npmserver, beside the very servers that it joins, those of npm among
// them. "run" fetches these.
package gateway

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// guard is how long a test waits for what must happen before it fails. Nothing
// is expected to happen within a time.
const guard = 2 * time.Minute

// build is one of the two ways in which servers are built.
type build string

const (
	clamped   build = "clamped"   // up to 2025-11-25
	unclamped build = "unclamped" // and 2026-07-28
)

// binaries is the directory of all binaries, which are built once: a directory
// for each build.
var binaries string

// binary gives the path of a server.
func (b build) binary(aspect string) string {
	return filepath.Join(binaries, string(b), "MCPServer_"+aspect)
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if binaries, err = os.MkdirTemp("", "gateway"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(binaries)
	for b, tags := range map[build]string{clamped: "", unclamped: "mcp20260728"} {
		made := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-tags="+tags, "-o", filepath.Join(binaries, string(b))+"/", "mcpserver/cmd/...")
		made.Env = append(os.Environ(), "CGO_ENABLED=0")
		if output, err := made.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the servers: %v\n%s", err, output)
			return 1
		}
	}
	return m.Run()
}
