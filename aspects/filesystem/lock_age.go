//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package filesystem

import (
	"io/fs"
	"os"
	"time"
)

// abandonedAfter is when a temporary file counts as that of a dead writer,
// where nothing else tells.
const abandonedAfter = time.Hour

func lockFile(*os.File) error { return nil }

func isAbandoned(_ *os.File, info fs.FileInfo) bool {
	return time.Since(info.ModTime()) > abandonedAfter
}
