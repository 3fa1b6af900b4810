package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	problems = append(problems, validateCommands(a.Commands)...)
	problems = append(problems, validateTools(a.Tools)...)
	problems = append(problems, validatePrompts(a.Prompts)...)
	problems = append(problems, validateResources(a)...)
	if a.PageSize < 0 {
		report("the aspect's page size is %d", a.PageSize)
	}
	if (a.OnSubscribe != nil || a.OnUnsubscribe != nil) && !a.ResourceUpdates {
		report("the aspect has OnSubscribe or OnUnsubscribe and does not declare ResourceUpdates")
	}
	if a.OnSetLevel != nil && !a.Logging {
		report("the aspect has OnSetLevel and does not declare Logging")
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
	for i, tool := range tools {
		found := append(validateTool(tool), validateLines(tool.Title, tool.Description)...)
		switch {
		case slices.Contains(BuiltInTools(), tool.Name):
			found = append(found, errors.New("the name is taken by a built-in tool"))
		case seen[tool.Name]:
			found = append(found, errors.New("the name is taken by another tool"))
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
	if err := validateSchema(tool.Input); err != nil {
		report("its input schema: %w", err)
	}
	if err := validateSchema(tool.Output); err != nil {
		report("its output schema: %w", err)
	}
	hasMembers := tool.Title != "" || tool.Description != "" || tool.Input != nil || tool.Annotations != nil ||
		tool.Icons != nil || tool.Meta != nil || tool.Output != nil
	problems = append(problems, validateDefinition(tool.Raw, rawToolMembers(), hasMembers)...)
	problems = append(problems, validateMeta(tool.Meta)...)
	return append(problems, validateIcons(tool.Icons)...)
}

// validateSchema also checks what a schema of the aspect's own is listed as.
func validateSchema(schema Schema) error {
	if schema == nil {
		return nil
	}
	if err := schema.Validate(); err != nil {
		return err
	}
	listed := string(schema.AppendJSON(nil))
	compact, err := wire.AppendCompact(nil, listed)
	switch {
	case err != nil:
		return fmt.Errorf("what AppendJSON gives: %w", err)
	case gjson.GetBytes(compact, "type").Str != "object":
		return errors.New(`what AppendJSON gives has no "type":"object"`)
	case !isObjectSchema(gjson.ParseBytes(compact)):
		return errors.New("a property's schema is no object (in place of true, there is {}), or required is no array of strings; many clients refuse that, along with all other tools")
	case strings.ContainsAny(listed, "\r\n"):
		return errors.New("what AppendJSON gives has a line break")
	}
	return nil
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
		if !isTheme(icon.Theme) {
			problems = append(problems, fmt.Errorf(`icon %d has the theme %q, not "light" or "dark"`, i+1, icon.Theme))
		}
	}
	return problems
}

func validateAnnotations(annotations *Annotations) (problems []error) {
	if annotations == nil {
		return nil
	}
	for _, role := range annotations.Audience {
		if !isRole(role) {
			problems = append(problems, fmt.Errorf(`its annotations have the audience %q, not "user" or "assistant"`, role))
		}
	}
	if priority := annotations.Priority; priority != nil && !isPriority(*priority) {
		problems = append(problems, fmt.Errorf("its annotations have the priority %v, which is not from 0 to 1", *priority))
	}
	return problems
}

func isTheme(theme string) bool { return theme == "" || theme == "light" || theme == "dark" }

func isRole(role string) bool { return role == "user" || role == "assistant" }

func isPriority(priority float64) bool { return priority >= 0 && priority <= 1 }

// validateUTF8 refuses a key that clients would see as another one.
func validateUTF8(what, key string) []error {
	if utf8.ValidString(key) {
		return nil
	}
	return []error{fmt.Errorf("%s %q is not valid UTF-8", what, key)}
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
	problems = append(problems, validateUTF8("the name", p.Name)...)
	if p.Handler == nil {
		problems = append(problems, errors.New("it has no handler"))
	}
	arguments := make(map[string]bool)
	for _, argument := range p.Arguments {
		switch {
		case argument.Name == "":
			problems = append(problems, errors.New("an argument has no name"))
		case arguments[argument.Name]:
			problems = append(problems, fmt.Errorf("two arguments have the name %q", argument.Name))
		}
		arguments[argument.Name] = true
		problems = append(problems, validateUTF8("the argument's name", argument.Name)...)
	}
	hasMembers := p.Title != "" || p.Description != "" || p.Icons != nil || p.Arguments != nil || p.Meta != nil
	problems = append(problems, validateDefinition(p.Raw, rawPromptMembers(), hasMembers)...)
	problems = append(problems, validateMeta(p.Meta)...)
	return append(problems, validateIcons(p.Icons)...)
}

// validateDefinition checks an entry's raw definition, if it has one.
func validateDefinition(raw json.RawMessage, members []rawMember, hasMembers bool) (problems []error) {
	if len(raw) == 0 {
		return nil
	}
	problems = validateRaw(raw, members)
	if hasMembers {
		problems = append(problems, errRawAndMembers)
	}
	return problems
}

var errRawAndMembers = errors.New("it has both a raw definition and members that the raw one replaces")

func validateResource(r Resource) (problems []error) {
	if r.URI == "" {
		problems = append(problems, errors.New("it has no URI"))
	}
	if r.Name == "" && len(r.Raw) == 0 {
		problems = append(problems, errors.New("it has no name"))
	}
	if r.URI != "" && !isAbsoluteURI(r.URI) {
		problems = append(problems, errors.New("the URI is not absolute: it begins with no scheme and colon, as file: is"))
	}
	problems = append(problems, validateUTF8("the URI", r.URI)...)
	if r.Read == nil {
		problems = append(problems, errors.New("it has no handler"))
	}
	if r.Size < 0 {
		problems = append(problems, fmt.Errorf("its size is %d", r.Size))
	}
	hasMembers := r.Name != "" || r.Title != "" || r.Description != "" || r.MIMEType != "" || r.Size != 0 ||
		r.Annotations != nil || r.Icons != nil || r.Meta != nil
	problems = append(problems, validateDefinition(r.Raw, rawResourceMembers(), hasMembers)...)
	problems = append(problems, validateAnnotations(r.Annotations)...)
	problems = append(problems, validateMeta(r.Meta)...)
	return append(problems, validateIcons(r.Icons)...)
}

// isAbsoluteURI reports whether a text begins with a scheme (RFC 3986, section
// 3.1).
func isAbsoluteURI(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	if !found || scheme == "" || !isLetter(rune(scheme[0])) {
		return false
	}
	return !strings.ContainsFunc(scheme, func(r rune) bool {
		return !isLetter(r) && (r < '0' || r > '9') && !strings.ContainsRune("+-.", r)
	})
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func validateTemplate(t Template) (problems []error) {
	if t.Text() == "" {
		problems = append(problems, errors.New("it has no URI template"))
	}
	if t.Name == "" && len(t.Raw) == 0 {
		problems = append(problems, errors.New("it has no name"))
	}
	if isRelative(t.Text()) {
		problems = append(problems, errors.New("its URIs are not absolute: the template begins with no scheme and colon, as file: is"))
	}
	switch {
	case t.Pattern == nil && t.Read != nil:
		problems = append(problems, errors.New("it has a Read and no Pattern: put uritemplate.New(…) into Pattern, in place of URITemplate"))
	case t.Pattern == nil:
		if !hasBalancedBraces(t.URITemplate) {
			problems = append(problems, errors.New("the URI template has a brace without its counterpart, or one within others"))
		}
	case t.URITemplate != "":
		problems = append(problems, errors.New("it has both a Pattern and a URITemplate"))
	default:
		if err := t.Pattern.Validate(); err != nil {
			problems = append(problems, fmt.Errorf("its pattern: %w", err))
		}
	}
	for _, variable := range slices.Sorted(maps.Keys(t.Complete)) {
		if t.Pattern != nil && !slices.Contains(t.Pattern.Variables(), variable) {
			problems = append(problems, fmt.Errorf("it completes %q, which is no variable of its pattern", variable))
		}
		if t.Complete[variable] == nil {
			problems = append(problems, fmt.Errorf("the completer of %q is nil", variable))
		}
	}
	hasMembers := t.Name != "" || t.Title != "" || t.Description != "" || t.MIMEType != "" ||
		t.Annotations != nil || t.Icons != nil || t.Meta != nil
	problems = append(problems, validateUTF8("the URI template", t.Text())...)
	problems = append(problems, validateDefinition(t.Raw, rawTemplateMembers(), hasMembers)...)
	problems = append(problems, validateAnnotations(t.Annotations)...)
	problems = append(problems, validateMeta(t.Meta)...)
	return append(problems, validateIcons(t.Icons)...)
}

// isRelative reports whether a URI template begins with a text that no absolute
// URI begins with.
func isRelative(text string) bool {
	literal, _, _ := strings.Cut(text, "{")
	beforePath := strings.IndexAny(literal, "/?#")
	return beforePath >= 0 && !strings.Contains(literal[:beforePath], ":")
}

// hasBalancedBraces reports whether each expression of a URI template is closed
// before the next one opens.
func hasBalancedBraces(text string) bool {
	open := false
	for _, r := range text {
		switch {
		case r == '{' && !open, r == '}' && open:
			open = !open
		case r == '{', r == '}':
			return false
		}
	}
	return !open
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

func checkObject(raw json.RawMessage) error {
	compact, err := wire.AppendCompact(nil, string(raw))
	if err != nil {
		return err
	}
	if compact[0] != '{' {
		return errNoObject
	}
	return nil
}

var errNoObject = errors.New("it is no JSON object")

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
