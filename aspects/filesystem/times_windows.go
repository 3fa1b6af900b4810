package filesystem

import (
	"io/fs"
	"syscall"
	"time"
)

func accessed(info fs.FileInfo) time.Time {
	if system, ok := info.Sys().(*syscall.Win32FileAttributeData); ok {
		return time.Unix(0, system.LastAccessTime.Nanoseconds())
	}
	return time.Time{}
}

// created gives the time when a file was made.
func (p place) created() time.Time {
	if system, ok := p.info.Sys().(*syscall.Win32FileAttributeData); ok {
		return time.Unix(0, system.CreationTime.Nanoseconds())
	}
	return time.Time{}
}
