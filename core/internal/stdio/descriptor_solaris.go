package stdio

import "golang.org/x/sys/unix"

const (
	getTerminal = unix.TCGETS
	setTerminal = unix.TCSETS
)

// duplicate gives a new descriptor for what fd refers to, closed on exec.
func duplicate(fd int) (int, error) {
	return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, firstPrivate)
}

// replace makes the descriptor target refer to what fd refers to.
func replace(fd, target int) error {
	return unix.Dup2(fd, target)
}
