package config

import (
	"net/textproto"
	"net/url"
	"path"
	"strings"

	"github.com/tidwall/gjson"
)

// entryReader reads one server.
type entryReader struct {
	object
	entry Entry
	// types are what "type" and "transport" say, by these names.
	types []spelledType
	// spelled has how a member that has several names was called.
	spelled map[string]string
}

type spelledType struct {
	member string
	Type
	offset int
}

// readEntry adds the server to the file's entries if all of it can be used.
func (r *reader) readEntry(name string, at place, value gjson.Result) {
	e := &entryReader{
		object:  object{reader: r, server: name, place: at},
		entry:   Entry{Name: name, Line: at.line, Column: at.column},
		spelled: map[string]string{},
	}
	if problem := nameFault(name); problem != "" {
		e.badWhole("the server's name %s", problem)
	}
	if !value.IsObject() {
		e.bad(value.Index, "a server must be an object, not %s", kind(value))
		return
	}
	e.members(value, e.member)
	e.decideType()
	if !e.isBad {
		r.file.Entries = append(r.file.Entries, e.entry)
	}
}

// member reads one member. Those that it does not know belong to other programs.
func (e *entryReader) member(name string, value gjson.Result) {
	switch name {
	case "type", "transport":
		e.readType(name, value)
	case "command":
		e.entry.Command = e.text(name, value)
	case "args":
		e.entry.Args = e.texts(name, value, maxArguments)
	case "env":
		e.readEnv(value)
	case "envFile":
		e.entry.EnvFile = e.text(name, value)
	case "cwd":
		e.entry.Dir = e.text(name, value)
	case "url":
		e.readURL(value)
	case "headers":
		e.readHeaders(value)
	case "disabled":
		e.entry.Disabled = e.boolean(name, value)
	case "timeout":
		e.entry.Timeout = e.duration(name, value)
	case "allow", "includeTools":
		e.readPatterns("allow", name, value, &e.entry.Allow)
	case "deny", "excludeTools", "disabledTools":
		e.readPatterns("deny", name, value, &e.entry.Deny)
	case "tools":
		// Some programs have objects of other things by that name.
		if isArrayOfStrings(value) {
			e.readPatterns("allow", name, value, &e.entry.Allow)
		}
	}
}

func (e *entryReader) readType(member string, value gjson.Result) {
	if value.Type == gjson.Null {
		return
	}
	spelling := e.text(member, value)
	if value.Type != gjson.String {
		return
	}
	var meant Type
	switch strings.ToLower(spelling) {
	case "stdio", "local":
		meant = Stdio
	case "http", "streamable-http", "streamablehttp":
		meant = HTTP
	case "sse":
		meant = SSE
	default:
		e.bad(value.Index, "the %s %q is not known; it must be stdio, http or sse", member, cut(spelling))
		return
	}
	e.types = append(e.types, spelledType{member, meant, value.Index})
}

func (e *entryReader) readURL(value gjson.Result) {
	e.entry.URL = e.text("url", value)
	if e.entry.URL == "" || strings.Contains(e.entry.URL, "$") {
		return // what it becomes is checked when it is resolved
	}
	if problem := urlFault(e.entry.URL); problem != "" {
		e.bad(value.Index, `"url" %s`, problem)
	}
}

// urlFault says what is wrong with a server's URL, or gives "". It does not
// have the URL in it, which may have a secret.
func urlFault(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || !strings.EqualFold(parsed.Scheme, "http") && !strings.EqualFold(parsed.Scheme, "https") {
		return "must be that of an HTTP server, such as https://example.com/mcp"
	}
	return ""
}

func (e *entryReader) readEnv(value gjson.Result) {
	if !e.isObjectOf("env", "variables", value) {
		return
	}
	e.members(value, func(name string, value gjson.Result) {
		problem := variableNameFault(name)
		variable := EnvironmentVariable{Name: name}
		switch {
		case len(e.entry.Env) == maxVariables:
			e.bad(value.Index, "\"env\" has more than %d variables", maxVariables)
			return
		case problem != "":
			e.bad(value.Index, "the name of a variable in \"env\" %s", problem)
			return
		case value.Type == gjson.Null:
			variable.Unset = true
		case value.Type == gjson.Number:
			variable.Value = value.Raw
		case value.Type == gjson.String:
			variable.Value = e.text("env."+name, value)
		default:
			e.bad(value.Index, "%q must be a string, a number or null, not %s", "env."+name, kind(value))
			return
		}
		e.entry.Env = append(e.entry.Env, variable)
	})
}

