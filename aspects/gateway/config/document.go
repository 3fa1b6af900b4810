package config

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// reader turns the JSON of one file into a File.
type reader struct {
	file  *File
	where *locator
	// servers and inputs have the places of the names that are taken.
	servers, inputs map[string]place
}

// document reads the root: servers and inputs stand in it or in its member mcp.
func (r *reader) document(root gjson.Result) {
	if !r.sections(root, true) {
		r.problem("", root.Index, `there is neither "servers" (VS Code) nor "mcpServers" (Claude, Cursor), so there are no servers`)
	}
}

// sections reports whether there is a member that has servers.
func (r *reader) sections(object gjson.Result, isRoot bool) bool {
	found := false
	seen := map[string]bool{}
	object.ForEach(func(name, value gjson.Result) bool {
		section := name.Str
		switch section {
		case "servers", "mcpServers", "inputs", "mcp":
		default:
			return true // of another program, or of other settings
		}
		if seen[section] {
			r.problem("", name.Index, "%q occurs twice; only the first is read", section)
			return true
		}
		seen[section] = true
		switch {
		case section == "inputs":
			r.readInputs(value)
		case section != "mcp":
			found = true
			r.readServers(section, value)
		case isRoot && value.IsObject():
			found = r.sections(value, false) || found
		}
		return true
	})
	return found
}

func (r *reader) readServers(section string, value gjson.Result) {
	switch {
	case value.Type == gjson.Null:
		return
	case !value.IsObject():
		r.problem("", value.Index, "%q must be an object that has the servers by their names, not %s", section, kind(value))
		return
	}
	value.ForEach(func(name, server gjson.Result) bool {
		if len(r.servers) == maxEntries {
			r.problem("", name.Index, "there are more than %d servers; this one and those after it are left out", maxEntries)
			return false
		}
		at := r.where.locate(name.Index)
		if first, ok := r.servers[name.Str]; ok {
			r.problemAt(name.Str, at, "the name is that of the server at line %d, column %d; this one is left out", first.line, first.column)
			return true
		}
		r.servers[name.Str] = at
		r.readEntry(name.Str, at, server)
		return true
	})
}

// isFull reports whether there are so many problems that no more are noted.
func (r *reader) isFull() bool { return len(r.file.Problems) > maxProblems }

// problem notes what is wrong at an offset.
func (r *reader) problem(server string, offset int, format string, arguments ...any) {
	if !r.isFull() {
		r.problemAt(server, r.where.locate(offset), format, arguments...)
	}
}

func (r *reader) problemAt(server string, at place, format string, arguments ...any) {
	if r.isFull() {
		return
	}
	sentence := fmt.Sprintf(format, arguments...)
	if len(r.file.Problems) == maxProblems {
		server, sentence = "", "there are more problems, which are not listed"
	}
	r.file.Problems = append(r.file.Problems, Problem{cut(server), at.line, at.column, sentence})
}

// kind names the kind of a value with its article.
func kind(value gjson.Result) string {
	switch {
	case value.IsObject():
		return "an object"
	case value.IsArray():
		return "an array"
	case value.IsBool():
		return "a boolean"
	case value.Type == gjson.String:
		return "a string"
	case value.Type == gjson.Number:
		return "a number"
	}
	return "null"
}

// cut shortens a name that is longer than names may be.
func cut(name string) string {
	if utf8.RuneCountInString(name) <= maxName {
		return name
	}
	return string([]rune(name)[:maxName]) + "…"
}

// nameFault says what is wrong with a name, or gives "".
func nameFault(name string) string {
	switch {
	case name == "":
		return "is empty"
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Sprintf("is longer than %d characters", maxName)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Sprintf("has the character %U, which cannot be shown", r)
		}
	}
	return ""
}
