package core_test

import (
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/link"
)

// Only a sampling result can be wrapped: what fits a form is what the handler
// sees, whatever looks like a sampling result in it.
func TestFormAnswersAreNotUnwrapped(t *testing.T) {
	const form = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	const answer = `{"action":"accept","content":{"n":1,"role":"user","action":"accept","content":{"n":"DROP TABLE"}}}`
	got, err := core.CheckAnswer(link.Form, form, answer, nil)
	if err != nil || got != answer {
		t.Errorf("the answer became %s, %v; want it as it is", got, err)
	}
}

func TestWrappedSamplingResult(t *testing.T) {
	const result = `{"role":"assistant","model":"m","content":{"type":"text","text":"hi"}}`
	for _, answer := range []string{result, `{"action":"accept","content":` + result + `}`} {
		if got, err := core.CheckAnswer(link.Sampling, "", answer, nil); err != nil || got != result {
			t.Errorf("%s became %s, %v; want %s", answer, got, err, result)
		}
		if got := core.UncheckedAnswer(answer); got != result {
			t.Errorf("unchecked, %s became %s; want %s", answer, got, result)
		}
	}
	const silent = `{"role":"assistant","model":"m","content":[]}`
	if got, err := core.CheckAnswer(link.Sampling, "", `{"action":"accept","content":`+silent+`}`, nil); err != nil || got != silent {
		t.Errorf("an answer without blocks became %s, %v", got, err)
	}
}

// What a pattern costs is bounded by the text and by the pattern.
func TestPatternsAreBounded(t *testing.T) {
	const form = `{"type":"object","properties":{"a":{"type":"string","pattern":"([a-z ]{1,64}){1,15}@"},"b":{"type":"string","pattern":"^[a-z]+$"}}}`
	for size, want := range map[int]string{1000: "must match", 200_000: "too long to be checked against its pattern"} {
		answer := `{"action":"accept","content":{"a":"` + strings.Repeat("a", size) + `","b":"x"}}`
		if _, err := core.CheckAnswer(link.Form, form, answer, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %d characters: %v, want %q", size, err, want)
		}
	}
	// What people fill in is checked, in any script.
	const long = `{"type":"object","properties":{"a":{"type":"string","pattern":"^[\\p{L} ]{1,1000}$"},"b":{"type":"string","pattern":"^.{1,1000}$"},"c":{"type":"string","pattern":"^.{1,1000}$","maxLength":1000}}}`
	text := strings.Repeat("字", 1000)
	if _, err := core.CheckAnswer(link.Form, long, `{"action":"accept","content":{"a":"`+text+`","b":"`+text+`","c":"`+text+`"}}`, nil); err != nil {
		t.Errorf("long patterns: %v", err)
	}
	answer := `{"action":"accept","content":{"c":"` + strings.Repeat("a", 100_000) + `"}}`
	if _, err := core.CheckAnswer(link.Form, long, answer, nil); err == nil || !strings.Contains(err.Error(), "at most 1000 characters") {
		t.Errorf("a text that is too long: %v", err)
	}
	answer = `{"action":"accept","content":{"b":"` + strings.Repeat("a", 500_000) + `"}}`
	if _, err := core.CheckAnswer(link.Form, form, answer, nil); err != nil {
		t.Errorf("a simple pattern: %v", err)
	}
}
