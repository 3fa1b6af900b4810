package filesystem

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpserver/core/toolserver"
)

// listDirectory runs list_directory.
func (s *Server) listDirectory(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	a := s.begin(ctx)
	defer a.close()
	listed, notes, err := a.list(arguments)
	if err != nil {
		return toolserver.Outcome{}, err
	}
	lines := make([]string, len(listed.entries))
	for i, entry := range listed.entries {
		lines[i] = entry.kind() + " " + entryName(entry.name)
	}
	return annotated(strings.Join(lines, "\n"), notes), nil
}

func (e entry) kind() string {
	if e.directory {
		return "[DIR]"
	}
	return "[FILE]"
}

// listed is a directory and its entries, in the order of their names.
type listed struct {
	place
	entries []entry
}

// list lists the directory that a call names.
func (a *access) list(arguments toolserver.Arguments) (made listed, notes []string, err error) {
	given, err := arguments.RequireString("path")
	if err != nil {
		return listed{}, nil, err
	}
	made.place, err = a.locate(wanted{given: given, verb: "list"})
	if err == nil {
		err = made.mustBeDirectory()
	}
	cut := false
	if err == nil {
		var reader entryReader
		defer reader.close()
		err = reader.read(a.ctx, made.root, made.name, "", func(found []entry) bool {
			made.entries = append(made.entries, found...)
			cut = len(made.entries) > a.settings.MaxEntries
			return !cut
		})
	}
	if err != nil {
		return listed{}, nil, about(given, err)
	}
	if cut {
		made.entries = made.entries[:a.settings.MaxEntries]
		notes = []string{fmt.Sprintf("Cut: there are more than %d entries (--max-entries).", a.settings.MaxEntries)}
	}
	slices.SortFunc(made.entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	fit, length := fitting(made.entries)
	if fit < len(made.entries) {
		made.entries = made.entries[:fit]
		notes = append(notes, fmt.Sprintf("Cut: the list would be longer than %d bytes; these are its first %d entries.", mostText, fit))
	}
	return made, notes, a.hold(int64(length))
}

// fitting gives how many entries have lines that are not too long together, and
// how long these are.
func fitting(entries []entry) (fit, length int) {
	for i, entry := range entries {
		line := len("[FILE] ") + len(entryName(entry.name)) + len("\n")
		if length+line > mostText {
			return i, length
		}
		length += line
	}
	return len(entries), length
}

// sized is an entry with its size; a link has its own.
type sized struct {
	entry
	size int64
}

// listWithSizes runs list_directory_with_sizes.
func (s *Server) listWithSizes(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	by, err := arguments.String("sortBy", "name")
	if err == nil && by != "name" && by != "size" {
		err = fmt.Errorf("sortBy: must be name or size")
	}
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	listed, notes, err := a.list(arguments)
	if err != nil {
		return toolserver.Outcome{}, err
	}
	entries := make([]sized, 0, len(listed.entries))
	for _, entry := range listed.entries {
		if err := ctx.Err(); err != nil {
			return toolserver.Outcome{}, err
		}
		made := sized{entry: entry}
		if info, err := listed.root.Lstat(filepath.Join(listed.name, entry.name)); err == nil && !entry.directory {
			made.size = info.Size()
		}
		entries = append(entries, made)
	}
	if by == "size" {
		slices.SortStableFunc(entries, func(a, b sized) int {
			return int(min(max(b.size-a.size, -1), 1))
		})
	}
	return annotated(sizesText(entries), notes), nil
}

func sizesText(entries []sized) string {
	var text strings.Builder
	var total int64
	directories := 0
	for _, entry := range entries {
		name, size := entryName(entry.name), ""
		if entry.directory {
			directories++
		} else {
			total += entry.size
			size = sizeText(entry.size)
		}
		padding := strings.Repeat(" ", max(0, 30-utf8.RuneCountInString(name)))
		fmt.Fprintf(&text, "%s %s%s ", entry.kind(), name, padding)
		if !entry.directory {
			fmt.Fprintf(&text, "%10s", size)
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "\nTotal: %d files, %d directories\nCombined size: %s", len(entries)-directories, directories, sizeText(total))
	return text.String()
}

// sizeText gives a size in the unit in which it is at least 1.
func sizeText(size int64) string {
	if size < 1024 {
		return fmt.Sprintf("%d B", max(size, 0))
	}
	units := []string{"KB", "MB", "GB", "TB"}
	value := float64(size) / 1024
	unit := 0
	for value >= 1024 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.2f %s", value, units[unit])
}
