package uritemplate

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// finding collects what the variables stand for.
type finding struct {
	full     map[string][]string
	prefixes map[string]prefix
	missing  map[string]bool // somewhere
}

// prefix is the beginning of a value.
type prefix struct {
	text string
	most int
}

// variables gives what was found, unless a variable has different values, or is
// missing, at different places; a prefix only stands in for a value that is nowhere
// in full.
func (f *finding) variables() (variables map[string][]string, consistent bool) {
	for name, known := range f.prefixes {
		values, given := f.full[name]
		switch {
		case !given:
			f.full[name] = []string{known.text}
		case len(values) != 1 || beginningOf(values[0], known.most) != known.text:
			return nil, false
		}
	}
	for name := range f.full {
		if f.missing[name] {
			return nil, false
		}
	}
	return f.full, true
}

// miss notes variables that the URI does not have.
func (f *finding) miss(variables ...variable) {
	for _, v := range variables {
		f.missing[v.name] = true
	}
}

// beginningOf gives the first characters of a text.
func beginningOf(text string, most int) string {
	for i := range text {
		if most == 0 {
			return text[:i]
		}
		most--
	}
	return text
}

// expression takes the text of an expression apart and reports whether its
// values are possible ones.
func (f *finding) expression(e *expression, text string) bool {
	if text == "" && (e.first != "" || e.variables[0].explode) {
		f.miss(e.variables...)
		return true
	}
	text = text[len(e.first):]
	if e.named {
		return f.namedValues(e, strings.Split(text, e.separator))
	}
	return f.values(e, text)
}

// values takes values without names apart.
func (f *finding) values(e *expression, text string) bool {
	more := true
	for i, v := range e.variables {
		if !more {
			f.miss(e.variables[i:]...)
			return true
		}
		one := text
		switch {
		case v.explode:
			f.miss(e.variables[i+1:]...)
			return f.set(e, v, strings.Split(text, e.separator))
		case i < len(e.variables)-1:
			one, text, more = strings.Cut(text, e.separator)
		}
		if !f.setList(e, v, one) {
			return false
		}
	}
	return true
}

// setList sets a value in which commas may separate several.
func (f *finding) setList(e *expression, v variable, text string) bool {
	if e.reserved || v.prefix > 0 {
		return f.set(e, v, []string{text})
	}
	return f.set(e, v, strings.Split(text, ","))
}

// namedValues takes pairs of names and values apart.
func (f *finding) namedValues(e *expression, pairs []string) bool {
	for i, v := range e.variables {
		taken := 0
		for taken < len(pairs) && nameOf(pairs[taken]) == v.name && (v.explode || taken == 0) {
			taken++
		}
		switch {
		case v.explode && len(pairs) > 0 && !mayBegin(e.variables[i+1:], pairs[taken:]):
			f.miss(e.variables[i+1:]...)
			return f.setPairs(e, v, pairs)
		case taken == 0:
			f.miss(v)
			continue
		}
		values := make([]string, taken)
		for k, pair := range pairs[:taken] {
			var complete bool
			if values[k], complete = valueOf(e, pair); !complete {
				return false
			}
		}
		if !v.explode && !f.setList(e, v, values[0]) || v.explode && !f.set(e, v, values) {
			return false
		}
		pairs = pairs[taken:]
	}
	return len(pairs) == 0
}

// mayBegin reports whether the pairs can be those of the variables.
func mayBegin(variables []variable, pairs []string) bool {
	for _, v := range variables {
		if v.explode {
			return true
		}
		if len(pairs) > 0 && nameOf(pairs[0]) == v.name {
			pairs = pairs[1:]
		}
	}
	return len(pairs) == 0
}

func nameOf(pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	return name
}

// valueOf gives the value of a pair; a ";name=" without a value is none.
func valueOf(e *expression, pair string) (value string, complete bool) {
	_, value, hasValue := strings.Cut(pair, "=")
	return value, e.equals || !hasValue || value != ""
}

// setPairs sets an associative array.
func (f *finding) setPairs(e *expression, v variable, pairs []string) bool {
	pairs = slices.Clone(pairs)
	for i, pair := range pairs {
		value, complete := valueOf(e, pair)
		if !complete {
			return false
		}
		pairs[i] = nameOf(pair) + "=" + value
	}
	return f.set(e, v, pairs)
}

// set sets the values of a variable, which come percent-encoded, and reports
// whether they are texts and, if the variable had values before, the same.
func (f *finding) set(e *expression, v variable, texts []string) bool {
	values := make([]string, len(texts))
	for i, text := range texts {
		values[i] = decode(text, e.reserved)
		if v.explode && !e.reserved {
			values[i] = decodePair(text)
		}
		if !utf8.ValidString(values[i]) {
			return false
		}
	}
	if v.prefix > 0 {
		known, given := f.prefixes[v.name]
		found := prefix{values[0], v.prefix}
		if utf8.RuneCountInString(found.text) > v.prefix || given && !agree(known, found) {
			return false
		}
		if !given || known.most < found.most {
			f.prefixes[v.name] = found
		}
		return true
	}
	known, given := f.full[v.name]
	f.full[v.name] = values
	return !given || slices.Equal(known, values)
}

// agree reports whether two prefixes can be of one value.
func agree(a, b prefix) bool {
	if a.most > b.most {
		a, b = b, a
	}
	return beginningOf(b.text, a.most) == a.text
}

// decodePair decodes an element that may be a key and a value. Without "=" it
// is a value.
func decodePair(text string) string {
	key, value, isPair := strings.Cut(text, "=")
	if !isPair {
		return decode(text, false)
	}
	return strings.ReplaceAll(decode(key, false), "=", "%3D") + "=" + decode(value, false)
}

// decode replaces triplets by the bytes that they stand for, but those of
// reserved characters, and of "%", only if they cannot stand for themselves.
func decode(text string, reserved bool) string {
	at := strings.IndexByte(text, '%')
	if at < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for ; at >= 0; at = strings.IndexByte(text, '%') {
		b.WriteString(text[:at])
		c := unhex(text[at+1])<<4 | unhex(text[at+2])
		if reserved && (c == '%' || strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0) {
			b.WriteString(strings.ToUpper(text[at : at+3]))
		} else {
			b.WriteByte(c)
		}
		text = text[at+3:]
	}
	b.WriteString(text)
	return b.String()
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
