package stdio

import (
	"os"
	"os/signal"
	"syscall"
)

// Terminations gives the signals that ask the process to end: SIGINT, SIGTERM and
// SIGHUP, or on Windows Ctrl-C, Ctrl-Break and the closing of the console, the
// last as SIGTERM. Until stop is called they do not end the process by
// themselves. A few are kept while nobody receives.
func Terminations() (signals <-chan os.Signal, stop func()) {
	caught := make(chan os.Signal, 4)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return caught, func() { signal.Stop(caught) }
}
