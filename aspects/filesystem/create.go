package filesystem

import (
	"context"

	"mcpserver/core/toolserver"
)

// createDirectory runs create_directory.
func (s *Server) createDirectory(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	given, err := arguments.RequireString("path")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	found, err := a.locate(wanted{given: given, verb: "create the directory", changes: true})
	if err != nil {
		return toolserver.Outcome{}, err
	}
	if found.info == nil {
		err = found.root.MkdirAll(found.name, 0o777)
	} else if !found.info.IsDir() {
		err = errExists
	}
	if err != nil {
		return toolserver.Outcome{}, about(given, err)
	}
	return answer("Successfully created directory " + entryName(given)), nil
}
