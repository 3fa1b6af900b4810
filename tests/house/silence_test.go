package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestServersStartSilently: neither a server nor a library that it links writes
// to stdout of its own accord. A print before main, in some package's init, is
// out of reach of the runner, so it is looked for here.
func TestServersStartSilently(t *testing.T) {
	folder := t.TempDir()
	build := exec.Command("go", "build", "-trimpath", "-o", folder+string(filepath.Separator), "./cmd/...")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	servers, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(servers) == 0 {
		t.Fatal("there are no servers in cmd/")
	}
	config := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(config, []byte(`{"servers":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// What servers need on the command line.
	arguments := map[string][]string{"MCPServer_gateway": {"--config", config}}
	for _, server := range servers {
		var stdout, stderr bytes.Buffer
		run := exec.Command(filepath.Join(folder, server.Name()), arguments[strings.TrimSuffix(server.Name(), ".exe")]...) // its stdin is the null device
		run.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
		run.Stdout, run.Stderr = &stdout, &stderr
		if err := run.Run(); err != nil {
			t.Errorf("%s: %v\n%s", server.Name(), err, stderr.Bytes())
		}
		if stdout.Len() > 0 {
			t.Errorf("%s without input wrote to stdout: %q", server.Name(), stdout.Bytes())
		}
	}
}
