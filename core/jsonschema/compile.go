package jsonschema

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"mcpserver/core/internal/phrase"

	library "github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// base is the URL that schemas are compiled under. Nothing can be fetched
	// from it, or from anywhere.
	base = "schema:///"
	// maxChain is how many schemas may apply to a value through each other, by
	// $ref, allOf and the like. With the depth of a value it bounds the stack.
	maxChain = 32
)

// validator is a compiled schema.
type validator struct {
	root     map[string]any // prepared
	required []string
	// shifted says that items are described behind others that are described
	// one by one, dynamic that there are dynamic references, and unevaluated that
	// there are keywords for what other schemas do not look at.
	shifted, dynamic, unevaluated bool
	// mutex guards what follows: the rules of the compiled schema count on the
	// one budget. Checks of one schema take turns, which the budget keeps short.
	mutex    sync.Mutex
	budget   *budget
	compiled *library.Schema
}

// newValidator compiles a schema, whose formats are checked by the readers of
// that name. The error tells what its author has to mend.
func newValidator(text string, readers map[string]reader) (*validator, error) {
	root, err := decodeSchema(text)
	if err != nil {
		return nil, err
	}
	v := &validator{root: root, budget: &budget{left: maxCost, perValue: 1, perChild: 1}}
	p := &preparer{budget: v.budget, readers: readers, places: make(map[string]bool), patterns: make(map[string]*pattern)}
	if p.draft07, err = dialectOf(root); err != nil {
		return nil, err
	}
	p.prepare(root, "")
	if p.subschemas > maxSubschemas {
		return nil, fmt.Errorf("it has more than %d schemas in it", maxSubschemas)
	}
	if err := errors.Join(p.mistakes...); err != nil {
		return nil, err
	}
	v.shifted, v.dynamic, v.unevaluated = p.shifted, len(p.anchors) > 0, p.unevaluated
	if err := v.compile(p); err != nil {
		return nil, err
	}
	if names, isList := root["required"].([]any); isList && (root["$ref"] == nil || !p.draft07) {
		for _, name := range names {
			if name, isText := name.(string); isText {
				v.required = append(v.required, name)
			}
		}
	}
	return v, nil
}

// decodeSchema decodes a schema and checks its root.
func decodeSchema(text string) (map[string]any, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	schema, err := decode(text)
	if err != nil {
		return nil, err
	}
	if len(schema.faults) > 0 {
		return nil, errors.New(schema.faults[0].in(schema.value))
	}
	root, isObject := schema.value.(map[string]any)
	if !isObject || root["type"] != "object" {
		return nil, errors.New(`it must be a JSON object with "type":"object"`)
	}
	return root, nil
}

// compile has the library compile the prepared schema.
func (v *validator) compile(p *preparer) (err error) {
	defer func() {
		// A schema that is refused may have spent the budget.
		if problem := recover(); problem != nil {
			err = recovered(problem)
		}
	}()
	c := library.NewCompiler()
	c.UseLoader(nil) // nothing is loaded
	c.UseRegexpEngine(func(text string) (library.Regexp, error) {
		if known := p.patterns[text]; known != nil {
			return known, nil
		}
		return newPattern(text, v.budget)
	})
	c.AssertFormat()
	for i, rule := range p.rules {
		c.RegisterFormat(&library.Format{Name: ruleName(i), Validate: rule.validate})
	}
	if err := c.AddResource(base, v.root); err != nil {
		return fmt.Errorf("compiling it: %w", err)
	}
	if v.compiled, err = c.Compile(base); err != nil {
		return v.explain(err)
	}
	g := graph{places: p.places, chains: make(map[*library.Schema]int)}
	for _, place := range p.anchors {
		anchored, err := c.Compile(base + "#" + (&url.URL{Fragment: place}).EscapedFragment())
		if err != nil {
			return v.explain(err)
		}
		g.anchored = append(g.anchored, anchored)
	}
	return g.check(v.compiled)
}

// explain puts an error of the library into words.
func (v *validator) explain(err error) error {
	var (
		invalid *library.SchemaValidationError
		loading *library.LoadURLError
		cause   *library.ValidationError
	)
	switch {
	case errors.As(err, &invalid) && errors.As(invalid.Err, &cause):
		w := wording{value: v.root, rootName: "the schema"}
		return errors.New(strings.Join(w.sentences(collect(cause, nil), nil), "; "))
	case errors.As(err, &loading):
		return notInSchema(loading.URL)
	}
	return errors.New(strings.ReplaceAll(err.Error(), base, ""))
}

