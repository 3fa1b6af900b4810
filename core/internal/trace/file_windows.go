package trace

import (
	"io/fs"
	"os"
)

// ownedByUser takes every file for one of the current user: the folder for
// temporary files is the user's own on Windows.
func ownedByUser(fs.FileInfo) bool {
	return true
}

// rename moves a file, which is open, and gives it back for reading, or nil if
// there is nothing to read. Windows renames no open file, so it is closed
// meanwhile.
func rename(open *os.File, from, to string) *os.File {
	if err := open.Close(); err != nil {
		return nil
	}
	if err := os.Rename(from, to); err != nil {
		return nil
	}
	moved, err := os.Open(to)
	if err != nil {
		return nil
	}
	return moved
}
