package gateway_test

import (
	"encoding/gob"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
)

// A server of these tests is a child process with pipes of its own that decides
// nothing: it hands all that it reads to the test, over a socket, and writes what
// the test tells it to. So a script is a function of the test, which sees what
// the server saw, in its order, and the end of the process too, whichever way it
// comes: the system closes the socket then.

// childMode names, in the environment, what the test binary is to do when it is
// started as somebody's child.
const childMode = "GATEWAY_TEST_CHILD"

// What a relay can be told by its arguments.
const (
	stubborn  = "stubborn"  // ignore SIGTERM
	launching = "launching" // start a grandchild that heeds nothing but SIGKILL
)

// frame is what passes between a relay and its test.
type frame struct {
	Kind   frameKind
	Data   []byte
	Status int
}

type frameKind uint8

const (
	hello     frameKind = iota // of the child: Data is a greeting
	input                      // of the child: what came on its stdin
	endOfIn                    // of the child: its stdin has ended
	output                     // for its stdout
	complain                   // for its stderr
	closeOut                   // close its stdout
	exitNow                    // end with Status
	grandHere                  // of a grandchild: it is there
)

// greeting is what a relay says of itself.
type greeting struct {
	PID         int
	Arguments   []string
	Environment []string
	Directory   string
}

// relay connects its stdin and stdout with the test, until that ends it.
func relay(socket string, options []string) {
	if slices.Contains(options, stubborn) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	connection, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if slices.Contains(options, launching) {
		launch(socket)
	}
	var sending sync.Mutex
	encoder := gob.NewEncoder(connection)
	send := func(f frame) {
		sending.Lock()
		defer sending.Unlock()
		if encoder.Encode(f) != nil {
			os.Exit(1)
		}
	}
	directory, _ := os.Getwd()
	greeted, _ := json.Marshal(greeting{os.Getpid(), os.Args, os.Environ(), directory})
	send(frame{Kind: hello, Data: greeted})
	go obey(gob.NewDecoder(connection))
	buffer := make([]byte, 64<<10)
	for {
		n, err := os.Stdin.Read(buffer)
		if n > 0 {
			send(frame{Kind: input, Data: buffer[:n]})
		}
		if err != nil {
			break
		}
	}
	send(frame{Kind: endOfIn})
	select {} // obey ends it
}

// obey does what the test says.
func obey(decoder *gob.Decoder) {
	for {
		var f frame
		if decoder.Decode(&f) != nil {
			os.Exit(0)
		}
		switch f.Kind {
		case output:
			os.Stdout.Write(f.Data)
		case complain:
			os.Stderr.Write(f.Data)
		case closeOut:
			os.Stdout.Close()
		case exitNow:
			os.Exit(f.Status)
		}
	}
}

// launch starts a grandchild that shares our pipes.
func launch(socket string) {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	command := exec.Command(path, socket)
	command.Env = append(os.Environ(), childMode+"=hold")
	command.Stdin, command.Stdout = os.Stdin, os.Stdout
	if err := command.Start(); err != nil {
		panic(err)
	}
}

// hold lets whoever listens at the socket see when this process ends, which it
// does on SIGKILL alone.
func hold(socket string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	connection, err := net.Dial("unix", socket)
	if err != nil {
		os.Exit(1)
	}
	_ = gob.NewEncoder(connection).Encode(frame{Kind: grandHere})
	select {}
}
