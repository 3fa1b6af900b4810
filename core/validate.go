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
	if hasLineBreak(a.Title) || hasLineBreak(a.Version) || hasLineBreak(a.Credit) || hasLineBreak(a.Description) {
		report("the aspect's title, version, description or credit has a line break or control character")
	}
	problems = append(problems, validateIcons(a.Icons)...)
	problems = append(problems, validateCapabilities(a)...)
	problems = append(problems, validateTools(a.Tools)...)
	problems = append(problems, validatePrompts(a.Prompts)...)
	problems = append(problems, validateResources(a)...)
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
	return append(problems, validateIcons(tool.Icons)...)
}

func validateIcons(icons []Icon) (problems []error) {
	for i, icon := range icons {
		if icon.Source == "" {
			problems = append(problems, fmt.Errorf("icon %d has no source", i+1))
		}
	}
	return problems
}

// listed is what the entries of the other tables have in common.
type listed struct {
	table              string // "prompt", "resource" or "template"
	key                string // what it is found by: name or URI
	name               string
	title, description string
	icons              []Icon
	meta               json.RawMessage
	complete           bool // it has its handler
}

// validateListed checks entry number i of a table; seen holds the keys before it.
func validateListed(i int, entry listed, seen map[string]bool) (problems []error) {
	report := func(format string, arguments ...any) {
		problems = append(problems, fmt.Errorf("%s %d (%q): "+format, append([]any{entry.table, i + 1, entry.key}, arguments...)...))
	}
	switch {
	case entry.key == "" || entry.name == "":
		report("it lacks its name or URI")
	case seen[entry.key]:
		report("another one has the same name or URI")
	}
	seen[entry.key] = true
	if hasLineBreak(entry.key) || hasLineBreak(entry.name) || hasLineBreak(entry.title) || hasLineBreak(entry.description) {
		report("it has a line break or control character in a text")
	}
	if !entry.complete {
		report("it has no handler")
	}
	if len(entry.meta) > 0 {
		if err := checkObject(entry.meta); err != nil {
			report("its _meta: %w", err)
		}
	}
	for _, problem := range validateIcons(entry.icons) {
		report("%w", problem)
	}
	return problems
}

func validatePrompts(prompts []Prompt) (problems []error) {
	seen := make(map[string]bool)
	for i, p := range prompts {
		entry := listed{"prompt", p.Name, p.Name, p.Title, p.Description, p.Icons, p.Meta, p.Handler != nil}
		problems = append(problems, validateListed(i, entry, seen)...)
		arguments := make(map[string]bool)
		for _, argument := range p.Arguments {
			if argument.Name == "" || arguments[argument.Name] || hasLineBreak(argument.Name+argument.Title+argument.Description) {
				problems = append(problems, fmt.Errorf("prompt %d (%q): the argument %q has no name, or that of another one, or a line break", i+1, p.Name, argument.Name))
			}
			arguments[argument.Name] = true
		}
	}
	return problems
}

func validateResources(a *Aspect) (problems []error) {
	seen := make(map[string]bool)
	for i, r := range a.Resources {
		entry := listed{"resource", r.URI, r.Name, r.Title, r.Description, r.Icons, r.Meta, r.Read != nil}
		problems = append(problems, validateListed(i, entry, seen)...)
	}
	// A template may describe URIs that the table has one by one.
	readable := a.OnResourcesRead != nil || len(a.Resources) > 0
	seen = make(map[string]bool)
	for i, t := range a.Templates {
		entry := listed{"template", t.URITemplate, t.Name, t.Title, t.Description, t.Icons, t.Meta, readable}
		problems = append(problems, validateListed(i, entry, seen)...)
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

// canHaveTool reports whether a tool of that name may be there.
func canHaveTool(a *Aspect, name string) bool {
	return a.DynamicTools || a.OnToolsCall != nil || slices.Contains(BuiltInTools(), name) ||
		slices.ContainsFunc(a.Tools, func(tool Tool) bool { return tool.Name == name })
}

func validateSelfTests(a *Aspect) (problems []error) {
	type entry struct {
		name string
		era  Era
	}
	seen := make(map[entry]bool)
	for i, test := range a.SelfTests {
		report := func(format string, arguments ...any) {
			problems = append(problems, fmt.Errorf("self-test %d (%q): "+format, append([]any{i + 1, test.Name}, arguments...)...))
		}
		if test.Name == "" || hasLineBreak(test.Name) {
			report("the name is empty or has a line break")
		}
		for _, era := range []Era{LegacyEra, ModernEra} {
			if test.Era != AnyEra && test.Era != era {
				continue
			}
			if seen[entry{test.Name, era}] {
				report("another one has the same name")
				break
			}
			seen[entry{test.Name, era}] = true
		}
		if (test.Tool == "") == (test.Method == "") {
			report("it needs either Tool or Method")
		}
		if test.Tool != "" && !canHaveTool(a, test.Tool) {
			report("there is no tool %q", test.Tool)
		}
		if test.Expect.ErrorCode != 0 && test.Expect.ToolError {
			report("it expects both an error of the protocol and one of the tool")
		}
		expected := []map[string]any{test.Expect.Values}
		if test.Notification != nil {
			expected = append(expected, test.Notification.Values)
		}
		for _, values := range expected {
			for _, path := range slices.Sorted(maps.Keys(values)) {
				switch values[path].(type) {
				case string, bool, int, float64:
				default:
					report("the value expected at %s is no string, bool, int or float64", path)
				}
			}
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
