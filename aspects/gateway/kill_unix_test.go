//go:build unix

package gateway_test

import (
	"syscall"
	"testing"
)

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
