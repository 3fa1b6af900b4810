package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// object is a server or an input that is being read. Its methods read the
// values of members; they note a problem and give the zero value for what
// cannot be used. A null is as if the member were not there.
type object struct {
	*reader
	// server is the name of the entry, and about what each sentence begins
	// with, or "".
	server, about string
	// place is where the object's name stands, or the object itself.
	place
	isBad bool
}

// bad notes a problem at an offset.
func (o *object) bad(offset int, format string, arguments ...any) {
	o.isBad = true
	o.problem(o.server, offset, "%s", o.about+fmt.Sprintf(format, arguments...))
}

// badWhole notes a problem of the object as a whole.
func (o *object) badWhole(format string, arguments ...any) {
	o.isBad = true
	o.problemAt(o.server, o.place, "%s", o.about+fmt.Sprintf(format, arguments...))
}

// members calls read for each member but those whose name has occurred before.
func (o *object) members(value gjson.Result, read func(name string, value gjson.Result)) {
	seen := map[string]bool{}
	value.ForEach(func(name, value gjson.Result) bool {
		if seen[name.Str] {
			o.bad(name.Index, "%q occurs twice", cut(name.Str))
			return !o.isFull()
		}
		seen[name.Str] = true
		read(name.Str, value)
		return true
	})
}

// text gives a string.
func (o *object) text(name string, value gjson.Result) string {
	switch value.Type {
	case gjson.Null:
	case gjson.String:
		if problem := textFault(value.Str); problem != "" {
			o.bad(value.Index, "%q %s", name, problem)
			return ""
		}
		return value.Str
	default:
		o.bad(value.Index, "%q must be a string, not %s", name, kind(value))
	}
	return ""
}

// textFault says what is wrong with a string, or gives "".
func textFault(text string) string {
	switch {
	case len(text) > maxText:
		return fmt.Sprintf("is longer than %d KiB", maxText>>10)
	case strings.ContainsRune(text, 0):
		return "has a NUL character, which cannot be passed on"
	}
	return ""
}

// texts gives the strings of an array: nil for null, and never nil for an
// array. The first element that cannot be used is the one that is told of.
func (o *object) texts(name string, value gjson.Result, most int) []string {
	if value.Type == gjson.Null {
		return nil
	}
	if !value.IsArray() {
		o.bad(value.Index, "%q must be an array of strings, not %s", name, kind(value))
		return nil
	}
	all := []string{}
	value.ForEach(func(_, element gjson.Result) bool {
		switch problem := textFault(element.Str); {
		case len(all) == most:
			o.bad(element.Index, "%q has more than %d elements", name, most)
		case element.Type != gjson.String:
			o.bad(element.Index, "%q must be an array of strings; the element %d is %s", name, len(all), kind(element))
		case problem != "":
			o.bad(element.Index, "the element %d of %q %s", len(all), name, problem)
		default:
			all = append(all, element.Str)
			return true
		}
		return false
	})
	return all
}

// boolean gives true for true alone.
func (o *object) boolean(name string, value gjson.Result) bool {
	if !value.IsBool() && value.Type != gjson.Null {
		o.bad(value.Index, "%q must be true or false, not %s", name, kind(value))
	}
	return value.Type == gjson.True
}

const maxSeconds = 3600

// duration gives a time: Entry.Timeout says in which units.
func (o *object) duration(name string, value gjson.Result) time.Duration {
	var given float64 // in nanoseconds
	switch value.Type {
	case gjson.Null:
		return 0
	case gjson.Number:
		given = value.Num * float64(time.Millisecond)
		if value.Num <= maxSeconds {
			given = value.Num * float64(time.Second)
		}
	case gjson.String:
		parsed, err := time.ParseDuration(value.Str)
		if err != nil {
			o.bad(value.Index, "%q must be a number, or a string with a unit such as \"90s\" or \"2m\"", name)
			return 0
		}
		given = float64(parsed)
	default:
		o.bad(value.Index, "%q must be a number or a string, not %s", name, kind(value))
		return 0
	}
	if given < 0 || given > float64(maxTimeout) {
		o.bad(value.Index, "%q must be from 0 to 7 days", name)
		return 0
	}
	return time.Duration(given)
}
