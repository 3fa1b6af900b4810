package filesystem

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// dirents is how much of a directory is read at once, in bytes.
const dirents = 32 << 10

// readOpen reads an open directory by the system's own call: os looks at each
// entry of a directory that was opened through an os.Root, which takes most of
// the time of a search. What an entry is the directory itself says.
func (r *entryReader) readOpen(ctx context.Context, directory *os.File, take func([]entry) (more bool)) error {
	if r.buffer == nil {
		r.buffer = make([]byte, dirents)
	}
	connection, err := directory.SyscallConn()
	if err != nil {
		return err
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var failure error
		if err := connection.Control(func(fd uintptr) { failure = r.fill(int(fd)) }); err != nil {
			return err
		}
		if failure != nil || r.ended {
			return failure
		}
		if len(r.entries) > 0 && !take(r.entries) {
			return nil
		}
	}
}

// entryReader reads directories, one at a time, by getdents64(2). The zero
// entryReader is ready. The names of a batch share one string.
type entryReader struct {
	buffer  []byte
	names   []byte
	entries []entry
	ended   bool
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
