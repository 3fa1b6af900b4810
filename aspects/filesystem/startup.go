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
	switch {
	case len(given.list) > 0:
	case len(skipped) > 0:
		return errors.New("none of the directories can be used")
	case settings.Roots == Ignore && settings.Outside == Deny && !host.SelfTesting():
		return errors.New("there is nothing to serve: name directories, as in MCPServer_filesystem ~/notes, or let the client's roots count")
	}
	s.server.mu.Lock()
	s.server.settings, s.server.given = settings, given
	s.server.mu.Unlock()
	s.mu.Lock()
	s.host, s.serving, s.swept = host, ctx, make(map[string]bool)
	s.mu.Unlock()
	s.working.Go(func() { s.sweep(ctx, given) }) // ends with its work, or when serving does
	return nil
}

// sweep removes what dead writers have left in directories, once in each.
func (s *startup) sweep(ctx context.Context, in directories) {
	s.mu.Lock()
	host := s.host
	var fresh directories
	for _, directory := range in.list {
		if !s.swept[directory.real] {
			s.swept[directory.real] = true
			fresh.add(directory)
		}
	}
	s.mu.Unlock()
	if len(fresh.list) > 0 {
		sweepAll(ctx, fresh, func(format string, arguments ...any) { host.Tracef(core.TraceInfo, format, arguments...) })
	}
}

// stop waits for what was set going, whose context has ended.
func (s *startup) stop(context.Context) error {
	s.working.Wait()
	return nil
}
