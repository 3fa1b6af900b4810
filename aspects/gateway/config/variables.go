package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Variables are what references stand for. They remember what Ask has given, so
// one value of this type serves all entries, and a file that is read again; it
// must not be used by two goroutines at once. The zero value knows nothing.
//
// The value of an input is, whichever comes first: what Inputs has; the
// environment variable that InputVariable names; the input's default; what Ask
// gives.
type Variables struct {
	// LookupEnv gives an environment variable and whether it is set. Nil is an
	// environment without variables.
	LookupEnv func(name string) (string, bool)
	// Inputs are values of inputs by their ids, from --input id=value.
	Inputs map[string]string
	// Ask has the person give the value of an input. It is called once for each
	// input, even if it fails. Nil is nobody to ask.
	Ask func(Input) (string, error)
	// UserHome and WorkingDirectory are absolute paths; "" is unknown.
	UserHome, WorkingDirectory string

	asked map[string]answer
}

// answer is what Ask gave.
type answer struct {
	value string
	err   error
}

// ProcessVariables gives the environment, the home directory and the working
// directory of this process. Safe for concurrent use.
func ProcessVariables() *Variables {
	variables := &Variables{LookupEnv: os.LookupEnv}
	// Without them, what refers to them cannot be resolved, and says so.
	variables.UserHome, _ = os.UserHomeDir()
	variables.WorkingDirectory, _ = os.Getwd()
	return variables
}

// InputVariable gives the name of the environment variable that an input's
// value may be in: MCP_INPUT_API_KEY for api-key. Safe for concurrent use.
func InputVariable(id string) string {
	return "MCP_INPUT_" + strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(id))
}

func (v *Variables) lookup(name string) (string, bool) {
	if v.LookupEnv == nil {
		return "", false
	}
	return v.LookupEnv(name)
}

const (
	inputPrefix       = "input:"
	environmentPrefix = "env:"
)

// value gives what the name in a reference of the file stands for. With isSet
// false, a default may take its place.
func (v *Variables) value(file *File, name string) (text string, isSet bool, err error) {
	if id, ok := strings.CutPrefix(name, inputPrefix); ok {
		return v.input(file, id)
	}
	switch name {
	case "workspaceFolder":
		return known(file.workspace(v.WorkingDirectory), "the working directory")
	case "workspaceFolderBasename":
		folder, isSet, err := known(file.workspace(v.WorkingDirectory), "the working directory")
		return filepath.Base(folder), isSet, err
	case "cwd":
		return known(v.WorkingDirectory, "the working directory")
	case "userHome":
		return known(v.UserHome, "the home directory")
	case "pathSeparator", "/":
		return string(filepath.Separator), true, nil
	}
	variable, prefix := name, ""
	if rest, ok := strings.CutPrefix(name, environmentPrefix); ok {
		variable, prefix = rest, environmentPrefix
	}
	if variable != "" {
		text, isSet = v.lookup(variable)
		switch {
		case isSet:
			return text, true, nil
		case beginning(variable, inVariables) == variable:
			return "", false, fmt.Errorf("the environment variable %s is not set; set it, or write a default: ${%s%s:-default}", variable, prefix, variable)
		}
	}
	return "", true, fmt.Errorf("nothing is known by ${%s}; there is ${NAME}, ${env:NAME}, ${NAME:-default}, ${input:id}, "+
		"${workspaceFolder}, ${userHome}, ${cwd} and ${pathSeparator}, and $$ for a dollar", beginning(name, inVariables))
}

func known(path, what string) (string, bool, error) {
	if path == "" {
		return "", false, fmt.Errorf("%s is not known", what)
	}
	return path, true, nil
}

// Characters that names have beside letters and digits.
const (
	inVariables = "_.()"
	inInputs    = "_.-"
)

// beginning gives a name as far as it has letters, digits and some further
// characters alone. What follows may be anything, even a secret: ${NAME-secret},
// as in a shell, is no way to write a default here.
func beginning(name, further string) string {
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(further, r) || i >= maxName {
			return name[:i] + "…"
		}
	}
	return name
}

// workspace gives the folder that ${workspaceFolder} stands for, or "".
func (f *File) workspace(workingDirectory string) string {
	if folder := f.editorFolder(workingDirectory); folder != "" {
		return folder
	}
	return workingDirectory
}

// editorFolder gives the folder that a .vscode folder with the file lies in, or
// "".
func (f *File) editorFolder(workingDirectory string) string {
	if f.Path == "" {
		return ""
	}
	path := f.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(workingDirectory, path)
	}
	folder := filepath.Dir(path)
	if filepath.Base(folder) != ".vscode" {
		return ""
	}
	return filepath.Dir(folder)
}

// input gives the value of an input.
func (v *Variables) input(file *File, id string) (text string, isSet bool, err error) {
	input, isDeclared := file.input(id)
	spelled := id
	if !isDeclared {
		spelled = beginning(id, inInputs)
	}
	variable := InputVariable(spelled)
	value, isGiven := v.Inputs[id]
	from := "the value of --input"
	if !isGiven {
		value, isGiven = v.lookup(InputVariable(id))
		from = "the environment variable " + variable
	}
	if !isGiven && input.Default != "" {
		return input.Default, true, nil
	}
	if !isGiven {
		from = "the answer"
		if value, err = v.ask(input, isDeclared); err != nil {
			return "", false, fmt.Errorf("the input %q has no value: %w; give it with --input %s=value, or set %s", spelled, err, spelled, variable)
		}
	}
	if input.Type == PickString && !input.hasOption(value) {
		return "", true, fmt.Errorf("the input %q must be one of %s; %s is not", spelled, input.listOptions(), from)
	}
	return value, true, nil
}

func (f *File) input(id string) (Input, bool) {
	for _, input := range f.Inputs {
		if input.ID == id {
			return input, true
		}
	}
	return Input{}, false
}

// ask gives what the person answers, or has answered before.
func (v *Variables) ask(input Input, isDeclared bool) (string, error) {
	switch {
	case !isDeclared:
		return "", errors.New("the file has no such input that can be used")
	case input.Type == Command:
		return "", errors.New("it is of type command, and commands are the editor's alone")
	case v.Ask == nil:
		return "", errors.New("nobody can be asked for it")
	}
	if before, ok := v.asked[input.ID]; ok {
		return before.value, before.err
	}
	var given answer
	given.value, given.err = v.Ask(input)
	if v.asked == nil {
		v.asked = map[string]answer{}
	}
	v.asked[input.ID] = given
	return given.value, given.err
}
