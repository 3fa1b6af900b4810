package filesystem

import (
	"io/fs"
	"syscall"
	"time"
)

func accessed(info fs.FileInfo) time.Time {
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(system.Atimespec.Unix())
	}
	return time.Time{}
}

// created gives the time when a file was made.
func (p place) created() time.Time {
	if system, ok := p.info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(system.Birthtimespec.Unix())
	}
	return time.Time{}
}
