package filesystem

import (
	"context"
	"flag"
	"io"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/server"
)

func TestFlagsSayWhatTheyDo(t *testing.T) {
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	var help strings.Builder
	set.SetOutput(&help)
	new(commandLine).flags(set)
	set.PrintDefaults()
	for _, want := range []string{
		"-outside", "deny, ask (the person, for that path and call) or allow (default deny)",
		"-max-read bytes", "head and tail stream from a file of any size (default 16777216)",
		"-max-entries entries", "the answer says when it was cut (default 100000)",
		"-roots", "within (narrow the directories given here, never widen them), replace (take their place) or ignore (default within)",
	} {
		wants(t, "--help", help.String(), want)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Settings){
		"outside is \"no\"; it must be":     func(s *Settings) { s.Outside = "no" },
		"roots is \"no\"; it must be":       func(s *Settings) { s.Roots = "no" },
		"max-read is 0; it must be":         func(s *Settings) { s.MaxRead = 0 },
		"max-read is 1073741825; it must":   func(s *Settings) { s.MaxRead = 1<<30 + 1 },
		"max-entries is 0; it must be":      func(s *Settings) { s.MaxEntries = 0 },
		"max-entries is 10000001; it must ": func(s *Settings) { s.MaxEntries = 10_000_001 },
	} {
		settings := DefaultSettings()
		change(&settings)
		if err := settings.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("validate gave %v, want %q in it", err, want)
		}
	}
}

// started gives how a server starts with that command line.
func started(t *testing.T, flags []string, directories ...string) error {
	t.Helper()
	aspect := Aspect()
	start := aspect.OnStartup
	aspect.OnStartup = func(ctx context.Context, host core.Host) error {
		set := flag.NewFlagSet("test", flag.ContinueOnError)
		aspect.Flags(set)
		if err := set.Parse(flags); err != nil {
			return err
		}
		return start(ctx, host)
	}
	return server.Serve(t.Context(), aspect, strings.NewReader(""), io.Discard, &server.Options{Arguments: directories})
}

func TestStart(t *testing.T) {
	folder := makeFolder(t, "file=x")
	for _, test := range []struct {
		flags       []string
		directories []string
		want        string
	}{
		{nil, nil, ""},
		{nil, []string{folder}, ""},
		{nil, []string{folder, folder + "/none"}, ""}, // left out, with a warning
		{nil, []string{folder + "/none", folder + "/file"}, "none of the directories can be used"},
		{[]string{"--roots=ignore"}, nil, "there is nothing to serve"},
		{[]string{"--roots=ignore", "--outside=allow"}, nil, ""},
		{[]string{"--outside=perhaps"}, []string{folder}, "it must be one of: deny, ask, allow"},
		{[]string{"--max-read=-1"}, []string{folder}, "--max-read is -1"},
	} {
		err := started(t, test.flags, test.directories...)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q %q starts with %v, want %q", test.flags, test.directories, err, test.want)
		}
	}
}
