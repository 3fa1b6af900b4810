package filesystem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"mcpserver/core/toolserver"
)

// writeFile runs write_file.
func (s *Server) writeFile(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	given, err := arguments.RequireString("path")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	text, err := arguments.RequireString("content")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	a := s.begin(ctx)
	defer a.close()
	want := wanted{given: given, verb: "write", changes: true}
	err = s.withLocked(a, want, func(found place) error { return found.write([]byte(text)) })
	if err != nil {
		return toolserver.Outcome{}, about(given, err)
	}
	return answer("Successfully wrote to " + entryName(given)), nil
}

// withLocked runs change for a place that no other call changes meanwhile. The
// place is looked at again under the lock, since it is what is there by then
// that is changed; nobody is asked again.
func (s *Server) withLocked(a *access, want wanted, change func(place) error) error {
	found, err := a.locate(want)
	if err != nil {
		return err
	}
	release, err := s.locks.take(a.ctx, found.path())
	if err != nil {
		return err
	}
	defer release()
	path := found.path()
	again := a.find(want)
	if again.err != nil {
		return again.err
	}
	if again.path() != path {
		return errChanged
	}
	return change(again.place)
}

// write puts a file in the place of what is there, or where nothing is. Who
// reads sees the old content or the new, whenever the process is stopped: the
// content is written to a file beside it, which then takes its name.
func (p place) write(content []byte) error {
	switch {
	case p.missing > 1:
		return errNoParent
	case p.name == ".":
		return errFolder
	}
	// All of it happens in one directory, whatever becomes of its path meanwhile.
	directory := filepath.Dir(p.name)
	parent, err := p.root.OpenRoot(directory + "/.")
	if err != nil {
		return err
	}
	defer parent.Close()
	p.root, p.within, p.name = parent, filepath.Join(p.within, directory), filepath.Base(p.name)
	var owner fs.FileInfo
	if p.info != nil {
		if owner, err = p.writable(); err != nil {
			return err
		}
	}
	for range temporaryTries {
		done, err := p.replace(content, owner)
		if done || err != nil {
			return err
		}
	}
	return errors.New("cannot be written: its temporary files keep disappearing")
}

// writable opens the file that is there for writing, without changing it: who
// may not write it may not replace it either.
func (p place) writable() (fs.FileInfo, error) {
	if err := p.mustBeFile(); err != nil {
		return nil, err
	}
	file, err := p.root.OpenFile(p.name, os.O_WRONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return p.opened(file)
}

// replace writes a temporary file and gives it the place's name. It reports
// false if somebody has taken the temporary file away.
func (p place) replace(content []byte, owner fs.FileInfo) (done bool, err error) {
	file, name, err := p.createTemporary(owner)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil // a sweeper has found it before it was locked
	}
	if err != nil {
		return false, err
	}
	defer func() {
		if !done {
			_ = p.root.Remove(name) // it is gone already, or swept at the next start
		}
	}()
	if _, err = file.Write(content); err == nil {
		err = file.Sync()
	}
	// Windows renames no file that is open. Elsewhere it stays locked until it
	// has its name, so that no sweeper takes it for a dead writer's.
	if runtime.GOOS == "windows" {
		err = errors.Join(err, file.Close())
	} else {
		defer file.Close()
	}
	if err != nil {
		return false, err
	}
	if err = p.root.Rename(name, p.name); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, p.syncDirectory()
}

// syncDirectory has the system write down the name as well, where it can.
func (p place) syncDirectory() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	directory, err := p.root.Open(filepath.Dir(p.name) + "/.")
	if err != nil {
		return nil // the file is there; who may not read the directory can write in it
	}
	defer directory.Close()
	_ = directory.Sync() // not all file systems can, and the file is there
	return nil
}
