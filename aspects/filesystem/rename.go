package filesystem

import (
	"errors"
	"io/fs"
	"syscall"
)

var (
	errInItself    = errors.New("is in the directory that is to be moved there")
	errOtherVolume = errors.New("is on another file system than what is to be moved there, so that it would have to be copied")
)

// moveError says which of the two paths an error is about.
func moveError(from, to located, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY):
		return about(to.given, errExists)
	case errors.Is(err, syscall.EXDEV):
		return about(to.given, errOtherVolume)
	}
	return about(from.given, err)
}

// renameLooking renames where the system cannot refuse to replace something:
// what is there is looked at just before. Calls of this server wait for each
// other.
func renameLooking(from, to place) error {
	if _, err := to.root.Lstat(to.name); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if from.root != to.root {
		return errors.New("cannot be moved from one allowed directory to another on this system")
	}
	return from.root.Rename(from.name, to.name)
}
