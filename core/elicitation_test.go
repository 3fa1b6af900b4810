package core_test

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/trace"
)

// wantUnaskable wants a question that cannot be asked under the revision.
func wantUnaskable(t *testing.T, question link.Question, revision protocol.Revision, words ...string) {
	t.Helper()
	err := question.Validate(revision)
	if err == nil {
		t.Errorf("%+v under %s: Validate gave no error, want one with %q", question, revision, words)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%+v under %s: Validate gave %q, want %q in it", question, revision, err, word)
		}
	}
	if params, err := question.AppendParams(nil, revision); err == nil {
		t.Errorf("%+v under %s: AppendParams gave %s, want an error", question, revision, params)
	}
}

func TestFormsThatCannotBeAsked(t *testing.T) {
	sound := core.Object(core.Boolean("ok", ""))
	for _, test := range []struct {
		question core.Elicitation
		words    []string
	}{
		{core.Elicitation{Schema: sound}, []string{"message"}},
		{core.Elicitation{Message: "m"}, []string{"Schema or RawSchema"}},
		{core.Elicitation{Message: "m", Schema: sound, RawSchema: json.RawMessage(`{}`)}, []string{"Schema or RawSchema"}},
		{core.Elicitation{Message: "m", RawSchema: json.RawMessage(`{`)}, []string{"JSON"}},
		{core.Elicitation{Message: "m", RawSchema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"object"}}}`)}, []string{`"a"`, "object"}},
		{core.Elicitation{Message: "m", Schema: core.Object(core.Boolean("", ""))}, []string{"no name"}},
		{core.Elicitation{Message: "m", Schema: core.Object(core.Array("a", "", core.String("", "")))}, []string{`"a"`, "choose"}},
		{core.Elicitation{Message: "m", Schema: core.Object(core.Array("a", "", core.Integer("", "")))}, []string{`"a"`, "string"}},
		{core.Elicitation{Message: "m", Schema: core.Object(core.Array("a", "", core.Array("", "", core.String("", "").OneOf("x"))))}, []string{`"a"`}},
		{core.Elicitation{Message: "m", Schema: core.Object(core.String("a", "").OneOf("x").Length(1, 2))}, []string{`"a"`, "minLength"}},
	} {
		for _, revision := range []protocol.Revision{protocol.V20250618, protocol.V20251125, protocol.V20260728} {
			wantUnaskable(t, test.question.LinkQuestion(), revision, test.words...)
		}
	}
	several := core.Elicitation{Message: "m", Schema: core.Object(core.Array("a", "", core.String("", "").OneOf("x")))}.LinkQuestion()
	wantUnaskable(t, several, protocol.V20250618, `"a"`, "2025-06-18")
	if err := several.Validate(protocol.V20251125); err != nil {
		t.Errorf("an array of choices under 2025-11-25: %v", err)
	}
}

func TestFormsOfTheBuilder(t *testing.T) {
	question := core.Elicitation{Message: "m", Schema: core.ClosedObject(
		core.String("s", "S").Length(1, 5).Default(`"x"`).Required(),
		core.String("e", "").OneOf("a", "b"),
		core.Integer("i", "").Minimum(1).Maximum(2),
		core.Number("n", ""),
		core.Boolean("b", "").Default("true"),
	)}.LinkQuestion()
	const rest = `"e":{"type":"string","enum":["a","b"]},"i":{"type":"integer","minimum":1,"maximum":2},"n":{"type":"number"},"b":{"type":"boolean","default":true}},"required":["s"]}}`
	for revision, want := range map[protocol.Revision]string{
		protocol.V20250618: `{"message":"m","requestedSchema":{"type":"object","properties":{"s":{"type":"string","description":"S","minLength":1,"maxLength":5},` + rest,
		protocol.V20251125: `{"message":"m","requestedSchema":{"type":"object","properties":{"s":{"type":"string","description":"S","minLength":1,"maxLength":5,"default":"x"},` + rest,
	} {
		if got, err := question.AppendParams(nil, revision); string(got) != want || err != nil {
			t.Errorf("under %s: %s, %v, want %s", revision, got, err, want)
		}
	}
}

func TestPages(t *testing.T) {
	for _, address := range []string{
		"https://example.com", "http://localhost:8080/a?b=c#d", "https://[::1]/", "HTTPS://example.com/%C3%A9",
	} {
		question := core.URLElicitation{Message: "m", URL: address}.LinkQuestion()
		if err := question.Validate(protocol.V20251125); err != nil {
			t.Errorf("the url %q: %v", address, err)
		}
		wantUnaskable(t, question, protocol.V20250618, "2025-06-18")
	}
	wantUnaskable(t, core.URLElicitation{URL: "https://example.com"}.LinkQuestion(), protocol.V20251125, "message")
	for _, test := range []struct{ address, words string }{
		{"", "needs a message and a url"},
		{"example.com/a", "absolute"},
		{"/a", "absolute"},
		{"//example.com", "absolute"},
		{"https://", "absolute"},
		{"https:example.com", "host"},
		{"https:///a", "host"},
		{"https://:443/", "host"},
		{"https://exa mple.com", "absolute"},
		{"https://example.com/a b", "absolute"},
		{"https://example.com/\n", "absolute"},
		{"https://example.com/%zz", "absolute"},
		{"https://example.com/é", "ASCII"},
		{"https://eric:secret@example.com/", "user"},
		{"https://eric@example.com/", "user"},
		{"javascript://example.com/%0aalert(1)", "javascript"},
		{"file:///etc/passwd", "file"},
		{"data:text/html,x", "data"},
	} {
		question := core.URLElicitation{Message: "m", URL: test.address}.LinkQuestion()
		for _, revision := range []protocol.Revision{protocol.V20251125, protocol.V20260728} {
			wantUnaskable(t, question, revision, test.words)
		}
		if err := question.Validate(protocol.V20251125); strings.Contains(err.Error(), "secret") {
			t.Errorf("%q stands in the error %q", test.address, err)
		}
	}
}

func TestAnswersToForms(t *testing.T) {
	form := core.Elicitation{Message: "m", RawSchema: json.RawMessage(
		`{"type":"object","properties":{"content":{"type":"string"},"role":{"type":"string","default":"user"}}}`)}.LinkQuestion()
	refusable := core.Elicitation{Message: "m", Schema: core.Object(core.Boolean("a", "").Default("true")), HandleRefusal: true}.LinkQuestion()
	for _, test := range []struct {
		question     link.Question
		answer, want string
	}{
		{form, ` { "_meta" : {} , "action":"accept" , "content" : { "content" : "x" } , "z": 1 } `, ` { "_meta" : {} , "action":"accept" , "content" : {"content":"x","role":"user"} , "z": 1 } `},
		{form, `{"content":{"content":"x","role":"admin"},"action":"accept"}`, `{"content":{"content":"x","role":"admin"},"action":"accept"}`},
		{form, `{"action":"accept","\u0063ontent":{}}`, `{"action":"accept","\u0063ontent":{"role":"user"}}`},
		{refusable, `{"action":"decline","content":{}}`, `{"action":"decline","content":{}}`},
		{refusable, `{"action":"cancel"}`, `{"action":"cancel"}`},
		{refusable, `{"action":"accept","content":{}}`, `{"action":"accept","content":{"a":true}}`},
	} {
		got, err := core.CheckAnswer(test.question.Kind(), test.question.Form(), test.answer, nil)
		if got != test.want || err != nil {
			t.Errorf("CheckAnswer(%s) = %s, %v, want %s", test.answer, got, err, test.want)
		}
	}
	for _, test := range []struct{ answer, words string }{
		{`{"action":"accept"}`, "has no content"},
		{`{"action":"accept","content":[]}`, "has no content"},
		{`{"action":"accept","content":null}`, "has no content"},
		{`{"action":"Accept","content":{}}`, `action is "Accept"`},
		{`{"content":{}}`, "malformed"},
		{`{"action":"decline","content":{}}`, "refused"},
		{`{"action":"accept","content":{"role":5}}`, "role: must be a string"},
	} {
		got, err := core.CheckAnswer(form.Kind(), form.Form(), test.answer, nil)
		if err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("CheckAnswer(%s) = %s, %v, want an error with %q", test.answer, got, err, test.words)
		}
	}
}

// A pattern that cannot be enforced is no reason to fail, but somebody must be
// able to find out.
func TestUnenforcedPatternsAreTraced(t *testing.T) {
	question := core.Elicitation{Message: "m", RawSchema: json.RawMessage(
		`{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}`)}.LinkQuestion()
	file := trace.New("test", trace.Info, 1<<20)
	const answer = `{"action":"accept","content":{"a":"y"}}`
	if got, err := core.CheckAnswer(question.Kind(), question.Form(), answer, file); got != answer || err != nil {
		t.Errorf("CheckAnswer(%s) = %s, %v, want it unchanged", answer, got, err)
	}
	if traced := strings.Join(file.Tail(10), "\n"); !strings.Contains(traced, `the pattern of "a" is not enforced`) {
		t.Errorf("the trace has %q, want that the pattern of a is not enforced", traced)
	}
}
