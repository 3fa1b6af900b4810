package stdio

import (
	"os"

	"golang.org/x/sys/windows"
)

// Hide stops a console from showing what is typed, until show is called.
func Hide(f *os.File) (show func(), err error) {
	connection, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var before uint32
	failure := connection.Control(func(handle uintptr) {
		if err = windows.GetConsoleMode(windows.Handle(handle), &before); err == nil {
			err = windows.SetConsoleMode(windows.Handle(handle), before&^windows.ENABLE_ECHO_INPUT)
		}
	})
	if err == nil {
		err = failure
	}
	if err != nil {
		return nil, err
	}
	return func() {
		// There is nobody to tell if the console has gone meanwhile.
		_ = connection.Control(func(handle uintptr) { _ = windows.SetConsoleMode(windows.Handle(handle), before) })
	}, nil
}
