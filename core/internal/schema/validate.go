package schema

import (
	"errors"
	"fmt"
	"math"
	"unicode"
	"unicode/utf8"

	"mcpserver/core/internal/wire"
)

// maxNesting is how deep Items may stand in Items. It keeps a property that
// contains itself from looping.
const maxNesting = 8

// Validate gives the mistakes of the schema's author, one for each property at
// fault, or nil.
func (o *Object) Validate() error {
	var mistakes []error
	declared := make(map[string]bool, len(o.Properties))
	for i := range o.Properties {
		p := &o.Properties[i]
		err := validateLine("name", p.Name)
		switch {
		case p.Name == "":
			mistakes = append(mistakes, fmt.Errorf("property %d has no name", i+1))
			continue
		case declared[p.Name]:
			err = errors.New("it is declared twice")
		case err == nil:
			err = p.validate(0)
		}
		declared[p.Name] = true
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("property %q: %w", p.Name, err))
		}
	}
	return errors.Join(mistakes...)
}

func (p *Property) validate(depth int) error {
	if p.Type > ObjectType {
		return fmt.Errorf("type %d is unknown", p.Type)
	}
	if err := validateLine("title", p.Title); err != nil {
		return err
	}
	if err := validateLine("description", p.Description); err != nil {
		return err
	}
	if err := p.validateEnum(); err != nil {
		return err
	}
	if err := p.validateBounds(); err != nil {
		return err
	}
	if err := p.validateCounts("length", String, p.MinLength, p.MaxLength); err != nil {
		return err
	}
	if err := p.validateCounts("number of items", Array, p.MinItems, p.MaxItems); err != nil {
		return err
	}
	if err := p.validateItems(depth); err != nil {
		return err
	}
	return p.validateDefault()
}

// validateLine refuses what breaks the lists that clients and models are shown.
func validateLine(what, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the %s is not valid UTF-8", what)
	}
	for _, r := range text {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return fmt.Errorf("the %s has a line break or control character (%U)", what, r)
		}
	}
	return nil
}

func (p *Property) validateEnum() error {
	if len(p.Enum) > 0 && p.Type != String {
		return fmt.Errorf("an enum is for a string, this is %s", p.Type.phrase())
	}
	listed := make(map[string]bool, len(p.Enum))
	for _, value := range p.Enum {
		if !utf8.ValidString(value) {
			return fmt.Errorf("the enum's %q is not valid UTF-8", value)
		}
		if listed[value] {
			return fmt.Errorf("the enum lists %q twice", value)
		}
		listed[value] = true
	}
	return nil
}

func (p *Property) validateBounds() error {
	for _, bound := range []*float64{p.Minimum, p.Maximum} {
		if bound == nil {
			continue
		}
		if p.Type != Integer && p.Type != Number {
			return fmt.Errorf("a minimum or maximum is for a number, this is %s", p.Type.phrase())
		}
		if math.IsNaN(*bound) || math.IsInf(*bound, 0) {
			return fmt.Errorf("%v is no minimum or maximum, leave it nil for no bound", *bound)
		}
	}
	if p.Minimum != nil && p.Maximum != nil && *p.Minimum > *p.Maximum {
		return fmt.Errorf("the minimum %v is above the maximum %v", *p.Minimum, *p.Maximum)
	}
	return nil
}

// validateCounts checks a least and a most of something that only the type
// owner has.
func (p *Property) validateCounts(what string, owner Type, least, most int) error {
	if least == 0 && most == 0 {
		return nil
	}
	if p.Type != owner {
		return fmt.Errorf("a bound for the %s is for %s, this is %s", what, owner.phrase(), p.Type.phrase())
	}
	if least < 0 || most < 0 {
		return fmt.Errorf("a bound for the %s is negative (%d)", what, min(least, most))
	}
	if most > 0 && least > most {
		return fmt.Errorf("the least %s, %d, is above the most, %d", what, least, most)
	}
	return nil
}

func (p *Property) validateItems(depth int) error {
	if p.Items == nil {
		return nil
	}
	if p.Type != Array {
		return fmt.Errorf("items are for an array, this is %s", p.Type.phrase())
	}
	if depth == maxNesting {
		return fmt.Errorf("items are nested more than %d deep", maxNesting)
	}
	if err := p.Items.validate(depth + 1); err != nil {
		return fmt.Errorf("items: %w", err)
	}
	return nil
}

func (p *Property) validateDefault() error {
	if p.Default == "" {
		return nil
	}
	if !utf8.ValidString(p.Default) {
		return errors.New("the default is not valid UTF-8")
	}
	compact, err := wire.AppendCompact(nil, p.Default)
	if err != nil {
		return fmt.Errorf("the default is no JSON: %w; a text needs quotation marks of its own, as in %s", err, wire.AppendString(nil, `"big"`))
	}
	var found findings
	found.check(p, valueOf(string(compact)), &location{argument: "default"})
	if len(found.listed) > 0 {
		return errors.New(found.listed[0])
	}
	return nil
}
