//go:build unix

package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// reportVariable names the environment variable that has the path of the file in
// which a role without a working stderr says what it found.
const reportVariable = "STDIO_TEST_REPORT"

var systemRoles = map[string]func() error{
	"finds closed":     findsClosed,
	"closes first":     closesFirst,
	"breaks pipes":     breaksPipes,
	"stops catching":   stopsCatching,
	"shows modes":      showsModes,
	"echoes, nonblock": echoesNonblocking,
}

// printRaw writes to descriptor 1 past package os.
func printRaw(text string) error {
	_, err := syscall.Write(1, []byte(text))
	return err
}

// readRaw reads from descriptor 0 past package os.
func readRaw() (int, error) {
	return syscall.Read(0, make([]byte, 100))
}

func report(format string, args ...any) error {
	return os.WriteFile(os.Getenv(reportVariable), fmt.Appendf(nil, format, args...), 0o600)
}

// withReport gives the command a place for its report. The returned function
// reads it.
func withReport(t *testing.T, command *exec.Cmd) (read func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report")
	command.Env = append(command.Env, reportVariable+"="+path)
	return func() string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("the role left no report: %v", err)
		}
		return string(text)
	}
}

// findsClosed is a server some of whose standard descriptors are closed. It
// reports what it read and the number of the next descriptor it gets.
func findsClosed() error {
	in, out, err := Isolate()
	if err != nil {
		return errors.Join(err, report("Isolate: %v", err))
	}
	fmt.Println("stray")
	if _, err := out.WriteString("protocol\n"); err != nil {
		return errors.Join(err, report("out: %v", err))
	}
	input, err := io.ReadAll(in)
	if err != nil {
		return errors.Join(err, report("in: %v", err))
	}
	next, err := os.Open(os.DevNull)
	if err != nil {
		return errors.Join(err, report("null device: %v", err))
	}
	return report("read %q, terminals %v %v, standard descriptor taken: %v",
		input, IsTerminal(in), IsTerminal(out), next.Fd() < firstPrivate)
}

func TestDescriptorsClosedAtStart(t *testing.T) {
	redirections := []string{"<&-", ">&-", "2>&-"}
	for subset := range 1 << len(redirections) {
		closing := ""
		want := [3]string{"input", "protocol\n", "stray\n"}
		for i, redirection := range redirections {
			if subset&(1<<i) != 0 {
				closing += " " + redirection
				want[i] = ""
			}
		}
		t.Run("closed"+closing, func(t *testing.T) {
			server := process("finds closed")
			shell := exec.Command("sh", "-c", `exec "$0"`+closing, server.Path)
			shell.Env = server.Env
			readReport := withReport(t, shell)
			var stdout, stderr strings.Builder
			shell.Stdin, shell.Stdout, shell.Stderr = strings.NewReader("input"), &stdout, &stderr
			if err := shell.Run(); err != nil {
				t.Errorf("server: %v", err)
			}
			wantReport := fmt.Sprintf("read %q, terminals false false, standard descriptor taken: false", want[0])
			if got := readReport(); got != wantReport {
				t.Errorf("report: got %s, want %s", got, wantReport)
			}
			if stdout.String() != want[1] || stderr.String() != want[2] {
				t.Errorf("stdout: got %q, want %q; stderr: got %q, want %q", &stdout, want[1], &stderr, want[2])
			}
		})
	}
}

// closesFirst closes the standard descriptors itself, since the runtime of a Go
// program opens those that are closed when it starts.
func closesFirst() error {
	for fd := range firstPrivate {
		if err := unix.Close(fd); err != nil {
			return report("closing %d: %v", fd, err)
		}
	}
	return findsClosed()
}

func TestDescriptorsClosedLater(t *testing.T) {
	server := process("closes first")
	readReport := withReport(t, server)
	var stdout strings.Builder
	server.Stdin, server.Stdout = strings.NewReader("input"), &stdout
	if err := server.Run(); err != nil {
		t.Errorf("server: %v", err)
	}
	want := `read "", terminals false false, standard descriptor taken: false`
	if got := readReport(); got != want {
		t.Errorf("report: got %s, want %s", got, want)
	}
	if got := stdout.String(); got != "" {
		t.Errorf("stdout: got %q, want nothing", got)
	}
}

// breaksPipes is a server whose stdout and stderr nobody reads any more when its
// input ends.
func breaksPipes() error {
	in, out, err := Isolate()
	if err != nil {
		return err
	}
	stop := CatchBrokenPipe()
	defer stop()
	if _, err := io.ReadAll(in); err != nil {
		return err
	}
	_, outErr := out.WriteString("protocol\n")
	_, oneErr := os.Stdout.WriteString("stray\n")
	_, twoErr := os.Stderr.WriteString("notice\n")
	return report("out: %v, stdout: %v, stderr: %v",
		errors.Is(outErr, unix.EPIPE), errors.Is(oneErr, unix.EPIPE), errors.Is(twoErr, unix.EPIPE))
}

