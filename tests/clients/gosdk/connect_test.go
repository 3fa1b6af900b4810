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

// newest makes the client ask for the newest revision that it speaks itself; it
// then probes for the modern era first and has to fall back.
const newest = ""

// revisions maps what the client asks for to what a server that speaks up to
// 2025-11-25 must select.
var revisions = map[string]string{
	"2024-11-05": "2024-11-05",
	"2025-03-26": "2025-03-26",
	"2025-06-18": "2025-06-18",
	"2025-11-25": "2025-11-25",
	newest:       "2025-11-25",
}

// eachRevision runs a test once for each revision that the client can ask for.
func eachRevision(t *testing.T, test func(t *testing.T, revision string)) {
	for revision := range revisions {
		t.Run(cmp.Or(revision, "newest"), func(t *testing.T) { test(t, revision) })
	}
}

// connect starts a server and initializes it. The session is closed when the
// test ends; the server must then exit with status 0.
func connect(t *testing.T, server, revision string, options *mcp.ClientOptions) (context.Context, *mcp.ClientSession) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), failureGuard)
	t.Cleanup(cancel)
	client := mcp.NewClient(&mcp.Implementation{Name: "client-test", Version: "1.0.0"}, options)
	transport := &mcp.CommandTransport{Command: command(t, server), TerminateDuration: failureGuard}
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

// command runs a server from the folder in MCP_BINARIES, behind the recorder if
// MCP_RECORDINGS names a folder for recordings.
func command(t *testing.T, server string) *exec.Cmd {
	t.Helper()
	binary := filepath.Join(cmp.Or(os.Getenv("MCP_BINARIES"), "../../../build/Release"), server)
	recordings := os.Getenv("MCP_RECORDINGS")
	if recordings == "" {
		return exec.Command(binary)
	}
	if err := os.MkdirAll(recordings, 0o755); err != nil {
		t.Fatal(err)
	}
	name := "gosdk-" + strings.ReplaceAll(t.Name(), "/", "-") + ".jsonl"
	return exec.Command("node", "../node/record.mjs", filepath.Join(recordings, name), binary)
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

// wantInvalidParams checks that an error is -32602 with a phrase in its message.
func wantInvalidParams(t *testing.T, err error, phrase string) {
	t.Helper()
	var refusal *jsonrpc.Error
	if !errors.As(err, &refusal) {
		t.Fatalf("got error %v, want a JSON-RPC error", err)
	}
	if refusal.Code != jsonrpc.CodeInvalidParams || !strings.Contains(refusal.Message, phrase) {
		t.Errorf("got error %d %q, want %d with %q", refusal.Code, refusal.Message, jsonrpc.CodeInvalidParams, phrase)
	}
}
