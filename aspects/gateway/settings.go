package gateway

import (
	"errors"
	"flag"
	"fmt"
	"path"
	"strings"
	"time"
)

// settings are what the command line says.
type settings struct {
	config         string
	inputs         map[string]string
	only, exclude  []string
	allow, deny    []string
	inherit        []string
	separator      string
	longestName    int
	connectTimeout time.Duration
	listWait       time.Duration
	resumeTimeout  time.Duration
	json           bool
}

const (
	// leastName and mostName bound --max-name: the specification has names of
	// at most 128 characters.
	leastName = 20
	mostName  = 128
)

func defaultSettings() settings {
	return settings{
		separator:      ".",
		longestName:    64,
		connectTimeout: 15 * time.Second,
		listWait:       time.Second,
		resumeTimeout:  5 * time.Minute,
	}
}

// addFlags adds the gateway's flags to the command line.
func (s *settings) addFlags(flags *flag.FlagSet) {
	*s = defaultSettings()
	s.inputs = make(map[string]string)
	flags.StringVar(&s.config, "config", "", "`file` with the servers: an mcp.json of VS Code, Claude, Cursor or the like")
	flags.Func("input", "`id=value` of an input that the configuration asks for; can be repeated", s.addInput)
	list := func(into *[]string, name, usage string) {
		flags.Func(name, usage, func(text string) error { return addToList(into, text) })
	}
	list(&s.only, "only", "serve these servers alone: `names` or globs, with commas between them")
	list(&s.exclude, "exclude", "leave out these servers: `names` or globs")
	list(&s.allow, "allow", "serve these tools alone: `globs` on the names that are served")
	list(&s.deny, "deny", "leave out these tools: `globs` on the names that are served; counts more than allow")
	list(&s.inherit, "inherit", "`names` of environment variables that servers get beside PATH, HOME and their like; * is all")
	flags.StringVar(&s.separator, "separator", s.separator, "what stands between a server's name and a tool's: \".\", \"_\", \"__\", \"-\" or the like")
	flags.IntVar(&s.longestName, "max-name", s.longestName, "most characters of a tool's name; a longer one is cut and gets a hash")
	flags.DurationVar(&s.connectTimeout, "connect-timeout", s.connectTimeout, "how long a server may take to start and answer")
	flags.DurationVar(&s.listWait, "list-wait", s.listWait, "how long the first lists wait for servers that are still starting; 0 is not at all")
	flags.DurationVar(&s.resumeTimeout, "resume-timeout", s.resumeTimeout, "how long a call waits for a client of 2026-07-28 to come back with answers")
	flags.BoolVar(&s.json, "json", false, "have Check print JSON")
}

func (s *settings) addInput(text string) error {
	id, value, found := strings.Cut(text, "=")
	if !found || id == "" {
		return errors.New("write it as id=value")
	}
	s.inputs[id] = value
	return nil
}

func addToList(list *[]string, text string) error {
	for glob := range strings.SplitSeq(text, ",") {
		if glob = strings.TrimSpace(glob); glob == "" {
			continue
		}
		if _, err := path.Match(glob, ""); err != nil {
			return fmt.Errorf("%q is no glob", glob)
		}
		*list = append(*list, glob)
	}
	return nil
}

// check tells what is wrong with the settings.
func (s *settings) check() error {
	switch {
	case s.separator == "" || strings.Trim(s.separator, "._-") != "" || len(s.separator) > 4:
		return fmt.Errorf("--separator is %q; it must be one to four of '.', '_' and '-'", s.separator)
	case s.longestName < leastName || s.longestName > mostName:
		return fmt.Errorf("--max-name is %d; it must be from %d to %d", s.longestName, leastName, mostName)
	case s.connectTimeout <= 0:
		return fmt.Errorf("--connect-timeout is %v; it must be more than 0", s.connectTimeout)
	case s.listWait < 0:
		return fmt.Errorf("--list-wait is %v; it must not be negative", s.listWait)
	case s.resumeTimeout <= 0:
		return fmt.Errorf("--resume-timeout is %v; it must be more than 0", s.resumeTimeout)
	}
	return nil
}
