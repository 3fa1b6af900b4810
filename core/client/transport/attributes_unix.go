//go:build unix && !linux

package transport

import "syscall"

// attributes makes a child the leader of a process group. A signal at our death
// is beyond these systems.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
