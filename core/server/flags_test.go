package server

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpserver/core"
	"mcpserver/core/internal/trace"
)

// The spellings of old are whole arguments in any case, up to "--".
func TestTranslate(t *testing.T) {
	tests := []struct {
		name       string
		arguments  string
		positional bool
		want       string
	}{
		{"C++ levels", "-debug- -debug -trace", false, "--info --debug --trace"},
		{"any case", "-DEBUG- -Debug -TRACE", false, "--info --debug --trace"},
		{"help", "-h -H -help -HELP -hello -? /? /h /H /help /hi", false, strings.TrimSpace(strings.Repeat("--help ", 11))},
		{"long flags stay", "--debug --info --help --drain=5s", false, "--debug --info --help --drain=5s"},
		{"parts stay", "x-debug -debugger /trace -d", false, "x-debug -debugger /trace -d"},
		{"after the dashes", "-trace -- -trace -h /h --", false, "--trace -- -trace -h /h --"},
		{"a path is no help", "/home/eric /h /help /HELP", true, "/home/eric --help --help --help"},
		{"nothing", "", false, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(translate(strings.Fields(test.arguments), test.positional), " ")
			if got != test.want {
				t.Errorf("translate(%q) = %q, want %q", test.arguments, got, test.want)
			}
		})
	}
}

func plain() *core.Aspect { return &core.Aspect{Name: "MCPServer_test", Version: "1"} }

func TestReadCommandLine(t *testing.T) {
	positional := plain()
	positional.Positional = "[directory ...]"
	tests := []struct {
		name      string
		aspect    *core.Aspect
		arguments string
		verb      string
		level     trace.Level
		rest      string
	}{
		{"nothing", plain(), "", "", trace.Errors, ""},
		{"info", plain(), "--info", "", trace.Info, ""},
		{"debug", plain(), "-debug", "", trace.Debug, ""},
		{"trace counts most", plain(), "--info -trace --debug", "", trace.Messages, ""},
		{"verb", plain(), "Test", "test", trace.Errors, ""},
		{"verb in any case", plain(), "tEST", "test", trace.Errors, ""},
		{"verb behind flags", plain(), "--debug --drain 5s Test", "test", trace.Debug, ""},
		{"verb before flags", plain(), "Test --debug", "test", trace.Debug, ""},
		{"positional", positional, "a b", "", trace.Errors, "a b"},
		{"verb and positional", positional, "Test a", "test", trace.Errors, "a"},
		{"no verb behind another argument", positional, "a Test", "", trace.Errors, "a Test"},
		{"no verb behind the dashes", positional, "-- Test", "", trace.Errors, "Test"},
		{"flags behind the dashes", positional, "-- --debug", "", trace.Errors, "--debug"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			line, err := readCommandLine(test.aspect, append([]string{"program"}, strings.Fields(test.arguments)...))
			if err != nil {
				t.Fatalf("readCommandLine(%q): %v", test.arguments, err)
			}
			if line.verb != test.verb || line.level != test.level {
				t.Errorf("readCommandLine(%q) has the verb %q and the level %d, want %q and %d", test.arguments, line.verb, line.level, test.verb, test.level)
			}
			if got := line.options.Arguments; !slices.Equal(got, strings.Fields(test.rest)) {
				t.Errorf("readCommandLine(%q) leaves %q, want %q", test.arguments, got, test.rest)
			}
		})
	}
}

func TestReadCommandLineRefuses(t *testing.T) {
	positional := plain()
	positional.Positional = "[directory ...]"
	tests := []struct {
		name      string
		aspect    *core.Aspect
		arguments string
		words     string
	}{
		{"unknown flag", plain(), "--nope", "--nope"},
		{"unknown short flag", plain(), "-x", "-x"},
		{"no number", plain(), "--max-message=lots", "max-message"},
		{"no duration", plain(), "--drain=5", "drain"},
		{"an argument too many", plain(), "extra", "extra"},
		{"an argument behind the verb", plain(), "Test extra", "extra"},
		{"a verb behind the dashes", plain(), "-- Test", "Test"},
		{"unknown flag with positionals", positional, "a --nope", "--nope"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			line, err := readCommandLine(test.aspect, append([]string{"program"}, strings.Fields(test.arguments)...))
			if err == nil || !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), test.words) {
				t.Fatalf("readCommandLine(%q) gave %v, want an error of the user's that names %q", test.arguments, err, test.words)
			}
			if ExitStatus(err) != 2 {
				t.Errorf("the exit status is %d, want 2", ExitStatus(err))
			}
			if line == nil || !strings.Contains(usage(test.aspect), "Test [flags]") {
				t.Error("there is no usage to show")
			}
		})
	}
}

