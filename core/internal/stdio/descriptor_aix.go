package stdio

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getTerminal = unix.TCGETS
	setTerminal = unix.TCSETS
)

// duplicate gives a new descriptor for what fd refers to, closed on exec. It
// takes two calls here, between which no process may be started.
func duplicate(fd int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	duplicated, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, firstPrivate)
	if err == nil {
		unix.CloseOnExec(duplicated)
	}
	return duplicated, err
}

// replace makes the descriptor target refer to what fd refers to.
func replace(fd, target int) error {
	return unix.Dup2(fd, target)
}
