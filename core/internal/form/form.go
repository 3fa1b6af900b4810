// Package form holds the forms that elicitations ask users to fill in: flat
// objects, described in a small subset of JSON Schema. It reads a form and
// finds what the subset does not allow (Parse), tells whether a revision of the
// protocol can ask it (Supports), writes it as that revision has it (AppendJSON)
// and checks what the user has filled in (Complete).
//
// What a revision does not know, and a client can do without when it shows the
// form, is left out for that revision. It holds all the same: Complete goes by
// the form as its author wrote it.
package form

import (
	"errors"
	"fmt"
	"strings"

	"mcpserver/core/internal/schema"
	"mcpserver/core/internal/wire"
)

const (
	// maxSize is the most that a form takes, in bytes: clients of the modern
	// era carry it to and fro.
	maxSize = 16 << 10
	// maxProperties is the most properties that a form has.
	maxProperties = 100
)

// Form is a form that Parse has accepted. Its methods are safe from any
// goroutine.
type Form struct {
	text       string
	properties []property
	index      map[string]int // the place of each property by its name
	closed     bool           // it takes nothing but its properties
	// object has the same properties in the same order, with the restrictions
	// that a flat schema can say.
	object schema.Object
}

// Parse reads a form, a JSON schema. The error says which property is at fault
// and why.
func Parse(text string) (*Form, error) {
	if len(text) > maxSize {
		return nil, fmt.Errorf("the form has %d bytes, over the limit of %d", len(text), maxSize)
	}
	compact, err := wire.AppendCompact(nil, text)
	if err != nil {
		return nil, err
	}
	root, err := readKeywords(wire.ValueOf(string(compact)))
	if err != nil {
		return nil, err
	}
	f := &Form{text: string(compact), index: make(map[string]int)}
	if err := f.readRoot(root); err != nil {
		return nil, err
	}
	if err := f.object.Validate(); err != nil {
		return nil, err
	}
	for i := range f.properties {
		if err := f.properties[i].checkDefault(); err != nil {
			return nil, inProperty(f.properties[i].name, err)
		}
	}
	return f, nil
}

// JSON gives the form as its author wrote it, on one line.
func (f *Form) JSON() string { return f.text }

// Unenforced says in a sentence each what Complete does not check, though the
// form asks for it.
func (f *Form) Unenforced() (sentences []string) {
	for i := range f.properties {
		if p := &f.properties[i]; p.uncompiled != nil {
			sentences = append(sentences, fmt.Sprintf("the pattern of %q is not enforced: %v", p.name, p.uncompiled))
		}
	}
	return sentences
}

func (f *Form) readRoot(root keywords) error {
	if t := root.get("type"); t.Text() != "object" {
		return errors.New(`a form is an object, with "type":"object"`)
	}
	required, err := readRequired(root.get("required"))
	if err != nil {
		return err
	}
	for _, keyword := range root {
		switch value := keyword.Value; keyword.Name {
		case "type", "required":
		case "properties":
			err = f.readProperties(value, required)
		case "additionalProperties":
			if value.Kind != wire.True && value.Kind != wire.False {
				err = errors.New("additionalProperties is neither true nor false")
			}
			f.closed = value.Kind == wire.False
		case "$schema", "$comment", "title", "description":
			err = wantString(keyword)
		default:
			err = fmt.Errorf("a form cannot have %.80q", keyword.Name)
		}
		if err != nil {
			return err
		}
	}
	if root.get("properties").Kind == wire.Absent {
		return errors.New("a form needs properties")
	}
	for name := range required {
		if _, ok := f.index[name]; !ok {
			return fmt.Errorf("%.80q is required, but it is no property", name)
		}
	}
	return nil
}

// readRequired gives the names that are required.
func readRequired(list wire.Value) (names map[string]bool, err error) {
	if list.Kind == wire.Absent {
		return nil, nil
	}
	texts, err := readStrings(list)
	if err != nil {
		return nil, fmt.Errorf("required %w", err)
	}
	names = make(map[string]bool, len(texts))
	for _, name := range texts {
		if names[name] {
			return nil, fmt.Errorf("required has %.80q twice", name)
		}
		names[name] = true
	}
	return names, nil
}

func (f *Form) readProperties(list wire.Value, required map[string]bool) error {
	if list.Kind != wire.Object {
		return errors.New("the form's properties are no object")
	}
	for member := range wire.Members(list.Raw) {
		if len(f.properties) == maxProperties {
			return fmt.Errorf("the form has more than %d properties", maxProperties)
		}
		p := property{name: member.Name}
		restrictions, err := p.read(member.Value)
		if err != nil {
			return inProperty(member.Name, err)
		}
		restrictions.Required = required[member.Name]
		f.index[member.Name] = len(f.properties)
		f.properties = append(f.properties, p)
		f.object.Properties = append(f.object.Properties, restrictions)
	}
	return nil
}

func inProperty(name string, err error) error {
	return fmt.Errorf("property %.80q: %w", name, err)
}

// keywords are the members of a schema.
type keywords []wire.Member

// readKeywords gives the members of an object, none of them twice.
func readKeywords(object wire.Value) (list keywords, err error) {
	if object.Kind != wire.Object {
		return nil, errors.New("it is no JSON object")
	}
	for member := range wire.Members(object.Raw) {
		if list.get(member.Name).Kind != wire.Absent {
			return nil, fmt.Errorf("it has %.80q twice", member.Name)
		}
		if len(list) == maxKeywords {
			return nil, fmt.Errorf("it has more than %d keywords", maxKeywords)
		}
		list = append(list, member)
	}
	return list, nil
}

// maxKeywords is more than any schema of a form has, and so few that they are
// found by comparing names one by one.
const maxKeywords = 32

// get gives the value of the keyword of that name, or an Absent one.
func (k keywords) get(name string) wire.Value {
	for i := range k {
		if k[i].Name == name {
			return k[i].Value
		}
	}
	return wire.Value{}
}

func wantString(keyword wire.Member) error {
	if keyword.Value.Kind != wire.String {
		return fmt.Errorf("%s is no string", keyword.Name)
	}
	return nil
}

// readStrings gives the texts of an array of strings. The error continues a
// sentence that begins with what the array is.
func readStrings(list wire.Value) ([]string, error) {
	elements, err := readArray(list)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		value := wire.ValueOf(element)
		if value.Kind != wire.String {
			return nil, fmt.Errorf("has an element that is no string: %.80s", strings.ToValidUTF8(element, ""))
		}
		texts[i] = value.Text()
	}
	return texts, nil
}

func readArray(list wire.Value) ([]string, error) {
	if list.Kind != wire.Array {
		return nil, errors.New("is no array")
	}
	// No form within the limit has as many elements as bytes.
	elements, _ := wire.Elements(list.Raw, maxSize)
	return elements, nil
}
