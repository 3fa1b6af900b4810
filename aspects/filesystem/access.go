package filesystem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcpserver/core/toolserver"
)

// access is what one call may reach, and what it holds open. It is used by one
// goroutine; close ends it.
type access struct {
	ctx         context.Context
	settings    Settings
	directories directories
	opened      []openDirectory
	// granted has the paths outside that the person has allowed, by the paths
	// that were given.
	granted map[string][]string
	memory  *budget
	// release gives back what the call holds of it.
	release []func()
}

type openDirectory struct {
	path string
	root *os.Root
}

func (s *Server) begin(ctx context.Context) *access {
	settings, allowed := s.current()
	return &access{ctx: ctx, settings: settings, directories: allowed, memory: &s.memory}
}

func (a *access) close() {
	for _, opened := range a.opened {
		opened.root.Close()
	}
	for _, release := range a.release {
		release()
	}
}

// open opens an allowed directory, once in a call.
func (a *access) open(wanted directory) (*os.Root, error) {
	for _, opened := range a.opened {
		if opened.path == wanted.real {
			return opened.root, nil
		}
	}
	root, err := openUnlinked(wanted.anchor, wanted.real)
	if err != nil {
		return nil, fmt.Errorf("is in an allowed directory that %w", reason(err))
	}
	a.opened = append(a.opened, openDirectory{wanted.real, root})
	return root, nil
}

// openUnlinked opens a directory that is below another one, or that itself. The
// way from there on must not lead through links, nor may the first one be one.
func openUnlinked(from, path string) (*os.Root, error) {
	root, err := openFirst(from)
	for _, part := range components(path[len(from):]) {
		if err != nil {
			return nil, err
		}
		above := root
		root, err = openBelow(above, part)
		above.Close()
	}
	return root, err
}

// openFirst opens a directory by its path. It was no link when it was resolved,
// and must not be one now. As to the ".", see openBelow.
func openFirst(path string) (*os.Root, error) {
	root, err := os.OpenRoot(path + "/.")
	if err != nil {
		return nil, err
	}
	seen, err := os.Lstat(path)
	return sameDirectory(root, seen, err)
}

// openBelow opens the directory of that name, if it is one and not a link. The
// "." has the system refuse at once what is no directory, such as a pipe that
// somebody has put in its place.
func openBelow(above *os.Root, name string) (*os.Root, error) {
	root, err := above.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	seen, err := above.Lstat(name)
	return sameDirectory(root, seen, err)
}

// sameDirectory gives root if it is what was seen under its name, and closes it
// otherwise.
func sameDirectory(root *os.Root, seen fs.FileInfo, err error) (*os.Root, error) {
	var opened fs.FileInfo
	if err == nil {
		opened, err = root.Stat(".")
	}
	if err == nil && !os.SameFile(seen, opened) {
		err = errMissing
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// wanted is a path that a call needs.
type wanted struct {
	given string
	// verb says in a question what is to be done to it: "read", "write".
	verb string
	// itself says that a link at the end is what is wanted, and not what it
	// leads to.
	itself bool
	// changes says that it is to be changed.
	changes bool
}

// located is where a wanted path leads, or why it cannot be had.
type located struct {
	place
	wanted
	err error
}

// locate finds one place. The error names the path, or has to be returned as it
// is.
func (a *access) locate(want wanted) (place, error) {
	found, err := a.locateAll(want)
	if err != nil {
		return place{}, err
	}
	return found[0].place, found[0].err
}

// locateExisting is locate for what must be there.
func (a *access) locateExisting(want wanted) (place, error) {
	found, err := a.locate(want)
	if err == nil && found.info == nil {
		err = about(want.given, errMissing)
	}
	return found, err
}

// locateAll finds places. Under Ask the person is asked for all paths outside
// in one round, and in further ones for where links outside lead. The error is
// for the tool to return; what is wrong with a single path is told with that
// one.
func (a *access) locateAll(wants ...wanted) ([]located, error) {
	found := make([]located, len(wants))
	open := make([]int, len(wants)) // those that nobody has refused
	for i, want := range wants {
		found[i], open[i] = a.find(want), i
	}
	for range maxLinks {
		open = slices.DeleteFunc(open, func(i int) bool { return !errors.As(found[i].err, new(*outsideError)) })
		if a.settings.Outside != Ask || len(open) == 0 {
			break
		}
		var err error
		if open, err = a.askFor(found, open); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// askFor asks for these of the paths, and gives those that the person allowed.
func (a *access) askFor(found []located, outside []int) (allowed []int, err error) {
	questions := make([]toolserver.Question, len(outside))
	for n, i := range outside {
		questions[n] = a.question(found[i])
	}
	replies, err := toolserver.Ask(a.ctx, questions...)
	switch {
	case errors.Is(err, toolserver.ErrNobodyToAsk):
		for _, i := range outside {
			found[i].err = fmt.Errorf("%w, and %w", found[i].err, err)
		}
		return nil, nil
	case err != nil:
		return nil, err
	}
	for n, i := range outside {
		if !replies[n].Approved() {
			found[i].err = fmt.Errorf("%w, and the person did not allow it", found[i].err)
			continue
		}
		a.grant(found[i].given, questions[n].Subject)
		found[i] = a.find(found[i].wanted)
		allowed = append(allowed, i)
	}
	return allowed, nil
}

// grant keeps what the person has allowed, for this call.
func (a *access) grant(given, path string) {
	if a.granted == nil {
		a.granted = make(map[string][]string)
	}
	a.granted[given] = append(a.granted[given], path)
}

// find follows one path, without asking anybody.
func (a *access) find(want wanted) located {
	found := located{wanted: want}
	path, err := a.directories.absolute(want.given)
	if err != nil {
		found.err = err
		return found
	}
	w := walk{access: a, granted: a.granted[want.given], follow: !want.itself, exact: want.changes}
	if found.place, err = w.run(path); err != nil {
		found.err = about(want.given, err)
	}
	return found
}

// question asks for a path outside. It names the path that was given and, if it
// is another one, that to which it leads: the person decides about that one.
func (a *access) question(found located) toolserver.Question {
	var beyond *outsideError
	errors.As(found.err, &beyond)
	message := fmt.Sprintf("Allow the filesystem server to %s %s? It is outside the allowed directories.", found.verb, quoted(found.given))
	if found.given != beyond.path {
		message += " It leads to " + quoted(beyond.path) + "."
	}
	return toolserver.Question{Subject: beyond.path, Message: message}
}

// shown gives the absolute path by which an answer names something that was
// found under a given one.
func (a *access) shown(given string) string {
	path, err := a.directories.absolute(given)
	if err != nil {
		return filepath.Clean(given)
	}
	return path
}
