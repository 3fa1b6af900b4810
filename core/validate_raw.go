package core

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/tidwall/gjson"

	"mcpserver/core/internal/wire"
)

// rawMember says what the specification has a member of a definition be.
type rawMember struct {
	name     string
	required bool
	what     string
	fits     func(value gjson.Result) bool
}

// describedMembers are those that the definitions of all tables can have.
func describedMembers() []rawMember {
	return []rawMember{
		{name: "title", what: "a string", fits: isString},
		{name: "description", what: "a string", fits: isString},
		{name: "icons", what: `an array of objects with a string src and, if any, the theme "light" or "dark"`, fits: areIcons},
		{name: "_meta", what: "an object", fits: gjson.Result.IsObject},
	}
}

func rawToolMembers() []rawMember {
	const schema = `a JSON schema with "type":"object", with objects as its properties and an array of strings as its required`
	return append(describedMembers(),
		rawMember{name: "inputSchema", required: true, what: schema, fits: isObjectSchema},
		rawMember{name: "outputSchema", what: "a JSON schema, which is an object", fits: isOutputSchema},
		rawMember{name: "annotations", what: "an object with a string title and hints that are true or false", fits: areToolAnnotations},
	)
}

func rawPromptMembers() []rawMember {
	return append(describedMembers(),
		rawMember{name: "arguments", what: "an array of objects with a string name each", fits: arePromptArguments})
}

func rawTemplateMembers() []rawMember {
	return append(describedMembers(),
		rawMember{name: "name", required: true, what: "a string", fits: isString},
		rawMember{name: "mimeType", what: "a string", fits: isString},
		rawMember{name: "annotations", what: `an object with an audience of "user" and "assistant" and a priority from 0 to 1`, fits: areAnnotations},
	)
}

func rawResourceMembers() []rawMember {
	return append(rawTemplateMembers(),
		rawMember{name: "size", what: "a whole number", fits: isWhole})
}

// validateRaw tells what the specification forbids in a raw definition.
func validateRaw(raw json.RawMessage, members []rawMember) (problems []error) {
	compact, err := wire.AppendCompact(nil, string(raw))
	if err != nil {
		return []error{fmt.Errorf("its raw definition: %w", err)}
	}
	definition := gjson.ParseBytes(compact)
	if !definition.IsObject() {
		return []error{fmt.Errorf("its raw definition: %w", errNoObject)}
	}
	if name, repeated := repeatedMember(definition.Raw); repeated {
		return []error{fmt.Errorf("its raw definition has the member %q twice in one object", name)}
	}
	for _, member := range members {
		switch value := definition.Get(member.name); {
		case !value.Exists() && !member.required:
		case !value.Exists():
			problems = append(problems, fmt.Errorf("its raw definition has no %s, which is %s", member.name, member.what))
		case !member.fits(value):
			problems = append(problems, fmt.Errorf("its raw definition's %s is not %s", member.name, member.what))
		}
	}
	return problems
}

func isString(value gjson.Result) bool  { return value.Type == gjson.String }
func isNumber(value gjson.Result) bool  { return value.Type == gjson.Number }
func isWhole(value gjson.Result) bool   { return isNumber(value) && value.Num == math.Trunc(value.Num) }
func isBoolean(value gjson.Result) bool { return value.IsBool() }

// absentOr reports whether an object has no such member, or one that fits.
func absentOr(object gjson.Result, name string, fits func(gjson.Result) bool) bool {
	value := object.Get(name)
	return !value.Exists() || fits(value)
}

// eachFits reports whether a value is an array whose elements all fit.
func eachFits(value gjson.Result, fits func(gjson.Result) bool) bool {
	return value.IsArray() && !slices.ContainsFunc(value.Array(), func(element gjson.Result) bool { return !fits(element) })
}

func areStrings(value gjson.Result) bool { return eachFits(value, isString) }

// isObjectSchema reports whether a schema is one that all clients take: many drop
// the whole list for a property whose schema is true or false.
func isObjectSchema(value gjson.Result) bool {
	return value.IsObject() && value.Get("type").Str == "object" && absentOr(value, "$schema", isString) &&
		absentOr(value, "properties", haveObjects) && absentOr(value, "required", areStrings)
}

// isOutputSchema takes what 2026-07-28 has, which is a schema of any value. Older
// revisions have objects alone, and are not shown others.
func isOutputSchema(value gjson.Result) bool {
	return isObjectSchema(value) || value.IsObject() && value.Get("type").Str != "object" && absentOr(value, "$schema", isString)
}

// haveObjects reports whether a value is an object whose members all are.
func haveObjects(value gjson.Result) bool {
	fits := value.IsObject()
	value.ForEach(func(_, member gjson.Result) bool {
		fits = fits && member.IsObject()
		return fits
	})
	return fits
}

func areIcons(value gjson.Result) bool {
	return eachFits(value, func(icon gjson.Result) bool {
		return icon.IsObject() && icon.Get("src").Str != "" && absentOr(icon, "mimeType", isString) && absentOr(icon, "sizes", areStrings) &&
			absentOr(icon, "theme", func(theme gjson.Result) bool { return theme.Str != "" && isTheme(theme.Str) })
	})
}

func areToolAnnotations(value gjson.Result) bool {
	if !value.IsObject() || !absentOr(value, "title", isString) {
		return false
	}
	hints := []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
	return !slices.ContainsFunc(hints, func(hint string) bool { return !absentOr(value, hint, isBoolean) })
}

func arePromptArguments(value gjson.Result) bool {
	return eachFits(value, func(argument gjson.Result) bool {
		return argument.IsObject() && isString(argument.Get("name")) && absentOr(argument, "title", isString) &&
			absentOr(argument, "description", isString) && absentOr(argument, "required", isBoolean)
	})
}

func areAnnotations(value gjson.Result) bool {
	return value.IsObject() && absentOr(value, "lastModified", isString) &&
		absentOr(value, "audience", func(audience gjson.Result) bool {
			return eachFits(audience, func(role gjson.Result) bool { return isRole(role.Str) })
		}) &&
		absentOr(value, "priority", func(priority gjson.Result) bool { return isNumber(priority) && isPriority(priority.Num) })
}
