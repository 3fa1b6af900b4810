package config

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/jsonc"
)

// FuzzParse: whatever the text, there is an answer; the syntax is judged as the
// standard library judges it; places are within the text; and entries keep to
// what is promised of them.
func FuzzParse(f *testing.F) {
	for _, test := range syntaxErrors {
		f.Add([]byte(test.text))
	}
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	f.Add([]byte(wholeText))
	f.Add([]byte(inputsText))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		file, err := Parse(data)
		var syntax *SyntaxError
		if err != nil {
			if !errors.As(err, &syntax) || !isWithin(data, syntax.Line, syntax.Column) || syntax.Sentence == "" {
				t.Fatalf("Parse gave %v", err)
			}
			return
		}
		if !json.Valid(jsonc.ToJSON(withoutMark(data))) {
			t.Fatal("this is no JSON")
		}
		if len(file.Entries) > maxEntries || len(file.Inputs) > maxInputs || len(file.Problems) > maxProblems+1 {
			t.Fatal("there is too much in it")
		}
		for _, problem := range file.Problems {
			if !isWithin(data, problem.Line, problem.Column) || problem.Sentence == "" {
				t.Fatalf("a problem is %q", problem)
			}
		}
		for _, entry := range file.Entries {
			if nameFault(entry.Name) != "" || !isWithin(data, entry.Line, entry.Column) {
				t.Fatalf("an entry is %+v", entry)
			}
			if isProgram := entry.Type == Stdio; isProgram != (entry.Command != "") || isProgram == (entry.URL != "") {
				t.Fatalf("an entry is %+v", entry)
			}
			if entry.EnvFile == "" { // no files of the machine are read
				_, _ = file.Resolve(entry, testVariables())
			}
		}
	})
}

// isWithin reports whether a text has such a place, or ends at it.
func isWithin(data []byte, line, column int) bool {
	lines := strings.Split(string(withoutMark(data)), "\n")
	return line >= 1 && line <= len(lines) && column >= 1 && column <= utf8.RuneCountInString(lines[line-1])+1
}

// FuzzExpand: whatever the text, there is an answer, which has no secret in it
// if it is an error; and a text without a dollar stays as it is.
func FuzzExpand(f *testing.F) {
	for _, test := range expansions {
		f.Add(test.text)
	}
	f.Add("${UNSET-x} ${TOKEN:=x} ${${A}} ${A")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := resolveText(t, &File{}, text, testVariables())
		switch {
		case err != nil && (strings.Contains(err.Error(), "t0ken") || strings.Contains(err.Error(), "s3cret")) &&
			!strings.Contains(text, "t0ken") && !strings.Contains(text, "s3cret"):
			t.Errorf("%q gave an error with a secret: %v", text, err)
		case err == nil && len(got) > maxExpanded:
			t.Errorf("%q became %d bytes", text, len(got))
		case !strings.ContainsAny(text, "$\x00") && len(text) < maxExpanded && (err != nil || got != text):
			t.Errorf("%q became %q, %v", text, got, err)
		}
		quoted, err := resolveText(t, &File{}, strings.ReplaceAll(text, "$", "$$"), testVariables())
		if !strings.ContainsRune(text, 0) && len(text) < maxExpanded && (err != nil || quoted != text) {
			t.Errorf("%q with its dollars doubled became %q, %v", text, quoted, err)
		}
	})
}

// FuzzDotenv: whatever the text, there is an answer, and names are such.
func FuzzDotenv(f *testing.F) {
	for _, test := range dotenvs {
		f.Add([]byte(test.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		variables, err := parseDotenv(data)
		if err != nil && variables != nil {
			t.Errorf("there are both %v and %v", variables, err)
		}
		for _, variable := range variables {
			if variableNameFault(variable.Name) != "" || strings.ContainsRune(variable.Value, 0) {
				t.Errorf("%q has the variable %+v", data, variable)
			}
		}
	})
}
