package jsonschema

import (
	"cmp"
	"errors"
	"slices"

	library "github.com/santhosh-tekuri/jsonschema/v6"

	"mcpserver/core/internal/phrase"
	"mcpserver/core/internal/wire"
)

// maxListed is the most violations that are put into words.
const maxListed = 20

// check checks an object and words its violations. With hideNull, null is a
// value that the schema takes for want of another.
func (v *validator) check(object string, members []wire.Member, hideNull bool) (missing string, violations []string) {
	missing = v.firstMissing(members)
	if object == "" {
		object = "{}"
	}
	arguments, err := decode(object)
	if err != nil {
		return missing, []string{rootName + ": " + err.Error()}
	}
	if len(arguments.faults) > 0 {
		for _, fault := range arguments.faults {
			violations = append(violations, fault.in(arguments.value))
		}
		return missing, violations
	}
	found, err := v.validate(arguments)
	switch {
	case err != nil:
		return missing, []string{rootName + ": " + err.Error()}
	case found == nil:
		return missing, nil
	}
	given := make(map[string]int, len(members))
	for i := range members {
		given[members[i].Name] = i
	}
	w := wording{value: arguments.value, schema: v.root, rootName: rootName, hideNull: hideNull}
	return missing, w.sentences(v.findings(found, missing), given)
}

// rootName is what arguments, or a structured result, are called as a whole.
const rootName = "the object"

func (v *validator) firstMissing(members []wire.Member) string {
	for _, name := range v.required {
		if !slices.ContainsFunc(members, func(member wire.Member) bool { return member.Name == name }) {
			return name
		}
	}
	return ""
}

// validate has the library check a value. It gives nil if the value fits.
func (v *validator) validate(arguments decoded) (found *library.ValidationError, err error) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	defer func() {
		if problem := recover(); problem != nil {
			err = recovered(problem)
		}
	}()
	*v.budget = budget{left: maxCost, perValue: 1, perChild: int64(1 + arguments.deepest/4), unevaluated: v.unevaluated}
	if v.dynamic {
		v.budget.perValue += int64(arguments.deepest)
	}
	if err := v.compiled.Validate(arguments.value); err != nil && !errors.As(err, &found) {
		return nil, err
	}
	return found, nil
}

// findings gives what the library has found, but for the required member that
// is reported as missing.
func (v *validator) findings(found *library.ValidationError, missing string) []finding {
	var schema any
	if v.shifted {
		schema = v.root
	}
	return slices.DeleteFunc(collect(found, schema), func(f finding) bool {
		return missing != "" && f.membership == missingMember && f.member == missing && len(f.location) == 0
	})
}

// sentences words the findings, in the order of what was given. The same
// complaint from several parts of the schema is made once.
func (w *wording) sentences(findings []finding, given map[string]int) []string {
	order := func(a, b finding) int {
		return cmp.Or(compareLocations(a.where(), b.where(), given), cmp.Compare(a.schema, b.schema))
	}
	slices.SortStableFunc(findings, order)
	var listed []string
	for i, f := range findings {
		if len(listed) == maxListed {
			return append(listed, "and "+phrase.Counted(len(findings)-i, "more violation"))
		}
		if sentence := w.sentence(f); !slices.Contains(listed, sentence) {
			listed = append(listed, sentence)
		}
	}
	return listed
}
