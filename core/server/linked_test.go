package server_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modernSymbols are parts of what the names of the modern lane's functions
// begin or end with.
var modernSymbols = []string{
	"core/server.(*request).takeResponses",
	"core/server.(*reading).discover",
	"core/server.(*reading).listen",
	"core/server.(*streams).add",
	"core/server.readModern",
	"core/server.missingCapabilities",
}

// legacySymbols show that a name is spelled as the linker has it.
var legacySymbols = []string{
	"core/server.(*reading).initialize",
	"core/server.(*reading).callTool",
}

// The modern lane is in a binary only when the clamp is lifted.
func TestModernLaneIsLinkedOnlyWithItsTag(t *testing.T) {
	for _, test := range []struct {
		tags   string
		modern bool
	}{
		{"", false},
		{"nopolyfill", false},
		{"mcp20260728", true},
	} {
		names := symbolsOf(t, test.tags)
		for _, symbol := range legacySymbols {
			if !strings.Contains(names, symbol) {
				t.Errorf("with the tags %q, the binary lacks %s, which every build has", test.tags, symbol)
			}
		}
		for _, symbol := range modernSymbols {
			if got := strings.Contains(names, symbol); got != test.modern {
				t.Errorf("with the tags %q, the binary has %s: %t, want %t", test.tags, symbol, got, test.modern)
			}
		}
	}
}

// symbolsOf builds a server, not stripped and not inlined, and gives its symbol
// table as text.
func symbolsOf(t *testing.T, tags string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "server.exe")
	build := exec.Command("go", "build", "-tags", tags, "-gcflags=mcpserver/...=-l", "-o", binary, "mcpserver/cmd/MCPServer_helloWorld")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building with the tags %q: %v\n%s", tags, err, output)
	}
	names, err := exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatalf("reading the symbols of the build with the tags %q: %v", tags, err)
	}
	return string(names)
}
