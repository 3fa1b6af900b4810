package stdio

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHide: what is typed is not shown, until it is to be again.
func TestHide(t *testing.T) {
	terminal := openTerminal(t)
	shows := func() bool {
		mode, err := unix.IoctlGetTermios(int(terminal.Fd()), getTerminal)
		if err != nil {
			t.Fatal(err)
		}
		return mode.Lflag&unix.ECHO != 0
	}
	if !shows() {
		t.Fatal("a new terminal does not show what is typed")
	}
	show, err := Hide(terminal)
	if err != nil {
		t.Fatal(err)
	}
	if shows() {
		t.Error("what is typed is shown")
	}
	show()
	if !shows() {
		t.Error("what is typed is not shown again")
	}
	if _, err := Hide(must(os.Open(os.DevNull))(t)); err == nil {
		t.Error("the null device hides what is typed")
	}
}

// openTerminal gives the inner end of a new pseudo terminal.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	outer := must(os.OpenFile("/dev/ptmx", os.O_RDWR, 0))(t)
	number, err := unix.IoctlGetInt(int(outer.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(outer.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return must(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0))(t)
}

// must closes a file that was opened at the end of the test, which fails if it
// was not.
func must(file *os.File, err error) func(*testing.T) *os.File {
	return func(t *testing.T) *os.File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
}
