package transport

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/wire"
)

// settleTime is how long the parts of a process that is ending may take to be
// noticed one after the other: its exit, the end of its output, the end of the
// processes that it leaves behind.
const settleTime = 500 * time.Millisecond

// process is a link to a child process. Three goroutines serve it until it has
// ended: read takes its stdout, drain its stderr, and supervise sees to its
// end.
type process struct {
	settings *Stdio
	command  *exec.Cmd
	group    *group
	pipes    *pipes
	stdout   *stdio.Source
	out      *wire.Writer
	stderr   tail

	exited   chan struct{} // the process has ended and was reaped; exit is set
	readDone chan struct{} // its stdout has ended
	closing  chan struct{} // Close was called
	done     chan struct{} // no more messages; err is set
	ended    chan struct{} // nothing is left

	closeOnce sync.Once
	exit      error
	err       error
}

func (p *process) run(receiver Receiver) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.stderr.drain(p.pipes.ours[2], p.settings.Stderr)
	}()
	go p.read(receiver)
	go func() {
		defer close(p.exited)
		p.exit = p.command.Wait()
	}()
	go p.supervise(drained)
}

// read gives the receiver all lines of the server's stdout.
func (p *process) read(receiver Receiver) {
	defer close(p.readDone)
	reader := wire.NewReader(p.stdout, p.settings.maxMessage())
	for {
		line, err := reader.Next()
		var tooLong *wire.TooLongError
		switch {
		case errors.As(err, &tooLong):
			receiver.Broken(tooLong.Prefix, "", err)
		case err != nil:
			return
		default:
			receiver.Receive(line, "")
		}
	}
}

// supervise waits for the first sign of the end, says that the link is done,
// and removes what is left of the server.
func (p *process) supervise(drained <-chan struct{}) {
	defer close(p.ended)
	select {
	case <-p.exited:
		waitFor(p.readDone, settleTime) // answers that it wrote before its end
	case <-p.readDone:
		waitFor(p.exited, settleTime)
	case <-p.out.Failed():
		waitFor(p.exited, settleTime)
	case <-p.closing:
	}
	select {
	case <-p.exited:
		waitFor(drained, settleTime) // its last words
	default:
	}
	p.err = p.reason()
	close(p.done)
	p.terminate()
	_ = p.stdout.Close() // there is nothing to lose in it
	closeFiles(p.pipes.ours[:])
	waitFor(p.readDone, settleTime)
	waitFor(drained, settleTime)
}

// reason tells why the link has ended.
func (p *process) reason() error {
	select {
	case <-p.closing:
		return ErrClosed
	default:
	}
	failure := &ExitError{Stderr: p.stderr.lastLines()}
	name := commandName(p.settings.Command)
	select {
	case <-p.exited:
		failure.Status = fmt.Sprintf("%s ended with exit status 0", name)
		if p.exit != nil {
			failure.Status = fmt.Sprintf("%s ended: %v", name, p.exit)
		}
	default:
		failure.Status = name + " closed its stdout and goes on"
		if p.out.Err() != nil {
			failure.Status = name + " closed its stdin and goes on"
		}
	}
	return failure
}

// terminate ends the server and what it has started, as the specification has
// it: its stdin is closed, then comes SIGTERM, then SIGKILL.
func (p *process) terminate() {
	p.out.Close()
	grace := p.settings.grace()
	unwritten := make(chan struct{})
	go func(grace time.Duration) {
		p.patiently(p.exited, grace)
		close(unwritten)
	}(grace)
	p.out.WaitEmpty(unwritten)
	closeFiles(p.pipes.ours[:1])
	if p.patiently(p.exited, grace) {
		p.patiently(p.readDone, settleTime)
		grace = min(grace, settleTime) // only what it has left behind can still be there
	}
	p.group.terminate()
	if !p.gone(grace, p.settings.Hurry) {
		p.group.kill()
		p.gone(settleTime, nil)
	}
	p.group.release()
}

// patiently is waitFor, unless there is a hurry.
func (p *process) patiently(event <-chan struct{}, limit time.Duration) bool {
	return waitUnless(p.settings.Hurry, event, limit)
}

// groupPoll is how often to look whether a group of processes is empty: the
// system does not tell.
const groupPoll = 10 * time.Millisecond

// gone waits until the process and all of its group have ended, for at most
// that long and until there is a hurry, and reports whether they have.
func (p *process) gone(limit time.Duration, hurry <-chan struct{}) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	select {
	case <-p.exited:
	case <-deadline.C:
		return false
	case <-hurry:
		return false
	}
	poll := time.NewTicker(groupPoll)
	defer poll.Stop()
	for p.group.alive() {
		select {
		case <-poll.C:
		case <-deadline.C:
			return false
		case <-hurry:
			return false
		}
	}
	return true
}

// waitFor waits for a channel to be closed, for at most that long, and reports
// whether it was.
func waitFor(event <-chan struct{}, limit time.Duration) bool {
	return waitUnless(nil, event, limit)
}

// waitUnless is waitFor until hurry is closed; nil never is.
func waitUnless(hurry, event <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-event:
		return true
	case <-timer.C:
	case <-hurry:
	}
	return false
}

// Send queues the message. It waits only for a server that leaves very much
// unread.
func (p *process) Send(ctx context.Context, message *Message) error {
	select {
	case <-p.done:
		return p.err
	default:
	}
	if p.out.Full() {
		p.out.WaitRoom(ctx.Done())
		if ctx.Err() != nil {
			return fmt.Errorf("the server does not read what it is sent: %w", context.Cause(ctx))
		}
	}
	body := message.Body
	if err := p.out.Append(&body); err != nil {
		waitFor(p.done, settleTime)
		if reason := p.Err(); reason != nil {
			return reason
		}
		return err
	}
	p.out.FlushSoon()
	return nil
}

// Full reports whether Send would wait.
func (p *process) Full() bool { return p.out.Full() }

// Traits says that all requests share one stream.
func (p *process) Traits() Traits { return Traits{} }

// Done is closed when the process has ended or closed its stdout.
func (p *process) Done() <-chan struct{} { return p.done }

// Err is an [*ExitError], or ErrClosed.
func (p *process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Close ends the process. It takes at most twice the grace, and a second.
func (p *process) Close() error {
	p.closeOnce.Do(func() { close(p.closing) })
	<-p.ended
	return nil
}
