package jsonschema

import (
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"mcpserver/core/internal/phrase"
	"mcpserver/core/internal/wire"
)

// wording puts findings into sentences about one value.
type wording struct {
	value any
	// schema is the schema's root, and known shows of it what members it has.
	schema map[string]any
	// rootName is what the value as a whole is called.
	rootName string
	// hideNull leaves null out of what is wanted: it counts as not given.
	hideNull bool
}

// in gives the fault as a sentence about that value.
func (f fault) in(value any) string {
	return path(value, f.location, "it") + ": " + f.sentence
}

// sentence gives a finding as a sentence, such as "tags[2]: must be a string,
// got null".
func (w *wording) sentence(f finding) string {
	if f.membership != noMember {
		place := path(w.value, append(slices.Clip(f.location), f.member), w.rootName)
		if f.membership == missingMember {
			return place + ": is missing" + because(f)
		}
		return place + ": is not expected" + w.known(f)
	}
	if names, is := f.kind.(*kind.PropertyNames); is {
		inner := wording{value: names.Property, schema: w.schema, rootName: "the name " + phrase.Quote(names.Property)}
		return inner.first(f.alternatives[0])
	}
	return path(w.value, f.location, w.rootName) + ": " + w.complaint(f)
}

func because(f finding) string {
	switch k := f.kind.(type) {
	case *kind.DependentRequired:
		return " (it must be given with " + phrase.Quote(k.Prop) + ")"
	case *kind.Dependency:
		return " (it must be given with " + phrase.Quote(k.Prop) + ")"
	}
	return ""
}

// known tells what members the schema that refuses one has.
func (w *wording) known(f finding) string {
	schema, _ := lookUp(w.schema, f.schema)
	members, _ := schema.(map[string]any)
	properties, _ := members["properties"].(map[string]any)
	if len(properties) == 0 {
		return ""
	}
	return " (known: " + enumerate(slices.Sorted(maps.Keys(properties)), ", ") + ")"
}

// first gives the sentence of the first finding.
func (w *wording) first(findings []finding) string {
	if len(findings) == 0 {
		return w.rootName + ": does not fit"
	}
	slices.SortStableFunc(findings, func(a, b finding) int { return compareLocations(a.where(), b.where(), nil) })
	return w.sentence(findings[0])
}

// where gives the location that a finding is about.
func (f finding) where() []string {
	if f.membership == noMember {
		return f.location
	}
	return append(slices.Clip(f.location), f.member)
}

// complaint says what is wrong with the value at the finding's location.
func (w *wording) complaint(f finding) string {
	got, _ := at(w.value, f.location)
	switch k := f.kind.(type) {
	case *kind.Type:
		return w.wrongType(k, got)
	case *kind.Format:
		return wrongFormat(k, got)
	case *kind.AnyOf, *kind.OneOf:
		return w.noAlternative(f, got)
	case *kind.Pattern:
		return "must match the pattern " + phrase.Shorten(k.Want) + ", got " + show(got)
	case *kind.Not:
		return "is what the schema excludes"
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Enum:
		return "must be one of " + alternatives(k.Want) + ", got " + show(got)
	case *kind.Const:
		return "must be " + show(k.Want) + ", got " + show(got)
	}
	if complaint := wrongNumber(f, got); complaint != "" {
		return complaint
	}
	if complaint := wrongCount(f, got); complaint != "" {
		return complaint
	}
	return "does not fit (" + strings.Join(f.kind.KeywordPath(), "/") + ")"
}

// wrongType words the violation of type.
func (w *wording) wrongType(k *kind.Type, got any) string {
	var wanted []string
	for _, name := range k.Want {
		if name == "null" && w.hideNull && len(k.Want) > 1 {
			continue
		}
		wanted = append(wanted, withArticle(name))
	}
	return "must be " + strings.Join(wanted, " or ") + ", got " + mismatch(k.Want, k.Got, got)
}

// mismatch says what was given: its kind, or the number itself when only its
// fraction is wrong.
func mismatch(wanted []string, kind string, got any) string {
	if kind == "number" && slices.Contains(wanted, "integer") {
		return show(got)
	}
	return withArticle(kind)
}

// withArticle gives the name of a type with its article.
func withArticle(name string) string {
	switch name {
	case "null":
		return name
	case "integer", "array", "object":
		return "an " + name
	}
	return "a " + name
}