// variableNameFault says what is wrong with the name of an environment
// variable, or gives "".
func variableNameFault(name string) string {
	if strings.Contains(name, "=") {
		return "has a ="
	}
	return nameFault(name)
}

func (e *entryReader) readHeaders(value gjson.Result) {
	if !e.isObjectOf("headers", "headers", value) {
		return
	}
	seen := map[string]bool{}
	e.members(value, func(name string, value gjson.Result) {
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case len(e.entry.Headers) == maxHeaders:
			e.bad(value.Index, "\"headers\" has more than %d headers", maxHeaders)
			return
		case !isHeaderName(name):
			e.bad(value.Index, "\"headers\" has a name that no header can have; a name has letters, digits and - or _, and up to %d of them", maxName)
			return
		case seen[canonical]:
			e.bad(value.Index, "the header %q occurs twice; upper and lower case do not matter", name)
			return
		case value.Type != gjson.String:
			e.bad(value.Index, "%q must be a string, not %s", "headers."+name, kind(value))
			return
		}
		seen[canonical] = true
		header := Header{name, e.text("headers."+name, value)}
		if problem := headerFault(header.Value); problem != "" {
			e.bad(value.Index, "%q %s", "headers."+name, problem)
		}
		e.entry.Headers = append(e.entry.Headers, header)
	})
}

func isHeaderName(name string) bool {
	for _, r := range name {
		isToken := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
		if !isToken {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// headerFault says what is wrong with the value of a header, or gives "".
func headerFault(value string) string {
	for _, r := range value {
		if r < ' ' && r != '\t' || r == 0x7f {
			return "has a line break or another control character, which no header can have"
		}
	}
	return ""
}

// isObjectOf reports whether a member has something to read in it.
func (e *entryReader) isObjectOf(name, of string, value gjson.Result) bool {
	if !value.IsObject() && value.Type != gjson.Null {
		e.bad(value.Index, "%q must be an object that has the %s by their names, not %s", name, of, kind(value))
	}
	return value.IsObject()
}

func isArrayOfStrings(value gjson.Result) bool {
	all := value.IsArray()
	if all {
		value.ForEach(func(_, element gjson.Result) bool {
			all = element.Type == gjson.String
			return all
		})
	}
	return all
}

// readPatterns reads a member that other programs call otherwise.
func (e *entryReader) readPatterns(canonical, name string, value gjson.Result, into *[]string) {
	patterns := e.texts(name, value, maxPatterns)
	if patterns == nil {
		return
	}
	if first, ok := e.spelled[canonical]; ok {
		e.bad(value.Index, "%q says again what %q says; join them", name, first)
		return
	}
	e.spelled[canonical] = name
	for i, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			e.bad(value.Index, "the element %d of %q is no pattern: a [ is not closed, or a \\ stands at its end", i, name)
			return
		}
	}
	*into = patterns
}

// decideType settles how the server is reached, and forgets what does not
// belong to that.
func (e *entryReader) decideType() {
	hasCommand, hasURL := e.entry.Command != "", e.entry.URL != ""
	if len(e.types) == 2 && e.types[0].Type != e.types[1].Type {
		second := e.types[1]
		e.bad(second.offset, "the %s is %s, and the %s is %s; remove one of them", e.types[0].member, e.types[0].Type, second.member, second.Type)
	}
	if e.isBad {
		return
	}
	switch {
	case len(e.types) > 0:
		e.entry.Type = e.types[0].Type
	case hasCommand && hasURL:
		e.badWhole(`it has both "command" and "url"; remove one of them, or say which holds with "type": stdio, http or sse`)
	case hasCommand:
		e.entry.Type = Stdio
	case hasURL:
		e.entry.Type = HTTP
	default:
		e.badWhole(`it has neither "command", to start it, nor "url", to reach it`)
	}
	switch e.entry.Type {
	case Stdio:
		e.needs("command", hasCommand)
		e.entry.URL, e.entry.Headers = "", nil
	case HTTP, SSE:
		e.needs("url", hasURL)
		e.entry.Command, e.entry.Args, e.entry.Env, e.entry.EnvFile, e.entry.Dir = "", nil, nil, "", ""
	}
}

func (e *entryReader) needs(member string, has bool) {
	if !has {
		e.badWhole("it is of type %s, which needs %q", e.entry.Type, member)
	}
}
