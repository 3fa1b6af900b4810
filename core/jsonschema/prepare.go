package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpserver/core/internal/phrase"
)

const (
	// maxSubschemas is the most schemas in a schema. The library's compiling is
	// quadratic in them.
	maxSubschemas = 5000
	// maxPlace is the longest place of a schema in a schema, in bytes. Each
	// violation has one.
	maxPlace = 4096
)

// The dialects, by their $schema without scheme and empty fragment.
const (
	dialect202012  = "json-schema.org/draft/2020-12/schema"
	dialectDraft07 = "json-schema.org/draft-07/schema"
)

// Where schemas stand in a schema, in either dialect.
var (
	singleSchemas = []string{
		"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
	}
	schemaLists = []string{"allOf", "anyOf", "items", "oneOf", "prefixItems"}
	schemaMaps  = []string{
		"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties",
	}
)

// preparer gets a decoded schema ready for the library: it puts a rule into
// each schema in it, takes out what the rules check instead, and finds the
// author's mistakes for which it can give a better sentence.
type preparer struct {
	budget  *budget
	readers map[string]reader
	draft07 bool
	// places are those of the schemas that are prepared, as JSON pointers.
	places   map[string]bool
	rules    []*rule
	patterns map[string]*pattern
	// anchors are the places of $dynamicAnchor, as JSON pointers.
	anchors []string
	// shifted and unevaluated: see validator.
	shifted, unevaluated bool
	subschemas           int
	mistakes             []error
}

// dialectOf reads $schema.
func dialectOf(root map[string]any) (draft07 bool, err error) {
	declared, present := root["$schema"]
	if !present {
		return false, nil
	}
	text, _ := declared.(string)
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(text, "#"), "http://"), "https://")
	switch name {
	case dialect202012:
		return false, nil
	case dialectDraft07:
		return true, nil
	}
	return false, fmt.Errorf("$schema is %s; supported are 2020-12 (also without $schema) and draft-07", show(declared))
}

// prepare prepares the schema at that place, and those in it.
func (p *preparer) prepare(schema any, place string) {
	members, isObject := schema.(map[string]any)
	if _, isBoolean := schema.(bool); !isObject && !isBoolean {
		return // the meta-schema refuses it
	}
	if p.subschemas++; p.subschemas > maxSubschemas {
		return
	}
	if len(place) > maxPlace {
		p.mistake(shortenPath(place), errors.New("it is nested too deep, or below names that are too long"))
		return
	}
	p.places[place] = true
	if _, declared := members["$schema"]; declared && place != "" {
		if draft07, err := dialectOf(members); err != nil || draft07 != p.draft07 {
			p.mistake(place, errors.New("a part of the schema has a $schema of its own"))
		}
	}
	if _, isAnchor := members["$dynamicAnchor"]; isAnchor && !p.draft07 {
		p.anchors = append(p.anchors, place)
	}
	p.shifted = p.shifted || itemsBefore(members, "items")+itemsBefore(members, "additionalItems") > 0
	for _, keyword := range singleSchemas {
		p.prepare(members[keyword], place+"/"+keyword)
	}
	for _, keyword := range schemaLists {
		list, _ := members[keyword].([]any)
		for i, schema := range list {
			p.prepare(schema, place+"/"+keyword+"/"+strconv.Itoa(i))
		}
	}
	for _, keyword := range schemaMaps {
		table, _ := members[keyword].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(table)) {
			p.prepare(table[name], place+"/"+keyword+"/"+escape(name))
		}
	}
	if _, refers := members["$ref"]; refers && p.draft07 {
		return // its other members do not count
	}
	p.compilePatterns(members, place)
	if len(members) > 0 {
		p.addRule(members, place)
	}
}

// addRule moves keywords from the schema into its rule.
func (p *preparer) addRule(members map[string]any, place string) {
	values, restricted := []any(nil), false
	if enum, present := members["enum"]; present {
		list, isList := enum.([]any)
		if !isList {
			p.mistake(place+"/enum", errors.New("it must be an array"))
		}
		values, restricted = list, true
	}
	if constant, present := members["const"]; present {
		if restricted && !newRule(nil, values, true, false).allowed[canonical(constant)] {
			values = nil
		} else {
			values, restricted = []any{constant}, true
		}
	}
	unique := false
	if declared, present := members["uniqueItems"]; present {
		var isBoolean bool
		if unique, isBoolean = declared.(bool); !isBoolean {
			p.mistake(place+"/uniqueItems", errors.New("it must be true or false"))
		}
	}
	for _, keyword := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"} {
		if count, isNumber := members[keyword].(json.Number); isNumber && len(count) > 18 {
			p.mistake(place+"/"+keyword, errors.New("it is too large"))
		}
	}
	delete(members, "enum")
	delete(members, "const")
	delete(members, "uniqueItems")
	r := newRule(p.budget, values, restricted, unique)
	r.load = p.loadOf(members)
	if format, _ := members["format"].(string); p.readers != nil {
		r.reader = p.readers[format]
	}
	members["format"] = p.register(r)
}

// loadOf tells what a schema has the library do.
func (p *preparer) loadOf(members map[string]any) load {
	l := load{passes: 1}
	for _, keyword := range []string{"$dynamicRef", "$ref", "else", "if", "not", "then"} {
		if _, present := members[keyword]; present {
			l.applied++
		}
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := members[keyword].([]any)
		l.applied += int64(len(list))
	}
	required, _ := members["required"].([]any)
	l.named = int64(len(required))
	for _, keyword := range []string{"dependencies", "dependentRequired", "dependentSchemas"} {
		table, _ := members[keyword].(map[string]any)
		for _, dependent := range table {
			names, _ := dependent.([]any)
			l.applied++
			l.named += int64(len(names))
		}
	}
	for _, keyword := range []string{"contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties"} {
		if _, present := members[keyword]; present {
			l.passes++
			p.unevaluated = p.unevaluated || strings.HasPrefix(keyword, "unevaluated")
		}
	}
	return l
}

// register gives the name of a rule. All schemas that have nothing special for
// it share the first one.
func (p *preparer) register(r *rule) string {
	plain := load{passes: 1}
	if len(p.rules) == 0 {
		p.rules = append(p.rules, &rule{budget: p.budget, load: plain})
	}
	if r.allowed == nil && !r.unique && r.reader.read == nil && r.load == plain {
		return ruleName(0)
	}
	p.rules = append(p.rules, r)
	return ruleName(len(p.rules) - 1)
}

func ruleName(number int) string { return "rule " + strconv.Itoa(number) }

func (p *preparer) compilePatterns(members map[string]any, place string) {
	if text, isText := members["pattern"].(string); isText {
		p.compilePattern(text, place+"/pattern")
	}
	table, _ := members["patternProperties"].(map[string]any)
	for _, text := range slices.Sorted(maps.Keys(table)) {
		p.compilePattern(text, place+"/patternProperties/"+escape(text))
	}
}

func (p *preparer) compilePattern(text, place string) {
	if p.patterns[text] != nil {
		return
	}
	compiled, err := newPattern(text, p.budget)
	if err != nil {
		p.mistake(place, fmt.Errorf("its regular expression cannot be used in Go: %s: %w", phrase.Quote(text), err))
		return
	}
	p.patterns[text] = compiled
}

func (p *preparer) mistake(place string, err error) {
	if len(p.mistakes) < maxListed {
		p.mistakes = append(p.mistakes, fmt.Errorf("at #%s: %w", place, err))
	}
}

// escape writes a name as a JSON pointer has it.
func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
