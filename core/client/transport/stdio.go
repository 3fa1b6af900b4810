package transport

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/wire"
)

// Stdio starts a server as a child process and speaks to it over its stdin and
// stdout. Nothing in it may change after its first use.
type Stdio struct {
	// Command is the program: a name that is looked for in the PATH that the
	// child will have, or a path, relative to Directory. ~ at its beginning is
	// the home directory. Required.
	Command   string
	Arguments []string
	// Directory is where the server runs; "" is our own working directory. ~ is
	// the home directory here too.
	Directory string
	// Environment is added to a base set out of our own environment: PATH, HOME,
	// USER, SHELL, TERM, LANG, TMPDIR and their like (on Windows APPDATA,
	// SYSTEMROOT, ...), so that a server is not given secrets that are not
	// meant for it.
	Environment map[string]string
	// Inherit names further variables of our environment; "*" is all of them.
	Inherit []string
	// Without names variables that the server is not to have, wherever they come
	// from.
	Without []string
	// Stderr is given what the server writes there; nil is nobody. It must not
	// block. What is written there is no error in itself.
	Stderr io.Writer
	// Grace is how long the server has to end after its stdin was closed, and
	// again after SIGTERM, before it is killed. Zero is 2 seconds.
	Grace time.Duration
	// Hurry, when it is closed, ends the patience with a server that is to end:
	// it is killed at once. Nil is never.
	Hurry <-chan struct{}
	// MaxMessage is the longest message that is read, in bytes. Zero is 64 MiB.
	MaxMessage int
	// DieWithParent has the system send SIGTERM to the server when this process
	// ends without closing the link. Only Linux can do that; elsewhere the
	// server sees the end of its stdin.
	DieWithParent bool
}

const (
	defaultGrace      = 2 * time.Second
	defaultMaxMessage = 64 << 20
	// outputLimit is how much a server may leave unread before nothing more is
	// sent to it, in bytes.
	outputLimit = 64 << 20
)

func (s *Stdio) grace() time.Duration {
	if s.Grace <= 0 {
		return defaultGrace
	}
	return s.Grace
}

func (s *Stdio) maxMessage() int {
	if s.MaxMessage <= 0 {
		return defaultMaxMessage
	}
	return s.MaxMessage
}

// String gives the command without its arguments, which may hold secrets.
func (s *Stdio) String() string { return s.Command }

// Open starts the process. The error names the command and the PATH when it is
// not found.
func (s *Stdio) Open(_ context.Context, receiver Receiver) (Link, error) {
	variables := childEnvironment(ourEnvironment(), s.Inherit, s.Environment, s.Without)
	directory, err := s.directory(variables)
	if err != nil {
		return nil, err
	}
	path, err := findCommand(s.Command, directory, variables)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS == "windows" {
		if problem := batchProblem(path, s.Arguments); problem != "" {
			return nil, fmt.Errorf("cannot start %s: %s", s.Command, problem)
		}
	}
	ends, err := openPipes()
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", s.Command, err)
	}
	command := &exec.Cmd{
		Path:        path,
		Args:        append([]string{s.Command}, s.Arguments...),
		Dir:         directory,
		Env:         variables.list(),
		Stdin:       ends.child[0],
		Stdout:      ends.child[1],
		Stderr:      ends.child[2],
		SysProcAttr: attributes(s.DieWithParent),
	}
	stdout, err := stdio.NewSource(ends.ours[1])
	if err != nil {
		ends.closeChilds()
		ends.closeOurs()
		return nil, fmt.Errorf("cannot start %s: %w", s.Command, err)
	}
	ends.ours[1] = nil // it is the source's
	group, err := startGroup(command)
	ends.closeChilds()
	if err != nil {
		_ = stdout.Close()
		ends.closeOurs()
		return nil, fmt.Errorf("cannot start %s: %w", s.Command, err)
	}
	link := &process{
		settings: s,
		command:  command,
		group:    group,
		pipes:    ends,
		stdout:   stdout,
		out:      wire.NewWriter(stdio.NewSink(ends.ours[0]), outputLimit),
		exited:   make(chan struct{}),
		readDone: make(chan struct{}),
		closing:  make(chan struct{}),
		done:     make(chan struct{}),
		ended:    make(chan struct{}),
	}
	link.run(receiver)
	return link, nil
}

func (s *Stdio) directory(variables environment) (string, error) {
	directory, err := expandHome(s.Directory, variables)
	if err != nil || directory == "" {
		return directory, err
	}
	info, err := os.Stat(directory)
	if err != nil {
		return "", fmt.Errorf("the server's directory: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("the server's directory %s is no directory", directory)
	}
	return directory, nil
}

// pipes are the ends of a process's stdin, stdout and stderr.
type pipes struct{ child, ours [3]*os.File }

// openPipes makes the pipes. No other child inherits our ends: Go opens them
// with close-on-exec.
func openPipes() (*pipes, error) {
	p := &pipes{}
	for i := range 3 {
		read, write, err := os.Pipe()
		if err != nil {
			p.closeChilds()
			p.closeOurs()
			return nil, err
		}
		if i == 0 {
			p.child[i], p.ours[i] = read, write
		} else {
			p.child[i], p.ours[i] = write, read
		}
	}
	return p, nil
}

func (p *pipes) closeChilds() { closeFiles(p.child[:]) }

func (p *pipes) closeOurs() { closeFiles(p.ours[:]) }

// closeFiles closes pipe ends. There is nothing to lose in them, so errors do
// not matter.
func closeFiles(files []*os.File) {
	for _, file := range files {
		if file != nil {
			_ = file.Close()
		}
	}
}

// startGroup starts the command as the leader of a group of processes. It does
// so in a goroutine of its own: on Linux the parent-death signal comes when the
// starting thread ends, and a thread can end only under a goroutine that has
// locked itself to it.
func startGroup(command *exec.Cmd) (*group, error) {
	type outcome struct {
		group *group
		err   error
	}
	started := make(chan outcome)
	go func() {
		group, err := newGroup(command)
		started <- outcome{group, err}
	}()
	result := <-started
	return result.group, result.err
}

// commandName gives the last part of the command, for messages.
func commandName(command string) string {
	return command[strings.LastIndexAny(command, `/\`)+1:]
}
