//go:build unix

package filesystem

import "syscall"

// withoutWaiting has a pipe or a terminal opened at once, and no terminal
// become that of the process.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
