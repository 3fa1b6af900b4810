package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestInputs(t *testing.T) {
	file := parse(t, `{
		"servers": {},
		"inputs": [
			{"type": "promptString", "id": "key", "description": "Your key", "password": true, "default": "none"},
			{"type": "pickString", "id": "é b", "options": ["x", {"value": "y", "label": "Y!"}, {"value": "z"}], "default": "y"},
			{"type": "command", "id": "c", "command": "x.y", "args": {}},
			{"id": "least", "options": ["x"], "type": null, "description": null, "password": null, "default": null},
		],
	}`)
	wantProblems(t, file)
	want := []Input{
		{ID: "key", Type: PromptString, Description: "Your key", Password: true, Default: "none", Line: 4, Column: 4},
		{ID: "é b", Type: PickString, Default: "y", Options: []Option{{"x", "x"}, {"y", "Y!"}, {"z", "z"}}, Line: 5, Column: 4},
		{ID: "c", Type: Command, Line: 6, Column: 4},
		{ID: "least", Type: PromptString, Line: 7, Column: 4},
	}
	if !reflect.DeepEqual(file.Inputs, want) {
		t.Errorf("got  %+v\nwant %+v", file.Inputs, want)
	}
}

func TestBadInputs(t *testing.T) {
	for _, test := range []struct{ name, input, want string }{
		{"a string", `"x"`, `column 1: an input: it must be an object, not a string`},
		{"nothing", `{}`, `column 1: an input: its id is empty`},
		{"an id of a kind", `{"id": 1}`, `column 8: an input: "id" must be a string, not a number`},
		{"a long id", `{"id": "` + strings.Repeat("é", 129) + `"}`, `column 1: the input "` + strings.Repeat("é", 128) + `…": its id is longer than 128 characters`},
		{"an id that cannot be shown", `{"id": "\u202e"}`, `column 1: the input "\u202e": its id has the character U+202E, which cannot be shown`},
		{"an id twice", `{"id": "ok"}`, `column 1: the input "ok": its id is that of the input at line 1, column 29; this one is left out`},
		{"a type that is none", `{"id": "i", "type": "prompt"}`, `column 21: the input "i": the type "prompt" is not known; it must be promptString, pickString or command`},
		{"a type of a kind", `{"id": "i", "type": 1}`, `column 21: the input "i": "type" must be a string, not a number`},
		{"a description of a kind", `{"id": "i", "description": 1}`, `column 28: the input "i": "description" must be a string, not a number`},
		{"a password of a kind", `{"id": "i", "password": "secret"}`, `column 25: the input "i": "password" must be true or false, not a string`},
		{"a default of a kind", `{"id": "i", "default": 1}`, `column 24: the input "i": "default" must be a string, not a number`},
		{"no options", `{"type": "pickString", "id": "i"}`, `column 1: the input "i": it is of type pickString, which needs "options"`},
		{"options of a kind", `{"type": "pickString", "id": "i", "options": "x"}`, `column 46: the input "i": "options" must be an array, not a string`},
		{
			"an option of a kind", `{"type": "pickString", "id": "i", "options": ["x", 1]}`,
			`column 52: the input "i": the element 1 of "options" must be a string, or an object with "value" and "label"`,
		},
		{
			"an option without a value", `{"type": "pickString", "id": "i", "options": [{"label": "x"}]}`,
			`column 47: the input "i": the element 0 of "options" must be a string, or an object with "value" and "label"`,
		},
		{
			"a label of a kind", `{"type": "pickString", "id": "i", "options": [{"value": "x", "label": 1}]}`,
			`column 47: the input "i": the element 0 of "options" must be a string, or an object with "value" and "label"`,
		},
		{
			"an option with NUL", `{"type": "pickString", "id": "i", "options": ["\u0000"]}`,
			`column 47: the input "i": the element 0 of "options" has a NUL character, which cannot be passed on`,
		},
		{
			"many options", `{"type": "pickString", "id": "i", "options": ` + long(maxOptions+1) + `}`,
			`column 3047: the input "i": "options" has more than 1000 elements`,
		},
		{
			"a default that cannot be picked", `{"type": "pickString", "id": "i", "options": ["a", "b"], "default": "secret"}`,
			`column 1: the input "i": its default must be one of its options: "a", "b"`,
		},
		{
			"a default that cannot be picked of many", `{"type": "pickString", "id": "i", "options": ["a","b","c","d","e","f","g","h","i","j","k","l"], "default": "secret"}`,
			`column 1: the input "i": its default must be one of its options: "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" and 2 more`,
		},
		{"a member twice", `{"id": "i", "password": true, "password": false}`, `column 31: the input "i": "password" occurs twice`},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := parse(t, "{\"servers\": {}, \"inputs\": [ {\"id\": \"ok\"},\n"+test.input+",\n{\"id\": \"too\"}]}")
			wantProblems(t, file, "line 2, "+test.want)
			if len(file.Inputs) != 2 || file.Inputs[0].ID != "ok" || file.Inputs[1].ID != "too" {
				t.Errorf("the inputs are %+v, want ok and too", file.Inputs)
			}
		})
	}
}

func TestInputsOfAKind(t *testing.T) {
	wantProblems(t, parse(t, `{"servers": {}, "inputs": null}`))
	wantProblems(t, parse(t, `{"servers": {}, "inputs": {}}`), `line 1, column 27: "inputs" must be an array of objects, not an object`)
}

func TestInputsAreAtMost256(t *testing.T) {
	var inputs strings.Builder
	for i := range 300 {
		inputs.WriteString("{\"id\": \"" + strings.Repeat("x", i%100+1) + string(rune('a'+i/100)) + "\"},\n")
	}
	file := parse(t, "{\"servers\": {}, \"inputs\": [\n"+inputs.String()+"]}")
	if len(file.Inputs) != 256 {
		t.Errorf("there are %d inputs, want 256", len(file.Inputs))
	}
	wantProblems(t, file, "line 258, column 1: there are more than 256 inputs; this one and those after it are left out")
}

func TestInputVariable(t *testing.T) {
	for id, want := range map[string]string{
		"key": "MCP_INPUT_KEY", "api-key.2": "MCP_INPUT_API_KEY_2", "é b": "MCP_INPUT___B", "A_1": "MCP_INPUT_A_1", "": "MCP_INPUT_",
	} {
		if got := InputVariable(id); got != want {
			t.Errorf("InputVariable(%q) = %q, want %q", id, got, want)
		}
	}
}
