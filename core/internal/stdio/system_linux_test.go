package stdio

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestChildProcessDoesNotIgnoreBrokenPipe(t *testing.T) {
	stop := CatchBrokenPipe()
	defer stop()
	status, err := exec.Command("cat", "/proc/self/status").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(status), "\nSigIgn:\t")
	digits, _, _ := strings.Cut(after, "\n")
	ignored, err := strconv.ParseUint(digits, 16, 64)
	if !found || err != nil {
		t.Fatalf("no ignored signals (%v) in\n%s", err, status)
	}
	if ignored&(1<<(syscall.SIGPIPE-1)) != 0 {
		t.Errorf("the child ignores SIGPIPE: its ignored signals are %s", digits)
	}
}

func TestIsTerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if !IsTerminal(terminal) {
		t.Errorf("%s does not count as a terminal", terminal.Name())
	}
}
