// Package phrase has the pieces of sentences that tell what does not fit a
// schema.
package phrase

import (
	"strconv"

	"mcpserver/core/internal/wire"
)

// MaxQuoted is the most runes of a call's own text in a sentence.
const MaxQuoted = 80

// Counted gives the number with its noun: "1 item", "3 items".
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Quote gives the text, shortened, as a JSON string.
func Quote(text string) string {
	return string(wire.AppendString(nil, Shorten(text)))
}

// Shorten gives the text, or its start and an ellipsis, in MaxQuoted runes.
func Shorten(text string) string {
	if len(text) <= MaxQuoted {
		return text
	}
	runes, cut := 0, 0
	for i := range text {
		if runes == MaxQuoted-1 {
			cut = i
		}
		if runes == MaxQuoted {
			return text[:cut] + "…"
		}
		runes++
	}
	return text
}
