package everything

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpserver/core"
)

// formTools show forms.
func formTools() []core.Tool {
	return []core.Tool{
		{
			Name:        "fillInForm",
			Title:       "Fill in a form",
			Description: "Shows you a form with every kind of field, some of which are restricted: texts of each format, numbers, a yes or no, and choices of one or several. Answers with what you filled in, or with whether you declined or cancelled.",
			Handler:     fillInForm,
		},
		{
			Name:        "test_elicitation_sep1034_defaults",
			Description: "Shows you a form with a field of each simple type, all of them filled in with defaults, and answers with what you left or changed.",
			Handler: inquiry{
				key:      "form",
				question: core.Elicitation{Message: "Please look through these defaults.", Schema: formWithDefaults()},
				tell:     tellContent,
			}.handle,
		},
		{
			Name:        "test_elicitation_sep1330_enums",
			Description: "Shows you a form with each way to choose: one or several, with titles or without, and the older way to give titles. Answers with what you chose.",
			Handler: inquiry{
				key:      "form",
				question: core.Elicitation{Message: "Please choose.", RawSchema: json.RawMessage(choices)},
				tell:     tellContent,
			}.handle,
		},
	}
}

func formWithDefaults() core.Schema {
	return core.Object(
		core.String("name", "Your name").Default(`"John Doe"`),
		core.Integer("age", "Your age").Default("30"),
		core.Number("score", "Your score").Default("95.5"),
		core.String("status", "Your status").OneOf("active", "inactive", "pending").Default(`"active"`),
		core.Boolean("verified", "You are verified").Default("true"),
	)
}

// choices are a form's ways to choose.
const choices = `{
	"type": "object",
	"properties": {
		"untitledSingle": {"type": "string", "description": "One, without titles", "enum": ["option1", "option2", "option3"]},
		"titledSingle": {"type": "string", "description": "One, with titles", "oneOf": [
			{"const": "value1", "title": "First value"},
			{"const": "value2", "title": "Second value"},
			{"const": "value3", "title": "Third value"}
		]},
		"legacyEnum": {"type": "string", "description": "One, with titles as there were before",
			"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option one", "Option two", "Option three"]},
		"untitledMulti": {"type": "array", "description": "Several, without titles",
			"items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
		"titledMulti": {"type": "array", "description": "Several, with titles", "items": {"anyOf": [
			{"const": "value1", "title": "First choice"},
			{"const": "value2", "title": "Second choice"},
			{"const": "value3", "title": "Third choice"}
		]}}
	}
}`

// fullForm has every kind of field, with what restricts it.
const fullForm = `{
	"type": "object",
	"properties": {
		"name": {"type": "string", "title": "Name", "description": "A text of 2 to 40 characters", "minLength": 2, "maxLength": 40},
		"email": {"type": "string", "title": "Email", "description": "An email address", "format": "email"},
		"website": {"type": "string", "title": "Website", "description": "A URI", "format": "uri"},
		"birthday": {"type": "string", "title": "Birthday", "description": "A date", "format": "date"},
		"appointment": {"type": "string", "title": "Appointment", "description": "A date and a time with its zone", "format": "date-time"},
		"guests": {"type": "integer", "title": "Guests", "description": "A whole number from 1 to 10", "minimum": 1, "maximum": 10, "default": 2},
		"budget": {"type": "number", "title": "Budget", "description": "Any number from 0 on", "minimum": 0},
		"newsletter": {"type": "boolean", "title": "Newsletter", "description": "Yes or no", "default": false},
		"size": {"type": "string", "title": "Size", "description": "One of three", "enum": ["small", "medium", "large"], "default": "medium"},
		"color": {"type": "string", "title": "Color", "description": "One of three that have titles", "oneOf": [
			{"const": "#ff0000", "title": "Red"},
			{"const": "#00ff00", "title": "Green"},
			{"const": "#0000ff", "title": "Blue"}
		]},
		"days": {"type": "array", "title": "Days", "description": "One or two of three", "minItems": 1, "maxItems": 2,
			"items": {"type": "string", "enum": ["Friday", "Saturday", "Sunday"]}}
	},
	"required": ["name", "guests"]
}`

func fillInForm(_ context.Context, call *core.Call) (core.Result, error) {
	answer, given := call.Input("form")
	if !given {
		return call.RequireInput(core.Inputs{"form": core.Elicitation{
			Message:       "Please fill in what you like. Only the name and the number of guests are required.",
			RawSchema:     json.RawMessage(fullForm),
			HandleRefusal: true,
		}}, nil)
	}
	if answer.Action() != "accept" {
		return core.Text(fmt.Sprintf("You did not fill in the form (%s).", answer.Action())), nil
	}
	return core.Text(tellContent(call, answer)), nil
}
