package core_test

import (
	"context"
	"strings"
	"testing"

	"mcpserver/core"
)

// A command that cannot be asked for, or not be told of, is named.
func TestValidateCommands(t *testing.T) {
	run := func(context.Context, core.Terminal) error { return nil }
	for _, test := range []struct {
		name    string
		command core.Command
		want    string // what the error says, or ""
	}{
		{"sound", core.Command{Name: "check-2.x_Y", Summary: "checks", Run: run}, ""},
		{"the longest", core.Command{Name: strings.Repeat("x", 64), Summary: "checks", Run: run}, ""},
		{"too long", core.Command{Name: strings.Repeat("x", 65), Summary: "checks", Run: run}, "the name is not 1 to 64"},
		{"no name", core.Command{Summary: "checks", Run: run}, `command 2 (""): the name is not 1 to 64`},
		{"two words", core.Command{Name: "check all", Summary: "checks", Run: run}, `command 2 ("check all"): the name is not`},
		{"a flag", core.Command{Name: "-check", Summary: "checks", Run: run}, "no '-' first"},
		{"a path", core.Command{Name: "/check", Summary: "checks", Run: run}, "the name is not"},
		{"Test", core.Command{Name: "tEST", Summary: "checks", Run: run}, "the name is taken"},
		{"one that is there", core.Command{Name: "FIRST", Summary: "checks", Run: run}, `command 2 ("FIRST"): the name is taken`},
		{"no Run", core.Command{Name: "check", Summary: "checks"}, "it has no Run"},
		{"no summary", core.Command{Name: "check", Run: run}, "its summary is not one line"},
		{"two lines", core.Command{Name: "check", Summary: "a\nb", Run: run}, "its summary is not one line"},
		{"nothing", core.Command{Name: "check"}, "no Run\ncommand 2 (\"check\"): its summary"},
	} {
		t.Run(test.name, func(t *testing.T) {
			served := sound()
			served.Commands = []core.Command{{Name: "first", Summary: "is first", Run: run}, test.command}
			err := core.Validate(served)
			switch {
			case test.want == "" && err != nil:
				t.Errorf("got %v, want no error", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want an error saying %q", err, test.want)
			}
		})
	}
}

// Levels have the names of the protocol; one beyond the last is the last.
func TestLogLevelNames(t *testing.T) {
	names := strings.Fields("debug info notice warning error critical alert emergency emergency")
	for i, want := range names {
		if got := core.LogLevel(i).String(); got != want {
			t.Errorf("level %d is %q, want %q", i, got, want)
		}
	}
}
