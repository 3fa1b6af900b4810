//lint:file-ignore SA1019 The legacy revisions have sampling and logging, which the SDK deprecates for the modern one.

// Package gosdk tests the built servers with the official Go SDK as their client.
package gosdk

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// failureGuard ends a test that would otherwise wait forever.
const failureGuard = time.Minute

const (
	// newest makes the client ask for the newest revision that it speaks itself; it
	// then probes for the modern era first and may have to fall back.
	newest = ""

	newestLegacy = "2025-11-25"
	modern       = "2026-07-28"
)

// A build is one of the ways in which the servers are built, and what they serve.
type build struct {
	name     string
	variable string // the environment variable that names its folder
	folder   string // the one without that variable
	newest   string // the newest revision that it serves
}

var (
	clamped   = build{"clamped", "MCP_BINARIES", "../../../build/clamped", newestLegacy}
	unclamped = build{"unclamped", "MCP_BINARIES_UNCLAMPED", "../../../build/unclamped", modern}
)

// eachBuild runs a test once for each build of the servers.
func eachBuild(t *testing.T, test func(t *testing.T, b build)) {
	for _, b := range []build{clamped, unclamped} {
		t.Run(b.name, func(t *testing.T) { test(t, b) })
	}
}

// eachRevision runs a test once for each build and each revision that the client
// can ask for.
func eachRevision(t *testing.T, test func(t *testing.T, b build, revision string)) {
	eachBuild(t, func(t *testing.T, b build) {
		for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", newestLegacy, newest} {
			t.Run(cmp.Or(revision, "newest"), func(t *testing.T) { test(t, b, revision) })
		}
	})
}

// eachEra runs a test once for each build and each way in which the client agrees
// with it on an era.
func eachEra(t *testing.T, test func(t *testing.T, b build, revision string)) {
	t.Run("clamped", func(t *testing.T) { test(t, clamped, newest) })
	t.Run("legacy", func(t *testing.T) { test(t, unclamped, newestLegacy) })
	t.Run("modern", func(t *testing.T) { test(t, unclamped, newest) })
}

// isModern reports whether the build and a client that asks for the revision
// agree on the modern era.
func (b build) isModern(revision string) bool { return b.agreed(revision) == modern }

// agreed is the revision that the build's servers select for a client that asks
// for one.
func (b build) agreed(revision string) string { return cmp.Or(revision, b.newest) }

// connect starts a server and agrees with it on a revision. The session is closed
// when the test ends; the server must then exit with status 0.
func (b build) connect(t *testing.T, server, revision string, options *mcp.ClientOptions, middleware ...mcp.Middleware) (context.Context, *mcp.ClientSession) {
	t.Helper()
	client := newClient(options)
	client.AddReceivingMiddleware(middleware...)
	return b.connectClient(t, client, revision, server)
}

func newClient(options *mcp.ClientOptions) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "client-test", Version: "1.0.0"}, options)
}

// connectClient does what connect does, with a client that the test has made and
// arguments for the server.
func (b build) connectClient(t *testing.T, client *mcp.Client, revision, server string, arguments ...string) (context.Context, *mcp.ClientSession) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), failureGuard)
	t.Cleanup(cancel)
	transport := &mcp.CommandTransport{Command: b.command(t, server, arguments...), TerminateDuration: failureGuard}
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatalf("connecting to %s: %v", server, err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("closing %s: %v", server, err)
		}
	})
	return ctx, session
}

// command runs a server of the build, behind the recorder if MCP_RECORDINGS names a
// folder for recordings.
func (b build) command(t *testing.T, server string, arguments ...string) *exec.Cmd {
	t.Helper()
	binary := filepath.Join(cmp.Or(os.Getenv(b.variable), b.folder), server)
	command := exec.Command(binary, arguments...)
	if recordings := os.Getenv("MCP_RECORDINGS"); recordings != "" {
		if err := os.MkdirAll(recordings, 0o755); err != nil {
			t.Fatal(err)
		}
		name := "gosdk-" + strings.ReplaceAll(t.Name(), "/", "-") + ".jsonl"
		recorder := []string{"../node/record.mjs", filepath.Join(recordings, name), binary}
		command = exec.Command("node", append(recorder, arguments...)...)
	}
	// Traces and the key file go away with the test.
	command.Env = os.Environ()
	for _, variable := range []string{"TMPDIR", "TMP", "TEMP", "HOME", "XDG_CONFIG_HOME", "APPDATA"} {
		command.Env = append(command.Env, variable+"="+t.TempDir())
	}
	return command
}

// call calls a tool and fails the test if the call itself fails.
func call(ctx context.Context, t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any) *mcp.CallToolResult {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s(%v): %v", tool, arguments, err)
	}
	return result
}

// text returns the text blocks of a result, a line each.
func text(result *mcp.CallToolResult) string {
	var lines []string
	for _, block := range result.Content {
		if block, ok := block.(*mcp.TextContent); ok {
			lines = append(lines, block.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// wantError checks that an error has a code, and a phrase in its message.
func wantError(t *testing.T, err error, code int64, phrase string) {
	t.Helper()
	var refusal *jsonrpc.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("got error %v, want a JSON-RPC error", err)
	}
	if refusal.Code != code || !strings.Contains(refusal.Message, phrase) {
		t.Errorf("got error %d %q, want %d with %q", refusal.Code, refusal.Message, code, phrase)
	}
}
