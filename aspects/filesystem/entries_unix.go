//go:build unix

package filesystem

import (
	"os"

	"golang.org/x/sys/unix"
)

// withoutLooking gives the same open directory so that reading it looks at none
// of its entries: os looks at each one of a directory that was opened through
// an os.Root, which takes most of the time of a search. What the entries are
// the directory itself says, where its file system has that.
func withoutLooking(directory *os.File) (*os.File, error) {
	connection, err := directory.SyscallConn()
	if err != nil {
		return nil, err
	}
	var copied int
	var failure error
	if err := connection.Control(func(fd uintptr) {
		copied, failure = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0)
	}); err != nil {
		return nil, err
	}
	if failure != nil {
		return nil, failure
	}
	return os.NewFile(uintptr(copied), directory.Name()), nil
}