// wrongFormat words what a rule has found.
func wrongFormat(k *kind.Format, got any) string {
	switch found := k.Err.(type) {
	case errNotAllowed:
		switch len(found.values) {
		case 0:
			return "is not allowed"
		case 1:
			return "must be " + show(found.values[0]) + ", got " + show(got)
		}
		return "must be one of " + alternatives(found.values) + ", got " + show(got)
	case errEqualItems:
		return found.Error()
	case errUnreadable:
		if found.wanted == "" {
			return "cannot be read (" + phrase.Shorten(found.err.Error()) + "), got " + show(got)
		}
		return "must be " + found.wanted + ", got " + show(got)
	}
	return "must be a valid " + k.Want + ", got " + show(got)
}

func alternatives(values []any) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = show(value)
	}
	return enumerate(words, ", ")
}

// wrongNumber words the violation of a number's bounds.
func wrongNumber(f finding, got any) string {
	var want *big.Rat
	var wanted string
	switch k := f.kind.(type) {
	case *kind.Minimum:
		want, wanted = k.Want, "at least"
	case *kind.Maximum:
		want, wanted = k.Want, "at most"
	case *kind.ExclusiveMinimum:
		want, wanted = k.Want, "more than"
	case *kind.ExclusiveMaximum:
		want, wanted = k.Want, "less than"
	case *kind.MultipleOf:
		want, wanted = k.Want, "a multiple of"
	default:
		return ""
	}
	return "must be " + wanted + " " + number(want) + ", got " + show(got)
}

func number(n *big.Rat) string {
	if n.IsInt() {
		return phrase.Shorten(n.Num().String())
	}
	nearest, _ := n.Float64()
	return string(wire.AppendFloat(nil, nearest))
}

// wrongCount words the violation of a length or a number of items or members.
func wrongCount(f finding, got any) string {
	switch k := f.kind.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("must be at least %s long, got %d", phrase.Counted(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must be at most %s long, got %d", phrase.Counted(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, got %d", phrase.Counted(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, got %d", phrase.Counted(k.Want, "item"), k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("must have at most %s, got %d", phrase.Counted(children(got)-k.Count, "item"), children(got))
	case *kind.UniqueItems:
		return errEqualItems{k.Duplicates[0], k.Duplicates[1]}.Error()
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, got %d", phrase.Counted(k.Want, "member"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, got %d", phrase.Counted(k.Want, "member"), k.Got)
	case *kind.Contains:
		return "must have an item like those that the schema asks for, got none"
	case *kind.MinContains:
		return fmt.Sprintf("must have at least %s like those that the schema asks for, got %d", phrase.Counted(k.Want, "item"), len(k.Got))
	case *kind.MaxContains:
		return fmt.Sprintf("must have at most %s like those that the schema counts, got %d", phrase.Counted(k.Want, "item"), len(k.Got))
	}
	return ""
}

// maxAlternativesShown is of how many alternatives the sentence says why they
// do not fit.
const maxAlternativesShown = 3

// noAlternative words the violation of anyOf and oneOf. Alternatives that are
// all of another type are named as types. Of the others, those are explained
// that the value comes closest to.
func (w *wording) noAlternative(f finding, got any) string {
	if k, isOneOf := f.kind.(*kind.OneOf); isOneOf && len(k.Subschemas) == 2 {
		return fmt.Sprintf("must fit exactly one of the alternatives, but fits both number %d and number %d", k.Subschemas[0]+1, k.Subschemas[1]+1)
	}
	var close [][]finding
	var types kind.Type
	for _, alternative := range f.alternatives {
		if t := f.otherType(alternative); t != nil {
			types.Got = t.Got
			for _, name := range t.Want {
				if !slices.Contains(types.Want, name) {
					types.Want = append(types.Want, name)
				}
			}
			continue
		}
		close = append(close, alternative)
	}
	switch len(close) {
	case 0:
		if len(types.Want) > 0 {
			return w.wrongType(&types, got)
		}
		return "fits none of the alternatives"
	case 1:
		return "does not fit (" + w.first(close[0]) + ")"
	}
	var reasons []string
	for i, alternative := range close[:min(len(close), maxAlternativesShown)] {
		reasons = append(reasons, "("+strconv.Itoa(i+1)+") "+w.first(alternative))
	}
	return "fits none of the " + strconv.Itoa(len(f.alternatives)) + " alternatives: " + strings.Join(reasons, ", ")
}

// otherType gives the finding of an alternative if it is that the value as a
// whole is of another type.
func (f finding) otherType(alternative []finding) *kind.Type {
	if len(alternative) != 1 || len(alternative[0].location) != len(f.location) {
		return nil
	}
	t, _ := alternative[0].kind.(*kind.Type)
	return t
}

func unescapeURL(fragment string) string {
	text, err := url.PathUnescape(fragment)
	if err != nil {
		return fragment
	}
	return text
}
