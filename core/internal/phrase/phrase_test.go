package phrase_test

import (
	"strings"
	"testing"

	"mcpserver/core/internal/phrase"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 items", 1: "1 item", 3: "3 items"} {
		if got := phrase.Counted(n, "item"); got != want {
			t.Errorf("Counted(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"":                        `""`,
		"a\n\"b\"":                `"a\n\"b\""`,
		strings.Repeat("ä", 80):   `"` + strings.Repeat("ä", 80) + `"`,
		strings.Repeat("ä", 81):   `"` + strings.Repeat("ä", 79) + `…"`,
		strings.Repeat("x", 1000): `"` + strings.Repeat("x", 79) + `…"`,
	} {
		if got := phrase.Quote(text); got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
	}
}
