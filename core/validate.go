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
	if a.PageSize < 0 {
		report("the aspect's page size is %d", a.PageSize)
	}
	if (a.OnSubscribe != nil || a.OnUnsubscribe != nil) && !a.ResourceUpdates {
		report("the aspect has OnSubscribe or OnUnsubscribe and does not declare ResourceUpdates")
	}
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
		found := append(validateTool(tool), validateLines(tool.Title, tool.Description)...)
		if seen[tool.Name] {
			found = append(found, errors.New("the name is taken by another tool or a built-in one"))
		}
		seen[tool.Name] = true
		problems = append(problems, located("tool", i, tool.Name, found)...)
	}
	return problems
}

// located says of which entry of a table the problems are.
func located(table string, i int, key string, problems []error) (full []error) {
	for _, problem := range problems {
		full = append(full, fmt.Errorf("%s %d (%q): %w", table, i+1, key, problem))
	}
	return full
}

// CheckTool tells why a tool cannot be listed, for the runner. It is less
// strict than Validate: line breaks in texts are allowed by the specification.
func CheckTool(tool Tool) error { return errors.Join(validateTool(tool)...) }

// CheckPrompt is CheckTool for a prompt.
func CheckPrompt(prompt Prompt) error { return errors.Join(validatePrompt(prompt)...) }

// CheckResource is CheckTool for a resource.
func CheckResource(resource Resource) error { return errors.Join(validateResource(resource)...) }

// CheckTemplate is CheckTool for a template.
func CheckTemplate(template Template) error { return errors.Join(validateTemplate(template)...) }

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
	if tool.Input != nil {
		if err := tool.Input.Validate(); err != nil {
			report("its input schema: %w", err)
		}
	}
	if tool.Output != nil {
		if err := tool.Output.Validate(); err != nil {
			report("its output schema: %w", err)
		}
	}
	if len(tool.Raw) > 0 {
		problems = append(problems, validateRaw(tool)...)
	}
	problems = append(problems, validateMeta(tool.Meta)...)
	return append(problems, validateIcons(tool.Icons)...)
}

// validateLines refuses what breaks the lists that people are shown.
func validateLines(texts ...string) []error {
	if slices.ContainsFunc(texts, hasLineBreak) {
		return []error{errors.New("one of its texts has a line break or control character")}
	}
	return nil
}

func validateMeta(meta json.RawMessage) []error {
	if len(meta) == 0 {
		return nil
	}
	if err := checkObject(meta); err != nil {
		return []error{fmt.Errorf("its _meta: %w", err)}
	}
	return nil
}

func validateIcons(icons []Icon) (problems []error) {
	for i, icon := range icons {
		if icon.Source == "" {
			problems = append(problems, fmt.Errorf("icon %d has no source", i+1))
		}
	}
	return problems
}

func validatePrompts(prompts []Prompt) (problems []error) {
	seen := make(map[string]bool)
	for i, p := range prompts {
		found := append(validatePrompt(p), validateLines(p.Name, p.Title, p.Description)...)
		for _, argument := range p.Arguments {
			found = append(found, validateLines(argument.Name, argument.Title, argument.Description)...)
		}
		found = append(found, unseen(p.Name, seen)...)
		problems = append(problems, located("prompt", i, p.Name, found)...)
	}
	return problems
}

// unseen refuses a key that an entry before has.
func unseen(key string, seen map[string]bool) []error {
	if seen[key] {
		return []error{errors.New("another one has the same name or URI")}
	}
	seen[key] = true
	return nil
}

func validatePrompt(p Prompt) (problems []error) {
	if p.Name == "" {
		problems = append(problems, errors.New("it has no name"))
	}
	if p.Handler == nil {
		problems = append(problems, errors.New("it has no handler"))
	}
	arguments := make(map[string]bool)
	for _, argument := range p.Arguments {
		if argument.Name == "" || arguments[argument.Name] {
			problems = append(problems, fmt.Errorf("the argument %q has no name, or that of another one", argument.Name))
		}
		arguments[argument.Name] = true
	}
	hasMembers := p.Title != "" || p.Description != "" || p.Icons != nil || p.Arguments != nil || p.Meta != nil
	return append(problems, validateDefinition(p.Meta, p.Icons, p.Raw, hasMembers)...)
}

