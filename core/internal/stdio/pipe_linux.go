package stdio

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// pipeAtomic is the most that can be written, in bytes, to a pipe that is ready
// for writing, without waiting (PIPE_BUF).
const pipeAtomic = 4096

// Reopen gives a file for the same pipe on which nothing waits in a system call.
// The mode of the pipe's other files, which other processes may share, stays as
// it is. What is no pipe, or cannot be opened anew, comes back as it was.
func Reopen(file *os.File, write bool) *os.File {
	raw, err := file.SyscallConn()
	if err != nil {
		return file
	}
	mode := unix.O_RDONLY
	if write {
		mode = unix.O_WRONLY
	}
	reopened := -1
	err = raw.Control(func(fd uintptr) {
		var status unix.Stat_t
		if unix.Fstat(int(fd), &status) != nil || status.Mode&unix.S_IFMT != unix.S_IFIFO {
			return
		}
		opened, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), mode|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err == nil {
			reopened = opened
		}
	})
	if err != nil || reopened < 0 {
		return file
	}
	anew := os.NewFile(uintptr(reopened), file.Name())
	// Both stand for the same pipe, whose end is seen only when both are closed.
	_ = file.Close()
	return anew
}
