package filesystem

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"mcpserver/core/toolserver"
)

// branch is a directory of a tree.
type branch struct {
	leaves []leaf
}

// leaf is an entry of a tree; below is nil unless it is a directory.
type leaf struct {
	name  string
	below *branch
}

// directoryTree runs directory_tree.
func (s *Server) directoryTree(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	var parsed struct {
		Path            string   `json:"path"`
		ExcludePatterns []string `json:"excludePatterns"`
	}
	if err := arguments.Decode(&parsed); err != nil {
		return toolserver.Outcome{}, err
	}
	excluded, err := treeExclusions(parsed.ExcludePatterns)
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	found, err := a.locate(wanted{given: parsed.Path, verb: "list all that is in"})
	if err == nil {
		err = found.mustBeDirectory()
	}
	if err != nil {
		return toolserver.Outcome{}, about(parsed.Path, err)
	}
	grown := &branch{}
	t := &traversal[*branch]{root: found.root, base: found.name, most: a.settings.MaxEntries, every: s.reportEvery, visit: grow(ctx, excluded)}
	if err := t.run(ctx, grown); err != nil {
		return toolserver.Outcome{}, about(parsed.Path, err)
	}
	length := grown.length(0)
	if length > mostText {
		return toolserver.Outcome{}, about(parsed.Path, errLargeTree)
	}
	if err := a.hold(int64(length)); err != nil {
		return toolserver.Outcome{}, err
	}
	return annotated(grown.text(length), t.notes()), nil
}

// treeExclusions reads patterns: one without an asterisk excludes what has that
// name, or matches it, anywhere.
func treeExclusions(patterns []string) (globs, error) {
	var all []string
	for _, pattern := range patterns {
		all = append(all, pattern)
		if pattern != "" && !strings.Contains(pattern, "*") {
			all = append(all, "**/"+pattern, "**/"+pattern+"/**")
		}
	}
	made, err := newGlobs(all)
	if err != nil {
		err = fmt.Errorf("excludePatterns: %w", err)
	}
	return made, err
}

// grow gives what a traversal does with each directory: it becomes a branch.
func grow(ctx context.Context, excluded globs) func(folder[*branch], []entry) []folder[*branch] {
	return func(in folder[*branch], entries []entry) (into []folder[*branch]) {
		leaves := make([]leaf, 0, len(entries))
		for _, found := range entries {
			if ctx.Err() != nil {
				return nil // a directory may have many entries, and patterns take time
			}
			path := ""
			if len(excluded) > 0 || found.directory {
				path = filepath.Join(in.name, found.name)
			}
			if excluded.match(path, found.name) {
				continue
			}
			grown := leaf{name: found.name}
			if found.directory {
				grown.below = &branch{}
			}
			if found.directory && !excluded.matchBelow(path) {
				into = append(into, folder[*branch]{path, in.depth + 1, grown.below})
			}
			leaves = append(leaves, grown)
		}
		in.keep.leaves = leaves
		return into
	}
}

var errLargeTree = fmt.Errorf("has a tree of more than %d bytes; a directory further down, or excludePatterns, give less", mostText)

// text gives the tree as JSON, indented by two spaces. It has that length.
func (b *branch) text(length int) string {
	var text strings.Builder
	text.Grow(length)
	b.write(&text, 0)
	return text.String()
}

// length is how long the text is.
func (b *branch) length(indent int) int {
	if len(b.leaves) == 0 {
		return len("[]")
	}
	line := len("\n") + indent
	length := len("[]") + line + len(b.leaves) - 1
	for _, leaf := range b.leaves {
		length += len("{}") + 2*(line+2) + 2*(line+4) + len(`"name": ,`) + jsonLength(leaf.name)
		if leaf.below == nil {
			length += len(`"type": "file"`)
		} else {
			length += len(`"type": "directory",`) + line + 4 + len(`"children": `) + leaf.below.length(indent+4)
		}
	}
	return length
}

func (b *branch) write(text *strings.Builder, indent int) {
	if len(b.leaves) == 0 {
		text.WriteString("[]")
		return
	}
	text.WriteByte('[')
	for i, leaf := range b.leaves {
		if i > 0 {
			text.WriteByte(',')
		}
		newLine(text, indent+2)
		text.WriteByte('{')
		newLine(text, indent+4)
		text.WriteString(`"name": `)
		writeJSON(text, leaf.name)
		text.WriteByte(',')
		newLine(text, indent+4)
		if leaf.below == nil {
			text.WriteString(`"type": "file"`)
		} else {
			text.WriteString(`"type": "directory",`)
			newLine(text, indent+4)
			text.WriteString(`"children": `)
			leaf.below.write(text, indent+4)
		}
		newLine(text, indent+2)
		text.WriteByte('}')
	}
	newLine(text, indent)
	text.WriteByte(']')
}

func newLine(text *strings.Builder, indent int) {
	const spaces = "                                                                "
	text.WriteByte('\n')
	for ; indent > len(spaces); indent -= len(spaces) {
		text.WriteString(spaces)
	}
	text.WriteString(spaces[:indent])
}

// writeJSON writes a name as a JSON string, in which what is not UTF-8 is
// U+FFFD.
func writeJSON(text *strings.Builder, name string) {
	if !isPlain(name) {
		text.WriteString(jsonString(name))
		return
	}
	text.WriteByte('"')
	text.WriteString(name)
	text.WriteByte('"')
}

// jsonLength is how long that string is.
func jsonLength(name string) int {
	if !isPlain(name) {
		return len(jsonString(name))
	}
	return len(name) + len(`""`)
}

// isPlain reports whether JSON has a name as it is.
func isPlain(name string) bool {
	for _, c := range []byte(name) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func jsonString(name string) string {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(name) // strings can always be encoded
	return strings.TrimSuffix(encoded.String(), "\n")
}
