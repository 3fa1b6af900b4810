package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// exceptions are the scenarios that the document says need not pass, by revision.
type exceptions map[string][]string

const exceptionsHeading = "## Exceptions"

var quoted = regexp.MustCompile("`([^`]+)`")

// readExceptions reads the table under the document's heading for them: a
// revision, scenarios in backquotes, and the reason.
func readExceptions(path string) (exceptions, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found, err := parseExceptions(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}

func parseExceptions(text string) (exceptions, error) {
	_, section, isThere := strings.Cut(text, "\n"+exceptionsHeading+"\n")
	if !isThere {
		return nil, fmt.Errorf("it has no heading %q", exceptionsHeading)
	}
	section, _, _ = strings.Cut(section, "\n#")
	found := make(exceptions)
	var rows int
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") {
			continue
		}
		if rows++; rows <= 2 { // the table's head
			continue
		}
		if len(cells) != 3 || strings.TrimSpace(cells[2]) == "" {
			return nil, fmt.Errorf("%q is not a revision, scenarios and a reason", strings.TrimSpace(line))
		}
		revision := strings.TrimSpace(cells[0])
		for _, name := range quoted.FindAllStringSubmatch(cells[1], -1) {
			found[revision] = append(found[revision], name[1])
		}
	}
	if rows == 0 {
		return nil, errors.New("the exceptions are no table")
	}
	return found, nil
}

func (e exceptions) has(revision, name string) bool { return slices.Contains(e[revision], name) }

// unknown tells of exceptions for what is not among the scenarios of a revision.
func (e exceptions) unknown(revision string, scenarios []scenario) []string {
	var problems []string
	for _, name := range e[revision] {
		if !slices.ContainsFunc(scenarios, func(s scenario) bool { return s.name == name }) {
			problems = append(problems, fmt.Sprintf("%s excepts %s, which %s has not", document, name, revision))
		}
	}
	return problems
}

// documentProblems tells which outcome the document does not show as it is.
func documentProblems(path string, reports []report) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var problems []string
	for _, r := range reports {
		if !slices.Contains(strings.Split(string(text), "\n"), r.summary()) {
			problems = append(problems, fmt.Sprintf("%s does not have the line %s", path, r.summary()))
		}
	}
	return problems, nil
}
