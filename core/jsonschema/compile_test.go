package jsonschema

import (
	"strings"
	"testing"
)

// A fault of the library's own must end no more than the one call. A validator
// that was never compiled has one.
func TestPanicsOfTheLibraryAreErrors(t *testing.T) {
	v := &validator{root: map[string]any{}, budget: &budget{}}
	_, violations := v.check(`{"a":1}`, nil, false)
	if got := strings.Join(violations, "; "); !strings.Contains(got, "the object: the validator failed unexpectedly: runtime error") {
		t.Errorf("got %q", got)
	}
	// The mutex is free again.
	if _, again := v.check(`{}`, nil, false); len(again) != 1 {
		t.Errorf("got %q", again)
	}
}
