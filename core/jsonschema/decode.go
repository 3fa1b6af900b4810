package jsonschema

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

const (
	// maxDepth is how deep arrays and objects may be nested.
	maxDepth = 1000
	// maxDigits is the most digits of a number, written without an exponent.
	maxDigits = 400
	// maxCost bounds what decoding and checking a value may cost. A unit is a
	// value looked at, about a microsecond at most.
	maxCost = 1 << 20
)

var (
	errTooDeep = errors.New("it is nested too deep to be checked (more than " + strconv.Itoa(maxDepth) + " levels)")
	errTooBig  = errors.New("it is too large, or fits too many alternatives, to be checked against the schema")
)

// decoded is a JSON value as the validator takes it: numbers are json.Number,
// so that no digit is lost.
type decoded struct {
	value any
	// deepest is how deep it is nested.
	deepest int
	// faults are places at which the value is not fit to be checked, with what
	// is wrong there. At most maxListed of them are kept.
	faults []fault
}

// fault is something wrong at a place.
type fault struct {
	location []string
	sentence string
}

// decode decodes a JSON text in one pass, in linear time and bounded memory.
//
// A member name that occurs twice in an object is a fault: which of them
// counts is up to who reads, and a validator and a handler must read alike.
func decode(text string) (decoded, error) {
	d := decoder{tokens: json.NewDecoder(strings.NewReader(text)), left: maxCost}
	d.tokens.UseNumber()
	value, err := d.next()
	if err != nil {
		return decoded{}, err
	}
	if _, err := d.tokens.Token(); !errors.Is(err, io.EOF) {
		return decoded{}, errors.New("there is something behind the JSON value")
	}
	d.found.value = value
	return d.found, nil
}

// decoder walks over the tokens of a text.
type decoder struct {
	tokens   *json.Decoder
	left     int
	location []string
	found    decoded
}

// next decodes the value that begins with the next token.
func (d *decoder) next() (any, error) {
	token, err := d.tokens.Token()
	if err != nil {
		return nil, err
	}
	if d.left--; d.left < 0 {
		return nil, errTooBig
	}
	switch token := token.(type) {
	case json.Number:
		return token, d.number(string(token))
	case json.Delim:
		return d.container(token)
	}
	return token, nil
}

// container decodes an array or an object, whose bracket was read.
func (d *decoder) container(bracket json.Delim) (any, error) {
	d.location = append(d.location, "")
	d.found.deepest = max(d.found.deepest, len(d.location))
	if len(d.location) > maxDepth {
		return nil, errTooDeep
	}
	var value any
	var err error
	if bracket == '[' {
		value, err = d.array()
	} else {
		value, err = d.object()
	}
	if err != nil {
		return nil, err
	}
	d.location = d.location[:len(d.location)-1]
	_, err = d.tokens.Token() // the other bracket
	return value, err
}

func (d *decoder) array() (any, error) {
	items := []any{}
	for d.tokens.More() {
		d.location[len(d.location)-1] = strconv.Itoa(len(items))
		item, err := d.next()
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func (d *decoder) object() (any, error) {
	members := make(map[string]any)
	for d.tokens.More() {
		token, err := d.tokens.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string)
		d.location[len(d.location)-1] = name
		if _, twice := members[name]; twice {
			d.fault("is given twice")
		}
		if members[name], err = d.next(); err != nil {
			return nil, err
		}
	}
	return members, nil
}

// number refuses numbers that would be costly to reckon with.
func (d *decoder) number(text string) error {
	exponent := 0
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		var err error
		if exponent, err = strconv.Atoi(strings.TrimPrefix(text[at+1:], "+")); err != nil {
			exponent = maxDigits + 1
		}
		exponent = max(exponent, -exponent)
	}
	if exponent > maxDigits || len(text)+exponent > maxDigits {
		d.fault("must be a number of at most " + strconv.Itoa(maxDigits) + " digits")
		return nil
	}
	if d.left -= (len(text) + exponent) / 16; d.left < 0 {
		return errTooBig
	}
	return nil
}

func (d *decoder) fault(sentence string) {
	if len(d.found.faults) < maxListed {
		d.found.faults = append(d.found.faults, fault{append([]string(nil), d.location...), sentence})
	}
}
