package filesystem

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// maxLinks is how many symbolic links a path may lead through.
const maxLinks = 40

// place is where a path leads: a name below an open directory. For an exact
// walk, none of the name's parts was a link when it was looked at, except for
// the last one where links are not followed. Should one become a link since,
// os.Root follows it within that directory and no further.
type place struct {
	root *os.Root // stays open until the call ends
	// within is the path of root, and name what follows it; "." is root itself.
	within, name string
	// info tells what is there; nil if nothing is.
	info fs.FileInfo
	// missing is how many parts at the end of the name do not exist.
	missing int
	// pinned says that nothing but what info tells of may be opened by the name:
	// it is what the person has allowed, and its neighbours are not.
	pinned bool
}

// path gives the place's path without links. It is never shown: people and
// models see what they gave.
func (p place) path() string { return filepath.Join(p.within, p.name) }

// beside gives the name of something in the same directory.
func (p place) beside(name string) string { return filepath.Join(filepath.Dir(p.name), name) }

// outsideError says that a path leads out of the allowed directories, to a
// place at which nothing was looked.
type outsideError struct {
	path string
	// apart says that all paths are outside, since roots have left no directory.
	apart bool
}

// Error tells no more than that.
func (e *outsideError) Error() string {
	if e.apart {
		return "is outside the allowed directories, of which there are none: " + errApart.Error()
	}
	return "is outside the allowed directories (list_allowed_directories names them)"
}

// walk follows one path. It is outside of all allowed directories until it
// comes by one from above; nothing outside is looked at.
type walk struct {
	access *access
	// granted are the paths outside that this walk may go to.
	granted []string
	// follow says that a link at the end is followed.
	follow bool
	// exact says that the place's name has to be without links, as writers
	// need it, for their locks and to put files beside it.
	exact bool

	pending []string // what is still to be followed
	outside string   // where it is while root is nil
	root    *os.Root
	within  string   // the path of root
	stack   []string // where it is below root
	current *os.Root // the directory that the stack names, if it is open
	info    fs.FileInfo
	links   int
	tried   bool // the shortcut
	// byGrant says that it is outside by what the person has allowed, which
	// is one path: where a link there leads is asked for anew.
	byGrant bool
}

// run follows the path, clean and absolute.
func (w *walk) run(path string) (place, error) {
	defer w.move()
	w.outside, w.pending = top(path), components(path)
	if err := w.enter(w.outside); err != nil {
		return place{}, err
	}
	for len(w.pending) > 0 || w.root == nil {
		err := w.access.ctx.Err()
		switch {
		case err != nil:
		case w.root != nil:
			if found, ok := w.shortcut(); ok {
				return found, nil
			}
			var missing bool
			if missing, err = w.step(); missing {
				return w.absent()
			}
		case len(w.pending) > 0:
			err = w.approach()
		default:
			err = w.leave()
		}
		if err != nil {
			return place{}, err
		}
	}
	if w.info == nil {
		var err error
		if w.info, err = w.root.Lstat(w.name()); err != nil {
			return place{}, err
		}
	}
	return w.pin(place{root: w.root, within: w.within, name: w.name(), info: w.info})
}

// pin gives a place to which the person has allowed to go below its own
// directory. In the whole volume an os.Root keeps nothing in: who could make a
// link of one of the directories on the way would have everything opened.
func (w *walk) pin(found place) (place, error) {
	if !w.byGrant {
		return found, nil
	}
	directory, rest := found.name, "."
	switch {
	case found.info == nil:
		directory, rest = w.name(), filepath.Join(w.pending...)
	case !w.follow || !found.info.IsDir():
		directory, rest = filepath.Split(found.name)
	}
	path := filepath.Join(w.within, directory)
	root, err := openUnlinked(w.within, path)
	if err != nil {
		return place{}, err
	}
	w.access.opened = append(w.access.opened, openDirectory{"", root})
	pinned := place{root: root, within: path, name: rest, missing: found.missing, pinned: true}
	if found.info == nil {
		return pinned, nil
	}
	if pinned.info, err = root.Lstat(rest); err == nil && w.follow && pinned.info.Mode()&fs.ModeSymlink != 0 {
		err = errChanged
	}
	return pinned, err
}

// shortcut looks at the whole rest of a path at once, where links on the way
// may remain in the name: os.Root follows those that stay within. What does not
// come out so is followed part by part.
func (w *walk) shortcut() (found place, ok bool) {
	if w.exact || w.tried || w.byGrant || slices.Contains(w.pending, "..") {
		return place{}, false
	}
	w.tried = true
	name := filepath.Join(append(slices.Clip(w.stack), w.pending...)...)
	info, err := w.root.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 && w.follow {
		return place{}, false
	}
	return place{root: w.root, within: w.within, name: name, info: info}, true
}

func (w *walk) name() string {
	if len(w.stack) == 0 {
		return "."
	}
	return filepath.Join(w.stack...)
}

// approach goes one part further outside, by the text of the path alone.
func (w *walk) approach() error {
	part := w.next()
	if part == ".." {
		w.outside = filepath.Dir(w.outside)
	} else {
		w.outside = filepath.Join(w.outside, part)
	}
	return w.enter(w.outside)
}

