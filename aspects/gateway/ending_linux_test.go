package gateway_test

import "testing"

// TestKilledOnLinux: a server that does not heed the end of its input gets a
// signal as well.
func TestKilledOnLinux(t *testing.T) {
	t.Parallel()
	f := legacyServer(t, "s", "x")
	f.deaf = true
	p := startProcess(t, f)
	if err := p.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	f.mustBeGone()
}
