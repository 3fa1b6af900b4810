package filesystem

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mcpserver/core"
)

// rootsLimit is how long calls wait for a client to tell its roots. After that
// they go on with the directories of the command line.
const rootsLimit = 10 * time.Second

// roots are what the client told last.
type roots struct {
	// stated says that there is a root with a file URI of this machine: then the
	// client has said to what it restricts the server, also if there is no such
	// directory, or no longer.
	stated  bool
	list    []directory
	leftOut []string // what does not count, and why
}

// apply gives the directories that calls may reach, of those that were given on
// the command line.
func (r roots) apply(given directories, policy RootsPolicy) directories {
	switch {
	case !r.stated:
		return given
	case policy == Within && len(given.list) > 0:
		return given.narrowed(r.list)
	case len(r.list) == 0:
		return given
	}
	return directories{list: r.list}
}

// narrowed gives what the directories and the roots have in common, which may
// be nothing.
func (d directories) narrowed(list []directory) directories {
	var common directories
	for _, root := range list {
		for _, known := range d.list {
			switch {
			case isWithin(root.real, known.real):
				root.anchor = known.anchor
				common.add(root)
			case isWithin(known.real, root.real):
				common.add(known)
			}
		}
	}
	common.apart = len(common.list) == 0
	return common
}

// readRoots reads what a client has told.
func readRoots(told []core.Root) roots {
	var read roots
	for _, root := range told {
		path, err := fileOf(root.URI)
		var real string
		if err == nil {
			read.stated = true
			if real, err = realDirectory(path); err != nil {
				err = reason(err)
			}
		}
		if err != nil {
			read.leftOut = append(read.leftOut, fmt.Sprintf("%s %v", quoted(root.URI), err))
			continue
		}
		read.list = append(read.list, directory{given: path, real: real, anchor: real})
	}
	return read
}

var errNoFileURI = errors.New("is no file URI of this machine")

// fileOf gives the path that a file URI means.
func fileOf(uri string) (string, error) {
	parsed, err := url.Parse(uri)
	if err != nil || parsed.Scheme != "file" || parsed.Host != "" && parsed.Host != "localhost" || parsed.Opaque != "" {
		return "", errNoFileURI
	}
	path := parsed.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", errNoFileURI
	}
	return filepath.Clean(path), nil
}

// askForRoots asks the client for its roots. Calls that arrive from now on wait
// for the answer, so that none reaches what the roots leave out.
func (s *startup) askForRoots(context.Context) {
	settings, _ := s.server.current()
	if settings.Roots == Ignore {
		return
	}
	s.mu.Lock()
	s.asked++
	host, serving, number := s.host, s.serving, s.asked
	s.mu.Unlock()
	answered := make(chan struct{})
	s.turns.hold(answered)
	s.working.Go(func() { // ends soon after the answer, rootsLimit or the end of serving
		read, err := ask(serving, host)
		if err == nil {
			s.tell(number, read)
		}
		close(answered)
		if err != nil {
			host.Tracef(core.TraceInfo, "the client tells no roots: %v", err)
			return
		}
		for _, problem := range read.leftOut {
			host.Tracef(core.TraceError, "a root of the client is left out: %s", problem)
		}
		_, allowed := s.server.current()
		if allowed.apart {
			host.Tracef(core.TraceError, "no directories are left: %v", errApart)
		}
		s.sweep(serving, allowed)
	})
}

func ask(ctx context.Context, host core.Host) (roots, error) {
	ctx, cancel := context.WithTimeout(ctx, rootsLimit)
	defer cancel()
	answers, err := host.Ask(ctx, core.Inputs{"roots": core.Roots{}})
	if err != nil {
		return roots{}, err
	}
	return readRoots(answers["roots"].Roots()), nil
}

// tell has the roots count, unless the client was asked again since.
func (s *startup) tell(number int, read roots) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number != s.asked {
		return
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.roots = read
}

// notice hears that the client's roots have changed.
func (s *startup) notice(ctx context.Context, notification *core.Notification) {
	if notification.Method == "notifications/roots/list_changed" {
		s.askForRoots(ctx)
	}
}