// recovered gives the error of a panic: the one that a rule has stopped the
// library with, or a fault of the library, which must not end more than the
// call.
func recovered(problem any) error {
	if err, isError := problem.(error); isError && errors.Is(err, errTooBig) {
		return errTooBig
	}
	return fmt.Errorf("the validator failed unexpectedly: %v", problem)
}

// graph looks for what would keep the compiled schema from ending a check.
type graph struct {
	// places are those of the schemas that were prepared.
	places map[string]bool
	// anchored are the schemas that a $dynamicRef may lead to.
	anchored []*library.Schema
	// chains are the longest chains that begin with a schema; 0 while it is
	// looked at.
	chains map[*library.Schema]int
}

// check checks what can be reached from a schema.
func (g *graph) check(root *library.Schema) error {
	waiting := append([]*library.Schema{root}, g.anchored...)
	seen := make(map[*library.Schema]bool)
	for len(waiting) > 0 {
		schema := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if schema == nil || seen[schema] {
			continue
		}
		seen[schema] = true
		if err := g.checkPlace(schema); err != nil {
			return err
		}
		if _, err := g.chain(schema); err != nil {
			return err
		}
		waiting = append(append(waiting, g.inPlace(schema)...), deeper(schema)...)
	}
	return nil
}

// checkPlace makes sure that the schema is one that was prepared.
func (g *graph) checkPlace(schema *library.Schema) error {
	switch {
	case !strings.HasPrefix(schema.Location, base):
		return notInSchema(schema.Location)
	case !g.places[placeOfURL(schema.Location)]:
		return fmt.Errorf("a $ref leads to %s, which is no place for a schema; put it into $defs", placeOf(schema))
	}
	return nil
}

func notInSchema(url string) error {
	return fmt.Errorf("a $ref refers to %s, which is not in the schema, and nothing is fetched", phrase.Quote(strings.TrimPrefix(url, base)))
}

// chain gives the length of the longest chain that begins with the schema.
func (g *graph) chain(schema *library.Schema) (int, error) {
	if length, known := g.chains[schema]; known {
		if length == 0 {
			return 0, fmt.Errorf("%s refers to itself without end", placeOf(schema))
		}
		return length, nil
	}
	g.chains[schema] = 0
	longest := 0
	for _, next := range g.inPlace(schema) {
		if next == nil {
			continue
		}
		length, err := g.chain(next)
		if err != nil {
			return 0, err
		}
		longest = max(longest, length)
	}
	if longest++; longest > maxChain {
		return 0, fmt.Errorf("more than %d schemas apply to a value through each other, from %s on", maxChain, placeOf(schema))
	}
	g.chains[schema] = longest
	return longest, nil
}

// inPlace gives the schemas that apply to the same value; some may be nil.
func (g *graph) inPlace(schema *library.Schema) []*library.Schema {
	all := []*library.Schema{schema.Ref, schema.Not, schema.If, schema.Then, schema.Else}
	all = append(append(append(all, schema.AllOf...), schema.AnyOf...), schema.OneOf...)
	for _, dependent := range schema.DependentSchemas {
		all = append(all, dependent)
	}
	for _, dependency := range schema.Dependencies {
		if dependency, isSchema := dependency.(*library.Schema); isSchema {
			all = append(all, dependency)
		}
	}
	if schema.DynamicRef != nil {
		all = append(all, schema.DynamicRef.Ref)
		for _, anchored := range g.anchored {
			if anchored.DynamicAnchor == schema.DynamicRef.Anchor {
				all = append(all, anchored)
			}
		}
	}
	return all
}

// deeper gives the schemas that apply to a value's members and items, and to
// names; some may be nil.
func deeper(schema *library.Schema) []*library.Schema {
	all := []*library.Schema{
		schema.PropertyNames, schema.UnevaluatedProperties, schema.Contains, schema.Items2020, schema.UnevaluatedItems,
	}
	all = append(all, schema.PrefixItems...)
	for _, property := range schema.Properties {
		all = append(all, property)
	}
	for _, property := range schema.PatternProperties {
		all = append(all, property)
	}
	for _, either := range []any{schema.AdditionalProperties, schema.Items, schema.AdditionalItems} {
		switch either := either.(type) {
		case *library.Schema:
			all = append(all, either)
		case []*library.Schema:
			all = append(all, either...)
		}
	}
	return all
}

// placeOf gives the place of a schema as a $ref has it.
func placeOf(schema *library.Schema) string { return strings.TrimPrefix(schema.Location, base) }
