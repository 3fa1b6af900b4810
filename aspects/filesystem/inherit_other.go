//go:build !unix

package filesystem

import (
	"io/fs"
	"os"
)

// inherit gives a file the mode of another one.
func inherit(file *os.File, other fs.FileInfo) error { return file.Chmod(other.Mode().Perm()) }
