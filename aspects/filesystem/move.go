package filesystem

import (
	"context"

	"mcpserver/core/toolserver"
)

// moveFile runs move_file. A link is moved itself.
func (s *Server) moveFile(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	from, err := arguments.RequireString("source")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	to, err := arguments.RequireString("destination")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	found, err := a.locateAll(
		wanted{given: from, verb: "move", itself: true, changes: true},
		wanted{given: to, verb: "write", itself: true, changes: true})
	if err != nil {
		return toolserver.Outcome{}, err
	}
	for _, end := range found {
		if end.err != nil {
			return toolserver.Outcome{}, end.err
		}
	}
	release, err := s.locks.take(ctx, found[0].path(), found[1].path())
	if err != nil {
		return toolserver.Outcome{}, err
	}
	defer release()
	if err := a.move(found[0], found[1]); err != nil {
		return toolserver.Outcome{}, err
	}
	return answer("Successfully moved " + entryName(from) + " to " + entryName(to)), nil
}

// move moves what is at one place to another where nothing is.
func (a *access) move(from, to located) error {
	switch {
	case from.info == nil:
		return about(from.given, errMissing)
	case from.name == ".", a.directories.holdsUp(from.path()):
		return about(from.given, errRootItself)
	case to.info != nil:
		return about(to.given, errExists)
	case to.missing > 1:
		return about(to.given, errNoParent)
	case isWithin(to.path(), from.path()):
		return about(to.given, errInItself)
	}
	if err := rename(from.place, to.place); err != nil {
		return moveError(from, to, err)
	}
	return to.syncDirectory()
}
