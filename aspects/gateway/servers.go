package gateway

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcpserver/aspects/gateway/config"
	"mcpserver/core"
)

// servers are those that are to be served.
type servers struct {
	entries []config.Entry // in the order of the configuration
	// failures say why an entry cannot be tried, by its name.
	failures map[string]error
	// problems are what else is wrong with the configuration, a line each.
	problems []string
}

func newServers() *servers { return &servers{failures: make(map[string]error)} }

// allows reports whether a tool may be served, by the name under which it would
// be, and by what that would be if it could stay as it is.
func (s *settings) allows(name, unchanged string) bool {
	allowed := s.allow == nil || config.Matches(s.allow, name) || config.Matches(s.allow, unchanged)
	return allowed && !config.Matches(s.deny, name) && !config.Matches(s.deny, unchanged)
}

// servers reads the configuration. The person is asked for what it leaves open by
// ask, which may be nil. The error says that there is no configuration.
func (s *settings) servers(ask func(config.Input) (string, error)) (*servers, error) {
	if s.config == "" {
		return nil, errors.New("there is nothing to serve: name the file with the servers, as in --config=mcp.json")
	}
	path := s.config
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~"+string(filepath.Separator)) {
		path = filepath.Join(home, path[2:])
	}
	file, err := config.Read(path)
	if err != nil {
		return nil, err
	}
	all := newServers()
	for _, problem := range file.Problems {
		if problem.Server != "" && !s.serves(problem.Server) {
			continue
		}
		all.problems = append(all.problems, s.config+": "+problem.String())
	}
	all.problems = append(all.problems, s.unknown(file)...)
	variables := config.ProcessVariables()
	variables.Inputs, variables.Ask = s.inputs, ask
	for _, read := range file.Entries {
		if read.Disabled || !s.serves(read.Name) {
			continue
		}
		resolved, err := file.Resolve(read, variables)
		if err != nil {
			resolved = read
			all.failures[read.Name] = err
		}
		all.entries = append(all.entries, resolved)
	}
	return all, nil
}

// serves reports whether the command line has a server served.
func (s *settings) serves(name string) bool {
	return (len(s.only) == 0 || config.Matches(s.only, name)) && !config.Matches(s.exclude, name)
}

// warn tells what is wrong with the configuration on stderr and in the trace: the
// other servers are served.
func (s *servers) warn(host core.Host) {
	problems := slices.Clone(s.problems)
	for _, read := range s.entries {
		if err := s.failures[read.Name]; err != nil {
			problems = append(problems, oneLine(err))
		}
	}
	for _, problem := range problems {
		host.Tracef(core.TraceError, "%s", problem)
		fmt.Fprintln(os.Stderr, "Warning:", problem)
	}
}

// unknown says which names on the command line are no server's.
func (s *settings) unknown(file *config.File) (problems []string) {
	var known []string
	for _, read := range file.Entries {
		known = append(known, read.Name)
	}
	for _, problem := range file.Problems {
		if problem.Server != "" && !slices.Contains(known, problem.Server) {
			known = append(known, problem.Server)
		}
	}
	for _, list := range []struct {
		flag  string
		globs []string
	}{{"only", s.only}, {"exclude", s.exclude}} {
		for _, glob := range list.globs {
			if !matchesAny(glob, known) {
				problems = append(problems, fmt.Sprintf("--%s=%s names no server of %s, which has %s", list.flag, glob, s.config, strings.Join(known, ", ")))
			}
		}
	}
	return problems
}

func matchesAny(glob string, names []string) bool {
	for _, name := range names {
		if config.Matches([]string{glob}, name) {
			return true
		}
	}
	return false
}
