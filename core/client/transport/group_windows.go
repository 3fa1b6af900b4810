package transport

import (
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: a child and what it starts. All of them end when the
// job's last handle is closed, so they end with us too.
type group struct{ job windows.Handle }

// attributes starts a child without a console window.
func attributes(bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// newGroup starts the command and puts it into a job. What it starts in the
// moment before is not in the job.
func newGroup(command *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create a job object: %w", err)
	}
	g := &group{job: job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		g.release()
		return nil, fmt.Errorf("limit a job object: %w", err)
	}
	if err := command.Start(); err != nil {
		g.release()
		return nil, err
	}
	if err := g.assign(uint32(command.Process.Pid)); err != nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		g.release()
		return nil, err
	}
	return g, nil
}

func (g *group) assign(pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return fmt.Errorf("open the new process: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(g.job, process); err != nil {
		return fmt.Errorf("put the new process into a job object: %w", err)
	}
	return nil
}

// terminate does nothing: Windows has no signal that asks a process without a
// console to end. The end of its stdin has asked it already.
func (g *group) terminate() {}

// kill ends all of the job.
func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) }

// alive is false: release ends what is left in the job.
func (g *group) alive() bool { return false }

// release closes the job, which ends what is left in it.
func (g *group) release() { _ = windows.CloseHandle(g.job) }
