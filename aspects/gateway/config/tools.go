package config

import (
	"path"
	"slices"
	"strings"
)

// Allows reports whether a tool of the server may be used, by the name that the
// server has for it: a pattern of Allow matches it, or Allow is nil, and none of
// Deny does. Safe for concurrent use.
func (e *Entry) Allows(tool string) bool {
	return (e.Allow == nil || Matches(e.Allow, tool)) && !Matches(e.Deny, tool)
}

// Matches reports whether one of the patterns matches a name. They have *, ?,
// [classes] and \ as path.Match has them, but for them a / is a character like
// others, so that a * means all names there are. A malformed pattern matches
// nothing. Safe for concurrent use.
func Matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matches, err := path.Match(withoutSlash(pattern), withoutSlash(name))
		return err == nil && matches
	})
}

// withoutSlash puts a character that no name has in the place of each /.
func withoutSlash(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
