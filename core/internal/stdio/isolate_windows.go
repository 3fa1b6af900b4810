package stdio

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// Isolate gives the process's real stdin and stdout as files that no child
// process inherits. The standard input handle is then the null device and the
// standard output handle is stderr; os.Stdin, os.Stdout and whoever kept a copy
// of them follow, so that a stray print cannot get into the protocol, and
// nothing else can eat the input. One thing is out of reach: a C runtime that is
// linked into the process has taken the handle for its descriptor 1 already, and
// what C code prints goes to the real stdout.
//
// Those of the three standard handles that were missing are the null device.
// Where the parent made stdout and stderr one stream they remain one.
//
// Call it once, as main's first statement. After an error the handles may be set
// half way, and the process should end.
func Isolate() (in, out *os.File, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, null.Close()) }()

	streams := standardStreams()
	for _, s := range streams {
		if s.missing() {
			if err := s.pointAt(windows.Handle(null.Fd())); err != nil {
				return nil, nil, err
			}
		}
	}
	stdin, stdout, stderr := streams[0], streams[1], streams[2]
	if in, err = stdin.take(); err != nil {
		return nil, nil, err
	}
	if out, err = stdout.take(); err != nil {
		return nil, nil, err
	}
	if err := stdin.pointAt(windows.Handle(null.Fd())); err != nil {
		return nil, nil, err
	}
	if err := stdout.pointAt(*stderr.handle); err != nil {
		return nil, nil, err
	}
	return in, out, nil
}

// stream is one of the three standard streams, and all the places where its
// handle is kept.
type stream struct {
	name   string
	id     uint32          // for SetStdHandle
	file   **os.File       // the variable of package os
	handle *windows.Handle // the variable of package windows
	older  *syscall.Handle // the variable of package syscall
}

func standardStreams() [3]stream {
	return [3]stream{
		{"stdin", windows.STD_INPUT_HANDLE, &os.Stdin, &windows.Stdin, &syscall.Stdin},
		{"stdout", windows.STD_OUTPUT_HANDLE, &os.Stdout, &windows.Stdout, &syscall.Stdout},
		{"stderr", windows.STD_ERROR_HANDLE, &os.Stderr, &windows.Stderr, &syscall.Stderr},
	}
}

// missing reports whether the parent gave no handle, or one that is of no use.
func (s stream) missing() bool {
	_, err := windows.GetFileType(*s.handle)
	return *s.file == nil || err != nil
}

// take moves the stream's file out of the reach of everybody else. It has to be
// pointed elsewhere at once, as the variable's file is still the same.
//
// Nothing is duplicated: a copy would make its reader wait for the original as
// well, which the variable's file would close at a time of its own.
func (s stream) take() (*os.File, error) {
	if err := windows.SetHandleInformation(*s.handle, windows.HANDLE_FLAG_INHERIT, 0); err != nil {
		return nil, fmt.Errorf("keeping %s from child processes: %w", s.name, err)
	}
	taken := **s.file
	return &taken, nil
}

// pointAt makes the stream a duplicate of target.
func (s stream) pointAt(target windows.Handle) error {
	var duplicated windows.Handle
	self := windows.CurrentProcess()
	err := windows.DuplicateHandle(self, target, self, &duplicated, 0, true, windows.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return fmt.Errorf("duplicating a handle as %s: %w", s.name, err)
	}
	if err := windows.SetStdHandle(s.id, duplicated); err != nil {
		return errors.Join(fmt.Errorf("setting %s: %w", s.name, err), windows.CloseHandle(duplicated))
	}
	*s.handle = duplicated
	*s.older = syscall.Handle(duplicated)
	if *s.file == nil {
		*s.file = new(os.File)
	}
	// The file itself is replaced, not the variable, for the sake of those who
	// copied the variable when their package was initialised.
	**s.file = *os.NewFile(uintptr(duplicated), s.name)
	return nil
}
