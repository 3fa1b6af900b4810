package stdio

import (
	"errors"
	"io"

	"golang.org/x/sys/windows"
)

// IsBrokenPipe reports whether a write failed because its reader has gone.
func IsBrokenPipe(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) || errors.Is(err, io.ErrClosedPipe)
}
