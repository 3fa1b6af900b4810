//go:build unix

package stdio

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// IsBrokenPipe reports whether a write failed because its reader has gone.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, io.ErrClosedPipe)
}
