package transcripts

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// process is a program under test. One goroutine reads its stdout and one its
// stderr; both end with it.
type process struct {
	command   *exec.Cmd
	input     io.WriteCloser // nil when it has none
	lines     chan string    // of stdout, without their ends; closed at its end
	recording *recording     // nil when there is none

	stderrEnded chan struct{}

	mu     sync.Mutex // guards what follows
	stderr strings.Builder
	grown  chan struct{} // closed when stderr has grown, or ended
}

// start starts a program; it is killed when ctx ends.
func start(ctx context.Context, environment, words []string, talk bool) (*process, error) {
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Env = slices.Concat(os.Environ(), environment,
		[]string{"GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")}, // the race detector need not wait a second
	)
	p := &process{
		command:     command,
		lines:       make(chan string, 1024),
		stderrEnded: make(chan struct{}),
		grown:       make(chan struct{}),
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if talk {
		if p.input, err = command.StdinPipe(); err != nil {
			return nil, err
		}
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	go p.readOutput(stdout)
	go p.readStderr(stderr)
	return p, nil
}

func (p *process) readOutput(stdout io.Reader) {
	defer close(p.lines)
	reader := bufio.NewReader(stdout)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			if !strings.HasSuffix(line, "\n") {
				line += " (and no line end)"
			}
			p.lines <- strings.TrimSuffix(line, "\n")
		}
		if err != nil {
			return
		}
	}
}

func (p *process) readStderr(stderr io.Reader) {
	defer close(p.stderrEnded)
	buffer := make([]byte, 4096)
	for {
		n, err := stderr.Read(buffer)
		p.mu.Lock()
		p.stderr.Write(buffer[:n])
		close(p.grown)
		p.grown = make(chan struct{})
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// send writes to the program's input.
func (p *process) send(text string) error {
	if p.input == nil {
		return errors.New("the program has no input")
	}
	if err := p.recording.sent(text); err != nil {
		return err
	}
	_, err := io.WriteString(p.input, text)
	return err
}

func (p *process) closeInput() error {
	if p.input == nil {
		return errors.New("the program has no input")
	}
	if err := p.recording.sentAll(); err != nil {
		return err
	}
	return p.input.Close()
}

// receive gives the program's next line.
func (p *process) receive() (string, error) {
	line, open := <-p.lines
	if !open {
		return "", errors.New("the output has ended")
	}
	return line, p.recording.received(line)
}

// awaitStderr waits until stderr matches.
func (p *process) awaitStderr(expression *regexp.Regexp) error {
	for ended := false; ; {
		text, grown := p.stderrSoFar()
		switch {
		case expression.MatchString(text):
			return nil
		case ended:
			return fmt.Errorf("stderr has ended without what matches %q", expression)
		}
		select {
		case <-grown:
		case <-p.stderrEnded:
			ended = true
		}
	}
}

func (p *process) stderrSoFar() (text string, grown <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String(), p.grown
}

// wait waits for the end and gives the exit status. What is left of the output
// is an error.
func (p *process) wait() (status int, err error) {
	var surplus []string
	for line := range p.lines {
		surplus = append(surplus, shown(line))
		if err := p.recording.received(line); err != nil {
			return 0, err
		}
	}
	<-p.stderrEnded
	err = p.command.Wait()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		return 0, err
	case len(surplus) > 0:
		return 0, fmt.Errorf("there is more output:\n%s", strings.Join(surplus, "\n"))
	}
	return p.command.ProcessState.ExitCode(), p.recording.close()
}

// kill ends the process at once. Killing one that has ended does nothing.
func (p *process) kill() {
	// The only error is that it has ended.
	_ = p.command.Process.Kill()
}
