package form

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"

	"mcpserver/core/internal/schema"
	"mcpserver/core/internal/wire"
)

// kind is what a property asks the user for.
type kind uint8

const (
	text          kind = iota
	number             // an integer, too
	boolean            // yes or no
	choice             // one of these texts
	titledChoice       // one of these texts, each with a title to show
	choices            // several of these texts
	titledChoices      // several of these texts, each with a title to show
)

// String names the kind with its article, for sentences.
func (k kind) String() string {
	switch k {
	case text:
		return "a string"
	case number:
		return "a number"
	case boolean:
		return "a boolean"
	case choice, titledChoice:
		return "a choice"
	}
	return "an array of choices"
}

// allows reports whether a property of the kind may have the keyword.
func (k kind) allows(keyword string) bool {
	switch keyword {
	case "type", "title", "description", "default", "$comment":
		return true
	}
	switch k {
	case text:
		return slices.Contains([]string{"minLength", "maxLength", "pattern", "format"}, keyword)
	case number:
		return keyword == "minimum" || keyword == "maximum"
	case choice:
		return keyword == "enum" || keyword == "enumNames"
	case titledChoice:
		return keyword == "oneOf"
	case choices, titledChoices:
		return slices.Contains([]string{"items", "minItems", "maxItems"}, keyword)
	}
	return false
}

// property is one property of a form.
type property struct {
	name     string
	kind     kind
	keywords keywords
	// items are the keywords of an array's items.
	items keywords
	// fallback is the default, a JSON value, or "".
	fallback string
	// options are what there is to choose from, and titles how to show it,
	// where that is another text.
	options, titles []string
	format          string
	pattern         *regexp.Regexp
	patternSize     int // in instructions
	// uncompiled says why there is no pattern though the author gave one.
	uncompiled error
}

// read reads a property's schema. It gives what a flat schema can say of it.
func (p *property) read(definition wire.Value) (restrictions schema.Property, err error) {
	restrictions.Name = p.name
	if p.keywords, err = readKeywords(definition); err != nil {
		return restrictions, err
	}
	if p.kind, restrictions.Type, err = p.keywords.kind(); err != nil {
		return restrictions, err
	}
	for _, keyword := range p.keywords {
		if !p.kind.allows(keyword.Name) {
			return restrictions, fmt.Errorf("%v in a form cannot have %.80q", p.kind, keyword.Name)
		}
		if err := p.readKeyword(keyword, &restrictions); err != nil {
			return restrictions, err
		}
	}
	switch p.kind {
	case choice, titledChoice:
		restrictions.Enum = p.options
	case choices, titledChoices:
		restrictions.Items = &schema.Property{Enum: p.options}
	default:
		return restrictions, nil
	}
	if len(p.options) == 0 {
		return restrictions, errors.New("there is nothing to choose from: a form has no plain lists, and a choice takes an enum, or titles by oneOf (of one) or anyOf (of several)")
	}
	if p.titles != nil && len(p.titles) != len(p.options) {
		return restrictions, fmt.Errorf("there are %d enumNames for %d values", len(p.titles), len(p.options))
	}
	return restrictions, nil
}

// compile compiles a pattern.
func (p *property) compile(pattern string) {
	if p.pattern, p.uncompiled = regexp.Compile(pattern); p.uncompiled != nil {
		return
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		p.uncompiled = err
		return
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		p.uncompiled = err
		return
	}
	p.patternSize = len(program.Inst)
}

// kind tells what a property with these keywords asks for.
func (k keywords) kind() (kind, schema.Type, error) {
	given := k.get("type")
	switch name := given.Text(); {
	case given.Kind == wire.Absent:
		return 0, 0, errors.New("it has no type")
	case name == "string" && k.get("enum").Kind != wire.Absent:
		return choice, schema.String, nil
	case name == "string" && k.get("oneOf").Kind != wire.Absent:
		return titledChoice, schema.String, nil
	case name == "string":
		return text, schema.String, nil
	case name == "number":
		return number, schema.Number, nil
	case name == "integer":
		return number, schema.Integer, nil
	case name == "boolean":
		return boolean, schema.Boolean, nil
	case name == "array":
		if k.get("items").Kind != wire.Object {
			return 0, 0, errors.New("an array in a form needs items to choose from")
		}
		for item := range wire.Members(k.get("items").Raw) {
			if item.Name == "anyOf" {
				return titledChoices, schema.Array, nil
			}
		}
		return choices, schema.Array, nil
	}
	return 0, 0, fmt.Errorf("a form asks for strings, numbers, integers, booleans and arrays of choices, not for the type %.80s", given.Raw)
}

