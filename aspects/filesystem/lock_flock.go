//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filesystem

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockFile marks a temporary file as that of a writer which lives: the lock
// ends with the process, however that ends.
func lockFile(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK) {
		return nil // a file system without locks
	}
	return err
}

// isAbandoned reports whether the writer of a temporary file is dead.
func isAbandoned(file *os.File, _ fs.FileInfo) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
