package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// open opens a link and has it closed at the end of the test.
func open(t *testing.T, server Transport) (Link, *inbox) {
	t.Helper()
	received := newInbox()
	link, err := server.Open(t.Context(), received)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { link.Close() })
	return link, received
}

func send(t *testing.T, link Link, text string) {
	t.Helper()
	if err := link.Send(t.Context(), message(text)); err != nil {
		t.Fatalf("Send(%.100q): %v", text, err)
	}
}

func TestMessagesPassAsTheyAre(t *testing.T) {
	link, received := open(t, child(t, "echo"))
	for _, text := range []string{
		`{"a":1}`, "ä\u2028ü", strings.Repeat("x", 70<<10), strings.Repeat("y", 1<<20), strings.Repeat("z", 16<<20),
	} {
		send(t, link, text)
		received.expect(t, text)
	}
}

func TestLineEndings(t *testing.T) {
	link, received := open(t, child(t, "echo"))
	send(t, link, "one\r\n\n  \n\uFEFFtwo\r\nthree")
	for _, text := range []string{"one", "two", "three"} {
		received.expect(t, text)
	}
}

func TestLineThatIsTooLong(t *testing.T) {
	server := child(t, "echo")
	server.MaxMessage = 1000
	link, received := open(t, server)
	send(t, link, strings.Repeat("x", 1001))
	send(t, link, "short")
	if got := received.next(); got.what != "broken" || got.text != strings.Repeat("x", 1000) {
		t.Errorf("the link gave %s %.50q, want the beginning of a broken message", got.what, got.text)
	}
	received.expect(t, "short")
}

func TestEndOfAProcess(t *testing.T) {
	for _, test := range []struct {
		mode    string
		message string // before the end
		want    []string
	}{
		{"complain", "", []string{"exit status 3", "reading settings | no such setting: colour"}},
		{"last words", "done", []string{"exit status 4", "good bye"}},
		{"close", "", []string{"closed its stdout"}},
	} {
		t.Run(test.mode, func(t *testing.T) {
			link, received := open(t, child(t, test.mode))
			<-link.Done()
			if test.message != "" {
				received.expect(t, test.message)
			}
			var exit *ExitError
			if err := link.Err(); !errors.As(err, &exit) {
				t.Fatalf("the link ended with %v, want an ExitError", err)
			}
			for _, want := range test.want {
				if !strings.Contains(link.Err().Error(), want) {
					t.Errorf("the link ended with %q, want %q in it", link.Err(), want)
				}
			}
			if err := link.Send(t.Context(), message("late")); err == nil {
				t.Error("Send after the end gives no error")
			}
		})
	}
}

func TestStartFailures(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "no-program")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		server Stdio
		want   []string
	}{
		{"no command", Stdio{}, []string{"no command"}},
		{"unknown", Stdio{Command: "no-such-program", Environment: map[string]string{"PATH": "/usr/nowhere:/bin"}}, []string{`"no-such-program"`, "/usr/nowhere:/bin"}},
		{"a whole line", Stdio{Command: "node server.js"}, []string{`"node server.js"`, `if "node" is the command`, "arguments"}},
		{"no file", Stdio{Command: "./missing", Directory: folder}, []string{`"./missing"`, "no such file"}},
		{"no permission", Stdio{Command: file}, []string{file, "permission"}},
		{"directory", Stdio{Command: folder}, []string{folder, "directory"}},
		{"no directory", Stdio{Command: "/bin/sh", Directory: filepath.Join(folder, "gone")}, []string{"directory", "gone"}},
		{"directory is a file", Stdio{Command: "/bin/sh", Directory: file}, []string{"is no directory"}},
		{"other home", Stdio{Command: "~root/x"}, []string{`"~root/x"`, "home"}},
		{"no home", Stdio{Command: "~/x", Environment: map[string]string{"HOME": ""}}, []string{`"~/x"`, "home"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.server.Open(t.Context(), newInbox())
			if err == nil {
				t.Fatal("Open gives no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Open gives the error %q, want %q in it", err, want)
				}
			}
		})
	}
}