func (p *property) readKeyword(keyword wire.Member, restrictions *schema.Property) (err error) {
	value := keyword.Value
	switch keyword.Name {
	case "title", "description", "$comment":
		err = wantString(keyword)
	case "default":
		p.fallback, restrictions.Default = value.Raw, value.Raw
	case "minLength":
		restrictions.MinLength, err = readCount(keyword, 0)
	case "maxLength":
		restrictions.MaxLength, err = readCount(keyword, 1)
	case "minItems":
		restrictions.MinItems, err = readCount(keyword, 0)
	case "maxItems":
		restrictions.MaxItems, err = readCount(keyword, 1)
	case "minimum":
		restrictions.Minimum, err = readBound(keyword)
	case "maximum":
		restrictions.Maximum, err = readBound(keyword)
	case "format":
		p.format = value.Text()
		if !isFormat(p.format) {
			err = fmt.Errorf("a form does not know the format %.80s", value.Raw)
		}
	case "pattern":
		if err = wantString(keyword); err == nil {
			p.compile(value.Text())
		}
	case "enum":
		if p.options, err = readStrings(value); err != nil {
			err = fmt.Errorf("enum %w", err)
		}
	case "enumNames":
		if p.titles, err = readStrings(value); err != nil {
			err = fmt.Errorf("enumNames %w", err)
		}
	case "oneOf":
		err = p.readTitled(keyword)
	case "items":
		err = p.readItems(value)
	}
	return err
}

// readItems reads what an array's items are chosen from.
func (p *property) readItems(items wire.Value) (err error) {
	if p.items, err = readKeywords(items); err != nil {
		return fmt.Errorf("items: %w", err)
	}
	if t := p.items.get("type"); t.Text() != "string" && (p.kind == choices || t.Kind != wire.Absent) {
		return errors.New(`items: what is chosen has "type":"string"`)
	}
	for _, keyword := range p.items {
		switch {
		case keyword.Name == "type":
		case keyword.Name == "title", keyword.Name == "description", keyword.Name == "$comment":
			err = wantString(keyword)
		case keyword.Name == "enum" && p.kind == choices:
			if p.options, err = readStrings(keyword.Value); err != nil {
				err = fmt.Errorf("enum %w", err)
			}
		case keyword.Name == "anyOf":
			err = p.readTitled(keyword)
		default:
			err = fmt.Errorf("what is chosen cannot have %.80q", keyword.Name)
		}
		if err != nil {
			return fmt.Errorf("items: %w", err)
		}
	}
	return nil
}

// readTitled reads options of the form {"const":"…","title":"…"}.
func (p *property) readTitled(list wire.Member) error {
	elements, err := readArray(list.Value)
	if err != nil {
		return fmt.Errorf("%s %w", list.Name, err)
	}
	for i, element := range elements {
		option, err := readKeywords(wire.ValueOf(element))
		value, title := option.get("const"), option.get("title")
		if err != nil || len(option) != 2 || value.Kind != wire.String || title.Kind != wire.String {
			return fmt.Errorf(`%s[%d] is not of the form {"const":"…","title":"…"}`, list.Name, i)
		}
		p.options, p.titles = append(p.options, value.Text()), append(p.titles, title.Text())
	}
	return nil
}

// readCount reads a bound for a length or a number of items.
func readCount(keyword wire.Member, least int64) (int, error) {
	n, ok := keyword.Value.Int()
	if !ok || n < least || n > math.MaxInt32 {
		return 0, fmt.Errorf("%s is no whole number from %d to %d: %.80s", keyword.Name, least, math.MaxInt32, keyword.Value.Raw)
	}
	return int(n), nil
}

// readBound reads a least or greatest number. One whose digits a float64 would
// change is refused, since answers are compared digit by digit.
func readBound(keyword wire.Member) (*float64, error) {
	bound, ok := keyword.Value.Float()
	if !ok {
		return nil, fmt.Errorf("%s is no number within reach: %.80s", keyword.Name, keyword.Value.Raw)
	}
	exactly := schema.Object{Properties: []schema.Property{{Name: keyword.Name, Type: schema.Number, Minimum: &bound, Maximum: &bound}}}
	if _, differs := exactly.Check([]wire.Member{keyword}); len(differs) > 0 {
		return nil, fmt.Errorf("%s has more digits than can be compared: %.80s", keyword.Name, keyword.Value.Raw)
	}
	return &bound, nil
}

// checkDefault tells what is wrong with the default that a flat schema cannot
// say.
func (p *property) checkDefault() error {
	if p.fallback == "" || p.kind != text {
		return nil
	}
	if fault := p.textFault(wire.ValueOf(p.fallback).Text()); fault != "" {
		return errors.New("the default " + fault)
	}
	return nil
}
