package client

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain demands that the tests leave no goroutine of the client behind.
func TestMain(m *testing.M) {
	code := m.Run()
	if left := goroutinesLeft(5 * time.Second); left != "" && code == 0 {
		fmt.Fprintf(os.Stderr, "the tests have left goroutines behind:\n%s\n", left)
		code = 1
	}
	os.Exit(code)
}

// goroutinesLeft gives the stacks of goroutines that run code of the client, once
// those that are about to end have had time to.
func goroutinesLeft(patience time.Duration) string {
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var left []string
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(stack, "mcpserver/core/client") && !strings.Contains(stack, "TestMain") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return strings.Join(left, "\n\n")
		}
	}
}
