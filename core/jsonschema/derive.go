package jsonschema

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
)

// deriver finds out what JSON encoding/json reads Go types from, or writes them
// as.
type deriver struct {
	// input says that values are read.
	input   bool
	known   map[reflect.Type]*shape
	readers map[string]reader
}

// deriveRoot derives the shape of a type that must be an object in JSON, with
// the readers of its texts.
func deriveRoot(t reflect.Type, input bool) (*shape, map[string]reader, error) {
	d := deriver{input: input, known: make(map[reflect.Type]*shape), readers: make(map[string]reader)}
	root, err := d.derive(t)
	if err != nil {
		return nil, nil, fmt.Errorf("type %s: %w", typeName(t), err)
	}
	if form := root.shape.form; form != objectForm && form != dictionaryForm {
		return nil, nil, fmt.Errorf("type %s is no object in JSON; use a struct or a map", typeName(t))
	}
	return root.shape, d.readers, nil
}

// derive derives the shape of a type. Each type has one shape, so that a type
// may contain itself.
func (d *deriver) derive(t reflect.Type) (use, error) {
	nullable := false
	for pointers := 0; t.Kind() == reflect.Pointer; pointers++ {
		if pointers == 8 {
			return use{}, fmt.Errorf("%s is a pointer to a pointer without end", typeName(t))
		}
		nullable = true
		t = t.Elem()
	}
	s, known := d.known[t]
	if !known {
		s = &shape{length: -1, goName: t.Name()}
		d.known[t] = s
		if err := d.fill(s, t); err != nil {
			return use{}, err
		}
	}
	return use{shape: s, nullable: nullable}, nil
}

// fill finds the shape of a type that is no pointer.
func (d *deriver) fill(s *shape, t reflect.Type) error {
	switch t {
	case reflect.TypeFor[time.Time]():
		s.form, s.format = textForm, "date-time"
		s.reader = d.register(textReader(t, `a date and time such as "2006-01-02T15:04:05Z"`))
		return nil
	case reflect.TypeFor[time.Duration]():
		s.form, s.description = integerForm, "A duration in nanoseconds."
		s.least, s.greatest = strconv.FormatInt(math.MinInt64, 10), strconv.FormatInt(math.MaxInt64, 10)
		return nil
	case reflect.TypeFor[json.Number]():
		s.form = numberForm
		return nil
	case reflect.TypeFor[json.RawMessage]():
		return nil
	}
	if t.Kind() == reflect.Interface {
		if d.input && t.NumMethod() > 0 {
			return fmt.Errorf("%s is an interface with methods, so no value of it can be read", typeName(t))
		}
		return nil
	}
	if isJSON, isText := d.methods(t); isJSON || isText {
		if !isJSON {
			s.form = textForm
			s.reader = d.register(textReader(t, ""))
		}
		return nil
	}
	return d.fillByKind(s, t)
}

// methods tells whether a type reads or writes itself as JSON, or as text.
func (d *deriver) methods(t reflect.Type) (isJSON, isText bool) {
	asJSON, asText := reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()
	if d.input {
		asJSON, asText = reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()
	}
	pointer := reflect.PointerTo(t)
	return pointer.Implements(asJSON), pointer.Implements(asText)
}

func (d *deriver) fillByKind(s *shape, t reflect.Type) error {
	switch t.Kind() {
	case reflect.Bool:
		s.form = booleanForm
	case reflect.String:
		s.form = textForm
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.form = integerForm
		s.bound(t.Bits(), strconv.FormatInt(-1<<(t.Bits()-1), 10), strconv.FormatInt(1<<(t.Bits()-1)-1, 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		s.form = integerForm
		s.bound(t.Bits(), "0", strconv.FormatUint(math.MaxUint64>>(64-t.Bits()), 10))
		s.minimum = "0"
	case reflect.Float32, reflect.Float64:
		s.form = numberForm
		largest := math.MaxFloat64
		if t.Kind() == reflect.Float32 {
			largest = math.MaxFloat32
		}
		s.greatest = strconv.FormatFloat(largest, 'e', -1, 64)
		s.least = "-" + s.greatest
	case reflect.Slice, reflect.Array:
		return d.fillList(s, t)
	case reflect.Map:
		return d.fillDictionary(s, t)
	case reflect.Struct:
		return d.fillObject(s, t)
	default:
		return fmt.Errorf("%s has no JSON", typeName(t))
	}
	return nil
}

// bound sets the bounds of an integer of that many bits.
func (s *shape) bound(bits int, least, greatest string) {
	s.least, s.greatest = least, greatest
	if bits < 64 {
		s.minimum, s.maximum = least, greatest
	}
}

// interval names the integers within the bounds.
func (s *shape) interval() string {
	return "an integer from " + s.least + " to " + s.greatest
}

func (d *deriver) fillList(s *shape, t reflect.Type) error {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && d.isPlain(t.Elem()) {
		s.form, s.encoding = textForm, "base64"
		s.reader = d.register(textReader(t, "a text in base64"))
		return nil
	}
	s.form = listForm
	if t.Kind() == reflect.Array {
		s.length = t.Len()
	}
	element, err := d.derive(t.Elem())
	s.element = &element
	if err != nil {
		return fmt.Errorf("elements of %s: %w", typeName(t), err)
	}
	return nil
}

// fillNames says which names a dictionary with such keys has.
func (d *deriver) fillNames(s *shape, key reflect.Type) error {
	if _, isText := d.methods(key); isText {
		s.reader = d.register(nameReader(key, ""))
		return nil
	}
	if key.Kind() == reflect.String {
		return nil
	}
	var integer shape
	if err := d.fillByKind(&integer, key); err != nil {
		return err
	}
	s.reader = d.register(nameReader(key, integer.interval()))
	return nil
}

// register gives the name of a reader.
func (d *deriver) register(r reader) string {
	if !d.input {
		return ""
	}
	name := "reader " + strconv.Itoa(len(d.readers))
	d.readers[name] = r
	return name
}

// isPlain reports whether a type has no methods for JSON.
func (d *deriver) isPlain(t reflect.Type) bool {
	isJSON, isText := d.methods(t)
	return !isJSON && !isText
}

func (d *deriver) fillDictionary(s *shape, t reflect.Type) error {
	switch t.Key().Kind() {
	case reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
	default:
		readable := reflect.PointerTo(t.Key()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
		writable := t.Key().Implements(reflect.TypeFor[encoding.TextMarshaler]())
		if d.input && !readable || !d.input && !writable {
			return fmt.Errorf("%s has keys that are no names in JSON", typeName(t))
		}
	}
	s.form = dictionaryForm
	if err := d.fillNames(s, t.Key()); err != nil {
		return err
	}
	element, err := d.derive(t.Elem())
	s.element = &element
	if err != nil {
		return fmt.Errorf("elements of %s: %w", typeName(t), err)
	}
	return nil
}

func (d *deriver) fillObject(s *shape, t reflect.Type) error {
	s.form = objectForm
	members, err := membersOf(t, d.input)
	if err != nil {
		return err
	}
	for _, m := range members {
		f := field{name: m.name, description: m.description, optional: m.optional}
		if m.quoted {
			f.value.shape = &shape{form: textForm, length: -1, reader: d.register(quotedReader(m.goType))}
			f.value.nullable = m.goType.Kind() == reflect.Pointer
		} else if f.value, err = d.derive(m.goType); err != nil {
			return fmt.Errorf("field %s: %w", m.goName, err)
		}
		f.optional = f.optional || d.input && f.value.nullable
		s.fields = append(s.fields, f)
	}
	return nil
}
