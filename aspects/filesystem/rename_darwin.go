package filesystem

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// rename moves something to a name that nothing has. The system itself sees to
// that, so that nothing is lost if another program takes the name meanwhile.
func rename(from, to place) error {
	source, err := from.openParent()
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := to.openParent()
	if err != nil {
		return err
	}
	defer target.Close()
	err = unix.RenameatxNp(int(source.Fd()), filepath.Base(from.name), int(target.Fd()), filepath.Base(to.name), unix.RENAME_EXCL)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return renameLooking(from, to) // a file system that does not know the flag
	}
	return err
}

// openParent opens the directory that has the place in it.
func (p place) openParent() (*os.File, error) {
	return p.root.OpenFile(filepath.Dir(p.name)+"/.", os.O_RDONLY|unix.O_DIRECTORY, 0)
}
