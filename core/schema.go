package core

import (
	"mcpserver/core/internal/schema"
	"mcpserver/core/internal/wire"
)

// Schema is a JSON schema of an object: it is listed with a tool and checks
// the tool's arguments, or its structured content. Object makes one; package
// core/jsonschema makes them from JSON schemas and from Go types.
type Schema interface {
	// AppendJSON appends the schema as JSON on one line.
	AppendJSON(dst []byte) []byte
	// Check checks a JSON object, given as its text and its members. It names
	// the first required member that is missing, and each other violation in a
	// sentence. It is safe from any goroutine.
	Check(object string, members []wire.Member) (missing string, violations []string)
	// Validate tells what is wrong with the schema itself.
	Validate() error
}

// Object is a schema of an object with these properties, in this order.
func Object(properties ...Property) Schema {
	return newObject(properties, false)
}

// ClosedObject is an Object that refuses arguments it does not know.
func ClosedObject(properties ...Property) Schema {
	return newObject(properties, true)
}

func newObject(properties []Property, closed bool) Schema {
	object := &schema.Object{Closed: closed}
	for _, property := range properties {
		object.Properties = append(object.Properties, property.inner)
	}
	return objectSchema{object}
}

// objectSchema is an Object.
type objectSchema struct{ *schema.Object }

// Check implements Schema.
func (s objectSchema) Check(_ string, members []wire.Member) (missing string, violations []string) {
	return s.Object.Check(members)
}

// Property is one property of an Object. Its methods give changed copies.
type Property struct {
	inner schema.Property
}

// String is a property that holds a text.
func String(name, description string) Property {
	return property(schema.String, name, description)
}

// Number is a property that holds any number.
func Number(name, description string) Property {
	return property(schema.Number, name, description)
}

// Integer is a property that holds a whole number.
func Integer(name, description string) Property {
	return property(schema.Integer, name, description)
}

// Boolean is a property that holds true or false.
func Boolean(name, description string) Property {
	return property(schema.Boolean, name, description)
}

// Array is a property that holds a list of items; the item's own name is not
// used.
func Array(name, description string, item Property) Property {
	p := property(schema.Array, name, description)
	p.inner.Items = &item.inner
	return p
}

// AnyObject is a property that holds an object, whose members are not checked.
func AnyObject(name, description string) Property {
	return property(schema.ObjectType, name, description)
}

func property(kind schema.Type, name, description string) Property {
	return Property{schema.Property{Name: name, Description: description, Type: kind}}
}

// Required says that a call must give the property.
func (p Property) Required() Property {
	p.inner.Required = true
	return p
}

// Default tells clients what an absent property means, as a JSON value. The
// handler applies it.
func (p Property) Default(json string) Property {
	p.inner.Default = json
	return p
}

// OneOf allows these texts alone.
func (p Property) OneOf(values ...string) Property {
	p.inner.Enum = values
	return p
}

// Minimum is the least number allowed.
func (p Property) Minimum(least float64) Property {
	p.inner.Minimum = &least
	return p
}

// Maximum is the greatest number allowed.
func (p Property) Maximum(greatest float64) Property {
	p.inner.Maximum = &greatest
	return p
}

// Length bounds a text's length in characters; a most of 0 is no bound.
func (p Property) Length(least, most int) Property {
	p.inner.MinLength, p.inner.MaxLength = least, most
	return p
}

// Items bounds the number of an array's items; a most of 0 is no bound.
func (p Property) Items(least, most int) Property {
	p.inner.MinItems, p.inner.MaxItems = least, most
	return p
}
