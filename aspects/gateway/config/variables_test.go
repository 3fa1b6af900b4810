package config

import (
	"errors"
	"os"
	"slices"
	"testing"
)

const inputsText = `{"servers": {}, "inputs": [
	{"id": "key", "type": "promptString", "password": true},
	{"id": "defaulted", "type": "promptString", "default": "the default"},
	{"id": "from-env", "type": "promptString", "default": "the default"},
	{"id": "blank", "type": "promptString", "default": ""},
	{"id": "colour", "type": "pickString", "options": ["red", {"value": "green", "label": "Green"}]},
	{"id": "picked", "type": "pickString", "options": ["red", "green"], "default": "green"},
	{"id": "run", "type": "command", "command": "x.y"},
]}`

func TestValuesOfInputs(t *testing.T) {
	file := parse(t, inputsText)
	wantProblems(t, file)
	for _, test := range []struct{ id, given, environment, want, err string }{
		{id: "key", given: "a", environment: "b", want: "a"},
		{id: "key", environment: "b", want: "b"},
		{id: "key", err: `the input "key" has no value: nobody can be asked for it; give it with --input key=value, or set MCP_INPUT_KEY`},
		{id: "defaulted", want: "the default"},
		{id: "defaulted", environment: "b", want: "b"},
		{id: "defaulted", given: "a", want: "a"},
		{id: "from-env", environment: "b", want: "b"},
		{id: "blank", err: `the input "blank" has no value: nobody can be asked for it; give it with --input blank=value, or set MCP_INPUT_BLANK`},
		{id: "colour", given: "green", want: "green"},
		{id: "colour", given: "s3cret", err: `the input "colour" must be one of "red", "green"; the value of --input is not`},
		{id: "colour", environment: "Green", err: `the input "colour" must be one of "red", "green"; the environment variable MCP_INPUT_COLOUR is not`},
		{id: "picked", want: "green"},
		{id: "picked", given: "red", want: "red"},
		{id: "run", given: "a", want: "a"},
		{id: "run", environment: "b", want: "b"},
		{id: "run", err: `the input "run" has no value: it is of type command, and commands are the editor's alone; give it with --input run=value, or set MCP_INPUT_RUN`},
		{id: "undeclared", given: "a", want: "a"},
		{id: "undeclared", environment: "b", want: "b"},
	} {
		variables := &Variables{Inputs: map[string]string{}}
		if test.given != "" {
			variables.Inputs[test.id] = test.given
		}
		variables.LookupEnv = func(name string) (string, bool) {
			return test.environment, test.environment != "" && name == InputVariable(test.id)
		}
		got, err := resolveText(t, file, "${input:"+test.id+"}", variables)
		switch {
		case test.err == "" && (err != nil || got != test.want):
			t.Errorf("%+v gave %q, %v", test, got, err)
		case test.err != "" && (err == nil || err.Error() != `server "s": args[0]: `+test.err):
			t.Errorf("%+v gave %v", test, err)
		}
	}
}

// TestAWrongChoiceHasNoDefault: a default is for no value, not for a wrong one.
func TestAWrongChoiceHasNoDefault(t *testing.T) {
	variables := &Variables{Inputs: map[string]string{"colour": "blue"}}
	_, err := resolveText(t, parse(t, inputsText), "${input:colour:-red}", variables)
	want := `server "s": args[0]: the input "colour" must be one of "red", "green"; the value of --input is not`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestInputsAreAskedOnce(t *testing.T) {
	file := parse(t, inputsText)
	var asked []string
	refusal := errors.New("the person would not say")
	variables := &Variables{Ask: func(input Input) (string, error) {
		asked = append(asked, input.ID)
		if input.ID == "blank" {
			return "", refusal
		}
		return "the answer", nil
	}}
	for range 2 { // as two entries do, or a file that is read again
		got, err := resolveText(t, parse(t, inputsText), "${input:key} ${input:key} ${input:defaulted}", variables)
		if err != nil || got != "the answer the answer the default" {
			t.Errorf("got %q, %v", got, err)
		}
		_, err = resolveText(t, file, "${input:blank}", variables)
		want := `server "s": args[0]: the input "blank" has no value: the person would not say; give it with --input blank=value, or set MCP_INPUT_BLANK`
		if !errors.Is(err, refusal) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		_, err = resolveText(t, file, "${input:colour}", variables)
		want = `server "s": args[0]: the input "colour" must be one of "red", "green"; the answer is not`
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		for _, id := range []string{"run", "undeclared"} {
			if _, err := resolveText(t, file, "${input:"+id+"}", variables); err == nil {
				t.Errorf("%s has a value", id)
			}
		}
	}
	if want := []string{"key", "blank", "colour"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}

func TestProcessVariables(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("CONFIG_TEST", "set")
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	folder, err = os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	got, err := resolveText(t, &File{}, "${CONFIG_TEST} ${userHome} ${cwd}", ProcessVariables())
	if want := "set " + home + " " + folder; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}
