package filesystem

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
)

// batch is how many entries of a directory are read at once.
const batch = 1024

// entry is one entry of a directory. A link to a directory is none.
type entry struct {
	name      string
	directory bool
}

// readEntries reads the directory of that name, a batch at a time, in no order,
// until take wants no more or ctx ends. The batch is only valid in take. A file
// that is still being written is not among the entries; it has no name yet.
func readEntries(ctx context.Context, root *os.Root, name string, take func([]entry) (more bool)) error {
	return readAllEntries(ctx, root, name, func(entries []entry) bool {
		return take(slices.DeleteFunc(entries, func(e entry) bool { return !e.directory && isTemporary(e.name) }))
	})
}

// readAllEntries is readEntries with the temporary files of writers.
func readAllEntries(ctx context.Context, root *os.Root, name string, take func([]entry) (more bool)) error {
	// The "." has the system refuse at once what is no directory.
	opened, err := root.Open(name + "/.")
	if err != nil {
		return err
	}
	defer opened.Close()
	directory, err := withoutLooking(opened)
	if err != nil {
		return err
	}
	defer directory.Close()
	entries := make([]entry, 0, 64)
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		listed, err := directory.ReadDir(batch)
		entries = entries[:0]
		for _, found := range listed {
			entries = append(entries, entry{found.Name(), found.IsDir()})
		}
		if len(entries) > 0 && !take(entries) {
			return nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
