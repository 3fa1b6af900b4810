package bridge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

var errEnded = errors.New("the server's process has ended")

// process is one process of the server. A goroutine of its own reads its stdout
// until the process has ended.
type process struct {
	name      string // in findings
	patience  time.Duration
	findings  *recorder
	recording *recording
	command   *exec.Cmd
	stdout    io.Reader
	calls     calls
	ended     chan struct{} // closed when it has

	// deliver takes what the server writes and no request of a client waits for.
	// The reading goroutine calls it.
	deliver func(message)
	// answered, if not nil, is shown each answer.
	answered func(*call, message)

	writing sync.Mutex // held for each line, so that lines stay whole
	stdin   io.WriteCloser

	mu        sync.Mutex // guards what follows
	mayEnd    bool       // its stdin is closed, or about to be
	wasForced bool       // it did not end of that
}

// start starts a process. It is not read before [Bridge.add].
func (b *Bridge) start(name string) (*process, error) {
	command := exec.Command(b.options.Command[0], b.options.Command[1:]...)
	command.Env = b.options.Environment
	command.Stderr = b.options.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("the server's stdin: %w", err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("the server's stdout: %w", err)
	}
	recording, err := newRecording(b.options.Recordings, name)
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the server: %w", err), recording.close())
	}
	return &process{
		name:      name,
		patience:  b.options.Patience,
		findings:  b.findings,
		recording: recording,
		command:   command,
		stdout:    stdout,
		ended:     make(chan struct{}),
		stdin:     stdin,
	}, nil
}

// send opens a call and writes its request. Whatever becomes of it, the call's
// mailbox is told.
func (p *process) send(c *call, m message, withAnotherID bool) error {
	if !p.calls.add(c, withAnotherID) {
		return fmt.Errorf("the id %s is that of an open request", c.id)
	}
	p.write(m.with(pathID, c.sentID))
	if p.hasEnded() && p.calls.end(c, answered) {
		c.box.put(delivery{err: errEnded})
	}
	return nil
}

// write writes one message to the server's stdin. A server that does not read it
// does not answer it either, which is found there.
func (p *process) write(m message) {
	line := m.onOneLine()
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.isEnding() {
		return
	}
	p.recording.fromClient(line)
	if _, err := p.stdin.Write(append(line, '\n')); err != nil && !p.isEnding() {
		p.findings.note("%s: writing to its stdin: %v", p.name, err)
	}
}

// cancel ends a call that its client no longer waits for, and tells the server.
func (p *process) cancel(c *call, reason string) {
	if !p.calls.end(c, cancelled) || p.hasEnded() {
		return
	}
	text := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`, c.sentID, reason)
	p.write(message{text: text})
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *process) isEnding() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mayEnd
}

func (p *process) read() {
	lines := bufio.NewReaderSize(p.stdout, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if content, isWhole := bytes.CutSuffix(line, []byte("\n")); len(line) > 0 {
			p.take(content, isWhole)
		}
		if err != nil {
			break // the pipe ends with the process
		}
	}
	err := p.command.Wait()
	p.mu.Lock()
	mayEnd, wasForced := p.mayEnd, p.wasForced
	p.mu.Unlock()
	switch {
	case !mayEnd:
		p.findings.fault("%s: the process ended on its own: %v", p.name, p.command.ProcessState)
	case err != nil && !wasForced:
		p.findings.fault("%s: the process ended after its input with %v", p.name, err)
	}
	close(p.ended)
	for _, c := range p.calls.endAll() {
		c.box.put(delivery{err: errEnded})
	}
}

// take passes on one line of the server's stdout.
func (p *process) take(line []byte, isWhole bool) {
	p.recording.fromServer(line)
	if !isWhole {
		p.findings.fault("%s: the last line has no end: %s", p.name, beginning(line))
	}
	if !utf8.Valid(line) {
		p.findings.fault("%s: a line is not UTF-8: %s", p.name, beginning(line))
	}
	m, err := parseMessage(line)
	if err != nil {
		p.findings.fault("%s: a line is no message (%v): %s", p.name, err, beginning(line))
		return
	}
	if version := m.get("jsonrpc"); version.Type != gjson.String || version.Str != "2.0" {
		p.findings.fault("%s: a message is not of JSON-RPC 2.0: %s", p.name, m)
	}
	if m.method == "" {
		p.takeAnswer(m)
		return
	}
	p.deliver(m)
}

func (p *process) takeAnswer(m message) {
	c, ended := p.calls.get(m.id)
	if c == nil && m.id == "null" {
		// It could not read the id. If just one request is open, it is that one's.
		if c = p.calls.only(); c != nil && p.calls.end(c, answered) {
			c.box.put(delivery{message: m, isLast: true})
			return
		}
	}
	if c == nil || !p.calls.end(c, answered) {
		p.refuseAnswer(m, ended)
		return
	}
	m = m.with(pathID, p.restore(c, m.id))
	if subscription := m.get(pathSubscriptionOfResult); subscription.Exists() {
		m = m.with(pathSubscriptionOfResult, p.restore(c, subscription.Raw))
	}
	if p.answered != nil {
		p.answered(c, m)
	}
	c.box.put(delivery{message: m, isLast: true})
}

func (p *process) refuseAnswer(m message, ended ending) {
	switch ended {
	case answered:
		p.findings.fault("%s: a second answer: %s", p.name, m)
	case neverBegun:
		p.findings.fault("%s: an answer to no request: %s", p.name, m)
	case cancelled:
		// It may have been written before the cancellation was read.
	}
}

// restore gives a call's id as its client wrote it. The server must have repeated
// the one that it was sent.
func (p *process) restore(c *call, repeated string) string {
	if sameValue(repeated) != sameValue(c.sentID) {
		p.findings.fault("%s: %s has the id %s, and the server calls it %s", p.name, c.method, c.sentID, repeated)
	}
	return c.id
}

// end has the process end as the stdio transport says, by closing its stdin, then
// less and less kindly, and waits for that. Ending it twice is allowed.
func (p *process) end() {
	p.mu.Lock()
	p.mayEnd = true
	p.mu.Unlock()
	// Without p.writing, which a write to a server that does not read would hold.
	if err := p.stdin.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		p.findings.note("%s: closing its stdin: %v", p.name, err)
	}
	if p.endsInTime() {
		return
	}
	p.findings.note("%s: the process still ran %v after its stdin was closed", p.name, p.patience)
	p.mu.Lock()
	p.wasForced = true
	p.mu.Unlock()
	if err := p.command.Process.Signal(syscall.SIGTERM); err == nil && p.endsInTime() {
		return
	}
	if err := p.command.Process.Kill(); err != nil {
		p.findings.note("%s: killing it: %v", p.name, err)
	}
	<-p.ended
}

func (p *process) endsInTime() bool {
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}
