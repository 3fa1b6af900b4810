package filesystem

import (
	"context"
	"os"
	"slices"
)

// entry is one entry of a directory. A link to a directory is none.
type entry struct {
	name      string
	directory bool
}

// read reads a directory, a batch at a time, in no order, until take wants no
// more or ctx ends. The directory is one below another one, base, and "" is
// that itself; a reader is for one base, and no link is followed below it. The
// batch is only valid in take. A file that is still being written is not among
// the entries; it has no name yet.
func (r *entryReader) read(ctx context.Context, root *os.Root, base, name string, take func([]entry) (more bool)) error {
	return r.readAll(ctx, root, base, name, func(entries []entry) bool {
		return take(slices.DeleteFunc(entries, func(e entry) bool { return !e.directory && isTemporary(e.name) }))
	})
}
