package filesystem

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

const (
	temporaryEnd = ".mcptmp"
	// randomLength is how many characters the random part of a temporary
	// file's name has.
	randomLength = 16
	// longestName is the most bytes of a file's name that its temporary file's
	// name repeats, so that this one is not too long.
	longestName = 200
	// temporaryTries is how often a file is written anew after its temporary
	// file was taken away.
	temporaryTries = 3
	// mostSwept is how many entries are looked at for leftovers at a start.
	mostSwept = 1_000_000
)

// temporaryName makes a name for the temporary file of another.
func temporaryName(name string) string {
	var random [randomLength / 2]byte
	_, _ = rand.Read(random[:]) // it never fails
	if len(name) > longestName {
		name = strings.ToValidUTF8(name[:longestName], "")
	}
	return "." + name + "." + hex.EncodeToString(random[:]) + temporaryEnd
}

// isTemporary reports whether a name is such as temporaryName makes.
func isTemporary(name string) bool {
	begin, found := strings.CutSuffix(name, temporaryEnd)
	if !found || !strings.HasPrefix(name, ".") || len(begin) < randomLength+3 {
		return false
	}
	at := len(begin) - randomLength
	return begin[at-1] == '.' && strings.Trim(begin[at:], "0123456789abcdef") == ""
}

// createTemporary creates a file beside the place, locked, with the mode and
// the owner of the file that it is to replace, or those of a new file.
func (p place) createTemporary(owner fs.FileInfo) (file *os.File, name string, err error) {
	mode := fs.FileMode(0o666)
	if owner != nil {
		mode = owner.Mode().Perm() & 0o600
	}
	name = p.beside(temporaryName(filepath.Base(p.name)))
	file, err = p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, "", err
	}
	if err = lockFile(file); err == nil && owner != nil {
		err = inherit(file, owner)
	}
	if err != nil {
		file.Close()
		_ = p.root.Remove(name) // the error is the one to tell
		return nil, "", err
	}
	return file, name, nil
}

// sweepAll removes what writers have left that were stopped before their end,
// until ctx ends.
func sweepAll(ctx context.Context, swept directories, trace func(format string, arguments ...any)) {
	a := &access{ctx: ctx}
	defer a.close()
	left := mostSwept
	for _, directory := range swept.list {
		root, err := a.open(directory)
		if err != nil {
			trace("not swept: %s %v", directory.given, err)
			continue
		}
		sweep(ctx, root, &left, trace)
	}
	// The server may now be idle for long, and the heap is not to stay as
	// large as it took to look at everything.
	debug.FreeOSMemory()
}

// sweep removes leftovers below root, and looks at no more than left entries.
func sweep(ctx context.Context, root *os.Root, left *int, trace func(format string, arguments ...any)) {
	var reader entryReader
	defer reader.close()
	pending := []string{""}
	for len(pending) > 0 && *left > 0 && ctx.Err() == nil {
		directory := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		err := reader.readAll(ctx, root, ".", directory, func(entries []entry) bool {
			*left -= len(entries)
			for _, found := range entries {
				name := filepath.Join(directory, found.name)
				switch {
				case found.directory && strings.Count(name, string(filepath.Separator)) < deepest:
					pending = append(pending, name)
				case !found.directory && isTemporary(found.name):
					removeLeftover(root, name, trace)
				}
			}
			return *left > 0
		})
		if err != nil {
			trace("not swept: %s: %v", directory, reason(err))
		}
	}
}

// removeLeftover removes a temporary file unless its writer still lives.
func removeLeftover(root *os.Root, name string, trace func(format string, arguments ...any)) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	file, err := root.OpenFile(name, os.O_RDWR|withoutWaiting, 0)
	if errors.Is(err, fs.ErrPermission) {
		file, err = root.OpenFile(name, os.O_RDONLY|withoutWaiting, 0)
	}
	if err != nil {
		trace("a temporary file was left: %s: %v", name, reason(err))
		return
	}
	defer file.Close()
	if opened, err := file.Stat(); err != nil || !os.SameFile(info, opened) || !isAbandoned(file, opened) {
		return
	}
	if err := root.Remove(name); err != nil {
		trace("a temporary file was left: %s: %v", name, reason(err))
		return
	}
	trace("removed the temporary file of a dead writer: %s", name)
}
