package schema

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"mcpserver/core/internal/phrase"
	"mcpserver/core/internal/wire"
)

const (
	// scannedProperties is the most properties that are looked up by comparing
	// names one by one; a larger table gets an index at its first Check.
	scannedProperties = 16
	// trackedProperties is the most properties whose presence is kept on the
	// stack.
	trackedProperties = 64
	// maxListed is the most violations that are put into words.
	maxListed = 20
)

// Check compares the arguments of a call, which the scanner has accepted, with
// the schema.
//
// missing is the first required property, in declared order, that the call
// does not give; empty when there is none. violations says in a sentence each
// what else is wrong, naming the argument, in the order of the arguments; after
// 20 of them the last sentence says how many more there are. Null for an
// optional property is no violation, and for a required one it is one: the
// property was given.
//
// The cost is linear in the arguments. A call that conforms makes no
// allocation, unless a string whose length or content is restricted has
// escapes in it, or the schema has more than 64 properties.
func (o *Object) Check(arguments []wire.Member) (missing string, violations []string) {
	var tracked [trackedProperties]bool
	given := tracked[:]
	if len(o.Properties) > len(tracked) {
		given = make([]bool, len(o.Properties))
	}
	var found findings
	for i := range arguments {
		argument := &arguments[i]
		at := o.find(argument.Name)
		if at < 0 {
			if o.Closed && found.count() {
				found.list(o.unknownArgument(argument.Name))
			}
			continue
		}
		given[at] = true
		p := &o.Properties[at]
		if argument.Value.Kind == wire.Null && !p.Required {
			continue
		}
		found.check(p, argument.Value, &location{argument: p.Name})
	}
	return o.firstMissing(given), found.sentences()
}

func (o *Object) firstMissing(given []bool) string {
	for i := range o.Properties {
		if o.Properties[i].Required && !given[i] {
			return o.Properties[i].Name
		}
	}
	return ""
}

// find gives the place of the property of that name, or -1.
func (o *Object) find(name string) int {
	if len(o.Properties) > scannedProperties {
		return o.findIndexed(name)
	}
	for i := range o.Properties {
		if o.Properties[i].Name == name {
			return i
		}
	}
	return -1
}

func (o *Object) findIndexed(name string) int {
	o.indexOnce.Do(func() {
		o.index = make(map[string]int, len(o.Properties))
		for i := range o.Properties {
			o.index[o.Properties[i].Name] = i
		}
	})
	if at, ok := o.index[name]; ok {
		return at
	}
	return -1
}

// findings collects the violations of one call. It counts all of them but
// words only the first, so that hostile arguments cost no more than reading
// them.
type findings struct {
	total  int
	listed []string
}

// count counts a violation and reports whether it is to be listed.
func (f *findings) count() bool {
	f.total++
	return f.total <= maxListed
}

func (f *findings) list(sentence string) {
	f.listed = append(f.listed, sentence)
}

func (f *findings) sentences() []string {
	if more := f.total - len(f.listed); more > 0 {
		return append(f.listed, "and "+phrase.Counted(more, "more violation"))
	}
	return f.listed
}

// check finds what is wrong with the value at that location.
func (f *findings) check(p *Property, v wire.Value, at *location) {
	if !p.Type.admits(v) {
		if f.count() {
			f.list(at.sentence("must be " + p.Type.phrase() + ", got " + p.Type.mismatch(v)))
		}
		return
	}
	switch p.Type {
	case String:
		f.checkText(p, v, at)
	case Integer, Number:
		f.checkBounds(p, v, at)
	case Array:
		f.checkItems(p, v, at)
	}
}

func (t Type) admits(v wire.Value) bool {
	switch t {
	case String:
		return v.Kind == wire.String
	case Integer:
		// Int is the quick way; IsInteger knows no limit of size.
		_, small := v.Int()
		return small || v.IsInteger()
	case Number:
		return v.Kind == wire.Number
	case Boolean:
		return v.Kind == wire.True || v.Kind == wire.False
	case Array:
		return v.Kind == wire.Array
	case ObjectType:
		return v.Kind == wire.Object
	}
	return false
}

func (f *findings) checkText(p *Property, v wire.Value, at *location) {
	if len(p.Enum) == 0 && p.MinLength == 0 && p.MaxLength == 0 {
		return
	}
	text := v.Text()
	if len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
		if f.count() {
			f.list(at.sentence("must be one of " + alternatives(p.Enum) + ", got " + phrase.Quote(text)))
		}
		return
	}
	length := utf8.RuneCountInString(text)
	if length < p.MinLength && f.count() {
		f.list(at.sentence(fmt.Sprintf("must be at least %s long, got %d", phrase.Counted(p.MinLength, "character"), length)))
	}
	if p.MaxLength > 0 && length > p.MaxLength && f.count() {
		f.list(at.sentence(fmt.Sprintf("must be at most %s long, got %d", phrase.Counted(p.MaxLength, "character"), length)))
	}
}

func (f *findings) checkBounds(p *Property, v wire.Value, at *location) {
	if p.Minimum != nil && compare(v, *p.Minimum) < 0 && f.count() {
		f.list(at.sentence("must be at least " + number(*p.Minimum) + ", got " + phrase.Shorten(v.Raw)))
	}
	if p.Maximum != nil && compare(v, *p.Maximum) > 0 && f.count() {
		f.list(at.sentence("must be at most " + number(*p.Maximum) + ", got " + phrase.Shorten(v.Raw)))
	}
}

func (f *findings) checkItems(p *Property, v wire.Value, at *location) {
	if p.Items == nil && p.MinItems == 0 && p.MaxItems == 0 {
		return
	}
	items := 0
	for item, rest := firstItem(v.Raw); item != ""; item, rest = cutItem(rest) {
		if p.Items != nil && at.depth < maxNesting {
			at.enter(items)
			f.check(p.Items, valueOf(item), at)
			at.leave()
		}
		items++
	}
	if items < p.MinItems && f.count() {
		f.list(at.sentence(fmt.Sprintf("must have at least %s, got %d", phrase.Counted(p.MinItems, "item"), items)))
	}
	if p.MaxItems > 0 && items > p.MaxItems && f.count() {
		f.list(at.sentence(fmt.Sprintf("must have at most %s, got %d", phrase.Counted(p.MaxItems, "item"), items)))
	}
}
