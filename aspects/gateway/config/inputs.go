package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// InputType is how an editor would come by the value of an input.
type InputType string

// The types.
const (
	// PromptString is a text that the person types.
	PromptString InputType = "promptString"
	// PickString is one of the options.
	PickString InputType = "pickString"
	// Command is what a command of the editor gives. Nothing but an editor has
	// those, so a value has to be given.
	Command InputType = "command"
)

// Input is a value that the person gives, for ${input:ID}.
type Input struct {
	// ID has up to 128 characters, all of which can be shown, and no other input
	// of the file has it.
	ID string
	// Type is never empty. A file that does not say it means PromptString.
	Type        InputType
	Description string
	// Password says that the value is not to be shown while it is typed.
	Password bool
	// Default is the value where none is given; "" is none.
	Default string
	// Options are the values that a PickString may have, and empty otherwise.
	Options []Option
	// Line and Column are where it stands in the file, from 1; the column is in
	// characters.
	Line, Column int
}

// Option is one of the values that the person can pick.
type Option struct {
	Value string
	// Label is what to show for it. A file that does not say it means the value.
	Label string
}

func (r *reader) readInputs(value gjson.Result) {
	switch {
	case value.Type == gjson.Null:
		return
	case !value.IsArray():
		r.problem("", value.Index, "\"inputs\" must be an array of objects, not %s", kind(value))
		return
	}
	value.ForEach(func(_, input gjson.Result) bool {
		if len(r.inputs) == maxInputs {
			r.problem("", input.Index, "there are more than %d inputs; this one and those after it are left out", maxInputs)
			return false
		}
		r.readInput(input)
		return !r.isFull()
	})
}

// inputReader reads one input.
type inputReader struct {
	object
	input Input
}

// readInput adds the input to the file's if all of it can be used.
func (r *reader) readInput(value gjson.Result) {
	at := r.where.locate(value.Index)
	i := &inputReader{
		object: object{reader: r, about: "an input: ", place: at},
		input:  Input{Type: PromptString, Line: at.line, Column: at.column},
	}
	if !value.IsObject() {
		i.badWhole("it must be an object, not %s", kind(value))
		return
	}
	if id := value.Get("id"); id.Type == gjson.String {
		i.about = fmt.Sprintf("the input %q: ", cut(id.Str))
	}
	i.members(value, i.member)
	i.check()
	if !i.isBad {
		r.file.Inputs = append(r.file.Inputs, i.input)
	}
}

func (i *inputReader) member(name string, value gjson.Result) {
	switch name {
	case "id":
		i.input.ID = i.text(name, value)
	case "type":
		i.readType(value)
	case "description":
		i.input.Description = i.text(name, value)
	case "password":
		i.input.Password = i.boolean(name, value)
	case "default":
		i.input.Default = i.text(name, value)
	case "options":
		i.readOptions(value)
	}
}

func (i *inputReader) readType(value gjson.Result) {
	spelling := i.text("type", value)
	if value.Type != gjson.String {
		return
	}
	types := []InputType{PromptString, PickString, Command}
	if !slices.Contains(types, InputType(spelling)) {
		i.bad(value.Index, "the type %q is not known; it must be promptString, pickString or command", cut(spelling))
		return
	}
	i.input.Type = InputType(spelling)
}

// readOptions reads strings, and objects with a label and a value.
func (i *inputReader) readOptions(value gjson.Result) {
	if !value.IsArray() {
		if value.Type != gjson.Null {
			i.bad(value.Index, "\"options\" must be an array, not %s", kind(value))
		}
		return
	}
	value.ForEach(func(_, element gjson.Result) bool {
		option, label := element, element
		if element.IsObject() {
			option, label = element.Get("value"), element.Get("label")
		}
		switch {
		case len(i.input.Options) == maxOptions:
			i.bad(element.Index, "\"options\" has more than %d elements", maxOptions)
			return false
		case option.Type != gjson.String || label.Type != gjson.String && label.Exists():
			i.bad(element.Index, "the element %d of \"options\" must be a string, or an object with \"value\" and \"label\"", len(i.input.Options))
			return false
		case !label.Exists():
			label = option
		}
		for _, text := range []string{option.Str, label.Str} {
			if problem := textFault(text); problem != "" {
				i.bad(element.Index, "the element %d of \"options\" %s", len(i.input.Options), problem)
				return false
			}
		}
		i.input.Options = append(i.input.Options, Option{option.Str, label.Str})
		return true
	})
}

func (i *inputReader) check() {
	if i.isBad {
		return
	}
	problem := nameFault(i.input.ID)
	first, isTaken := i.inputs[i.input.ID]
	switch {
	case problem != "":
		i.badWhole("its id %s", problem)
		return
	case isTaken:
		i.badWhole("its id is that of the input at line %d, column %d; this one is left out", first.line, first.column)
		return
	}
	i.inputs[i.input.ID] = i.place
	switch {
	case i.input.Type != PickString:
		i.input.Options = nil
	case len(i.input.Options) == 0:
		i.badWhole(`it is of type pickString, which needs "options"`)
	case i.input.Default != "" && !i.input.hasOption(i.input.Default):
		i.badWhole(`its default must be one of its options: %s`, i.input.listOptions())
	}
}

func (i *Input) hasOption(value string) bool {
	return slices.ContainsFunc(i.Options, func(o Option) bool { return o.Value == value })
}

const mostListed = 10

// listOptions names the first options for a sentence.
func (i *Input) listOptions() string {
	var list strings.Builder
	for n, option := range i.Options {
		if n == mostListed {
			fmt.Fprintf(&list, " and %d more", len(i.Options)-n)
			break
		}
		if n > 0 {
			list.WriteString(", ")
		}
		fmt.Fprintf(&list, "%q", cut(option.Value))
	}
	return list.String()
}
