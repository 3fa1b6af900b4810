package filesystem

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// dirents is how much of a directory is read at once, in bytes.
const dirents = 32 << 10

// entryReader reads directories, one at a time, by the system's own calls: os
// looks at each entry of a directory that was opened through an os.Root, and
// opens all directories above it anew, which takes most of the time of a
// search. What an entry is the directory itself says. The zero entryReader is
// ready; close ends it. The names of a batch share one string.
type entryReader struct {
	base    *os.File // once it is open
	buffer  []byte
	names   []byte
	entries []entry
	ended   bool
}

func (r *entryReader) close() {
	if r.base != nil {
		r.base.Close()
	}
}

// readAll is read with the temporary files of writers.
func (r *entryReader) readAll(ctx context.Context, root *os.Root, base, name string, take func([]entry) (more bool)) error {
	if r.base == nil {
		// The "." has the system refuse at once what is no directory.
		opened, err := root.Open(base + "/.")
		if err != nil {
			return err
		}
		r.base, r.buffer = opened, make([]byte, dirents)
	}
	fd, err := openBeneath(int(r.base.Fd()), name)
	switch {
	case errors.Is(err, unix.ELOOP): // a link has come to where the directory was
		return fs.ErrNotExist
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENAMETOOLONG):
		opened, err := root.Open(filepath.Join(base, name) + "/.")
		if err != nil {
			return err
		}
		defer opened.Close()
		return r.readOpen(ctx, int(opened.Fd()), take)
	case err != nil:
		return err
	}
	defer unix.Close(fd)
	return r.readOpen(ctx, fd, take)
}

// openBeneath opens a directory below another one, as strictly as os.Root does
// and in one call: the kernel itself follows no link and goes to nothing above.
// Old kernels, and some sandboxes, do not have it.
func openBeneath(base int, name string) (fd int, err error) {
	if name == "" {
		name = "."
	}
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		if fd, err = unix.Openat2(base, name, &how); err != unix.EINTR {
			return fd, err
		}
	}
}

func (r *entryReader) readOpen(ctx context.Context, fd int, take func([]entry) (more bool)) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := r.fill(fd); err != nil || r.ended {
			return err
		}
		if len(r.entries) > 0 && !take(r.entries) {
			return nil
		}
	}
}

// Where the members of a struct linux_dirent64 are.
const (
	direntLength = 16
	direntType   = 18
	direntName   = 19
)

// fill reads a batch of entries.
func (r *entryReader) fill(fd int) error {
	var length int
	var err error
	for {
		if length, err = unix.ReadDirent(fd, r.buffer); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return err
	}
	r.ended = length == 0
	r.names, r.entries = r.names[:0], r.entries[:0]
	for left := r.buffer[:length]; len(left) > direntName; {
		record := left[:binary.NativeEndian.Uint16(left[direntLength:])]
		left = left[len(record):]
		name, _, _ := bytes.Cut(record[direntName:], []byte{0})
		if string(name) == "." || string(name) == ".." {
			continue
		}
		r.names = append(append(r.names, name...), 0)
		r.entries = append(r.entries, entry{directory: isDirectory(fd, record[direntType], name)})
	}
	for i, names := 0, string(r.names); i < len(r.entries); i++ {
		end := 0
		for names[end] != 0 {
			end++
		}
		r.entries[i].name, names = names[:end], names[end+1:]
	}
	return nil
}

// isDirectory looks at an entry where its file system does not say what it is.
func isDirectory(fd int, kind byte, name []byte) bool {
	if kind != unix.DT_UNKNOWN {
		return kind == unix.DT_DIR
	}
	var status unix.Stat_t
	err := unix.Fstatat(fd, string(name), &status, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && status.Mode&unix.S_IFMT == unix.S_IFDIR
}
