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

// read reads the directory of that name, a batch at a time, in no order, until
// take wants no more or ctx ends. The batch is only valid in take. A file that
// is still being written is not among the entries; it has no name yet.
func (r *entryReader) read(ctx context.Context, root *os.Root, name string, take func([]entry) (more bool)) error {
	return r.readAll(ctx, root, name, func(entries []entry) bool {
		return take(slices.DeleteFunc(entries, func(e entry) bool { return !e.directory && isTemporary(e.name) }))
	})
}

// readAll is read with the temporary files of writers.
func (r *entryReader) readAll(ctx context.Context, root *os.Root, name string, take func([]entry) (more bool)) error {
	// The "." has the system refuse at once what is no directory.
	directory, err := root.Open(name + "/.")
	if err != nil {
		return err
	}
	defer directory.Close()
	return r.readOpen(ctx, directory, take)
}