// enter goes into the allowed directory of that path, if it is one.
func (w *walk) enter(path string) error {
	known, ok := w.access.directories.at(path)
	if !ok {
		return nil
	}
	root, err := w.access.open(known)
	if err != nil {
		return err
	}
	w.move()
	w.root, w.within, w.stack, w.info = root, known.real, nil, nil
	return nil
}

// leave ends the walk outside, or goes on there if it may.
func (w *walk) leave() error {
	w.byGrant = w.access.settings.Outside != Allow
	if w.byGrant && !slices.Contains(w.granted, w.outside) {
		return &outsideError{w.outside, w.access.directories.apart}
	}
	volume := top(w.outside)
	root, err := w.access.open(directory{given: volume, real: volume, anchor: volume})
	if err != nil {
		return err
	}
	w.move()
	w.root, w.within, w.stack, w.pending = root, volume, nil, components(w.outside)
	return nil
}

func (w *walk) next() string {
	part := w.pending[0]
	w.pending = w.pending[1:]
	return part
}

// step goes one part further inside. It reports whether there is nothing of
// that name; the part is then still pending.
func (w *walk) step() (missing bool, err error) {
	part := w.next()
	switch {
	case part == "..":
		w.up()
		return false, nil
	case w.info != nil && !w.info.IsDir():
		return false, errNotFolder
	}
	directory, err := w.directory()
	if err != nil {
		return false, err
	}
	info, err := directory.Lstat(part)
	if errors.Is(err, fs.ErrNotExist) {
		if part, err = w.equivalent(directory, part); err == nil {
			info, err = directory.Lstat(part)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.pending = append([]string{part}, w.pending...)
		return true, nil
	case err != nil:
		return false, err
	case info.Mode()&fs.ModeSymlink != 0 && (w.follow || len(w.pending) > 0):
		return false, w.followLink(directory, part)
	}
	return false, w.into(directory, part, info)
}

// directory gives the directory to which the walk has come. It is kept open as
// long as the walk goes down, so that each step is a short one.
func (w *walk) directory() (*os.Root, error) {
	if len(w.stack) == 0 || w.current != nil {
		return cmp.Or(w.current, w.root), nil
	}
	opened, err := w.root.OpenRoot(w.name() + "/.")
	w.current = opened
	return opened, err
}

// into goes to what a directory has, which is no link.
func (w *walk) into(directory *os.Root, part string, info fs.FileInfo) error {
	var below *os.Root
	if len(w.pending) > 0 && info.IsDir() {
		var err error
		if below, err = openBelow(directory, part); err != nil {
			return err
		}
	}
	w.move()
	w.stack, w.info, w.current = append(w.stack, part), info, below
	return nil
}

// move closes the directory to which the walk has come, before it goes on.
func (w *walk) move() {
	if w.current != nil {
		w.current.Close()
		w.current = nil
	}
}

// up goes to the directory above, which may be outside.
func (w *walk) up() {
	w.move()
	w.info = nil
	if len(w.stack) > 0 {
		w.stack = w.stack[:len(w.stack)-1]
		return
	}
	if above := filepath.Dir(w.within); above != w.within {
		w.root, w.outside = nil, above
	}
}

// followLink puts what the link leads to before what is pending.
func (w *walk) followLink(directory *os.Root, name string) error {
	if w.links++; w.links > maxLinks {
		return errManyLinks
	}
	target, err := directory.Readlink(name)
	if errors.Is(err, syscall.EINVAL) {
		return errChanged // it is no link any more
	}
	if err != nil {
		return err
	}
	if w.byGrant {
		return w.startAgain(w.name(), target)
	}
	if !filepath.IsAbs(target) {
		if filepath.VolumeName(target) != "" {
			return errors.New("leads through a link of a kind that is not followed")
		}
		w.pending = append(parts(target), w.pending...)
		return nil
	}
	w.move()
	if isWithin(w.within, top(target)) && len(w.within) == len(top(target)) {
		w.stack, w.info = nil, nil
	} else {
		w.root, w.info, w.outside = nil, nil, top(target)
	}
	w.pending = append(parts(target[len(filepath.VolumeName(target)):]), w.pending...)
	if w.root == nil {
		return w.enter(w.outside)
	}
	return nil
}

// startAgain follows a link in a directory by the text of where it leads.
func (w *walk) startAgain(directory, target string) error {
	if !filepath.IsAbs(target) {
		target = filepath.Join(w.within, directory, target)
	}
	path := filepath.Join(append([]string{target}, w.pending...)...)
	w.move()
	w.root, w.info, w.byGrant = nil, nil, false
	w.outside, w.pending = top(path), components(path)
	return w.enter(w.outside)
}

// parts gives those of a link's target, in which ".." means the directory above
// where the walk has come by then.
func parts(target string) []string {
	return slices.DeleteFunc(components(target), func(part string) bool { return part == "." })
}

// absent is the place of something that is not there.
func (w *walk) absent() (place, error) {
	if slices.Contains(w.pending, "..") {
		return place{}, errMissing // nothing is above what does not exist
	}
	return w.pin(place{
		root: w.root, within: w.within,
		name:    filepath.Join(slices.Concat(w.stack, w.pending)...),
		missing: len(w.pending),
	})
}
