package seal

import (
	"errors"
	"io/fs"
)

// checkPrivate tells why a file is not a secret. The user's configuration
// folder is private to the user on this system.
func checkPrivate(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	return nil
}
