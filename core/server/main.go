package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/trace"
)

const (
	// traceLimit is the most bytes of one trace file.
	traceLimit = 16 << 20
	// noticeWait is how long the end of the process waits for stderr.
	noticeWait = 200 * time.Millisecond
	// relayProcessors is how many goroutines of a relay may run, or wait in a
	// system call, before the runtime takes a processor away from one that waits:
	// it reads from the client and from two servers.
	relayProcessors = 4
)

// Main runs an aspect as this process, by its command line, and ends it. It is
// a main function's only statement; a main function that has to do more takes
// its steps one by one: Init, Runner.Run, Runner.Deinit.
func Main(aspect *core.Aspect) {
	runner, err := Init(aspect, os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(ExitStatus(err))
	}
	status := runner.Run()
	runner.Deinit()
	os.Exit(status)
}

// ExitStatus is the exit status for an error of Init: 2 when the user's command
// line is at fault, 1 otherwise.
func ExitStatus(err error) int {
	if errors.Is(err, ErrUsage) {
		return 2
	}
	return 1
}

// Runner is a server process between Init and Deinit.
type Runner struct {
	aspect  *core.Aspect
	line    *commandLine
	in, out *os.File
	stderr  *os.File
	trace   *trace.Trace
	notices *stdio.Notices
	armed   chan struct{} // closed when signals are caught
	opening bool          // Run has begun to open the trace file
	opened  chan struct{} // closed when the trace file is open or was refused
}

// Init takes the process's stdin and stdout for the protocol, so that nothing
// else can write there, checks the aspect, and reads the command line (the
// program's name first).
func Init(aspect *core.Aspect, commandLine []string) (*Runner, error) {
	in, out, err := stdio.Isolate()
	if err != nil {
		return nil, fmt.Errorf("taking stdin and stdout: %w", err)
	}
	if err := core.Validate(aspect); err != nil {
		return nil, fmt.Errorf("%s: the aspect is not valid:\n%w", nameOf(aspect), err)
	}
	line, err := readCommandLine(aspect, commandLine)
	if err != nil {
		if line != nil {
			err = fmt.Errorf("%w\n\n%s", err, usage(aspect))
		}
		return nil, fmt.Errorf("%s: %w", aspect.Name, err)
	}
	if aspect.Relays && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), relayProcessors))
	}
	return &Runner{
		aspect:  aspect,
		line:    line,
		in:      in,
		out:     out,
		stderr:  os.Stderr,
		trace:   trace.New(aspect.Name, line.level, traceLimit),
		notices: stdio.NewNotices(os.Stderr),
		armed:   make(chan struct{}),
		opened:  make(chan struct{}),
	}, nil
}

// Run does what the command line asks for, and gives the exit status.
func (r *Runner) Run() int {
	switch {
	case r.line.help:
		return r.print(r.line.helpText(r.aspect))
	case r.line.version:
		return r.print(fmt.Sprintf("%s %s (MCP up to %s)\n", r.aspect.Name, r.aspect.Version, protocol.Ceiling))
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.opening = true
	go r.setUp(cancel)
	if r.line.command != nil {
		return r.command(ctx)
	}
	if r.line.verb == "test" {
		return r.test(ctx)
	}
	r.greet()
	out := armedWriter{stdio.NewSink(r.out), r.armed}
	err := serve(ctx, r.aspect, r.in, out, &r.line.options, r.trace, r.notices)
	if err != nil {
		r.notices.Post(r.aspect.Name + ": " + err.Error())
		return 1
	}
	return 0
}

// command runs a command of the aspect's own.
func (r *Runner) command(ctx context.Context) int {
	<-r.opened
	err := r.line.command.Run(ctx, core.Terminal{
		In: r.in, Out: r.out, Err: r.stderr,
		Interactive: stdio.IsTerminal(r.in),
		Hide:        func() (show func(), err error) { return stdio.Hide(r.in) },
		Args:        r.line.options.Arguments,
	})
	if err != nil {
		r.notices.Post(r.aspect.Name + ": " + err.Error())
		return 1
	}
	return 0
}

// Deinit closes the trace file, and waits a moment for what is still to be
// written to stderr.
func (r *Runner) Deinit() {
	if r.opening {
		<-r.opened
	}
	if err := r.trace.Close(); err != nil {
		r.notices.Post("closing the trace: " + err.Error())
	}
	r.notices.Close(noticeWait)
}

func nameOf(aspect *core.Aspect) string {
	if aspect == nil {
		return "MCPServer"
	}
	return aspect.Name
}

func (r *Runner) print(text string) int {
	if _, err := r.out.WriteString(text); err != nil {
		r.notices.Post(err.Error())
		return 1
	}
	return 0
}

// greet tells a person who started the server by hand what it waits for.
func (r *Runner) greet() {
	if !stdio.IsTerminal(r.in) {
		return
	}
	ending := "Ctrl-D"
	if runtime.GOOS == "windows" {
		ending = "Ctrl-Z and Enter"
	}
	r.notices.Post(r.aspect.Name + " takes one JSON request per line; " + ending + " ends it.")
}

// armedWriter holds the first answer back until signals are caught: a client
// may send one as soon as it has its answer.
type armedWriter struct {
	*stdio.Sink
	armed <-chan struct{}
}

// TryWrite writes nothing as long as an answer would be held back.
func (w armedWriter) TryWrite(p []byte) (written int, err error) {
	select {
	case <-w.armed:
		return w.Sink.TryWrite(p)
	default:
		return 0, nil
	}
}

// Write implements io.Writer.
func (w armedWriter) Write(p []byte) (int, error) {
	<-w.armed
	return w.Sink.Write(p)
}

// setUp does, beside the loop, what reading and the first handler need not wait
// for: signal handlers and the trace file. Its goroutine ends with the process.
func (r *Runner) setUp(terminate context.CancelFunc) {
	stdio.CatchBrokenPipe()
	signals, _ := stdio.Terminations()
	close(r.armed)
	path, err := r.trace.Open(os.TempDir())
	if err != nil {
		r.notices.Post("warning: no trace file: " + err.Error())
	} else {
		r.notices.Post("trace: " + path)
	}
	close(r.opened)
	first := <-signals
	r.trace.Infof("ending on %v", first)
	if stdio.IsTerminal(r.in) {
		r.notices.Post("finishing; once more ends at once")
	}
	terminate()
	second := <-signals
	r.trace.Errorf("ended at once by a second signal (%v)", second)
	r.trace.Close()
	os.Exit(statusOf(second))
}

// statusOf is the exit status that shells give a process which the signal ends.
func statusOf(s os.Signal) int {
	if number, ok := s.(syscall.Signal); ok {
		return 128 + int(number)
	}
	return 1
}
