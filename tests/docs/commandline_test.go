package docs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/server"
)

// What follows stands in docs/ASPECTS.md, so it is written to be read there.

// catalog is the state of an aspect with a command line of its own.
type catalog struct {
	limit  int
	folder string
}

func (c *catalog) aspect() *core.Aspect {
	return &core.Aspect{
		Name:       "MCPServer_catalog",
		Version:    "0.1.0",
		Flags:      func(flags *flag.FlagSet) { flags.IntVar(&c.limit, "limit", 10, "most entries of an answer") },
		Positional: "folder",
		OnStartup:  c.start,
	}
}

func (c *catalog) start(_ context.Context, host core.Host) error {
	if c.limit < 1 {
		return fmt.Errorf("--limit is %d; it must be at least 1", c.limit)
	}
	if len(host.Args()) != 1 {
		return errors.New("it takes the name of one folder")
	}
	c.folder = host.Args()[0]
	return nil
}

// serveCatalog is what a main of one's own would do, and os.Exit with the status.
func serveCatalog() (status int) {
	runner, err := server.Init((&catalog{}).aspect(), os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return server.ExitStatus(err)
	}
	defer runner.Deinit()
	return runner.Run()
}

// And here is what they do.

// asCatalog is the environment variable that makes this test binary the catalog
// server.
const asCatalog = "DOCS_TEST_AS_CATALOG"

func TestMain(m *testing.M) {
	if os.Getenv(asCatalog) != "" {
		os.Exit(serveCatalog())
	}
	os.Exit(m.Run())
}

func TestCatalogCommandLine(t *testing.T) {
	for _, test := range []struct {
		arguments string
		status    int
		want      string
	}{
		{"--help", 0, "MCPServer_catalog [flags] folder\n"},
		{"--help", 0, "--limit int "},
		{"--version", 0, "MCPServer_catalog 0.1.0"},
		{"books", 0, ""},
		{"--limit 3 books", 0, ""},
		{"Test --limit 3 books", 0, "0 failures"},
		{"--limit 0 books", 1, "--limit is 0; it must be at least 1"},
		{"--limit few books", 2, "--limit"},
		{"", 1, "it takes the name of one folder"},
		{"books music", 1, "it takes the name of one folder"},
	} {
		process := exec.Command(os.Args[0], strings.Fields(test.arguments)...)
		process.Env = append(os.Environ(), asCatalog+"=1", "TMPDIR="+t.TempDir())
		output, err := process.CombinedOutput()
		if status := process.ProcessState.ExitCode(); status != test.status || !strings.Contains(string(output), test.want) {
			t.Errorf("%q ended with %d (%v), want %d and %q in:\n%s", test.arguments, status, err, test.status, test.want, output)
		}
	}
}

func TestCatalogSelfTests(t *testing.T) {
	c := &catalog{}
	options := &server.Options{Arguments: []string{"books"}}
	var verdicts strings.Builder
	if err := server.SelfTest(t.Context(), c.aspect(), io.Discard, &verdicts, options); err != nil {
		t.Errorf("%v:\n%s", err, verdicts.String())
	}
	if c.limit != 10 || c.folder != "books" {
		t.Errorf("limit %d and folder %q, want 10 and books", c.limit, c.folder)
	}
}
