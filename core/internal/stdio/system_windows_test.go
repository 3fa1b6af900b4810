package stdio

import (
	"errors"
	"syscall"
)

var systemRoles map[string]func() error

// printRaw writes to the standard output handle past package os.
func printRaw(text string) error {
	_, err := syscall.Write(syscall.Stdout, []byte(text))
	return err
}

// readRaw reads from the standard input handle past package os.
func readRaw() (int, error) {
	handle, err := syscall.GetStdHandle(syscall.STD_INPUT_HANDLE)
	if err != nil {
		return 0, err
	}
	n, err := syscall.Read(handle, make([]byte, 100))
	if errors.Is(err, syscall.ERROR_HANDLE_EOF) {
		err = nil
	}
	return n, err
}
