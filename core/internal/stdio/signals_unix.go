//go:build unix

package stdio

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchBrokenPipe makes a write to a closed pipe fail with EPIPE on every
// descriptor, where otherwise one on stdout or stderr ends the process. It
// catches SIGPIPE; ignoring it would have the same effect, and child processes
// would inherit that. The function it returns ends it.
func CatchBrokenPipe() (stop func()) {
	caught := make(chan os.Signal, 1) // nobody receives; one that does not fit is dropped
	signal.Notify(caught, syscall.SIGPIPE)
	return func() { signal.Stop(caught) }
}
