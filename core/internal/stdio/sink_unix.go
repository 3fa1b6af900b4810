//go:build unix

package stdio

import (
	"errors"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Sink is a file that can be written to without waiting for its reader.
type Sink struct {
	*os.File
	raw     syscall.RawConn // nil when the file cannot be used so
	waiting bool            // writes to it wait: the file is in blocking mode

	mu      sync.Mutex // guards what follows, which spares each write an allocation
	text    []byte
	written int
	failure error
	attempt func(fd uintptr) (done bool)
}

// NewSink makes a sink of a file, which must be open.
func NewSink(file *os.File) *Sink {
	s := &Sink{File: file}
	raw, err := file.SyscallConn()
	if err != nil {
		return s // closed: writes will say so
	}
	err = raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		s.waiting = err != nil || flags&unix.O_NONBLOCK == 0
	})
	if err == nil {
		s.raw = raw
	}
	s.attempt = func(fd uintptr) bool {
		if !s.waiting || isReady(fd) {
			s.written, s.failure = unix.Write(int(fd), s.text)
		}
		return true
	}
	return s
}

// TryWrite writes as much as it can without waiting, and gives how much that
// was.
func (s *Sink) TryWrite(p []byte) (written int, err error) {
	if s.raw == nil || s.waiting && len(p) > pipeAtomic {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.written, s.failure = p, 0, nil
	err = s.raw.Write(s.attempt)
	s.text = nil
	switch {
	case err != nil:
		return 0, err
	case errors.Is(s.failure, unix.EAGAIN), errors.Is(s.failure, unix.EINTR):
		return 0, nil
	case s.failure != nil:
		return 0, &os.PathError{Op: "write", Path: s.Name(), Err: s.failure}
	}
	return s.written, nil
}

// isReady reports whether pipeAtomic bytes can be written without waiting.
func isReady(fd uintptr) bool {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	count, err := unix.Poll(poll, 0)
	return err == nil && count == 1 && poll[0].Revents == unix.POLLOUT
}