func TestCommandIsFound(t *testing.T) {
	folder := t.TempDir()
	if err := os.Symlink(self(t), filepath.Join(folder, "server")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name                string
		command, directory  string
		variable, itsFolder string
	}{
		{"in the PATH of the entry", "server", "", "PATH", folder},
		{"relative to the directory", "./server", folder, "", ""},
		{"in the home directory", "~/server", "", "HOME", folder},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := &Stdio{Command: test.command, Directory: test.directory, Environment: childEnvironmentOf("echo")}
			if test.variable != "" {
				server.Environment[test.variable] = test.itsFolder
			}
			link, received := open(t, server)
			send(t, link, "hello")
			received.expect(t, "hello")
		})
	}
}

func TestArgumentsAndDirectoryArrive(t *testing.T) {
	arguments := []string{"a b", `{"k":"v"}`, "p^a%b&c", "", `"`, "$HOME", "*"}
	_, received := open(t, child(t, "arguments", arguments...))
	received.expect(t, strings.Join(arguments, "\x1f"))

	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server := child(t, "directory")
	server.Directory = folder
	_, received = open(t, server)
	received.expect(t, folder)
}

func TestEnvironment(t *testing.T) {
	t.Setenv("API_TOKEN", "secret")
	t.Setenv("WANTED", "yes")
	t.Setenv("LANG", "de_DE.UTF-8")
	for _, test := range []struct {
		name    string
		inherit []string
		without []string
		want    map[string]string // "" is none
	}{
		{"base set", nil, nil, map[string]string{"API_TOKEN": "", "WANTED": "", "LANG": "tlh", "PATH": os.Getenv("PATH"), "OWN": "1=2"}},
		{"one more", []string{"WANTED"}, nil, map[string]string{"API_TOKEN": "", "WANTED": "yes", "LANG": "tlh"}},
		{"everything", []string{"*"}, nil, map[string]string{"API_TOKEN": "secret", "WANTED": "yes", "LANG": "tlh"}},
		{"without some", []string{"*"}, []string{"API_TOKEN", "OWN", "LANG"}, map[string]string{"API_TOKEN": "", "WANTED": "yes", "OWN": "", "LANG": ""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := child(t, "environment")
			server.Environment["OWN"] = "1=2"
			server.Environment["LANG"] = "tlh"
			server.Inherit, server.Without = test.inherit, test.without
			_, received := open(t, server)
			variables := strings.Split(received.next().text, "\x1f")
			for name, want := range test.want {
				present := slices.ContainsFunc(variables, func(v string) bool { return strings.HasPrefix(v, name+"=") })
				if want == "" && present || want != "" && !slices.Contains(variables, name+"="+want) {
					t.Errorf("the child's environment is %q, want %s=%q", variables, name, want)
				}
			}
		})
	}
}

func TestStderrNeverBlocksTheServer(t *testing.T) {
	link, received := open(t, child(t, "spew"))
	send(t, link, "hello")
	received.expect(t, "hello")
}

func TestStderrIsHandedOn(t *testing.T) {
	var log bytes.Buffer
	server := child(t, "complain")
	server.Stderr = &log
	link, _ := open(t, server)
	<-link.Done()
	link.Close()
	if got, want := log.String(), "reading settings\nno such setting: colour\n"; got != want {
		t.Errorf("stderr was handed on as %q, want %q", got, want)
	}
}

// What went wrong stands above the stack trace of most runtimes.
func TestTailNamesTheError(t *testing.T) {
	const trace = "    at one\n    at two\n    at three\n    at four\n    at five\n    at six\n"
	const shown = "at two | at three | at four | at five | at six"
	for name, test := range map[string]struct{ stderr, want string }{
		"node":      {"warming up\nError: Cannot find module 'x'\n" + trace, "Error: Cannot find module 'x' | … | " + shown},
		"python":    {"  File \"x.py\"\n" + "ModuleNotFoundError: No module\n" + trace, "ModuleNotFoundError: No module | … | " + shown},
		"the last":  {"Error: old\nTypeError: new\n" + trace, "TypeError: new | … | " + shown},
		"go":        {"panic: nil map\n" + trace, "panic: nil map | … | " + shown},
		"no error":  {"Note: all is well\n" + trace, shown},
		"the end":   {"a\nError: b\n", "a | Error: b"},
		"in itself": {"the Errors of mine\n" + trace, shown},
	} {
		var kept tail
		kept.add([]byte(test.stderr))
		if got := kept.lastLines(); got != test.want {
			t.Errorf("%s: the tail is %q, want %q", name, got, test.want)
		}
	}
}

