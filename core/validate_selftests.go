package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

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
			report("there is no tool %q; one that is added while serving takes DynamicTools", test.Tool)
		}
		if test.Tool != "" && test.Params != "" || test.Method != "" && test.Arguments != "" {
			report("a Tool goes with Arguments, and a Method with Params")
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
			if !isQuestion(method) {
				report("it answers %s, by which no client is asked", method)
			}
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

// canHaveTool reports whether a tool of that name may be there.
func canHaveTool(a *Aspect, name string) bool {
	return a.DynamicTools || a.OnToolsCall != nil || slices.Contains(BuiltInTools(), name) ||
		slices.ContainsFunc(a.Tools, func(tool Tool) bool { return tool.Name == name })
}

// isQuestion reports whether a client is asked by that method.
func isQuestion(method string) bool {
	return method == "sampling/createMessage" || method == "elicitation/create" || method == "roots/list"
}
