package filesystem

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// directory is one that calls may reach into.
type directory struct {
	// given is its absolute path as it was given, and real the same without
	// links, as it was when it was given.
	given, real string
	// anchor is the real path of a directory that real is equal to or below,
	// and from which it is opened without following links: what lies between
	// the two may be changed by those who can write there.
	anchor string
}

// directories are those that calls may reach into. They never change; others
// take their place.
type directories struct {
	list []directory
	// apart says that there are none because the client's roots have left none.
	apart bool
}

// newDirectories resolves paths of a command line. It tells those that it left
// out.
func newDirectories(paths []string) (made directories, skipped []error) {
	for _, path := range paths {
		given, err := expand(path)
		if err == nil {
			given, err = filepath.Abs(given)
		}
		var real string
		if err == nil {
			real, err = realDirectory(given)
		}
		if err != nil {
			skipped = append(skipped, about(path, err))
			continue
		}
		made.add(directory{given: given, real: real, anchor: real})
	}
	anchor(made.list)
	return made, skipped
}

// anchor has directories that are below others be opened from those.
func anchor(list []directory) {
	for i := range list {
		for _, other := range list {
			if isWithin(list[i].real, other.real) && len(other.real) < len(list[i].anchor) {
				list[i].anchor = other.real
			}
		}
	}
}

// realDirectory resolves the links in the path of a directory.
func realDirectory(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", reason(err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", reason(err)
	}
	if !info.IsDir() {
		return "", errors.New("is not a directory")
	}
	return real, nil
}

func (d *directories) add(added directory) {
	for _, known := range d.list {
		if known.given == added.given && known.real == added.real {
			return
		}
	}
	d.list = append(d.list, added)
}

// at gives the directory that has exactly this path.
func (d directories) at(path string) (found directory, ok bool) {
	for _, known := range d.list {
		if samePath(known.real, path) || samePath(known.given, path) {
			return known, true
		}
	}
	return directory{}, false
}

// contain reports whether the path is one of the directories or below one, by
// its text alone.
func (d directories) contain(path string) bool {
	for _, known := range d.list {
		if isWithin(path, known.real) || isWithin(path, known.given) {
			return true
		}
	}
	return false
}

// holdsUp reports whether a real path is one of the directories or above one,
// so that it cannot be moved.
func (d directories) holdsUp(path string) bool {
	for _, known := range d.list {
		if isWithin(known.real, path) || isWithin(known.given, path) {
			return true
		}
	}
	return false
}

// names gives the paths as people gave them, and what these stand for.
func (d directories) names() []string {
	var names []string
	for _, known := range d.list {
		names = append(names, known.given)
		if known.real != known.given {
			names = append(names, known.real)
		}
	}
	return names
}

// samePath reports whether two clean absolute paths are the same by their
// texts.
func samePath(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// isWithin reports whether a clean absolute path is another one or below it, by
// components.
func isWithin(path, above string) bool {
	if len(path) < len(above) || !samePath(path[:len(above)], above) {
		return false
	}
	return len(path) == len(above) || os.IsPathSeparator(above[len(above)-1]) || os.IsPathSeparator(path[len(above)])
}

// components gives the parts of a clean absolute path below the top of its
// volume.
func components(path string) []string {
	return strings.FieldsFunc(path[len(filepath.VolumeName(path)):], func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// top gives the root of a path's volume.
func top(path string) string {
	return filepath.VolumeName(path) + string(filepath.Separator)
}
