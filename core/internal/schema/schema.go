// Package schema holds the input schemas of tools as an aspect's author builds
// them: an object with a flat list of properties. It finds the author's
// mistakes (Validate), publishes the schema (AppendJSON) and checks the
// arguments of a call (Check).
//
// What Check enforces is what AppendJSON publishes, nothing else, so a client
// with a JSON Schema validator of its own comes to the same verdict. The one
// exception is null for an optional property: it counts as not given, because
// language models send it to mean just that.
package schema

import "sync"

// Type is the JSON type of a property.
type Type uint8

// The types of a property. An Integer is a number without a fraction, however
// it is written (3, 3.0, 1e2) and however large it is. The members of an
// ObjectType are not checked.
const (
	String Type = iota
	Integer
	Number
	Boolean
	Array
	ObjectType
)

// String gives the type as a JSON schema names it.
func (t Type) String() string {
	switch t {
	case String:
		return "string"
	case Integer:
		return "integer"
	case Number:
		return "number"
	case Boolean:
		return "boolean"
	case Array:
		return "array"
	case ObjectType:
		return "object"
	}
	return "unknown"
}

// phrase gives the type with its article, for sentences.
func (t Type) phrase() string {
	switch t {
	case Integer, Array, ObjectType:
		return "an " + t.String()
	}
	return "a " + t.String()
}

// Property is one argument of a tool, or the items of an array.
type Property struct {
	// Name is required and unique in its Object. It is not used in Items.
	Name string
	// Description and Title are single lines; empty is left out.
	Description, Title string
	// Type is a string when not set.
	Type Type
	// Required says that a call must give the property. It is not used in
	// Items.
	Required bool
	// Enum lists the texts that a String may have; empty allows all.
	Enum []string
	// Default is a JSON value that tells clients what an absent property
	// means; empty is none. Check does not apply it.
	Default string
	// Minimum and Maximum are the least and the greatest value of an Integer
	// or Number; nil is no bound.
	Minimum, Maximum *float64
	// MinLength and MaxLength bound the length of a String in Unicode code
	// points; a MaxLength of 0 is no bound.
	MinLength, MaxLength int
	// MinItems and MaxItems bound the number of items of an Array; a MaxItems
	// of 0 is no bound.
	MinItems, MaxItems int
	// Items describes each item of an Array; nil allows any.
	Items *Property
}

// Object is the input schema of a tool. The zero value takes any arguments.
//
// Its methods are safe from any goroutine. It must not be copied or changed
// once Check was called.
type Object struct {
	// Properties are published, and looked for, in this order.
	Properties []Property
	// Closed refuses arguments that are not among the properties.
	Closed bool

	indexOnce sync.Once
	index     map[string]int
}
