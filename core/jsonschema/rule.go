package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"mcpserver/core/internal/wire"
)

// budget bounds the time of one check. Recursion and alternatives in a schema
// can make it exponential in the depth of the arguments, and the library has no
// way to stop, so it is stopped by a panic with errTooBig out of a rule.
type budget struct {
	left int64
	// perValue is what looking at a value costs. perChild is what each item or
	// member of a value costs at least: what the library notes about one that
	// does not fit is as long as its location.
	perValue, perChild int64
	// unevaluated says that the library keeps, for each schema that applies to a
	// value, which of the value's members and items are yet to be evaluated.
	unevaluated bool
}

func (b *budget) spend(cost int64) {
	if b.left -= cost; b.left < 0 {
		panic(errTooBig)
	}
}

// rule is what stands in a compiled schema in the place of its format. The
// library asks it about each value that the schema is applied to, before it
// looks at the value's members or items. Besides counting, it checks the
// keywords for which the library's time is not linear: enum, const and
// uniqueItems. A format is for people here and is not checked, unless it is the
// name of a reader.
type rule struct {
	budget *budget
	load   load
	// allowed are the values of enum or const in their canonical form; nil
	// allows all.
	allowed map[string]bool
	values  []any
	// containers says that an array or object is among them.
	containers bool
	unique     bool
	// reader, if any, reads texts.
	reader reader
}

// load is what a schema has the library do with a value besides asking the rule.
type load struct {
	// applied is how many schemas it applies to the same value. The library does
	// not ask their rules about a value of a type they do not take.
	applied int64
	// named is how many members it asks for by their names.
	named int64
	// passes is how often it goes over the value's members or items.
	passes int64
}

// errEqualItems and errNotAllowed are what a rule finds wrong.
type (
	errEqualItems struct{ first, second int }
	errNotAllowed struct{ values []any }
)

func (e errEqualItems) Error() string {
	return fmt.Sprintf("must have no equal items, but items %d and %d are", e.first, e.second)
}

func (errNotAllowed) Error() string { return "the value is not among those allowed" }

// newRule makes the rule of a schema that restricts a value to these.
func newRule(b *budget, values []any, restricted, unique bool) *rule {
	r := &rule{budget: b, values: values, unique: unique}
	if !restricted {
		return r
	}
	r.allowed = make(map[string]bool, len(values))
	for _, value := range values {
		r.allowed[canonical(value)] = true
		r.containers = r.containers || isContainer(value)
	}
	return r
}

// validate is a format's function.
func (r *rule) validate(value any) error {
	r.budget.spend(r.cost(int64(children(value))))
	if r.allowed != nil && !r.allows(value) {
		return errNotAllowed{r.values}
	}
	if items, isArray := value.([]any); isArray && r.unique {
		return r.distinct(items)
	}
	if text, isText := value.(string); isText && r.reader.read != nil {
		return r.read(text)
	}
	return nil
}

func (r *rule) read(text string) error {
	r.budget.spend(int64(len(text) / 32))
	if err := r.reader.read(text); err != nil {
		return errUnreadable{r.reader.wanted, err}
	}
	return nil
}

// cost is that of a value with so many members or items.
func (r *rule) cost(children int64) int64 {
	cost := r.budget.perValue + (r.load.applied+r.load.named+r.load.passes*children)*r.budget.perChild
	if r.budget.unevaluated {
		cost += r.load.applied * children
	}
	return cost
}

func (r *rule) allows(value any) bool {
	if isContainer(value) && !r.containers {
		return false
	}
	return r.allowed[r.key(value)]
}

func (r *rule) distinct(items []any) error {
	seen := make(map[string]int, len(items))
	for i, item := range items {
		key := r.key(item)
		if first, twice := seen[key]; twice {
			return errEqualItems{first, i}
		}
		seen[key] = i
	}
	return nil
}

func (r *rule) key(value any) string {
	key := canonical(value)
	r.budget.spend(int64(len(key) / 32))
	return key
}

func isContainer(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

func children(value any) int {
	switch value := value.(type) {
	case []any:
		return len(value)
	case map[string]any:
		return len(value)
	}
	return 0
}

// canonical gives texts that are equal if the values are, as JSON schemas
// compare them: 1.0 is 1, and the order of members does not count.
func canonical(value any) string { return string(appendCanonical(nil, value)) }

func appendCanonical(dst []byte, value any) []byte {
	switch value := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if value {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case string:
		return wire.AppendString(dst, value)
	case json.Number:
		if number, ok := new(big.Rat).SetString(string(value)); ok {
			return append(dst, number.RatString()...)
		}
		return append(dst, value...)
	case []any:
		dst = append(dst, '[')
		for _, item := range value {
			dst = append(appendCanonical(dst, item), ',')
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(value)) {
			dst = append(wire.AppendString(dst, name), ':')
			dst = append(appendCanonical(dst, value[name]), ',')
		}
		return append(dst, '}')
	}
	return dst
}

// pattern is a regular expression that counts.
type pattern struct {
	*regexp.Regexp
	instructions int
	budget       *budget
}

// maxInstructions bounds what a regular expression is compiled to, and with it
// the time per character.
const maxInstructions = 5000

// newPattern compiles a regular expression. JSON schemas have those of
// ECMAScript and Go has RE2, which lacks look-around and back-references. What
// both have means the same but for the spelling of \u0041.
func newPattern(text string, b *budget) (*pattern, error) {
	spelled := respell(text)
	tree, err := syntax.Parse(spelled, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxInstructions {
		return nil, errors.New("it is too large")
	}
	compiled, err := regexp.Compile(spelled)
	if err != nil {
		return nil, err
	}
	return &pattern{compiled, len(program.Inst), b}, nil
}

// respell writes \u0041 as \x{0041}.
func respell(expression string) string {
	var b strings.Builder
	for i := 0; i < len(expression); i++ {
		if expression[i] != '\\' || i+1 == len(expression) {
			b.WriteByte(expression[i])
			continue
		}
		if i+6 <= len(expression) && expression[i+1] == 'u' && isHex(expression[i+2:i+6]) {
			b.WriteString(`\x{` + expression[i+2:i+6] + `}`)
			i += 5
			continue
		}
		b.WriteString(expression[i : i+2])
		i++
	}
	return b.String()
}

func isHex(digits string) bool {
	_, err := strconv.ParseUint(digits, 16, 32)
	return err == nil
}

// MatchString reports whether the text contains a match.
func (p *pattern) MatchString(text string) bool {
	p.budget.spend(1 + int64(len(text))*int64(p.instructions)/256)
	return p.Regexp.MatchString(text)
}
