package filesystem

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// longestPattern is the most bytes of a glob.
	longestPattern = 1000
	// mostAlternatives is how many patterns a glob's braces may stand for:
	// they are tried one after the other.
	mostAlternatives = 64
	// mostPatterns is how many patterns may exclude.
	mostPatterns = 100
)

// glob is a pattern for paths with slashes. An empty one matches nothing.
type glob struct {
	pattern string
	// base says that the pattern is "**/" and a pattern for the last part of a
	// path, which is then all that has to be looked at.
	base string
	// above matches directories below which the pattern matches everything. It
	// is empty if the pattern is not of that kind.
	above string
}

func newGlob(pattern string) (glob, error) {
	switch {
	case len(pattern) > longestPattern:
		return glob{}, fmt.Errorf("the pattern has %d bytes, more than the %d that are taken", len(pattern), longestPattern)
	case !doublestar.ValidatePattern(pattern):
		return glob{}, fmt.Errorf("the pattern %s is malformed", quoted(pattern))
	case alternatives(pattern) > mostAlternatives:
		return glob{}, fmt.Errorf("the braces of the pattern %s stand for more than %d patterns", quoted(pattern), mostAlternatives)
	}
	made := glob{pattern: strings.TrimPrefix(pattern, "./")}
	if base, found := strings.CutPrefix(made.pattern, "**/"); found && base != "" && !strings.ContainsAny(base, `/{\`) && !strings.Contains(base, "**") {
		made.base = base
	}
	if above, found := strings.CutSuffix(made.pattern, "/**"); found && above != "" {
		// What is below a directory is not the directory itself.
		made.pattern, made.above = above+"/**/*", above
	} else if begin := strings.IndexByte(made.pattern, '{'); begin >= 0 && strings.HasSuffix(made.pattern, "}") {
		made.pattern = made.pattern[:begin] + belowOnly.Replace(made.pattern[begin:])
	}
	return made, nil
}

// belowOnly does so in the braces at a pattern's end.
var belowOnly = strings.NewReplacer("/**,", "/**/*,", "/**}", "/**/*}")

// alternatives bounds how many patterns braces stand for: it multiplies what
// each pair may add.
func alternatives(pattern string) int {
	count, commas := 1, 0
	for i := 0; i < len(pattern) && count <= mostAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case ',':
			commas++
		case '}':
			count, commas = count*(commas+1), 0
		}
	}
	return count * (commas + 1)
}

// match reports whether the pattern matches a path, whose last part is name.
func (g glob) match(path, name string) bool {
	switch {
	case g.pattern == "":
		return false
	case g.base != "":
		matched, err := doublestar.Match(g.base, name)
		return matched && err == nil
	}
	matched, err := doublestar.Match(g.pattern, filepath.ToSlash(path))
	return matched && err == nil
}

// globs are patterns of which one is enough.
type globs []glob

func newGlobs(patterns []string) (globs, error) {
	if len(patterns) > mostPatterns {
		return nil, fmt.Errorf("there are %d patterns, more than the %d that are taken", len(patterns), mostPatterns)
	}
	var made globs
	for _, pattern := range patterns {
		one, err := newGlob(pattern)
		if err != nil {
			return nil, err
		}
		made = append(made, one)
	}
	return made, nil
}

func (g globs) match(path, name string) bool {
	for _, one := range g {
		if one.match(path, name) {
			return true
		}
	}
	return false
}

// matchBelow reports whether everything below a directory matches.
func (g globs) matchBelow(path string) bool {
	for _, one := range g {
		if one.above == "" {
			continue
		}
		if matched, err := doublestar.Match(one.above, filepath.ToSlash(path)); matched && err == nil {
			return true
		}
	}
	return false
}
