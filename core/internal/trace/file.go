package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

// file is a file of bounded size and the one that was full before it. Its
// methods need the lock of the trace it belongs to.
type file struct {
	path  string
	limit int64

	current *os.File // nil after a rotation that failed half way
	size    int64    // bytes written to path
	torn    bool     // a write ended within a line

	old     *os.File // nil before the first rotation
	oldSize int64
}

// newFile creates the file at path.
func newFile(path string, limit int64) (*file, error) {
	current, err := create(path)
	if err != nil {
		return nil, err
	}
	return &file{path: path, limit: limit, current: current}, nil
}

// fitting gives the first of these lines, as many as go into the file in one
// piece: what it has room for, or else what an empty one has room for.
func (f *file) fitting(lines []byte) []byte {
	piece := firstWhole(lines, f.room())
	if len(piece) == 0 {
		piece = firstWhole(lines, f.limit)
	}
	return piece
}

// room gives how many bytes may be written before the file is full.
func (f *file) room() int64 {
	room := f.limit - f.size
	if f.torn {
		room-- // for the line break that has to come first
	}
	return room
}

// firstWhole gives the whole lines within the first room bytes.
func firstWhole(lines []byte, room int64) []byte {
	if int64(len(lines)) <= room {
		return lines
	}
	return lines[:bytes.LastIndexByte(lines[:max(room, 0)], '\n')+1]
}

// write writes whole lines that fitting gave, to a fresh file if they find no
// room in this one. It returns the number of bytes of whole lines that were
// written. What a failed write left of a line stays as it is; the next write
// starts a line of its own.
func (f *file) write(lines []byte) (int, error) {
	if f.current == nil || int64(len(lines)) > f.room() {
		if err := f.rotate(); err != nil {
			return 0, err
		}
	}
	if f.torn {
		written, err := f.current.Write(newline)
		f.size += int64(written)
		if err != nil {
			return 0, err
		}
		f.torn = false
	}
	written, err := f.current.Write(lines)
	f.size += int64(written)
	if err != nil {
		whole := bytes.LastIndexByte(lines[:written], '\n') + 1
		f.torn = whole < written
		return whole, err
	}
	return written, nil
}

// rotate sets the file aside as the old one, in place of the one before it, and
// creates a fresh one. After an error it can be called again and goes on where
// it failed.
func (f *file) rotate() error {
	if f.size > 0 {
		f.setAside()
	}
	current, err := create(f.path)
	if err != nil {
		return err
	}
	f.current = current
	return nil
}

// setAside renames the file. If that fails, as it does while somebody else holds
// the old name, the file is given up and create will remove it: the bound on the
// size comes before the records that it costs.
func (f *file) setAside() {
	if f.old != nil {
		// It was only read from, so closing it can lose nothing.
		_ = f.old.Close()
	}
	f.old, f.oldSize = rename(f.current, f.path, f.path+".old"), f.size
	f.current, f.size, f.torn = nil, 0, false
}

// parts gives what can be read back, oldest first.
func (f *file) parts() []*io.SectionReader {
	var parts []*io.SectionReader
	if f.old != nil {
		parts = append(parts, io.NewSectionReader(f.old, 0, f.oldSize))
	}
	if f.current != nil {
		parts = append(parts, io.NewSectionReader(f.current, 0, f.size))
	}
	return parts
}

// removeEmpty removes a file in which nothing was written, so that servers that
// had nothing to tell leave nothing behind.
func (f *file) removeEmpty() error {
	if f.current == nil || f.size > 0 || f.old != nil {
		return nil
	}
	there, err := os.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	own, err := f.current.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(there, own) {
		return nil
	}
	if err := os.Remove(f.path); err != nil && runtime.GOOS != "windows" {
		return err
	}
	return nil
}

func (f *file) close() error {
	var errs []error
	for _, each := range []*os.File{f.current, f.old} {
		if each != nil {
			errs = append(errs, each.Close())
		}
	}
	f.current, f.old = nil, nil
	return errors.Join(errs...)
}

// create makes a file that did not exist before; exclusive creation follows no
// link. A file that an earlier process of this user left there is removed.
func create(path string) (*os.File, error) {
	created, err := createExclusively(path)
	if !errors.Is(err, fs.ErrExist) {
		return created, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || !ownedByUser(info) {
		return nil, fmt.Errorf("%s is taken by something that is not a file of this user", path)
	}
	if err := os.Remove(path); err != nil {
		return nil, err
	}
	return createExclusively(path)
}

func createExclusively(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
}
