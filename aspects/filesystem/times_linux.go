package filesystem

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func accessed(info fs.FileInfo) time.Time {
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(system.Atim.Unix())
	}
	return time.Time{}
}

// created gives the time when a file was made, where its file system keeps it.
func (p place) created() time.Time {
	parent, err := p.openParent()
	if err != nil {
		return time.Time{}
	}
	defer parent.Close()
	var system unix.Statx_t
	err = unix.Statx(int(parent.Fd()), filepath.Base(p.name), unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &system)
	if err != nil || system.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(system.Btime.Sec, int64(system.Btime.Nsec))
}
