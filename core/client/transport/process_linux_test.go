package transport

import (
	"io"
	"os"
	"os/exec"
	"testing"
)

// TestServerDiesWithUs: the parent is killed, so it cannot close anything, and
// its server does not heed the end of its stdin.
func TestServerDiesWithUs(t *testing.T) {
	held := newWitness(t)
	parent := exec.Command(self(t), held.path)
	parent.Env = append(os.Environ(), childMode+"=parent")
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	end := held.held(t)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, end); err != nil {
		t.Errorf("the server's socket ends with %v", err)
	}
	if err := parent.Wait(); err == nil {
		t.Error("the parent ended well, want it killed")
	}
}
