package filesystem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// longestPath is the most bytes of a path that is taken.
	longestPath = 64 << 10
	// shownPath is the most bytes of a path that an error repeats.
	shownPath = 1000
)

var errNoDirectories = errors.New("cannot be found, since no directories are allowed: they are given on the server's command line, or by the client as its roots")

// errApart says why roots have left no directory.
var errApart = errors.New("the client's roots and the directories on the server's command line have nothing in common (--roots=replace serves the roots, --roots=ignore the directories)")

// absolute gives what a path stands for, cleaned, without looking at any file.
// A relative one is below the first of the directories that it leads into.
func (d directories) absolute(given string) (string, error) {
	path, err := expand(given)
	if err != nil {
		return "", about(given, err)
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	switch {
	case d.apart:
		return "", about(given, fmt.Errorf("cannot be found, since no directories are allowed: %w", errApart))
	case len(d.list) == 0:
		return "", about(given, errNoDirectories)
	}
	for _, known := range d.list {
		if candidate := filepath.Join(known.given, path); d.contain(candidate) {
			return candidate, nil
		}
	}
	return filepath.Join(d.list[0].given, path), nil
}

// expand refuses what can be no path, with a reason that follows its name, and
// puts the home folder in the place of "~".
func expand(path string) (string, error) {
	switch {
	case path == "":
		return "", errors.New("is an empty path")
	case len(path) > longestPath:
		return "", fmt.Errorf("has %d bytes, more than the %d that are taken", len(path), longestPath)
	case strings.ContainsRune(path, 0):
		return "", errors.New("has a NUL character in it")
	case runtime.GOOS != "windows" && hasDrive(path):
		return "", errors.New("is a path of Windows, and the server does not run there")
	case runtime.GOOS == "windows" && strings.Contains(path[len(filepath.VolumeName(path)):], ":"):
		return "", errors.New("has a colon in it")
	}
	if path != "~" && !strings.HasPrefix(path, "~/") && !strings.HasPrefix(path, "~"+string(filepath.Separator)) {
		return path, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("is below a home folder that is not known: %w", err)
	}
	return filepath.Join(home, path[1:]), nil
}

// hasDrive reports whether a path begins as those of Windows do.
func hasDrive(path string) bool {
	if len(path) < 2 || path[1] != ':' || len(path) > 2 && path[2] != '/' && path[2] != '\\' {
		return false
	}
	letter := path[0] | 0x20
	return 'a' <= letter && letter <= 'z'
}

// quoted gives a path for an error or a question: nothing of it gets there that
// would make it look like another one.
func quoted(path string) string {
	if len(path) > shownPath {
		path = path[:shownPath] + "…"
	}
	return `"` + escaped(path) + `"`
}

// entryName gives the name of an entry for a listing. One that would look like
// something else is quoted.
func entryName(name string) string {
	if shown := escaped(name); shown != name {
		return `"` + shown + `"`
	}
	return name
}

// escaped gives a text without line breaks, control characters and those that
// change the direction of what stands around them, and as valid UTF-8.
func escaped(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, misleads) < 0 {
		return text
	}
	quotedText := strconv.Quote(text)
	return quotedText[1 : len(quotedText)-1]
}

func misleads(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}
