package uritemplate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a piece of a template: a literal, or an expression.
type part struct {
	literal    string
	expression *expression
}

// expression is what stands between braces.
type expression struct {
	operator
	variables []variable
}

// variable is one of the names in an expression.
type variable struct {
	name    string
	explode bool // *
	prefix  int  // the most characters of :n; 0 is all
}

// operator says how the values of an expression are written.
type operator struct {
	first     string // before the first value
	separator string // between values
	named     bool   // values have their names before them
	equals    bool   // an empty named value keeps its "="
	reserved  bool   // values may have reserved characters
}

// operatorOf gives the operator that a character stands for.
func operatorOf(c byte) (o operator, known bool) {
	switch c {
	case '+':
		return operator{separator: ",", reserved: true}, true
	case '#':
		return operator{first: "#", separator: ",", reserved: true}, true
	case '.':
		return operator{first: ".", separator: "."}, true
	case '/':
		return operator{first: "/", separator: "/"}, true
	case ';':
		return operator{first: ";", separator: ";", named: true}, true
	case '?':
		return operator{first: "?", separator: "&", named: true, equals: true}, true
	case '&':
		return operator{first: "&", separator: "&", named: true, equals: true}, true
	}
	return operator{separator: ","}, false
}

// parse takes a template apart.
func parse(template string) ([]part, error) {
	switch {
	case len(template) > maxTemplate:
		return nil, errTooLong
	case !utf8.ValidString(template):
		return nil, errNotUTF8
	}
	var parts []part
	expressions := 0
	for rest := template; rest != ""; {
		literal, inner, found := strings.Cut(rest, "{")
		if literal != "" {
			if err := checkLiteral(literal); err != nil {
				return nil, err
			}
			parts = append(parts, part{literal: literal})
		}
		if !found {
			break
		}
		if inner, rest, found = strings.Cut(inner, "}"); !found {
			return nil, errUnclosed
		}
		e, err := parseExpression(inner)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{expression: e})
		if expressions++; expressions > maxExpressions {
			return nil, errManyParts
		}
	}
	return parts, nil
}

// checkLiteral refuses what may stand in no URI.
func checkLiteral(literal string) error {
	for i, r := range literal {
		switch {
		case r == '%':
			if !isTriplet(literal[i:]) {
				return errBadTriplet
			}
		case r <= ' ', strings.ContainsRune("\"<>\\^`|}", r), unicode.IsControl(r), r == utf8.RuneError:
			return fmt.Errorf("%q cannot stand outside of an expression", r)
		}
	}
	return nil
}

func parseExpression(text string) (*expression, error) {
	if text == "" {
		return nil, errNoExpression
	}
	e := &expression{}
	var known bool
	if e.operator, known = operatorOf(text[0]); known {
		text = text[1:]
	} else if strings.IndexByte("=,!@|", text[0]) >= 0 {
		return nil, fmt.Errorf("the operator %q has no meaning yet", text[0])
	}
	for spec := range strings.SplitSeq(text, ",") {
		v, err := parseVariable(spec)
		if err != nil {
			return nil, err
		}
		if e.variables = append(e.variables, v); len(e.variables) > maxVariables {
			return nil, errManyNames
		}
	}
	return e, nil
}

func parseVariable(spec string) (variable, error) {
	name, length, hasPrefix := strings.Cut(spec, ":")
	name, explode := strings.CutSuffix(name, "*")
	if !isName(name) {
		return variable{}, fmt.Errorf("%q is no name of a variable", name)
	}
	v := variable{name: name, explode: explode}
	if !hasPrefix {
		return v, nil
	}
	n, err := strconv.ParseUint(length, 10, 16)
	if err != nil || n == 0 || n > 9999 || length[0] == '0' || explode {
		return variable{}, fmt.Errorf("%q is no number from 1 to 9999 after a variable's name", length)
	}
	v.prefix = int(n)
	return v, nil
}

// isName reports whether a text is letters, digits, "_" and triplets, with
// single dots between them.
func isName(name string) bool {
	afterDot := true
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '.':
			if afterDot {
				return false
			}
			afterDot = true
			continue
		case c == '%':
			if !isTriplet(name[i:]) {
				return false
			}
			i += 2
		case c != '_' && !isAlphanumeric(c):
			return false
		}
		afterDot = false
	}
	return !afterDot
}

// isTriplet reports whether a text begins with "%" and two hexadecimal digits.
func isTriplet(text string) bool {
	return len(text) >= 3 && text[0] == '%' && isHex(text[1]) && isHex(text[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
