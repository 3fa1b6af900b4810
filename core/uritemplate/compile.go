package uritemplate

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// The characters of a URI as a regular expression's classes have them. Letters
// beyond ASCII stand for their percent-encoded bytes.
const (
	unreserved       = `A-Za-z0-9_~\-\x{80}-\x{10FFFF}` // without "."
	reservedButComma = `:/?#\[\]@!$&'()*+;=`
)

// countedPrefix is the longest prefix that is counted while matching; a longer
// one is counted afterwards, so that it cannot bloat the program.
const countedPrefix = 32

// compile makes the expression that matches what the parts expand to, with one
// group for the text of each expression. Its time is linear in the URI.
func compile(parts []part) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`\A`)
	for _, part := range parts {
		if part.expression == nil {
			writeLiteral(&b, part.literal)
			continue
		}
		b.WriteString("(")
		b.WriteString(part.expression.regexp())
		b.WriteString(")")
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

// writeLiteral writes a literal in all its spellings.
func writeLiteral(b *strings.Builder, literal string) {
	for i := 0; i < len(literal); {
		if isTriplet(literal[i:]) {
			fmt.Fprintf(b, "(?i:%s)", literal[i:i+3])
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(literal[i:])
		character := literal[i : i+size]
		i += size
		if r < utf8.RuneSelf {
			b.WriteString(regexp.QuoteMeta(character))
			continue
		}
		fmt.Fprintf(b, "(?:%s|(?i:%s))", character, triplets(character))
	}
}

func triplets(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// regexp gives the texts that the expression expands to.
func (e *expression) regexp() string {
	switch {
	case !e.named:
		return "(?:" + regexp.QuoteMeta(e.first) + e.values() + ")?"
	case e.first == e.separator:
		return e.optionalPairs(0)
	}
	return "(?:" + regexp.QuoteMeta(e.first) + e.pairs() + ")?"
}

// values matches values without names. What is there belongs to the variables
// from the left.
func (e *expression) values() string {
	inner := ""
	for i := len(e.variables) - 1; i >= 0; i-- {
		if inner != "" {
			inner = "(?:" + regexp.QuoteMeta(e.separator) + inner + ")?"
		}
		inner = e.value(i) + inner
	}
	return inner
}

// value matches what the variable number i stands for.
func (e *expression) value(i int) string {
	v, last := e.variables[i], i == len(e.variables)-1
	one := e.character(!last || v.explode)
	separator := regexp.QuoteMeta(e.separator)
	switch {
	case v.explode:
		element := one + `*(?:=` + one + `*)?`
		return element + "(?:" + separator + element + ")*"
	case v.prefix > 0:
		return beginning(one, v.prefix)
	case e.reserved, e.separator == "," && !last:
		return one + "*"
	}
	return one + "*(?:," + one + "*)*"
}

// beginning matches at most that many characters. A character of several
// percent-encoded bytes counts as one.
func beginning(one string, most int) string {
	if most > countedPrefix {
		return one + "*"
	}
	return fmt.Sprintf("(?:%%[C-Fc-f][0-9A-Fa-f](?:%%[89ABab][0-9A-Fa-f]){1,3}|%s){0,%d}", one, most)
}

// character matches a character of a value, or one of its bytes; a narrow one
// cannot be the separator.
func (e *expression) character(narrow bool) string {
	class := unreserved
	if e.reserved {
		class += reservedButComma
		if !narrow {
			class += ","
		}
	}
	if e.separator != "." || !narrow {
		class += "."
	}
	return "(?:[" + class + "]|%[0-9A-Fa-f]{2})"
}

// pairs matches values with names. Each but the first has a separator before it,
// whichever variables are missing, so there is an alternative for each that may
// be the first.
func (e *expression) pairs() string {
	alternatives := make([]string, len(e.variables))
	for i, v := range e.variables {
		alternatives[i] = e.namedValue(v) + e.optionalPairs(i+1)
	}
	return "(?:" + strings.Join(alternatives, "|") + ")"
}

// optionalPairs matches the values of the variables from there on, each with a
// separator before it.
func (e *expression) optionalPairs(from int) string {
	var b strings.Builder
	for _, v := range e.variables[from:] {
		b.WriteString("(?:" + regexp.QuoteMeta(e.separator) + e.namedValue(v) + ")?")
	}
	return b.String()
}

func (e *expression) namedValue(v variable) string {
	one := e.character(false)
	separator := regexp.QuoteMeta(e.separator)
	name := regexp.QuoteMeta(v.name)
	if v.explode {
		list := e.pair(name, one+"*")
		pairs := e.pair(one+"+", one+"*")
		return "(?:" + list + "(?:" + separator + list + ")*|" + pairs + "(?:" + separator + pairs + ")*)"
	}
	if v.prefix > 0 {
		return e.pair(name, beginning(one, v.prefix))
	}
	return e.pair(name, one+"*(?:,"+one+"*)*")
}

// pair matches a name and a value. A ";name" without a value has no "=".
func (e *expression) pair(name, value string) string {
	if e.equals {
		return name + "=" + value
	}
	return name + "(?:=" + value + ")?"
}
