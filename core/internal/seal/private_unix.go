//go:build unix

package seal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// checkPrivate tells why a file is not this user's own secret.
func checkPrivate(info fs.FileInfo) error {
	owner, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	case info.Mode().Perm()&0o077 != 0:
		return errors.New("can be read by others; its mode must be 0600")
	case known && int(owner.Uid) != os.Geteuid():
		return errors.New("belongs to another user")
	}
	return nil
}
