//go:build unix

// Command testserver is a server whose tools behave badly on purpose, for the
// tests of package process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"mcpserver/core"
	"mcpserver/core/server"
)

// switches are the server's own flags.
type switches struct {
	announce    bool
	failStartup bool
	slowStartup string
	linger      bool
	shutdowns   string
}

// main takes the steps of server.Main one by one, as a program does that has
// something of its own to do before and afterwards.
func main() {
	var own switches
	runner, err := server.Init(aspect(&own), os.Args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(server.ExitStatus(err))
	}
	if own.announce {
		fmt.Println("stray: before Run")
	}
	status := runner.Run()
	runner.Deinit()
	if own.announce {
		fmt.Println("stray: after Deinit, status", status)
	}
	os.Exit(status)
}

func aspect(own *switches) *core.Aspect {
	return &core.Aspect{
		Name:    "MCPServer_test",
		Version: "1.2.3",
		// The protocol must not wait for these tools.
		Asynchronous: true,
		Logging:      true,
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&own.announce, "announce", false, "print before and after serving")
			flags.BoolVar(&own.failStartup, "fail-startup", false, "fail at the start")
			flags.StringVar(&own.slowStartup, "slow-startup", "", "do not come back from OnStartup before somebody writes to this named `pipe`")
			flags.BoolVar(&own.linger, "linger", false, "do not come back from OnShutdown")
			flags.StringVar(&own.shutdowns, "shutdowns", "", "append a line to this `file` for each OnShutdown")
		},
		OnStartup: func(context.Context, core.Host) error {
			fmt.Println("stray: starting")
			if own.failStartup {
				return errors.New("the database is not there")
			}
			if own.slowStartup != "" {
				_, err := os.ReadFile(own.slowStartup)
				return err
			}
			return nil
		},
		OnShutdown: own.shutDown,
		Tools:      tools(),
		Commands: []core.Command{
			{Name: "Repeat", Summary: "print what is read; arguments are an error", Run: repeat},
			{Name: "Await", Summary: "print a line, and fail when a signal has come", Run: await},
		},
	}
}

func repeat(_ context.Context, terminal core.Terminal) error {
	fmt.Println("stray: repeating")
	if len(terminal.Args) > 0 {
		return fmt.Errorf("it takes no argument %q", terminal.Args[0])
	}
	_, err := io.Copy(terminal.Out, terminal.In)
	return err
}

func await(ctx context.Context, terminal core.Terminal) error {
	if _, err := fmt.Fprintln(terminal.Out, "waiting"); err != nil {
		return err
	}
	<-ctx.Done()
	return fmt.Errorf("stopped waiting: %w", ctx.Err())
}

func (s *switches) shutDown(context.Context) error {
	if s.shutdowns != "" {
		file, err := os.OpenFile(s.shutdowns, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		fmt.Fprintln(file, "OnShutdown")
		if err := file.Close(); err != nil {
			return err
		}
	}
	fmt.Fprintln(os.Stderr, "OnShutdown runs")
	if s.linger {
		select {}
	}
	return nil
}

func tools() []core.Tool {
	text := core.Object(core.String("text", "What to say").Required())
	size := core.Object(core.Integer("bytes", "How many").Required())
	path := core.Object(core.String("path", "Of a named pipe").Required())
	return []core.Tool{
		{Name: "echo", Input: text, Handler: echo},
		{Name: "big", Input: size, Handler: big},
		{Name: "print", Handler: printEverywhere},
		{Name: "descriptors", Handler: descriptors},
		{Name: "spew", Input: size, Handler: spew},
		{Name: "wait", Handler: wait},
		{Name: "stubborn", Input: path, Handler: stubborn},
		{Name: "goroutines", Handler: goroutines},
	}
}

func echo(_ context.Context, call *core.Call) (core.Result, error) {
	text, err := call.RequireString("text")
	return core.Text(text), err
}

func big(_ context.Context, call *core.Call) (core.Result, error) {
	size, err := call.RequireInt("bytes")
	if err != nil {
		return nil, err
	}
	return core.Text(strings.Repeat("x", int(size))), nil
}

// printEverywhere prints in all the ways that a library might.
func printEverywhere(ctx context.Context, _ *core.Call) (core.Result, error) {
	fmt.Println("stray: fmt")
	if _, err := os.Stdout.WriteString("stray: os.Stdout\n"); err != nil {
		return nil, err
	}
	if _, err := syscall.Write(1, []byte("stray: descriptor 1\n")); err != nil {
		return nil, err
	}
	log.New(os.Stdout, "", 0).Print("stray: log")
	child := exec.CommandContext(ctx, "sh", "-c", "echo stray: child; (echo stray: grandchild) &  wait")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Run(); err != nil {
		return nil, err
	}
	return core.Text("printed"), nil
}

// descriptors tells what a child process inherits.
func descriptors(ctx context.Context, _ *core.Call) (core.Result, error) {
	child := exec.CommandContext(ctx, "sh", "-c", "for d in /proc/$$/fd/*; do echo ${d##*/} $(readlink $d); done")
	child.Stdin = os.Stdin
	out, err := child.Output()
	return core.Text(string(out)), err
}

func spew(_ context.Context, call *core.Call) (core.Result, error) {
	size, err := call.RequireInt("bytes")
	if err != nil {
		return nil, err
	}
	_, err = os.Stderr.WriteString(strings.Repeat("s", int(size)))
	return core.Text(fmt.Sprint("written: ", err)), nil
}

func wait(ctx context.Context, _ *core.Call) (core.Result, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// stubborn ignores its context until somebody writes to the named pipe.
func stubborn(_ context.Context, call *core.Call) (core.Result, error) {
	path, err := call.RequireString("path")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	return core.Text(string(text)), err
}

func goroutines(context.Context, *core.Call) (core.Result, error) {
	return core.Text(fmt.Sprint(runtime.NumGoroutine())), nil
}
