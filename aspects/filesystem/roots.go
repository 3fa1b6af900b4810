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

const (
	// rootsLimit is how long calls wait for a client to tell its roots, unless a
	// test has less patience. After that they go on with those it told before,
	// or the directories of the command line.
	rootsLimit = 10 * time.Second
	// mostRoots is how many roots of a client count.
	mostRoots = 1000
)

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
	for i, root := range told {
		if i == mostRoots {
			read.leftOut = append(read.leftOut, fmt.Sprintf("%d more roots, since no more than %d count", len(told)-i, mostRoots))
			break
		}
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
	anchor(read.list)
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
// for the answer, so that none reaches what the roots leave out, but no longer
// than the server's patience lasts. An answer counts whenever it comes.
func (s *startup) askForRoots(context.Context) {
	settings, _ := s.server.current()
	if settings.Roots == Ignore {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gate == nil {
		gate := make(chan struct{})
		s.gate, s.patience = gate, time.AfterFunc(s.server.rootsLimit, func() { s.open(gate) })
	}
	s.turns.hold(s.gate)
	if s.asked++; s.withdraw != nil {
		s.withdraw() // what is answered to that question may be old by now
		return
	}
	s.askAgainLocked()
}

// askAgainLocked asks in a goroutine of its own, which ends soon after an answer
// that nothing has come after, or the end of serving.
func (s *startup) askAgainLocked() {
	asking, withdraw := context.WithCancel(s.serving)
	s.withdraw = withdraw
	number, host := s.asked, s.host
	s.working.Go(func() {
		defer withdraw()
		answers, err := host.Ask(asking, core.Inputs{"roots": core.Roots{}})
		var read roots
		if err == nil {
			read = readRoots(answers["roots"].Roots())
		}
		if !s.settle(number, read, err) {
			return
		}
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
		s.sweep(s.serving, allowed)
	})
}

// settle has the roots count, unless there is an error, and lets calls go on. It
// reports false, and asks again, if the roots have changed since the question.
func (s *startup) settle(number int, read roots, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number != s.asked && s.serving.Err() == nil {
		s.askAgainLocked()
		return false
	}
	if err == nil {
		s.server.mu.Lock()
		s.server.roots = read
		s.server.mu.Unlock()
	}
	s.withdraw = nil
	s.openLocked(s.gate)
	return true
}

// open lets calls go on that wait at the gate.
func (s *startup) open(gate chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openLocked(gate)
}

func (s *startup) openLocked(gate chan struct{}) {
	if gate != nil && gate == s.gate {
		close(gate)
		s.patience.Stop()
		s.gate, s.patience = nil, nil
	}
}

// notice hears that the client's roots have changed.
func (s *startup) notice(ctx context.Context, notification *core.Notification) {
	if notification.Method == "notifications/roots/list_changed" {
		s.askForRoots(ctx)
	}
}
