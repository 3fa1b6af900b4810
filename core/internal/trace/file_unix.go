//go:build unix

package trace

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUser reports whether the file belongs to the user this process runs as.
func ownedByUser(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(status.Uid) == os.Geteuid()
}

// rename moves a file, which is open, and gives it back for reading, or nil if
// there is nothing to read.
func rename(open *os.File, from, to string) *os.File {
	if err := os.Rename(from, to); err != nil {
		_ = open.Close() // the records go in any case
		return nil
	}
	return open
}
