package transport

import "syscall"

// attributes makes a child the leader of a process group, and has it get
// SIGTERM when we die, if that is wanted.
func attributes(dieWithParent bool) *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true}
	if dieWithParent {
		attributes.Pdeathsig = syscall.SIGTERM
	}
	return attributes
}
