package core

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Command is a verb of the command line beside Test: "<binary> Check". The
// process does what the command does in place of serving.
type Command struct {
	// Name is the verb, which is taken in any case; Summary says in --help what
	// it does.
	Name, Summary string
	// Run does it, with the aspect's flags set. An error goes to stderr, and
	// the process ends with status 1. The context ends with the first signal.
	Run func(ctx context.Context, terminal Terminal) error
}

// validateCommands tells which commands cannot be asked for.
func validateCommands(commands []Command) (problems []error) {
	seen := map[string]bool{"test": true}
	for i, command := range commands {
		name := strings.ToLower(command.Name)
		switch {
		case !validName(name, 64) || name[0] == '-':
			problems = append(problems, fmt.Errorf("commands[%d]: the name %q is no verb", i, command.Name))
		case seen[name]:
			problems = append(problems, fmt.Errorf("commands[%d]: the name %q is taken", i, command.Name))
		case command.Run == nil:
			problems = append(problems, fmt.Errorf("commands[%d] %q has no Run", i, command.Name))
		case command.Summary == "" || hasLineBreak(command.Summary):
			problems = append(problems, fmt.Errorf("commands[%d] %q has no summary of one line", i, command.Name))
		}
		seen[name] = true
	}
	return problems
}

// Terminal is what a command reads from and writes to.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	// Interactive says that a person can be asked: In is a terminal.
	Interactive bool
	// Args are the positional arguments behind the verb.
	Args []string
}
