package filesystem

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"mcpserver/core/toolserver"
)

// named gives the paths that a call's arguments name, as they were given.
func named(arguments toolserver.Arguments) []string {
	var paths []string
	for _, name := range []string{"path", "source", "destination"} {
		if value := arguments.Value(name); value.Exists() {
			paths = append(paths, value.Str)
		}
	}
	arguments.Value("paths").ForEach(func(_, value gjson.Result) bool {
		paths = append(paths, value.Str)
		return len(paths) <= mostPaths // a call with more fails
	})
	return paths
}

// claims tells what a call is about, for its turn. What is no path needs none:
// such a call fails.
func (s *Server) claims(tool string, arguments toolserver.Arguments) []claim {
	registered, found := s.Registry().Tool(tool)
	if !found {
		return nil
	}
	_, allowed := s.current()
	var made []claim
	for _, given := range named(arguments) {
		if path, err := allowed.absolute(given); err == nil {
			made = append(made, claim{path, registered.Access == toolserver.Write})
		}
	}
	return made
}

// anchor is the anchor key of a call that reads one file.
func (s *Server) anchor(arguments toolserver.Arguments) string {
	_, allowed := s.current()
	path, err := allowed.absolute(arguments.Value("path").Str)
	if err != nil {
		return ""
	}
	return "file:" + path
}

// PermissionPattern implements toolserver.Server. What reads is allowed by the
// tool; what writes is allowed by the directory that it writes in, which
// follows the tool's name. A move has two of them.
func (s *Server) PermissionPattern(qualifiedTool, arguments string) string {
	local, _ := strings.CutPrefix(qualifiedTool, Name+".")
	tool, found := s.Registry().Tool(local)
	if !found || tool.Access == toolserver.Read {
		return qualifiedTool
	}
	_, allowed := s.current()
	pattern := qualifiedTool
	for _, given := range named(toolserver.ParseArguments(arguments)) {
		path, err := allowed.absolute(given)
		if err != nil {
			path = given
		}
		pattern += ":" + filepath.Dir(path)
	}
	return pattern
}
