//go:build unix

package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

// IsTerminal reports whether f is a terminal. It leaves the mode of f alone.
func IsTerminal(f *os.File) bool {
	connection, err := f.SyscallConn()
	if err != nil {
		return false // nil or closed
	}
	terminal := false
	err = connection.Control(func(fd uintptr) {
		_, err := unix.IoctlGetTermios(int(fd), getTerminal)
		terminal = err == nil
	})
	return err == nil && terminal
}
