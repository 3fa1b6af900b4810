//go:build !linux

package filesystem

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// batch is how many entries of a directory are read at once.
const batch = 1024

// entryReader reads directories, one at a time. The zero entryReader is ready.
// close ends it.
type entryReader struct{}

func (r *entryReader) close() {}

// readAll is read with the temporary files of writers.
func (r *entryReader) readAll(ctx context.Context, root *os.Root, base, name string, take func([]entry) (more bool)) error {
	// The "." has the system refuse at once what is no directory.
	directory, err := root.Open(filepath.Join(base, name) + "/.")
	if err != nil {
		return err
	}
	defer directory.Close()
	entries := make([]entry, 0, 64)
	for {
		if ctx.Err() != nil {
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
