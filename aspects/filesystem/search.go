package filesystem

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mcpserver/core/toolserver"
)

// mostText is how long the text of a tree or of a search's answer may be, in
// bytes.
const mostText = 32 << 20

// search is one run of search_files.
type search struct {
	pattern  glob
	excluded globs
	most     int

	mu      sync.Mutex // guards what follows
	matches []string   // below the beginning
	length  int        // of the answer, at most
	full    bool
}

// searchFiles runs search_files.
func (s *Server) searchFiles(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	var parsed struct {
		Path            string   `json:"path"`
		Pattern         string   `json:"pattern"`
		ExcludePatterns []string `json:"excludePatterns"`
	}
	if err := arguments.Decode(&parsed); err != nil {
		return toolserver.Outcome{}, err
	}
	pattern, err := newGlob(parsed.Pattern)
	if err != nil {
		return toolserver.Outcome{}, err
	}
	excluded, err := newGlobs(parsed.ExcludePatterns)
	if err != nil {
		return toolserver.Outcome{}, fmt.Errorf("excludePatterns: %w", err)
	}
	a := s.begin(ctx)
	defer a.close()
	found, err := a.locate(wanted{given: parsed.Path, verb: "search"})
	if err == nil {
		err = found.mustBeDirectory()
	}
	if err != nil {
		return toolserver.Outcome{}, about(parsed.Path, err)
	}
	shown := a.shown(parsed.Path)
	running := &search{pattern: pattern, excluded: excluded, most: a.settings.MaxEntries}
	t := &traversal[struct{}]{root: found.root, base: found.name, most: math.MaxInt, every: s.reportEvery, visit: running.visit(ctx, len(escaped(shown)))}
	if err := t.run(ctx, struct{}{}); err != nil {
		return toolserver.Outcome{}, about(parsed.Path, err)
	}
	if err := a.hold(int64(min(running.length, mostText))); err != nil {
		return toolserver.Outcome{}, err
	}
	return running.answer(shown, t.notes()), nil
}

// visit gives what a traversal does with each directory: it collects what
// matches, and goes into what is not excluded.
func (s *search) visit(ctx context.Context, prefix int) func(folder[struct{}], []entry) []folder[struct{}] {
	return func(in folder[struct{}], entries []entry) (into []folder[struct{}]) {
		var matches []string
		length := 0
		for _, found := range entries {
			if ctx.Err() != nil || length > mostText {
				break // a directory may have many entries, and patterns take time
			}
			// The whole path is made only where it is needed.
			var path string
			if found.directory || s.pattern.base == "" || len(s.excluded) > 0 {
				path = filepath.Join(in.name, found.name)
			}
			if s.excluded.match(path, found.name) {
				continue
			}
			if s.pattern.match(path, found.name) {
				if path == "" {
					path = filepath.Join(in.name, found.name)
				}
				matches = append(matches, path)
				length += prefix + len("/") + len(escaped(path)) + len("\"\"\n")
			}
			if found.directory && !s.excluded.matchBelow(path) {
				into = append(into, folder[struct{}]{name: path, depth: in.depth + 1})
			}
		}
		if !s.add(matches, length) {
			return nil
		}
		return into
	}
}

// add keeps matches. It reports whether there is room for more.
func (s *search) add(matches []string, length int) (more bool) {
	if len(matches) == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return false
	}
	s.matches = append(s.matches, matches...)
	s.length += length
	s.full = len(s.matches) > s.most || s.length > mostText
	return !s.full
}

func (s *search) answer(shown string, notes []string) toolserver.Outcome {
	slices.Sort(s.matches)
	if s.full {
		s.matches = s.matches[:min(len(s.matches), s.most)]
		notes = append([]string{fmt.Sprintf("Cut: these are only some of the matches, as many as --max-entries (%d) or the length of an answer allow; a narrower pattern has less.", s.most)}, notes...)
	}
	if len(s.matches) == 0 {
		return annotated("No matches found", notes)
	}
	var text strings.Builder
	text.Grow(min(s.length, mostText))
	separator := string(filepath.Separator)
	if strings.HasSuffix(shown, separator) {
		separator = ""
	}
	for i, match := range s.matches {
		line := entryName(shown + separator + match)
		if text.Len()+len(line) >= mostText {
			break
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(line)
	}
	return annotated(text.String(), notes)
}
