package server

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/trace"
)

// commanding is an aspect with the commands Check and list-all and a flag.
func commanding(positional string, run func(context.Context, core.Terminal) error) (served *core.Aspect, only *string) {
	served, only = plain(), new(string)
	served.Positional = positional
	served.Flags = func(flags *flag.FlagSet) { flags.StringVar(only, "only", "all", "which `server`") }
	served.Commands = []core.Command{
		{Name: "Check", Summary: "connect to every server, and end", Run: run},
		{Name: "list-all", Summary: "print all there is", Run: run},
	}
	return served, only
}

// A verb is taken in any case, with flags on either side; behind "--", or behind
// another argument, it is none.
func TestReadCommands(t *testing.T) {
	for _, test := range []struct {
		arguments, positional string
		command, verb         string
		rest, only            string
		failure               string
	}{
		{arguments: "Check", command: "Check", only: "all"},
		{arguments: "cHECK", command: "Check", only: "all"},
		{arguments: "LIST-ALL", command: "list-all", only: "all"},
		{arguments: "--only=a Check", command: "Check", only: "a"},
		{arguments: "Check --only a", command: "Check", only: "a"},
		{arguments: "--debug check --only a b --drain 5s c", command: "Check", rest: "b c", only: "a"},
		{arguments: "Check Check", command: "Check", rest: "Check", only: "all"},
		{arguments: "Check test", command: "Check", rest: "test", only: "all"},
		{arguments: "Check -- --only -h /help", command: "Check", rest: "--only -h /help", only: "all"},
		{arguments: "Check /home/x /h", command: "Check", rest: "/home/x", only: "all"},
		{arguments: "Test", verb: "test", only: "all"},
		{arguments: "", only: "all"},
		{arguments: "Check", positional: "file", command: "Check", only: "all"},
		{arguments: "file Check", positional: "file", rest: "file Check", only: "all"},
		{arguments: "-- Check", positional: "file", rest: "Check", only: "all"},
		{arguments: "--only a -- Check x", positional: "file", rest: "Check x", only: "a"},
		{arguments: "-- Check", failure: `it takes no argument "Check"`},
		{arguments: "file Check", failure: `it takes no argument "file"`},
		{arguments: "Chec", failure: `it takes no argument "Chec"`},
		{arguments: "Test Check", failure: `it takes no argument "Check"`},
		{arguments: "Check --nope", failure: "--nope"},
		{arguments: "Check --drain=x", failure: "drain"},
	} {
		t.Run(test.arguments+", "+test.positional, func(t *testing.T) {
			served, only := commanding(test.positional, nil)
			line, err := readCommandLine(served, append([]string{"program"}, strings.Fields(test.arguments)...))
			if test.failure != "" {
				if err == nil || ExitStatus(err) != 2 || !strings.Contains(err.Error(), test.failure) {
					t.Errorf("got %v, want an error of the user's saying %q", err, test.failure)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			name := ""
			if line.command != nil {
				name = line.command.Name
			}
			if name != test.command || line.verb != test.verb || *only != test.only {
				t.Errorf("got the command %q, the verb %q and --only %q, want %q, %q and %q", name, line.verb, *only, test.command, test.verb, test.only)
			}
			if got := line.options.Arguments; !slices.Equal(got, strings.Fields(test.rest)) {
				t.Errorf("got the arguments %q, want %q", got, test.rest)
			}
		})
	}
}

// --help tells of each command, and is what it is behind one.
func TestHelpTellsOfCommands(t *testing.T) {
	for _, arguments := range []string{"--help", "Check --help", "check -h", "Check x /?", "--help nonsense"} {
		served, _ := commanding("", nil)
		line, err := readCommandLine(served, append([]string{"program"}, strings.Fields(arguments)...))
		if err != nil || !line.help {
			t.Errorf("%s gave %v, want help", arguments, err)
			continue
		}
		const want = "\n  MCPServer_test Test [flags]\n      run the self-tests and print every message that the server writes" +
			"\n  MCPServer_test Check [flags]\n      connect to every server, and end" +
			"\n  MCPServer_test list-all [flags]\n      print all there is\n\nFlags:\n"
		if got := line.helpText(served); !strings.Contains(got, want) || !strings.Contains(got, "--only server") {
			t.Errorf("the help is\n%s\nwant it to have\n%s", got, want)
		}
	}
}

// runCommand runs a command as the process does.
func runCommand(t *testing.T, served *core.Aspect, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	line, err := readCommandLine(served, append([]string{"program"}, arguments...))
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	file := func(name, content string) *os.File {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		opened, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return opened
	}
	r := &Runner{
		aspect: served,
		line:   line,
		in:     file("in", "typed"),
		out:    file("out", ""),
		stderr: file("err", ""),
		trace:  trace.New(served.Name, line.level, traceLimit),
		opened: make(chan struct{}),
	}
	r.notices = stdio.NewNotices(r.stderr)
	close(r.opened)
	status = r.command(t.Context())
	r.Deinit()
	read := func(f *os.File) string {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if err := r.in.Close(); err != nil {
		t.Fatal(err)
	}
	return status, read(r.out), read(r.stderr)
}

// A command has the process's terminal and its own arguments, and its error ends
// the process with status 1.
func TestCommandRuns(t *testing.T) {
	served, only := commanding("", nil)
	run := func(ctx context.Context, terminal core.Terminal) error {
		typed, err := io.ReadAll(terminal.In)
		if err != nil {
			return err
		}
		fmt.Fprintf(terminal.Out, "read %s, only %s, interactive %t, context %v\n", typed, *only, terminal.Interactive, ctx.Err())
		fmt.Fprintln(terminal.Err, "a warning")
		if len(terminal.Args) > 0 {
			return errors.New("it takes no argument " + terminal.Args[0])
		}
		return nil
	}
	served.Commands[0].Run = run
	// Nothing of what serving does is done.
	served.OnStartup = func(context.Context, core.Host) error { t.Error("OnStartup ran"); return nil }
	served.OnShutdown = func(context.Context) error { t.Error("OnShutdown ran"); return nil }
	const out = "read typed, only a, interactive false, context <nil>\n"
	if status, stdout, stderr := runCommand(t, served, "--only", "a", "CHECK"); status != 0 || stdout != out || stderr != "a warning\n" {
		t.Errorf("got the status %d, %q and %q", status, stdout, stderr)
	}
	const failed = "a warning\nMCPServer_test: it takes no argument b\n"
	if status, stdout, stderr := runCommand(t, served, "Check", "b", "--only=a"); status != 1 || stdout != out || stderr != failed {
		t.Errorf("got the status %d, %q and %q", status, stdout, stderr)
	}
}
