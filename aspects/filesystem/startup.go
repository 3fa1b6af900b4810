package filesystem

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"mcpserver/core"
)

func (s *startup) flags(flags *flag.FlagSet) { s.line.flags(flags) }

// start reads the command line. Directories that cannot be used are left out
// with a warning, unless that leaves none.
func (s *startup) start(ctx context.Context, host core.Host) error {
	if s.problem != nil {
		return s.problem
	}
	settings := s.line.settings()
	if err := settings.validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	given, skipped := newDirectories(host.Args())
	for _, problem := range skipped {
		host.Tracef(core.TraceError, "left out: %v", problem)
		fmt.Fprintf(os.Stderr, "Warning: left out: %v\n", problem)
	}
	if len(given.list) == 0 && len(skipped) > 0 {
		return errors.New("none of the directories can be used")
	}
	s.server.mu.Lock()
	s.server.settings, s.server.given = settings, given
	s.server.mu.Unlock()
	s.mu.Lock()
	s.host, s.serving = host, ctx
	s.mu.Unlock()
	s.sweep.start(ctx, given, func(format string, arguments ...any) {
		host.Tracef(core.TraceInfo, format, arguments...)
	})
	return nil
}

// stop waits for what start has set going, whose context has ended.
func (s *startup) stop(context.Context) error {
	s.sweep.wait()
	return nil
}
