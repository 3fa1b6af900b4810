package config

import (
	"path"
	"slices"
	"strings"
)

// Allows reports whether a tool of the server may be used, by the name that the
// server has for it: a pattern of Allow matches it, or Allow is nil, and none of
// Deny does. Patterns have *, ?, [classes] and \ as path.Match has them, but for
// them a / is a character like others, so that a * means all names there are.
// Safe for concurrent use.
func (e *Entry) Allows(tool string) bool {
	matches := func(pattern string) bool {
		matches, err := path.Match(withoutSlash(pattern), withoutSlash(tool))
		return err == nil && matches // Parse lets no malformed pattern through
	}
	return (e.Allow == nil || slices.ContainsFunc(e.Allow, matches)) && !slices.ContainsFunc(e.Deny, matches)
}

// withoutSlash puts a character that no name has in the place of each /.
func withoutSlash(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
