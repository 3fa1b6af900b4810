package form

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mcpserver/core/internal/wire"
)

const (
	// maxContent is the most that a user can have filled in, in bytes.
	maxContent = 1 << 20
	// maxMatching bounds what matching all patterns costs: the characters of a
	// text times the instructions of its pattern. That is more than most patterns
	// take; the worst take half a second.
	maxMatching = 64 << 20
	// maxFaults is the most faults that an error tells of.
	maxFaults = 20
)

// Complete checks what a user has filled in, a JSON object that the scanner has
// accepted, and gives it with the form's defaults for what it leaves out. The
// error names each member at fault and says why.
//
// What was given stays as it is: its order, its digits, members that the form
// does not have, unless the form refuses those. Null for a property that is not
// required counts as left out. A default stands in for a required property,
// too.
func (f *Form) Complete(content string) (completed string, err error) {
	if len(content) > maxContent {
		return "", fmt.Errorf("it has %d bytes, over the limit of %d", len(content), maxContent)
	}
	c := completion{form: f, given: make([]bool, len(f.properties)), matching: maxMatching}
	for member := range wire.Members(content) {
		c.take(member)
	}
	_, violations := f.object.Check(c.members)
	faults := append(c.missing(), violations...)
	faults = append(faults, c.faults...)
	if len(faults) > 0 {
		return "", errors.New(strings.Join(faults[:min(len(faults), maxFaults)], "; "))
	}
	if !c.incomplete() {
		return content, nil
	}
	return c.fill(content), nil
}

// completion is what is known of one content.
type completion struct {
	form    *Form
	given   []bool        // which of the form's properties, be it as null
	members []wire.Member // those that the form has
	nulls   bool          // one of them is a null that a default replaces
	faults  []string
	// matching is what is left of maxMatching.
	matching int
}

func (c *completion) take(member wire.Member) {
	at, known := c.form.index[member.Name]
	switch {
	case !known && c.form.closed:
		c.fault(fmt.Sprintf("%.80q: is not in the form", member.Name))
		return
	case !known:
		return
	case c.given[at]:
		c.fault(member.Name + ": is given twice")
		return
	}
	c.given[at] = true
	c.members = append(c.members, member)
	p := &c.form.properties[at]
	c.nulls = c.nulls || c.replaces(at, member.Value)
	if p.kind == text && member.Value.Kind == wire.String {
		if fault := c.textFault(at, member.Value.Text()); fault != "" {
			c.fault(member.Name + ": " + fault)
		}
	}
}

// textFault tells what is wrong with a text, unless the pattern costs too much.
// The text's length is for the form's object to check.
func (c *completion) textFault(at int, text string) string {
	p, length := &c.form.properties[at], utf8.RuneCountInString(text)
	if most := c.form.object.Properties[at].MaxLength; most > 0 && length > most {
		return ""
	}
	if c.matching -= length * p.patternSize; c.matching < 0 {
		return "is too long to be checked against its pattern"
	}
	return p.textFault(text)
}

func (c *completion) fault(sentence string) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, sentence)
	}
}

// replaces reports whether the property's default stands in for the value.
func (c *completion) replaces(at int, value wire.Value) bool {
	return value.Kind == wire.Null && c.form.properties[at].fallback != "" && !c.form.object.Properties[at].Required
}

// missing says in a sentence each what is required, neither given nor known by
// its default.
func (c *completion) missing() (sentences []string) {
	for i, given := range c.given {
		p := &c.form.properties[i]
		if !given && p.fallback == "" && c.form.object.Properties[i].Required {
			sentences = append(sentences, p.name+": is required")
		}
	}
	return sentences
}

// incomplete reports whether a default has its use.
func (c *completion) incomplete() bool {
	for i, given := range c.given {
		if !given && c.form.properties[i].fallback != "" {
			return true
		}
	}
	return c.nulls
}

// fill gives the content with the defaults: a null's in its place, the others at
// the end, in the form's order.
func (c *completion) fill(content string) string {
	dst := []byte{'{'}
	for member := range wire.Members(content) {
		value := member.Value.Raw
		if at, known := c.form.index[member.Name]; known && c.replaces(at, member.Value) {
			value = c.form.properties[at].fallback
		}
		dst = append(appendName(dst, 1, member.Name), value...)
	}
	for i, given := range c.given {
		if p := &c.form.properties[i]; !given && p.fallback != "" {
			dst = append(appendName(dst, 1, p.name), p.fallback...)
		}
	}
	return string(append(dst, '}'))
}
