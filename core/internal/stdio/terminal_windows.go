package stdio

import (
	"os"

	"golang.org/x/sys/windows"
)

// IsTerminal reports whether f is a console.
func IsTerminal(f *os.File) bool {
	connection, err := f.SyscallConn()
	if err != nil {
		return false // nil or closed
	}
	console := false
	err = connection.Control(func(handle uintptr) {
		var mode uint32
		console = windows.GetConsoleMode(windows.Handle(handle), &mode) == nil
	})
	return err == nil && console
}
