package stdio

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// roleVariable names the environment variable that makes the test binary a
// server under test, or a child process of one, instead of running tests.
const roleVariable = "STDIO_TEST_ROLE"

// capturedStdout stands for a library that keeps os.Stdout when it is
// initialised.
var capturedStdout = os.Stdout

func TestMain(m *testing.M) {
	name := os.Getenv(roleVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	role, found := roles[name]
	if !found {
		role, found = systemRoles[name]
	}
	if !found {
		fail(fmt.Errorf("no role %q", name))
	}
	if err := role(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// process gives a command that runs the test binary in a role.
func process(role string) *exec.Cmd {
	executable, err := os.Executable()
	if err != nil {
		panic(err)
	}
	command := exec.Command(executable)
	// The race detector would wait a second at the end of each process.
	command.Env = append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0")
	return command
}

// runRole runs a role to its end with that input.
func runRole(t *testing.T, role, input string) (stdout, stderr string) {
	t.Helper()
	var outText, errText strings.Builder
	command := process(role)
	command.Stdin = strings.NewReader(input)
	command.Stdout = &outText
	command.Stderr = &errText
	if err := command.Run(); err != nil {
		t.Fatalf("role %s: %v; stderr:\n%s", role, err, &errText)
	}
	return outText.String(), errText.String()
}

// pipe gives both ends of a pipe, which are closed at the end of the test.
func pipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		reader.Close() // most tests have closed one or the other
		writer.Close()
	})
	return reader, writer
}

func TestIsTerminalOfWhatIsNone(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	closed, writer := pipe(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		what string
		file *os.File
	}{
		{"nil", nil},
		{"the null device", null},
		{"a file", file},
		{"a pipe", writer},
		{"a closed file", closed},
	}
	for _, test := range tests {
		if IsTerminal(test.file) {
			t.Errorf("%s counts as a terminal", test.what)
		}
	}
}

// roles are what the test binary does in place of testing, on every system.
var roles = map[string]func() error{
	"prints":       prints,
	"says":         says,
	"reads":        reads,
	"counts":       counts,
	"leaves child": leavesChild,
	"waits":        waits,
}

// prints is a server whose code and child processes print.
func prints() error {
	_, out, err := Isolate()
	if err != nil {
		return err
	}
	fmt.Println("from fmt")
	if _, err := os.Stdout.WriteString("from os.Stdout\n"); err != nil {
		return err
	}
	if _, err := capturedStdout.WriteString("from a copy of os.Stdout\n"); err != nil {
		return err
	}
	if err := printRaw("from a raw write\n"); err != nil {
		return err
	}
	child := process("says")
	child.Stdout = os.Stdout
	if err := child.Run(); err != nil {
		return err
	}
	_, err = out.WriteString("protocol\n")
	return err
}

func says() error {
	_, err := fmt.Println("from a child process")
	return err
}

func TestOnlyTheProtocolReachesStdout(t *testing.T) {
	stdout, stderr := runRole(t, "prints", "")
	if want := "protocol\n"; stdout != want {
		t.Errorf("stdout: got %q, want %q", stdout, want)
	}
	want := "from fmt\nfrom os.Stdout\nfrom a copy of os.Stdout\nfrom a raw write\nfrom a child process\n"
	if stderr != want {
		t.Errorf("stderr: got %q, want %q", stderr, want)
	}
}

// reads is a server whose code and child processes read stdin before it does.
func reads() error {
	in, out, err := Isolate()
	if err != nil {
		return err
	}
	stolen, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	raw, err := readRaw()
	if err != nil {
		return err
	}
	child := process("counts")
	child.Stdin = os.Stdin
	child.Stderr = os.Stderr
	if err := child.Run(); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "os.Stdin gave %d bytes, a raw read %d\n", len(stolen), raw)
	_, err = io.Copy(out, in)
	return err
}

func counts() error {
	got, err := io.ReadAll(os.Stdin)
	fmt.Fprintf(os.Stderr, "a child process got %d bytes\n", len(got))
	return err
}

func TestNothingElseReadsTheInput(t *testing.T) {
	const input = "one\ntwo\n"
	stdout, stderr := runRole(t, "reads", input)
	if stdout != input {
		t.Errorf("the server got %q, want %q", stdout, input)
	}
	if want := "a child process got 0 bytes\nos.Stdin gave 0 bytes, a raw read 0\n"; stderr != want {
		t.Errorf("stderr: got %q, want %q", stderr, want)
	}
}

// leavesChild is a server that ends before a child process does. The child ends
// with the server's input, so that the test decides when.
func leavesChild() error {
	in, out, err := Isolate()
	if err != nil {
		return err
	}
	child := process("waits")
	child.Stdin = in
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		return err
	}
	_, err = out.WriteString("protocol\n")
	return err
}

func waits() error {
	_, err := io.Copy(io.Discard, os.Stdin)
	fmt.Fprintln(os.Stderr, "the child has ended")
	return err
}

// If the child process inherited the real stdout, its end would not come before
// the child's, for which this test waits in vain.
func TestChildProcessDoesNotInheritStdout(t *testing.T) {
	inReader, inWriter := pipe(t)
	outReader, outWriter := pipe(t)
	errReader, errWriter := pipe(t)
	server := process("leaves child")
	server.Stdin, server.Stdout, server.Stderr = inReader, outWriter, errWriter
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for _, theirs := range []*os.File{inReader, outWriter, errWriter} {
		if err := theirs.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.Wait(); err != nil {
		t.Fatalf("server: %v", err)
	}
	stdout, err := io.ReadAll(outReader)
	if want := "protocol\n"; err != nil || string(stdout) != want {
		t.Errorf("stdout: got %q, %v, want %q", stdout, err, want)
	}

	if err := inWriter.Close(); err != nil {
		t.Fatal(err)
	}
	stderr, err := io.ReadAll(errReader)
	if want := "the child has ended\n"; err != nil || string(stderr) != want {
		t.Errorf("stderr: got %q, %v, want %q", stderr, err, want)
	}
}
