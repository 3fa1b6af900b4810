//go:build unix

package stdio

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Source reads a file, which one goroutine does at a time, and waits for it in a
// system call of its own. That is quicker than the runtime's way of waiting for
// all files at once, where little is waited for and answers come soon. Unlike a
// read of a file in blocking mode, it ends with Close.
type Source struct {
	file    *os.File
	raw     syscall.RawConn
	ending  [2]*os.File // a pipe that Close closes
	closing sync.Once

	// What follows spares each read an allocation.
	into    []byte
	polled  []unix.PollFd
	count   int
	failure error
	attempt func(fd uintptr)
}

// NewSource makes a source of a pipe's reading end, which it takes over unless
// there is an error.
func NewSource(file *os.File) (*Source, error) {
	own, err := unwatched(file)
	if err != nil {
		return nil, err
	}
	s, err := newSource(own)
	if err != nil {
		return nil, errors.Join(err, own.Close())
	}
	return s, file.Close()
}

// unwatched gives a second file for the same pipe that the runtime does not watch:
// it would wake a thread for whatever comes.
func unwatched(file *os.File) (own *os.File, err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	failure := raw.Control(func(fd uintptr) {
		var duplicated int
		if duplicated, err = duplicate(int(fd)); err != nil {
			return
		}
		if err = unix.SetNonblock(duplicated, false); err != nil {
			err = errors.Join(err, unix.Close(duplicated))
			return
		}
		own = os.NewFile(uintptr(duplicated), file.Name())
	})
	return own, errors.Join(err, failure)
}

func newSource(file *os.File) (*Source, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &Source{file: file, raw: raw}
	if s.ending[0], s.ending[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	ending, err := s.ending[0].SyscallConn()
	if err == nil {
		err = ending.Control(func(fd uintptr) {
			s.polled = []unix.PollFd{{}, {Fd: int32(fd), Events: unix.POLLIN}}
		})
	}
	if err != nil {
		return nil, errors.Join(err, s.ending[0].Close(), s.ending[1].Close())
	}
	s.attempt = s.readOnce
	return s, nil
}

// Read implements io.Reader. After Close it gives os.ErrClosed.
func (s *Source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	s.into = p
	for {
		s.count, s.failure = 0, nil
		err := s.raw.Control(s.attempt)
		switch {
		case err != nil:
			return 0, os.ErrClosed // nothing else keeps the attempt from being made
		case errors.Is(s.failure, unix.EINTR), errors.Is(s.failure, unix.EAGAIN):
			continue
		case s.failure != nil:
			return 0, s.failure
		case s.count == 0:
			return 0, io.EOF
		}
		return s.count, nil
	}
}

// readOnce waits until there is something to read, or Close is called.
func (s *Source) readOnce(fd uintptr) {
	s.polled[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	s.polled[1].Revents = 0
	if _, s.failure = unix.Poll(s.polled, -1); s.failure != nil {
		return
	}
	if s.polled[1].Revents != 0 {
		s.failure = os.ErrClosed
		return
	}
	s.count, s.failure = unix.Read(int(fd), s.into)
}

// Close ends a read that is under way, and closes the file.
func (s *Source) Close() (err error) {
	s.closing.Do(func() {
		err = errors.Join(s.ending[1].Close(), s.file.Close(), s.ending[0].Close())
	})
	return err
}
