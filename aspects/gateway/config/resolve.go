package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Resolve gives an entry of the file with what its references stand for, its
// paths made absolute, and the variables of its EnvFile before those of Env. The
// entry itself stays as it is.
//
// The error has one line for each thing that is missing or wrong, with the
// server, the member and what to do, and no value of the environment or of an
// input; the entry cannot be used then. It reads EnvFile, so an entry is to be
// resolved again when it is started again.
//
// Nil variables know nothing. Safe for concurrent use with different Variables.
func (f *File) Resolve(entry Entry, variables *Variables) (Entry, error) {
	if variables == nil {
		variables = &Variables{}
	}
	r := &resolution{file: f, variables: variables, server: entry.Name}
	r.expansion = expansion{left: maxExpanded, value: func(name string) (string, bool, error) { return variables.value(f, name) }}
	switch entry.Type {
	case Stdio:
		entry.Command = r.command(entry.Command)
		entry.Args = r.arguments(entry.Args)
		entry.Dir = r.directory(entry.Dir)
		entry.EnvFile = r.path("envFile", entry.EnvFile)
		entry.Env = r.environment(entry.Env, entry.EnvFile)
	default:
		entry.URL = r.url(entry.URL)
		entry.Headers = r.headers(entry.Headers)
	}
	entry.Allow, entry.Deny = slices.Clone(entry.Allow), slices.Clone(entry.Deny)
	if len(r.faults) > 0 {
		return Entry{}, errors.Join(r.faults...)
	}
	return entry, nil
}

// resolution is one entry that is being resolved.
type resolution struct {
	expansion
	file      *File
	variables *Variables
	server    string
	faults    []error
}

// mostFaults is how many lines an error has.
const mostFaults = 20

func (r *resolution) fault(member string, err error) {
	switch {
	case len(r.faults) > mostFaults:
		return
	case len(r.faults) == mostFaults:
		err = fmt.Errorf("server %q: there are more problems, which are not listed", r.server)
	default:
		err = fmt.Errorf("server %q: %s: %w", r.server, member, err)
	}
	r.faults = append(r.faults, err)
}

// text gives a text with what its references stand for.
func (r *resolution) text(member, text string) string {
	expanded, err := r.expand(text)
	switch {
	case err != nil:
		r.fault(member, err)
		return ""
	case strings.ContainsRune(expanded, 0):
		r.fault(member, errors.New("it has a NUL character, which cannot be passed on"))
		return ""
	}
	return expanded
}

func (r *resolution) command(text string) string {
	before := len(r.faults)
	command := r.text("command", text)
	if command == "" && len(r.faults) == before {
		r.fault("command", errors.New("it is empty; name a program"))
	}
	return command
}

func (r *resolution) arguments(texts []string) []string {
	arguments := slices.Clone(texts)
	for i, text := range texts {
		arguments[i] = r.text(fmt.Sprintf("args[%d]", i), text)
	}
	return arguments
}

// directory gives the server's working directory. A server of an editor's
// workspace starts in that, if the file does not say otherwise.
func (r *resolution) directory(text string) string {
	if text == "" {
		return r.file.editorFolder(r.variables.WorkingDirectory)
	}
	return r.path("cwd", text)
}

// path gives a path that is not relative, as far as the working directory is
// known.
func (r *resolution) path(member, text string) string {
	path := r.text(member, text)
	rest, isHome := strings.CutPrefix(text, "~")
	switch {
	case path == "":
		return ""
	case isHome && rest != "" && !os.IsPathSeparator(rest[0]):
		r.fault(member, errors.New("the home directory of another user is not known; write the whole path"))
		return ""
	case isHome && r.variables.UserHome == "":
		r.fault(member, errors.New("the home directory, ~, is not known; write the whole path"))
		return ""
	case isHome:
		return filepath.Join(r.variables.UserHome, path[1:])
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(r.file.workspace(r.variables.WorkingDirectory), path)
}

// environment gives the variables of env after those of envFile that env does
// not have.
func (r *resolution) environment(env []EnvironmentVariable, envFile string) []EnvironmentVariable {
	var all []EnvironmentVariable
	if envFile != "" {
		ofFile, err := readDotenv(envFile)
		if err != nil {
			r.fault("envFile", err)
		}
		own := map[string]bool{}
		for _, variable := range env {
			own[variable.Name] = true
		}
		all = slices.DeleteFunc(ofFile, func(variable EnvironmentVariable) bool { return own[variable.Name] })
	}
	for _, variable := range env {
		variable.Value = r.text("env."+variable.Name, variable.Value)
		all = append(all, variable)
	}
	return all
}

func (r *resolution) url(text string) string {
	before := len(r.faults)
	address := r.text("url", text)
	if problem := urlFault(address); problem != "" && len(r.faults) == before {
		r.fault("url", errors.New("it "+problem))
	}
	return address
}

func (r *resolution) headers(headers []Header) []Header {
	resolved := slices.Clone(headers)
	for i, header := range headers {
		member := "headers." + header.Name
		resolved[i].Value = r.text(member, header.Value)
		if problem := headerFault(resolved[i].Value); problem != "" {
			r.fault(member, errors.New("it "+problem))
		}
	}
	return resolved
}
