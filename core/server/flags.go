package server

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mcpserver/core"
	"mcpserver/core/internal/trace"
)

// ErrUsage is wrapped by the errors of Init that are the user's: a process
// exits with status 2 for them.
var ErrUsage = errors.New("see --help")

// commandLine is what the user asked for.
type commandLine struct {
	options       Options
	level         trace.Level
	help, version bool
	verb          string        // "test", or "" to serve
	command       *core.Command // in place of a verb
	flags         *pflag.FlagSet
}

// readCommandLine reads a command line, the program's name first.
func readCommandLine(aspect *core.Aspect, arguments []string) (*commandLine, error) {
	line := &commandLine{}
	set := pflag.NewFlagSet(aspect.Name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SortFlags = false
	line.flags = set
	debug := set.Bool("debug", false, "trace what the server does, in detail")
	info := set.Bool("info", false, "trace what the server does")
	messages := set.Bool("trace", false, "trace every message in and out, and all of --debug")
	set.BoolVar(&line.help, "help", false, "print this and exit")
	set.BoolVar(&line.version, "version", false, "print name and version and exit")
	line.options.addFlags(set, aspect)
	if err := addAspectFlags(set, aspect); err != nil {
		return nil, err
	}
	if len(arguments) > 0 {
		if err := set.Parse(translate(arguments[1:], aspect.Positional != "" || len(aspect.Commands) > 0)); err != nil {
			return line, fmt.Errorf("%w (%w)", err, ErrUsage)
		}
		if err := line.options.check(set); err != nil {
			return line, err
		}
	}
	line.options.CommandLine = arguments
	line.level = levelOf(*info, *debug, *messages)
	return line, line.readVerb(aspect)
}

func (o *Options) addFlags(set *pflag.FlagSet, aspect *core.Aspect) {
	set.IntVar(&o.MaxMessage, "max-message", o.maxMessage(), "most bytes of one message")
	set.IntVar(&o.MaxDepth, "max-depth", o.maxDepth(), "how deeply a message's JSON may nest")
	set.IntVar(&o.MaxQuestions, "max-questions", o.maxQuestions(), "most questions to the client open at once")
	set.DurationVar(&o.QuestionTimeout, "question-timeout", o.questionTimeout(), "how long the client may take to answer a question")
	set.DurationVar(&o.CallTimeout, "call-timeout", 0, "how long one request may take; 0 is no limit")
	set.IntVar(&o.Concurrency, "concurrency", o.concurrency(), "how many handlers of an asynchronous server run at once")
	set.IntVar(&o.PageSize, "page-size", o.pageSize(aspect), "how many entries a list answers at once")
	o.addModernFlags(set)
	set.DurationVar(&o.Drain, "drain", o.drain(), "how long requests may take to finish at the end of input")
	set.DurationVar(&o.Grace, "grace", o.grace(), "how long is left to finish after a signal, and to deferred answers")
}

// check refuses limits that bound nothing, or everything. A grace or drain of 0
// means not to wait at all.
func (o *Options) check(set *pflag.FlagSet) error {
	for _, name := range []string{"max-message", "max-depth", "max-questions", "concurrency", "page-size"} {
		if value, err := set.GetInt(name); err != nil || value < 1 || value > math.MaxInt32 {
			return fmt.Errorf("--%s is %d; it must be from 1 to %d (%w)", name, value, math.MaxInt32, ErrUsage)
		}
	}
	if o.QuestionTimeout <= 0 {
		return fmt.Errorf("--question-timeout is %v; it must be more than 0 (%w)", o.QuestionTimeout, ErrUsage)
	}
	if o.StateLifetime < 0 || o.StateLifetime == 0 && set.Changed("state-lifetime") {
		return fmt.Errorf("--state-lifetime is %v; it must be more than 0 (%w)", o.StateLifetime, ErrUsage)
	}
	for _, name := range []string{"call-timeout", "drain", "grace"} {
		if value, err := set.GetDuration(name); err != nil || value < 0 {
			return fmt.Errorf("--%s is %v; it must not be negative (%w)", name, value, ErrUsage)
		}
	}
	for _, waiting := range []*time.Duration{&o.Drain, &o.Grace} {
		*waiting = max(*waiting, time.Nanosecond)
	}
	return nil
}

// addAspectFlags adds the aspect's own flags.
func addAspectFlags(set *pflag.FlagSet, aspect *core.Aspect) error {
	if aspect.Flags == nil {
		return nil
	}
	own := flag.NewFlagSet(aspect.Name, flag.ContinueOnError)
	own.SetOutput(io.Discard)
	var taken error
	func() {
		// Package flag panics at a name that is taken or odd.
		defer func() {
			if reason := recover(); reason != nil {
				taken = fmt.Errorf("the aspect's flags: %v", reason)
			}
		}()
		aspect.Flags(own)
	}()
	if taken != nil {
		return taken
	}
	own.VisitAll(func(f *flag.Flag) {
		if set.Lookup(f.Name) != nil {
			taken = fmt.Errorf("the aspect's flag --%s is one of the core's", f.Name)
			return
		}
		set.AddGoFlag(f)
	})
	return taken
}

func levelOf(info, debug, messages bool) trace.Level {
	switch {
	case messages:
		return trace.Messages
	case debug:
		return trace.Debug
	case info:
		return trace.Info
	}
	return trace.Errors
}

// readVerb tells a verb from positional arguments.
func (line *commandLine) readVerb(aspect *core.Aspect) error {
	arguments := line.flags.Args()
	if len(arguments) > 0 && line.flags.ArgsLenAtDash() != 0 {
		for i := range aspect.Commands {
			if strings.EqualFold(arguments[0], aspect.Commands[i].Name) {
				line.command = &aspect.Commands[i]
				line.options.Arguments = arguments[1:]
				return nil
			}
		}
		if strings.EqualFold(arguments[0], "test") {
			line.verb, arguments = "test", arguments[1:]
		}
	}
	line.options.Arguments = arguments
	if len(arguments) > 0 && aspect.Positional == "" && !line.help && !line.version {
		return fmt.Errorf("it takes no argument %q (%w)", arguments[0], ErrUsage)
	}
	return nil
}

// translate turns the spellings of the C++ framework into long flags, up to
// "--". They are whole arguments, in any case. "/h…" may be a path where the
// server, or a command of it, takes arguments, so only spellings of /help count
// there.
func translate(arguments []string, positional bool) []string {
	translated := make([]string, 0, len(arguments))
	for i, argument := range arguments {
		if argument == "--" {
			return append(translated, arguments[i:]...)
		}
		lower := strings.ToLower(argument)
		switch {
		case lower == "-debug-":
			argument = "--info"
		case lower == "-debug", lower == "-info", lower == "-trace", lower == "-version":
			argument = "-" + lower
		case strings.HasPrefix(lower, "-h"), lower == "-?", lower == "/?":
			argument = "--help"
		case strings.HasPrefix(lower, "/h") && (!positional || strings.HasPrefix("/help", lower)):
			argument = "--help"
		}
		translated = append(translated, argument)
	}
	return translated
}

// usage says in short how the server is started.
func usage(aspect *core.Aspect) string {
	arguments := strings.TrimSpace("[flags] " + aspect.Positional)
	text := fmt.Sprintf("Usage:\n  %s %s\n      serve one MCP client on stdin and stdout, one JSON message a line\n", aspect.Name, arguments) +
		fmt.Sprintf("  %s Test [flags]\n      run the self-tests and print every message that the server writes", aspect.Name)
	for _, command := range aspect.Commands {
		text += fmt.Sprintf("\n  %s %s [flags]\n      %s", aspect.Name, command.Name, command.Summary)
	}
	return text
}

// helpText is the text of --help.
func (line *commandLine) helpText(aspect *core.Aspect) string {
	head := aspect.Name + " " + aspect.Version
	if aspect.Description != "" {
		head += ": " + aspect.Description
	}
	return head + "\n\n" + usage(aspect) + "\n\nFlags:\n" + line.flags.FlagUsages()
}