func TestOptionsFromTheCommandLine(t *testing.T) {
	line, err := readCommandLine(plain(), strings.Fields("program --max-message=1000 --max-depth 9 --max-questions=3 "+
		"--question-timeout=1m --call-timeout=2s --concurrency=5 --drain=7s --grace=300ms"))
	if err != nil {
		t.Fatal(err)
	}
	want := Options{
		MaxMessage: 1000, MaxDepth: 9, MaxQuestions: 3, QuestionTimeout: time.Minute, CallTimeout: 2 * time.Second,
		Concurrency: 5, Drain: 7 * time.Second, Grace: 300 * time.Millisecond,
	}
	if got := line.options; !equalOptions(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// equalOptions compares what the flags set.
func equalOptions(a, b Options) bool {
	return a.MaxMessage == b.MaxMessage && a.MaxDepth == b.MaxDepth && a.MaxQuestions == b.MaxQuestions &&
		a.QuestionTimeout == b.QuestionTimeout && a.CallTimeout == b.CallTimeout && a.Concurrency == b.Concurrency &&
		a.Drain == b.Drain && a.Grace == b.Grace
}

// An aspect's own flags are long flags like the core's; one of the same name is
// the aspect's fault, not the user's.
func TestAspectFlags(t *testing.T) {
	served := plain()
	var database string
	var verbose bool
	served.Flags = func(flags *flag.FlagSet) {
		flags.StringVar(&database, "database", "local", "which `database` to use")
		flags.BoolVar(&verbose, "verbose", false, "say more")
	}
	line, err := readCommandLine(served, strings.Fields("program --verbose --database remote"))
	if err != nil || database != "remote" || !verbose {
		t.Errorf("got database %q, verbose %t, %v; want remote, true, no error", database, verbose, err)
	}
	if usage := line.helpText(served); !strings.Contains(usage, "--database") {
		t.Errorf("the usage does not show --database: %s", usage)
	}
	served.Flags = func(flags *flag.FlagSet) { flags.Bool("debug", false, "") }
	if _, err := readCommandLine(served, []string{"program"}); err == nil || ExitStatus(err) != 1 || !strings.Contains(err.Error(), "--debug") {
		t.Errorf("an aspect's flag --debug gave %v, want an error that names it and is not the user's", err)
	}
}

// What package flag panics about is the aspect's mistake, told in a sentence.
func TestAspectFlagsThatAreWrong(t *testing.T) {
	for name, define := range map[string]func(*flag.FlagSet){
		"defined twice":        func(flags *flag.FlagSet) { flags.Bool("zoo", false, ""); flags.String("zoo", "", "") },
		"begins with a dash":   func(flags *flag.FlagSet) { flags.Bool("-zoo", false, "") },
		"has an equals sign":   func(flags *flag.FlagSet) { flags.Bool("zoo=1", false, "") },
		"is one of the core's": func(flags *flag.FlagSet) { flags.Int("grace", 0, "the zoo's") },
	} {
		t.Run(name, func(t *testing.T) {
			served := plain()
			served.Flags = define
			_, err := readCommandLine(served, []string{"program"})
			if err == nil || errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "the aspect's flag") {
				t.Errorf("got %v, want an error that is the aspect's", err)
			}
		})
	}
}

func TestLimitsThatAreNone(t *testing.T) {
	for _, argument := range []string{
		"--max-message=0", "--max-message=-5", "--max-depth=0", "--max-questions=0", "--concurrency=-1",
		"--max-message=9223372036854775807", "--max-depth=3000000000", "--max-message=99999999999999999999",
		"--question-timeout=0", "--question-timeout=-1s", "--call-timeout=-1s", "--drain=-1s", "--grace=-2s",
	} {
		_, err := readCommandLine(plain(), []string{"program", argument})
		name, _, _ := strings.Cut(argument, "=")
		if err == nil || !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s gave %v, want an error of the user's that names it", argument, err)
		}
	}
	line, err := readCommandLine(plain(), []string{"program", "--grace=0", "--drain=0", "--call-timeout=0"})
	if err != nil {
		t.Fatal(err)
	}
	if line.options.grace() > time.Microsecond || line.options.drain() > time.Microsecond || line.options.CallTimeout != 0 {
		t.Errorf("no waiting became %v and %v, no limit became %v", line.options.grace(), line.options.drain(), line.options.CallTimeout)
	}
}
