package filesystem

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Reasons why something cannot be done to a path, as they follow its name.
var (
	errMissing    = errors.New("does not exist")
	errForbidden  = errors.New("cannot be accessed: permission denied")
	errExists     = errors.New("exists already")
	errNotFolder  = errors.New("is not a directory")
	errFolder     = errors.New("is a directory")
	errNotFile    = errors.New("is not a regular file, but a device, a pipe or a socket")
	errManyLinks  = errors.New("leads through too many symbolic links")
	errNoParent   = errors.New("is in a directory that does not exist")
	errChanged    = errors.New("has just become another file; try again")
	errRootItself = errors.New("is an allowed directory or has one in it, which cannot be moved or replaced")
)

// escapes is the text of an error of os.Root that has no name. A walk follows
// no link that leads out, so such a link has come since.
const escapes = "path escapes from parent"

// about joins a path, as it was given, to the reason of an error.
func about(given string, err error) error {
	var known *pathError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &pathError{quoted(given), reason(err)}
}

// pathError is an error that names a path as it was given.
type pathError struct {
	path   string
	reason error
}

// Error names the path.
func (e *pathError) Error() string { return e.path + " " + e.reason.Error() }

// Unwrap gives the reason.
func (e *pathError) Unwrap() error { return e.reason }

// reason gives an error without the paths that the system names in it: these
// may be such as nobody has given.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return reason(path.Err)
	case errors.As(err, &link):
		return reason(link.Err)
	case errors.As(err, &call):
		return reason(call.Err)
	case err.Error() == escapes:
		return errChanged
	case errors.Is(err, fs.ErrNotExist):
		return errMissing
	case errors.Is(err, fs.ErrPermission):
		return errForbidden
	case errors.Is(err, fs.ErrExist):
		return errExists
	case errors.Is(err, syscall.ENOTDIR):
		return errNotFolder
	case errors.Is(err, syscall.EISDIR):
		return errFolder
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		return fmt.Errorf("failed: %w", number)
	}
	return err
}
