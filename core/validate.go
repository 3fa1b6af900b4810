package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/wire"
)

// BuiltInTools are the names of the tools that every server has.
func BuiltInTools() []string {
	return []string{"about_tsar-mcp", "readTrace", "listPrompts", "getPrompt"}
}

// Validate tells everything that is wrong with an aspect's own description,
// each problem with the entry's name. The runner calls it before it reads a
// byte; an aspect's tests can call it too.
func Validate(a *Aspect) error {
	if a == nil {
		return errors.New("the aspect is nil")
	}
	var problems []error
	report := func(format string, arguments ...any) {
		problems = append(problems, fmt.Errorf(format, arguments...))
	}
	if !validName(a.Name, 128) {
		report("the aspect's name %q is not 1 to 128 letters, digits, '_', '-' or '.'", a.Name)
	}
	if a.Version == "" {
		report("the aspect %q has no version", a.Name)
	}
	if hasLineBreak(a.Title) || hasLineBreak(a.Version) || hasLineBreak(a.Credit) {
		report("the aspect's title, version or credit has a line break or control character")
	}
	problems = append(problems, validateCapabilities(a)...)
	problems = append(problems, validateTools(a.Tools)...)
	problems = append(problems, validateSelfTests(a)...)
	return errors.Join(problems...)
}

func validateCapabilities(a *Aspect) (problems []error) {
	check := func(kind string, table map[string]json.RawMessage) {
		for _, name := range slices.Sorted(maps.Keys(table)) {
			if err := checkObject(table[name]); err != nil {
				problems = append(problems, fmt.Errorf("%s %q: %w", kind, name, err))
			}
		}
	}
	check("experimental capability", a.Experimental)
	check("extension", a.Extensions)
	return problems
}

func validateTools(tools []Tool) (problems []error) {
	seen := make(map[string]bool)
	for _, name := range BuiltInTools() {
		seen[name] = true
	}
	for i, tool := range tools {
		for _, problem := range validateTool(tool) {
			problems = append(problems, fmt.Errorf("tool %d (%q): %w", i+1, tool.Name, problem))
		}
		if seen[tool.Name] {
			problems = append(problems, fmt.Errorf("tool %d (%q): the name is taken by another tool or a built-in one", i+1, tool.Name))
		}
		seen[tool.Name] = true
	}
	return problems
}

func validateTool(tool Tool) (problems []error) {
	report := func(format string, arguments ...any) {
		problems = append(problems, fmt.Errorf(format, arguments...))
	}
	if !validName(tool.Name, 128) {
		report("the name is not 1 to 128 letters, digits, '_', '-' or '.'")
	}
	if tool.Handler == nil {
		report("it has no handler")
	}
	if hasLineBreak(tool.Title) || hasLineBreak(tool.Description) {
		report("its title or description has a line break or control character")
	}
	if len(tool.Meta) > 0 {
		if err := checkObject(tool.Meta); err != nil {
			report("its _meta: %w", err)
		}
	}
	if tool.Input != nil {
		if err := tool.Input.Validate(); err != nil {
			report("its input schema: %w", err)
		}
	}
	if len(tool.Raw) > 0 {
		problems = append(problems, validateRaw(tool)...)
	}
	for i, icon := range tool.Icons {
		if icon.Source == "" {
			report("icon %d has no source", i+1)
		}
	}
	return problems
}

func validateRaw(tool Tool) (problems []error) {
	if err := checkObject(tool.Raw); err != nil {
		return []error{fmt.Errorf("its raw definition: %w", err)}
	}
	schema := gjson.GetBytes(tool.Raw, "inputSchema")
	if !schema.IsObject() || schema.Get("type").Str != "object" {
		problems = append(problems, errors.New(`its raw definition has no inputSchema with "type":"object"`))
	}
	if tool.Title != "" || tool.Description != "" || tool.Input != nil || tool.Annotations != nil || tool.Icons != nil || tool.Meta != nil {
		problems = append(problems, errors.New("it has both a raw definition and members that the raw one replaces"))
	}
	return problems
}

func validateSelfTests(a *Aspect) (problems []error) {
	for i, test := range a.SelfTests {
		report := func(format string, arguments ...any) {
			problems = append(problems, fmt.Errorf("self-test %d (%q): "+format, append([]any{i + 1, test.Name}, arguments...)...))
		}
		if test.Name == "" || hasLineBreak(test.Name) {
			report("the name is empty or has a line break")
		}
		if (test.Tool == "") == (test.Method == "") {
			report("it needs either Tool or Method")
		}
		for _, text := range []string{test.Arguments, test.Params} {
			if text == "" {
				continue
			}
			if err := checkObject(json.RawMessage(text)); err != nil {
				report("its arguments or params: %w", err)
			}
		}
		for _, method := range slices.Sorted(maps.Keys(test.Answers)) {
			if err := checkObject(test.Answers[method]); err != nil {
				report("its answer to %s: %w", method, err)
			}
		}
		if test.Notification != nil && test.Notification.Method == "" {
			report("it waits for a notification without a method")
		}
	}
	return problems
}

func checkObject(raw json.RawMessage) error {
	compact, err := wire.AppendCompact(nil, string(raw))
	if err != nil {
		return err
	}
	if compact[0] != '{' {
		return errors.New("it is no JSON object")
	}
	return nil
}

func validName(name string, most int) bool {
	if name == "" || len(name) > most {
		return false
	}
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("_-.", r):
		default:
			return false
		}
	}
	return true
}

func hasLineBreak(text string) bool {
	return strings.ContainsFunc(text, unicode.IsControl)
}
