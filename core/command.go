package core

import (
	"context"
	"errors"
	"io"
	"strings"
)

// Command is a verb of the command line beside Test: "<binary> Check". The
// process does what the command does in place of serving.
type Command struct {
	// Name is the verb, which is taken in any case; behind "--" it is none.
	// Summary says in --help what it does.
	Name, Summary string
	// Run does it, with the aspect's flags set, wherever they stood. An error
	// goes to stderr, and the process ends with status 1. The context ends with
	// the first signal.
	Run func(ctx context.Context, terminal Terminal) error
}

// validateCommands tells which commands cannot be asked for.
func validateCommands(commands []Command) (problems []error) {
	seen := map[string]bool{"test": true}
	for i, command := range commands {
		var found []error
		name := strings.ToLower(command.Name)
		if !validName(name, 64) || name[0] == '-' {
			found = append(found, errors.New("the name is not 1 to 64 letters, digits, '_', '-' or '.', and no '-' first"))
		} else if seen[name] {
			found = append(found, errors.New("the name is taken by another command, or by Test"))
		}
		seen[name] = true
		if command.Run == nil {
			found = append(found, errors.New("it has no Run"))
		}
		if command.Summary == "" || hasLineBreak(command.Summary) {
			found = append(found, errors.New("its summary is not one line"))
		}
		problems = append(problems, located("command", i, command.Name, found)...)
	}
	return problems
}

// Terminal is what a command reads from and writes to.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	// Interactive says that a person can be asked: In is a terminal. Hide then
	// stops it from showing what is typed, for secrets, until show is called.
	Interactive bool
	Hide        func() (show func(), err error)
	// Args are the positional arguments behind the verb, whether the aspect takes
	// any or not: a command that takes none says so itself.
	Args []string
}
