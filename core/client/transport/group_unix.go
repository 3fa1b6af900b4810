//go:build unix

package transport

import (
	"errors"
	"os/exec"
	"syscall"
)

// group is a process group: a child and what it starts.
type group struct{ leader int }

// newGroup starts the command, whose attributes make it the leader of a group.
func newGroup(command *exec.Cmd) (*group, error) {
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &group{leader: command.Process.Pid}, nil
}

// terminate asks all of the group to end. That the group is empty by now is no
// error.
func (g *group) terminate() { _ = syscall.Kill(-g.leader, syscall.SIGTERM) }

// kill ends all of the group.
func (g *group) kill() { _ = syscall.Kill(-g.leader, syscall.SIGKILL) }

// alive reports whether the group has processes in it.
func (g *group) alive() bool {
	return !errors.Is(syscall.Kill(-g.leader, 0), syscall.ESRCH)
}

func (g *group) release() {}
