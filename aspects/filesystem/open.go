package filesystem

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// openFile opens the regular file at a place for reading. What is none is not
// opened, or, should it have come there just now, opened without waiting and
// closed again.
func (p place) openFile(ctx context.Context) (*reading, error) {
	if err := p.mustBeFile(); err != nil {
		return nil, err
	}
	file, err := p.root.OpenFile(p.name, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	info, err := p.opened(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return newReading(ctx, file, info.Size()), nil
}

// reading is a file that is read until a context ends: systems show some things
// as regular files from which nothing comes for long, such as their log.
type reading struct {
	*os.File
	size int64
	stop func() bool
}

func newReading(ctx context.Context, file *os.File, size int64) *reading {
	return &reading{file, size, context.AfterFunc(ctx, func() {
		_ = file.SetReadDeadline(time.Unix(0, 0)) // nobody waits for an ordinary file
	})}
}

// Close closes the file.
func (r *reading) Close() error {
	r.stop()
	return r.File.Close()
}

// opened looks at what was opened by the place's name: a regular file, and if
// no other may be, the one that was found there.
func (p place) opened(file *os.File) (fs.FileInfo, error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case p.pinned && !os.SameFile(p.info, info):
		return nil, errChanged
	}
	return info, place{info: info}.mustBeFile()
}

// mustBeFile says why what is there is no regular file.
func (p place) mustBeFile() error {
	switch {
	case p.info == nil:
		return errMissing
	case p.info.IsDir():
		return errFolder
	case !p.info.Mode().IsRegular():
		return errNotFile
	}
	return nil
}

// mustBeDirectory says why what is there is no directory.
func (p place) mustBeDirectory() error {
	switch {
	case p.info == nil:
		return errMissing
	case !p.info.IsDir():
		return errNotFolder
	}
	return nil
}
