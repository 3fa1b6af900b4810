package transport

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// baseVariables are the environment variables that a child process gets from
// ours: what programs need to find themselves, their user and their language,
// and no secrets.
var baseVariables = map[string][]string{
	"unix": {
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE",
		"TMPDIR", "TZ",
	},
	"windows": {
		"PATH", "PATHEXT", "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS",
		"PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT",
		"TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
	},
}

// everything, as a name in Stdio.Inherit, stands for all variables.
const everything = "*"

// environment is what a child process gets, by name.
type environment map[string]string

// childEnvironment joins the base set and the further names out of ours (as
// os.Environ gives it) with the entry's own variables, which win.
func childEnvironment(ours, inherit []string, own map[string]string, without []string) environment {
	names := slices.Concat(baseVariables[family()], inherit)
	all := environment{}
	for _, variable := range ours {
		// A name may begin with = on Windows.
		name, value, ok := cutVariable(variable)
		if ok && (slices.Contains(inherit, everything) || slices.ContainsFunc(names, func(n string) bool { return sameName(n, name) })) {
			all[name] = value
		}
	}
	for name, value := range own {
		all.set(name, value)
	}
	for name := range all {
		if slices.ContainsFunc(without, func(n string) bool { return sameName(n, name) }) {
			delete(all, name)
		}
	}
	return all
}

func cutVariable(variable string) (name, value string, ok bool) {
	if variable == "" {
		return "", "", false
	}
	name, value, ok = strings.Cut(variable[1:], "=")
	return variable[:1] + name, value, ok
}

// family gives the key of baseVariables for this system.
func family() string {
	if runtime.GOOS == "windows" {
		return "windows"
	}
	return "unix"
}

func sameName(a, b string) bool {
	if family() == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// get gives a variable, or "".
func (e environment) get(name string) string {
	for n, value := range e {
		if sameName(n, name) {
			return value
		}
	}
	return ""
}

func (e environment) set(name, value string) {
	maps.DeleteFunc(e, func(n, _ string) bool { return sameName(n, name) })
	e[name] = value
}

// list gives the variables as exec takes them, in a fixed order.
func (e environment) list() []string {
	list := make([]string, 0, len(e))
	for _, name := range slices.Sorted(maps.Keys(e)) {
		list = append(list, name+"="+e[name])
	}
	return list
}

// ourEnvironment is a name for os.Environ that says whose it is.
func ourEnvironment() []string { return os.Environ() }
