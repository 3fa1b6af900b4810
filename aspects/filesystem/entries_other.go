//go:build !linux

package filesystem

import (
	"context"
	"errors"
	"io"
	"os"
)

// batch is how many entries of a directory are read at once.
const batch = 1024

// entryReader reads directories, one at a time. The zero entryReader is ready.
type entryReader struct{}

// readOpen reads an open directory.
func (r *entryReader) readOpen(ctx context.Context, directory *os.File, take func([]entry) (more bool)) error {
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
