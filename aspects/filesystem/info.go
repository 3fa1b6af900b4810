package filesystem

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mcpserver/core/toolserver"
)

// timeFormat is that of get_file_info.
const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// fileInfo runs get_file_info.
func (s *Server) fileInfo(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	given, err := arguments.RequireString("path")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	found, err := a.locateExisting(wanted{given: given, verb: "look at"})
	if err != nil {
		return toolserver.Outcome{}, err
	}
	var lines []string
	add := func(name string, value any) { lines = append(lines, fmt.Sprintf("%s: %v", name, value)) }
	addTime := func(name string, value time.Time) {
		if !value.IsZero() {
			add(name, value.Format(timeFormat))
		}
	}
	add("size", found.info.Size())
	addTime("created", found.created())
	addTime("modified", found.info.ModTime())
	addTime("accessed", accessed(found.info))
	add("isDirectory", found.info.IsDir())
	add("isFile", found.info.Mode().IsRegular())
	add("permissions", fmt.Sprintf("%03o", found.info.Mode().Perm()))
	return answer(strings.Join(lines, "\n")), nil
}

// listAllowed runs list_allowed_directories.
func (s *Server) listAllowed(context.Context, toolserver.Arguments) (toolserver.Outcome, error) {
	settings, allowed := s.current()
	s.mu.RLock()
	leftOut := s.roots.leftOut
	s.mu.RUnlock()
	var names []string
	for _, name := range allowed.names() {
		names = append(names, entryName(name))
	}
	var notes []string
	if allowed.apart {
		notes = append(notes, "There are none: "+errApart.Error()+".")
	}
	switch settings.Outside {
	case Allow:
		notes = append(notes, "Other paths can be read and written, too.")
	case Ask:
		notes = append(notes, "Other paths can be read and written, too, if the person allows it: each call asks.")
	}
	if len(leftOut) > 0 {
		notes = append(notes, "Roots of the client that do not count:\n"+strings.Join(leftOut, "\n"))
	}
	return annotated("Allowed directories:\n"+strings.Join(names, "\n"), notes), nil
}
