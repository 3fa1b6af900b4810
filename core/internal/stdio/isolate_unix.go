//go:build unix

package stdio

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// firstPrivate is the lowest number a private descriptor may have.
const firstPrivate = 3

// Isolate gives the process's real stdin and stdout as files that no child
// process inherits. Descriptor 0 is then the null device, and descriptor 1 is
// stderr, so that a stray print, in Go, in C or by a child process, cannot get
// into the protocol, and nothing else can eat the input. os.Stdin and os.Stdout
// follow, as they stand for the numbers.
//
// Those of the descriptors 0, 1 and 2 that were closed are the null device. The
// blocking mode of the real ones, which the parent process shares, stays as it
// was. Where the parent made stdout and stderr one stream they remain one.
//
// Call it once, as main's first statement. After an error the descriptors may be
// set half way, and the process should end.
func Isolate() (in, out *os.File, err error) {
	if err := openMissing(); err != nil {
		return nil, nil, err
	}
	in, err = private(0, "/dev/stdin")
	if err != nil {
		return nil, nil, err
	}
	out, err = private(1, "/dev/stdout")
	if err != nil {
		return nil, nil, errors.Join(err, in.Close())
	}
	if err := redirect(); err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
}

// openMissing opens those of the descriptors 0, 1 and 2 that are closed. The Go
// runtime does so at the start of a program, though not for one that is linked
// into another as a library.
func openMissing() error {
	for fd := range firstPrivate {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); !errors.Is(err, unix.EBADF) {
			continue
		}
		// The lowest free number is taken, which is this one.
		if _, err := unix.Open(os.DevNull, unix.O_RDWR, 0); err != nil {
			return fmt.Errorf("opening %s as descriptor %d: %w", os.DevNull, fd, err)
		}
	}
	return nil
}

// private gives what a descriptor refers to as a file of its own. A descriptor
// in blocking mode is left in it by os.NewFile.
func private(fd int, name string) (*os.File, error) {
	duplicated, err := duplicate(fd)
	if err != nil {
		return nil, fmt.Errorf("duplicating %s: %w", name, err)
	}
	return os.NewFile(uintptr(duplicated), name), nil
}

// redirect points descriptor 0 at the null device and descriptor 1 at stderr.
// The variables os.Stdin and os.Stdout stay: a file that nothing refers to any
// more closes its descriptor, whatever that has come to mean.
func redirect() error {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening %s: %w", os.DevNull, err)
	}
	if err := replace(null, 0); err != nil {
		return errors.Join(fmt.Errorf("pointing stdin at %s: %w", os.DevNull, err), unix.Close(null))
	}
	if err := unix.Close(null); err != nil {
		return fmt.Errorf("closing %s: %w", os.DevNull, err)
	}
	if err := replace(2, 1); err != nil {
		return fmt.Errorf("pointing stdout at stderr: %w", err)
	}
	return nil
}