// runUnread runs a role and stops reading what it writes before its input ends.
func runUnread(t *testing.T, server *exec.Cmd) error {
	t.Helper()
	stdin, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	outReader, outWriter := pipe(t)
	errReader, errWriter := pipe(t)
	server.Stdout, server.Stderr = outWriter, errWriter
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for _, end := range []io.Closer{outReader, outWriter, errReader, errWriter, stdin} {
		if err := end.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return server.Wait()
}

func TestBrokenPipeIsAnError(t *testing.T) {
	server := process("breaks pipes")
	readReport := withReport(t, server)
	if err := runUnread(t, server); err != nil {
		t.Errorf("server: %v", err)
	}
	if got, want := readReport(), "out: true, stdout: true, stderr: true"; got != want {
		t.Errorf("EPIPE: got %s, want %s", got, want)
	}
}

// stopsCatching is a server that writes to a broken pipe after it has given up
// catching the signal.
func stopsCatching() error {
	in, _, err := Isolate()
	if err != nil {
		return err
	}
	CatchBrokenPipe()()
	if _, err := io.ReadAll(in); err != nil {
		return err
	}
	_, err = os.Stdout.WriteString("stray\n")
	return err
}

func TestBrokenPipeAfterStop(t *testing.T) {
	err := runUnread(t, process("stops catching"))
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("server: got %v, want an end by a signal", err)
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGPIPE {
		t.Errorf("server: got %v, want an end by SIGPIPE", err)
	}
}

// modes gives what of a descriptor's mode must stay as the parent set it, and
// whether a child process inherits it.
func modes(fd uintptr) string {
	status, statusErr := unix.FcntlInt(fd, unix.F_GETFL, 0)
	flags, flagsErr := unix.FcntlInt(fd, unix.F_GETFD, 0)
	if err := errors.Join(statusErr, flagsErr); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("nonblocking %v, inherited %v", status&unix.O_NONBLOCK != 0, flags&unix.FD_CLOEXEC == 0)
}

func showsModes() error {
	in, out, err := Isolate()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("in %s\nout %s\n", modes(in.Fd()), modes(out.Fd()))
	for fd := range uintptr(firstPrivate) {
		text += fmt.Sprintf("%d %s\n", fd, modes(fd))
	}
	_, err = out.WriteString(text)
	return err
}

// modePipe gives a pipe both ends of which block or do not. Starting a process
// leaves them so, where it would set those of os.Pipe to block.
func modePipe(t *testing.T, nonblocking bool) (reader, writer *os.File) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	var files [2]*os.File
	for i, fd := range ends {
		unix.CloseOnExec(fd)
		if err := unix.SetNonblock(fd, nonblocking); err != nil {
			t.Fatal(err)
		}
		files[i] = os.NewFile(uintptr(fd), "pipe")
		t.Cleanup(func() { files[i].Close() }) // most tests have closed one or the other
	}
	return files[0], files[1]
}

func TestModesOfDescriptors(t *testing.T) {
	for _, nonblocking := range []bool{false, true} {
		inReader, _ := modePipe(t, nonblocking)
		outReader, outWriter := modePipe(t, nonblocking)
		server := process("shows modes")
		server.Stdin, server.Stdout = inReader, outWriter
		if err := server.Run(); err != nil {
			t.Fatalf("server: %v", err)
		}
		if err := outWriter.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(outReader)
		want := fmt.Sprintf("in nonblocking %[1]v, inherited false\nout nonblocking %[1]v, inherited false\n"+
			"0 nonblocking false, inherited true\n1 nonblocking false, inherited true\n2 nonblocking false, inherited true\n", nonblocking)
		if err != nil || string(got) != want {
			t.Errorf("nonblocking %v: got\n%s%v, want\n%s", nonblocking, got, err, want)
		}
	}
}

// echoesNonblocking is a server whose real descriptors do not block. It says so
// before it reads, when there is nothing to read yet, and writes more than a
// pipe takes.
func echoesNonblocking() error {
	in, out, err := Isolate()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, modes(in.Fd())); err != nil {
		return err
	}
	input, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	_, err = out.WriteString(strings.Repeat(string(input), nonblockingCopies))
	return err
}

const nonblockingCopies = 100_000

func TestNonblockingDescriptorsStillWait(t *testing.T) {
	inReader, inWriter := modePipe(t, true)
	outReader, outWriter := modePipe(t, true)
	var stderr strings.Builder
	server := process("echoes, nonblock")
	server.Stdin, server.Stdout, server.Stderr = inReader, outWriter, &stderr
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if err := outWriter.Close(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, len("nonblocking true, inherited false\n"))
	if _, err := io.ReadFull(outReader, first); err != nil || string(first) != "nonblocking true, inherited false\n" {
		t.Fatalf("got %q, %v", first, err)
	}
	if _, err := inWriter.WriteString("input\n"); err != nil {
		t.Fatal(err)
	}
	if err := inWriter.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(outReader)
	if want := strings.Repeat("input\n", nonblockingCopies); err != nil || string(got) != want {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	if err := server.Wait(); err != nil {
		t.Errorf("server: %v; stderr: %s", err, &stderr)
	}
}

func TestTerminations(t *testing.T) {
	signals, stop := Terminations()
	defer stop()
	for _, want := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), want); err != nil {
			t.Fatal(err)
		}
		if got := <-signals; got != want {
			t.Errorf("got signal %v, want %v", got, want)
		}
	}
}