// validateDefinition checks what all tables' entries have in common.
func validateDefinition(meta json.RawMessage, icons []Icon, raw json.RawMessage, hasMembers bool) (problems []error) {
	problems = append(validateMeta(meta), validateIcons(icons)...)
	if len(raw) == 0 {
		return problems
	}
	if err := checkObject(raw); err != nil {
		problems = append(problems, fmt.Errorf("its raw definition: %w", err))
	}
	if hasMembers {
		problems = append(problems, errRawAndMembers)
	}
	return problems
}

var errRawAndMembers = errors.New("it has both a raw definition and members that the raw one replaces")

func validateResource(r Resource) (problems []error) {
	if r.URI == "" || r.Name == "" && len(r.Raw) == 0 {
		problems = append(problems, errors.New("it lacks its name or URI"))
	}
	if r.Read == nil {
		problems = append(problems, errors.New("it has no handler"))
	}
	if r.Size < 0 {
		problems = append(problems, fmt.Errorf("its size is %d", r.Size))
	}
	hasMembers := r.Name != "" || r.Title != "" || r.Description != "" || r.MIMEType != "" || r.Size != 0 ||
		r.Annotations != nil || r.Icons != nil || r.Meta != nil
	return append(problems, validateDefinition(r.Meta, r.Icons, r.Raw, hasMembers)...)
}

func validateTemplate(t Template) (problems []error) {
	if t.Text() == "" || t.Name == "" && len(t.Raw) == 0 {
		problems = append(problems, errors.New("it lacks its name or URI template"))
	}
	switch {
	case t.Pattern == nil && t.Read != nil:
		problems = append(problems, errors.New("it has a Read, which takes a Pattern to be reached"))
	case t.Pattern == nil:
	case t.URITemplate != "":
		problems = append(problems, errors.New("it has both a Pattern and a URITemplate"))
	default:
		if err := t.Pattern.Validate(); err != nil {
			problems = append(problems, fmt.Errorf("its pattern: %w", err))
		}
	}
	for _, variable := range slices.Sorted(maps.Keys(t.Complete)) {
		if t.Complete[variable] == nil {
			problems = append(problems, fmt.Errorf("the completer of %q is nil", variable))
		}
	}
	hasMembers := t.Name != "" || t.Title != "" || t.Description != "" || t.MIMEType != "" ||
		t.Annotations != nil || t.Icons != nil || t.Meta != nil
	return append(problems, validateDefinition(t.Meta, t.Icons, t.Raw, hasMembers)...)
}

func validateResources(a *Aspect) (problems []error) {
	seen := make(map[string]bool)
	for i, r := range a.Resources {
		found := append(validateResource(r), validateLines(r.URI, r.Name, r.Title, r.Description)...)
		found = append(found, unseen(r.URI, seen)...)
		problems = append(problems, located("resource", i, r.URI, found)...)
	}
	// A template may describe URIs that the table has one by one.
	readable := a.OnResourcesRead != nil || len(a.Resources) > 0 || a.DynamicResources
	seen = make(map[string]bool)
	for i, t := range a.Templates {
		found := append(validateTemplate(t), validateLines(t.Text(), t.Name, t.Title, t.Description)...)
		if t.Read == nil && !readable {
			found = append(found, errors.New("it has no handler: neither a Read, nor is there an OnResourcesRead"))
		}
		found = append(found, unseen(t.Text(), seen)...)
		problems = append(problems, located("template", i, t.Text(), found)...)
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
	if tool.Title != "" || tool.Description != "" || tool.Input != nil || tool.Annotations != nil || tool.Icons != nil || tool.Meta != nil || tool.Output != nil {
		problems = append(problems, errRawAndMembers)
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
