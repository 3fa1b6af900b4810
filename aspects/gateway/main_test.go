package gateway_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcpserver/aspects/gateway"
	"mcpserver/core/server"
)

// patience is how long a test waits for what must come before it fails.
const patience = 30 * time.Second

// TestMain lets the test binary stand in for the servers that a gateway starts,
// and for a gateway that is a process of its own. It demands that the tests leave
// no goroutine of the gateway behind.
func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		runChild(mode, os.Args[1:])
		return
	}
	// They wait for their servers more than they do.
	flag.Parse()
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		_ = parallel.Value.Set("6")
	}
	// A key of the tests' own, so that nobody's is read or made.
	os.Setenv("MCPSERVER_STATE_KEY", "the key of these tests, long enough")
	code := m.Run()
	if left := goroutinesLeft(); left != "" && code == 0 {
		fmt.Fprintf(os.Stderr, "the tests have left goroutines behind:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesLeft gives the stacks of goroutines that run code of the gateway, or
// of the client that it uses, once those that are about to end have had time to.
func goroutinesLeft() string {
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		stacks := make([]byte, 1<<22)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var left []string
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			runs := strings.Contains(stack, "mcpserver/aspects/gateway.") || strings.Contains(stack, "mcpserver/core/client")
			if runs && !strings.Contains(stack, "gateway_test.TestMain") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
	}
}

// runChild is the main function of a child process.
func runChild(mode string, arguments []string) {
	switch mode {
	case "relay":
		relay(arguments[0], arguments[1:])
	case "hold":
		hold(arguments[0])
	case "gateway":
		server.Main(gateway.Aspect())
	default:
		fmt.Fprintf(os.Stderr, "there is no mode %q\n", mode)
		os.Exit(1)
	}
}
