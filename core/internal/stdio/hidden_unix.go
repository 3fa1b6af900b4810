//go:build unix

package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

// Hide stops a terminal from showing what is typed, until show is called.
func Hide(f *os.File) (show func(), err error) {
	connection, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var before *unix.Termios
	set := func(change func(*unix.Termios)) (err error) {
		failure := connection.Control(func(fd uintptr) {
			mode := before
			if mode == nil {
				if mode, err = unix.IoctlGetTermios(int(fd), getTerminal); err != nil {
					return
				}
				before = mode
			}
			changed := *mode
			change(&changed)
			err = unix.IoctlSetTermios(int(fd), setTerminal, &changed)
		})
		if err == nil {
			err = failure
		}
		return err
	}
	if err := set(func(mode *unix.Termios) { mode.Lflag &^= unix.ECHO }); err != nil {
		return nil, err
	}
	// There is nobody to tell if the terminal has gone meanwhile.
	return func() { _ = set(func(*unix.Termios) {}) }, nil
}
