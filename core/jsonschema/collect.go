package jsonschema

import (
	"slices"
	"strconv"
	"strings"

	library "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// finding is a violation that the library has found.
type finding struct {
	location []string
	// member is a member of the value there that the finding is about: a
	// missing one, or one that must not be there. An empty kind of member is
	// none.
	member     string
	membership membership
	kind       library.ErrorKind
	schema     string // the place of the schema
	// alternatives are the findings of each alternative, if none of them fits.
	alternatives [][]finding
}

// membership tells what a finding says of a member.
type membership uint8

const (
	noMember membership = iota
	missingMember
	unknownMember
)

// collector turns the library's tree of errors into findings.
type collector struct {
	// root is the schema, if its locations have to be mended: the library
	// counts items behind prefixItems from 0 again.
	root any
}

// trail is what is known of the way to an error: the schema at a place applies
// to the value at a location. Wrong is how the library has that location.
type trail struct {
	place           string
	location, wrong []string
}

func collect(err *library.ValidationError, root any) []finding {
	c := collector{root: root}
	return c.collect(nil, err, trail{})
}

// collect appends the findings of an error.
func (c *collector) collect(to []finding, err *library.ValidationError, from trail) []finding {
	here := finding{location: c.locate(err, from), kind: err.ErrorKind, schema: placeOfURL(err.SchemaURL)}
	switch k := err.ErrorKind.(type) {
	case *kind.Reference:
		from = trail{place: placeOfURL(k.URL), location: here.location, wrong: err.InstanceLocation}
		return c.causes(to, err, from)
	case *kind.Schema, *kind.Group, *kind.AllOf:
		return c.causes(to, err, from)
	case *kind.AnyOf:
		here.alternatives = c.alternatives(err, from)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			here.alternatives = c.alternatives(err, from)
		}
	case *kind.PropertyNames:
		// The library says of which name, but not of which object.
		here.alternatives = [][]finding{c.causes(nil, err, trail{})}
	case *kind.Required:
		return here.about(to, k.Missing, missingMember)
	case *kind.DependentRequired:
		return here.about(to, k.Missing, missingMember)
	case *kind.Dependency:
		return here.about(to, k.Missing, missingMember)
	case *kind.AdditionalProperties:
		return here.about(to, k.Properties, unknownMember)
	}
	return append(to, here)
}

func (c *collector) causes(to []finding, err *library.ValidationError, from trail) []finding {
	for _, cause := range err.Causes {
		to = c.collect(to, cause, from)
	}
	return to
}

func (c *collector) alternatives(err *library.ValidationError, from trail) [][]finding {
	all := make([][]finding, 0, len(err.Causes))
	for _, cause := range err.Causes {
		all = append(all, c.collect(nil, cause, from))
	}
	return all
}

// about appends the finding once for each member.
func (f finding) about(to []finding, members []string, membership membership) []finding {
	for _, member := range members {
		f.member, f.membership = member, membership
		to = append(to, f)
	}
	return to
}

// placeOfURL gives the JSON pointer of a schema.
func placeOfURL(url string) string {
	_, fragment, _ := strings.Cut(url, "#")
	return unescapeURL(fragment)
}

// locate gives the location of an error, with items counted from the beginning
// of their array. It walks along the schema from the last reference on, where
// each keyword that leads into a value takes a step of the location.
func (c *collector) locate(err *library.ValidationError, from trail) []string {
	location := err.InstanceLocation
	if c.root == nil || len(location) < len(from.wrong) {
		return location
	}
	location = slices.Concat(from.location, location[len(from.wrong):])
	rest, below := strings.CutPrefix(placeOfURL(err.SchemaURL), from.place)
	if !below || rest == "" {
		return location
	}
	schema, _ := lookUp(c.root, from.place)
	step := len(from.wrong)
	tokens := strings.Split(rest, "/")[1:]
	for i := 0; i < len(tokens) && step < len(location); i++ {
		keyword := tokens[i]
		switch keyword {
		case "items", "additionalItems":
			if i+1 < len(tokens) && isList(schema, "items") && keyword == "items" {
				step, i = step+1, i+1 // draft-07: one for each item
				schema, _ = at(schema, tokens[i-1:i+1])
				continue
			}
			if index, err := strconv.Atoi(location[step]); err == nil {
				location[step] = strconv.Itoa(index + itemsBefore(schema, keyword))
			}
			step++
		case "additionalProperties", "contains", "unevaluatedItems", "unevaluatedProperties":
			step++
		case "properties", "patternProperties", "prefixItems":
			step++
			schema, _ = at(schema, tokens[i:i+1])
			i++
		case "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies", "$defs", "definitions":
			schema, _ = at(schema, tokens[i:i+1])
			i++
		}
		if i < len(tokens) {
			schema, _ = at(schema, []string{unescapePointer(tokens[i])})
		}
	}
	return location
}

// itemsBefore gives the number of items that are described one by one.
func itemsBefore(schema any, keyword string) int {
	members, _ := schema.(map[string]any)
	before := "prefixItems"
	if keyword == "additionalItems" {
		before = "items"
	}
	list, _ := members[before].([]any)
	return len(list)
}

func isList(schema any, keyword string) bool {
	members, _ := schema.(map[string]any)
	_, is := members[keyword].([]any)
	return is
}

// lookUp gives the value at a JSON pointer.
func lookUp(root any, pointer string) (any, bool) {
	if pointer == "" {
		return root, true
	}
	tokens := strings.Split(pointer, "/")[1:]
	for i := range tokens {
		tokens[i] = unescapePointer(tokens[i])
	}
	return at(root, tokens)
}

func unescapePointer(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
