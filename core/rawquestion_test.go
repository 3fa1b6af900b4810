package core_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

func raw(method, params string) core.RawQuestion {
	return core.RawQuestion{Method: method, Params: json.RawMessage(params)}
}

// A raw question is sent as it is, and refused before it is sent if it is none.
func TestRawQuestion(t *testing.T) {
	const odd = `{"z":1.0,"messages":5,"esc":"\u003cb\u003e","a":1,"a":2}`
	for _, test := range []struct {
		name     string
		question core.RawQuestion
		revision protocol.Revision
		want     string // the params, or
		words    string // of the error
	}{
		{"odd", raw("sampling/createMessage", odd), protocol.V20241105, odd, ""},
		{"odd", raw("sampling/createMessage", odd), protocol.V20260728, odd, ""},
		{"white space", raw("elicitation/create", "\n{ \"a\" :\r\n1 } "), protocol.V20250618, `{"a":1}`, ""},
		{"no params", raw("roots/list", ""), protocol.V20241105, `{}`, ""},
		{"elicitation of old", raw("elicitation/create", `{}`), protocol.V20250326, "", "does not exist in protocol version 2025-03-26"},
		{"no question", raw("ping", `{}`), protocol.V20251125, "", `no question "ping"`},
		{"no method", raw("", ``), protocol.V20251125, "", `no question ""`},
		{"an array", raw("roots/list", `[]`), protocol.V20251125, "", "no JSON object"},
		{"null", raw("roots/list", `null`), protocol.V20251125, "", "no JSON object"},
		{"no JSON", raw("roots/list", `{"a":}`), protocol.V20251125, "", "the params of a question"},
		{"more than JSON", raw("roots/list", `{} {}`), protocol.V20251125, "", "the params of a question"},
	} {
		t.Run(test.name+", "+test.revision.String(), func(t *testing.T) {
			question := test.question.LinkQuestion()
			if question.Method() != test.question.Method {
				t.Errorf("the method is %q", question.Method())
			}
			got, err := question.AppendParams([]byte("before "), test.revision)
			invalid := question.Validate(test.revision)
			if test.words == "" {
				if err != nil || invalid != nil || string(got) != "before "+test.want {
					t.Errorf("got %s, %v, %v, want %s", got, err, invalid, test.want)
				}
				return
			}
			for _, err := range []error{err, invalid} {
				if err == nil || !strings.Contains(err.Error(), test.words) {
					t.Errorf("got %v, want an error saying %q", err, test.words)
				}
			}
		})
	}
}

// What a raw question takes of the client is what the others take.
func TestRawQuestionNeeds(t *testing.T) {
	for _, test := range []struct{ method, params, want string }{
		{"roots/list", ``, "roots"},
		{"elicitation/create", `{}`, "elicitation.form"},
		{"elicitation/create", `{"mode":"form"}`, "elicitation.form"},
		{"elicitation/create", `{"mode":"url"}`, "elicitation.url"},
		{"sampling/createMessage", ``, "sampling"},
		{"sampling/createMessage", `{"tools":null,"toolChoice":null}`, "sampling"},
		{"sampling/createMessage", `{"tools":[]}`, "sampling sampling.tools"},
		{"sampling/createMessage", `{"toolChoice":{"mode":"none"}}`, "sampling sampling.tools"},
	} {
		question := raw(test.method, test.params)
		want := strings.Fields(test.want)
		if got := question.Needs(); !slices.Equal(got, want) {
			t.Errorf("%s with %s needs %q, want %q", test.method, test.params, got, want)
		}
		for revision := protocol.V20241105; revision <= protocol.V20260728; revision++ {
			if got := question.LinkQuestion().Needs(revision); !slices.Equal(got, want) {
				t.Errorf("%s with %s needs %q under %s, want %q", test.method, test.params, got, revision, want)
			}
		}
	}
}

func TestDeclares(t *testing.T) {
	for _, test := range []struct {
		capabilities, name string
		want               bool
	}{
		{``, "sampling", false},
		{`{}`, "sampling", false},
		{`{"sampling":{}}`, "sampling", true},
		{`{"sampling":true}`, "sampling", false},
		{`{"sampling":null}`, "sampling", false},
		{`{"sampling":{}}`, "sampling.tools", false},
		{`{"sampling":{"tools":{}}}`, "sampling.tools", true},
		{`{"sampling":{"tools":{}}}`, "sampling.context", false},
		{`{"sampling.tools":{}}`, "sampling.tools", false},
		{`{"tools":{}}`, "sampling.tools", false},
		{`{"elicitation":{}}`, "elicitation.form", true},
		{`{"elicitation":{"form":{}}}`, "elicitation.form", true},
		{`{"elicitation":{"url":{}}}`, "elicitation.form", false},
		{`{"elicitation":{"url":{},"form":{}}}`, "elicitation.form", true},
		{`{"elicitation":true}`, "elicitation.form", false},
		{`{"sampling":{}}`, "elicitation.form", false},
		{`{"elicitation":{}}`, "elicitation.url", false},
		{`{"elicitation":{"url":{}}}`, "elicitation.url", true},
		{`{"roots":{"listChanged":true}}`, "roots", true},
		{`{"roots":{"listChanged":true}}`, "roots.listChanged", false},
		{`{"a":{}}`, "@this", false},
		{`{"a":{}}`, "*", false},
		{`{"a":{}}`, "", false},
	} {
		if got := core.Declares(test.capabilities, test.name); got != test.want {
			t.Errorf("%s declares %q: %t, want %t", test.capabilities, test.name, got, test.want)
		}
	}
}
