package transcripts

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long a step may take. Nothing that works comes near it.
const patience = 30 * time.Second

// unknown stands in a transcript for a line that -update is to fill in.
const unknown = "?"

// player plays one transcript.
type player struct {
	t       *testing.T
	name    string   // for recordings; "" for none
	process *process // nil between processes
	started int
	fences  int
	overdue atomic.Bool
	changed []step // < ? with what the server said
}

// verbs are the steps that a transcript can have.
var verbs = map[string]func(p *player, s step) error{
	"serve":   (*player).serve,
	"run":     (*player).run,
	">":       (*player).send,
	">bytes":  (*player).sendBytes,
	"<":       (*player).expect,
	"<any":    (*player).expectAny,
	"init":    (*player).initialize,
	"silence": (*player).silence,
	"eof":     (*player).eof,
	"exits":   (*player).exits,
	"stderr":  (*player).stderr,
}

// play plays a transcript, and gives it with what the servers said in the place
// of unknown lines. An error begins with the number of the line at fault.
func play(t *testing.T, name, transcript string) (played string, err error) {
	steps, err := parse(transcript)
	if err != nil {
		return transcript, err
	}
	p := &player{t: t, name: name}
	for _, s := range steps {
		if err := p.do(s); err != nil {
			return rewrite(transcript, p.changed), fmt.Errorf("%d: %s: %w", s.first, s.verb, err)
		}
	}
	if p.process != nil {
		return transcript, fmt.Errorf("%d: the program still runs at the end", steps[len(steps)-1].last)
	}
	return rewrite(transcript, p.changed), nil
}

// do does one step.
func (p *player) do(s step) error {
	starts := s.verb == "serve" || s.verb == "run"
	if starts == (p.process != nil) {
		return errors.New("there is a program already, or there is none")
	}
	running := p.process
	if running != nil {
		defer time.AfterFunc(patience, func() {
			p.overdue.Store(true)
			running.kill()
		}).Stop()
	}
	err := verbs[s.verb](p, s)
	if err == nil || running == nil {
		return err
	}
	running.kill()
	if p.overdue.Load() {
		err = fmt.Errorf("took longer than %v: %w", patience, err)
	}
	<-running.stderrEnded
	if text, _ := running.stderrSoFar(); text != "" {
		err = fmt.Errorf("%w\nstderr was:\n%s", err, shown(text))
	}
	return err
}

func (p *player) serve(s step) error { return p.start(s, true) }

func (p *player) run(s step) error { return p.start(s, false) }

func (p *player) start(s step, talk bool) error {
	words := strings.Fields(s.text)
	if len(words) == 0 {
		return errors.New("it names no program")
	}
	started, err := start(p.t.Context(), p.t.TempDir(), words, talk)
	if err != nil {
		return err
	}
	p.process = started
	if talk && p.name != "" {
		p.started++
		started.recording, err = newRecording(fmt.Sprintf("transcript-%s-%d", p.name, p.started))
	}
	return err
}

func (p *player) send(s step) error {
	text, err := expand(s.text)
	if err != nil {
		return err
	}
	return p.process.send(text + "\n")
}

func (p *player) sendBytes(s step) error {
	text, err := strconv.Unquote(s.text)
	if err != nil {
		return fmt.Errorf("%s is no Go string", s.text)
	}
	return p.process.send(text)
}

func (p *player) expect(s step) error {
	text, err := expand(s.text)
	if err != nil {
		return err
	}
	line, err := p.process.receive()
	if err != nil {
		return err
	}
	same, err := matches(text, line)
	switch {
	case err != nil || same:
		return err
	case *update && s.text == unknown:
		s.text = line
		p.changed = append(p.changed, s)
		return nil
	}
	return fmt.Errorf("\nwant %s\ngot  %s", shown(text), shown(line))
}

func (p *player) expectAny(s step) error {
	wanted := strings.Split(s.text, "\n")
	for i := range wanted {
		var err error
		if wanted[i], err = expand(wanted[i]); err != nil {
			return err
		}
	}
	for len(wanted) > 0 {
		line, err := p.process.receive()
		if err != nil {
			return err
		}
		if wanted, err = without(wanted, line); err != nil {
			return err
		}
	}
	return nil
}

// without takes out of texts one that the line matches.
func without(texts []string, line string) ([]string, error) {
	for i, text := range texts {
		same, err := matches(text, line)
		if err != nil {
			return nil, err
		}
		if same {
			return append(texts[:i], texts[i+1:]...), nil
		}
	}
	return nil, fmt.Errorf("\nwant one of\n     %s\ngot  %s", shown(strings.Join(texts, "\n     ")), shown(line))
}

// handshake gives the lines by which a client opens a session.
func handshake(text string) (initialize, initialized, revision string) {
	revision, capabilities, given := strings.Cut(text, " ")
	if !given {
		capabilities = "{}"
	}
	initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":` + capabilities + `,"clientInfo":{"name":"transcript","version":"1"}}}`
	return initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, revision
}

func (p *player) initialize(s step) error {
	initialize, initialized, revision := handshake(s.text)
	if err := p.process.send(initialize + "\n"); err != nil {
		return err
	}
	line, err := p.process.receive()
	if err != nil {
		return err
	}
	var answer struct {
		ID     string
		Result struct{ ProtocolVersion string }
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.ID != "init" || answer.Result.ProtocolVersion != revision {
		return fmt.Errorf("want the result of initialize with %q, got %s", revision, shown(line))
	}
	return p.process.send(initialized + "\n")
}

// silence proves that nothing is under way: what was written before the answer
// to a ping arrives before it.
func (p *player) silence(step) error {
	p.fences++
	id := fmt.Sprintf(`"fence-%d"`, p.fences)
	if err := p.process.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` + "\n"); err != nil {
		return err
	}
	line, err := p.process.receive()
	if err != nil {
		return err
	}
	if want := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`; line != want {
		return fmt.Errorf("want silence, got %s", shown(line))
	}
	return nil
}

func (p *player) eof(step) error { return p.process.closeInput() }

func (p *player) exits(s step) error {
	want, err := strconv.Atoi(s.text)
	if err != nil {
		return err
	}
	status, err := p.process.wait()
	if err != nil {
		return err
	}
	if status != want {
		return fmt.Errorf("want status %d, got %d", want, status)
	}
	p.process = nil
	return nil
}

func (p *player) stderr(s step) error {
	expression, err := regexp.Compile("(?m)" + s.text)
	if err != nil {
		return err
	}
	return p.process.awaitStderr(expression)
}