func TestTailIsBounded(t *testing.T) {
	var kept tail
	for range 1000 {
		kept.add([]byte(strings.Repeat("x", 999) + "\n"))
	}
	kept.add([]byte("\x1b[31mlast\x00 line\n\n"))
	if got := kept.lastLines(); len(got) > 2*maxTail || !strings.HasSuffix(got, " | [31mlast line") {
		t.Errorf("the tail is %d bytes and ends with %q", len(got), got[len(got)-50:])
	}
	kept.add(bytes.Repeat([]byte("y"), 1<<20))
	if got := kept.lastLines(); got != strings.Repeat("y", maxTail) {
		t.Errorf("after one long write the tail is %d bytes, want %d", len(got), maxTail)
	}
}

// TestCloseEndsWhatIgnoresIt: neither the end of stdin nor SIGTERM moves these
// servers, and the launcher's is its grandchild.
func TestCloseEndsWhatIgnoresIt(t *testing.T) {
	for _, mode := range []string{"stubborn", "launcher", "deaf"} {
		t.Run(mode, func(t *testing.T) {
			held := newWitness(t)
			server := child(t, mode, held.path)
			server.Grace = 50 * time.Millisecond
			link, _ := open(t, server)
			end := held.held(t)
			if err := link.Close(); err != nil {
				t.Errorf("Close gives the error %v", err)
			}
			if _, err := io.Copy(io.Discard, end); err != nil {
				t.Errorf("the server's socket ends with %v", err)
			}
			<-link.Done()
			if !errors.Is(link.Err(), ErrClosed) {
				t.Errorf("after Close the link's error is %v, want %v", link.Err(), ErrClosed)
			}
			link.Close() // a second time
		})
	}
}

func TestServerThatDoesNotRead(t *testing.T) {
	held := newWitness(t)
	server := child(t, "deaf", held.path)
	server.Grace = 50 * time.Millisecond
	link, _ := open(t, server)
	held.held(t)
	big := strings.Repeat("x", 16<<20)
	for range outputLimit/len(big) + 1 { // the pipe takes some of it
		send(t, link, big)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := link.Send(ctx, message("more")); !errors.Is(err, context.Canceled) {
		t.Errorf("Send to a server that does not read gives %v, want the context's error", err)
	}
}

// TestNothingIsLeftBehind counts descriptors and goroutines.
func TestNothingIsLeftBehind(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Logf("descriptors are not counted on %s", runtime.GOOS)
	}
	round := func() {
		link, err := child(t, "complain").Open(t.Context(), newInbox())
		if err != nil {
			t.Fatal(err)
		}
		link.Close()
	}
	round()
	const rounds = 50
	descriptors, goroutines := openDescriptors(), runtime.NumGoroutine()
	for range rounds {
		round()
	}
	if now := openDescriptors(); now > descriptors {
		t.Errorf("%d links have left %d descriptors open", rounds, now-descriptors)
	}
	// Those of the last link may just be returning.
	if now := runtime.NumGoroutine(); now > goroutines+rounds/10 {
		t.Errorf("%d links have left %d goroutines", rounds, now-goroutines)
	}
}

func openDescriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

func TestBatchProblem(t *testing.T) {
	for _, test := range []struct {
		path     string
		argument string
		problem  bool
	}{
		{`C:\Program Files\x\npx.cmd`, "a b", false},
		{`C:\Program Files\x\npx.cmd`, "", false},
		{`C:\Program Files\x\npx.cmd`, `{"k":"v"}`, true},
		{`C:\Program Files\x\npx.cmd`, "p^a%b&c", true},
		{`C:\x\npx.BAT`, "a|b", true},
		{`C:\x\npx.exe`, "p^a%b&c", false},
	} {
		if got := batchProblem(test.path, []string{test.argument}); (got != "") != test.problem {
			t.Errorf("batchProblem(%q, %q) = %q, want a problem: %t", test.path, test.argument, got, test.problem)
		}
	}
}
