//go:build unix

package filesystem

import (
	"io/fs"
	"os"
	"syscall"
)

// inherit gives a file the owner and the mode of another one. Who may not give
// files away keeps it, and gives the group no right that was another group's.
func inherit(file *os.File, other fs.FileInfo) error {
	mode := other.Mode().Perm() | other.Mode()&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)
	made, err := file.Stat()
	if err != nil {
		return err
	}
	own, known := made.Sys().(*syscall.Stat_t)
	theirs, alike := other.Sys().(*syscall.Stat_t)
	if known && alike && (own.Uid != theirs.Uid || own.Gid != theirs.Gid) {
		if err := file.Chown(int(theirs.Uid), int(theirs.Gid)); err != nil {
			mode &= 0o707
			if err := file.Chown(-1, int(theirs.Gid)); err == nil {
				mode = other.Mode().Perm()
			}
		}
	}
	return file.Chmod(mode)
}
