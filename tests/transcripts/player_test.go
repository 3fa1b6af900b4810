package transcripts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

	names       map[string]string // what «$NAME» stands for
	environment []string          // of the programs, beside our own
}

// verbs are the steps that a transcript can have.
var verbs = map[string]func(p *player, s step) error{
	"let":     (*player).let,
	"env":     (*player).env,
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
	steps, err := parse(transcript, thisBuild)
	if err != nil {
		return transcript, err
	}
	p := &player{t: t, name: name, names: make(map[string]string), environment: keptIn(t.TempDir())}
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

// keptIn is the environment of programs that keep everything in a folder.
func keptIn(folder string) []string {
	return []string{
		"TMPDIR=" + folder, "TMP=" + folder, "TEMP=" + folder, // trace files
		"HOME=" + folder, "XDG_CONFIG_HOME=" + folder, "AppData=" + folder, // the key for requestState
		"MCPSERVER_STATE_KEY=",
	}
}

// do does one step.
func (p *player) do(s step) error {
	if s.verb == "let" || s.verb == "env" {
		return verbs[s.verb](p, s)
	}
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

func (p *player) let(s step) error {
	name, text, given := strings.Cut(s.text, " ")
	if !given || !wellName.MatchString(name) {
		return errors.New("it gives no text a name of small letters")
	}
	text, err := expand(text, p.names)
	p.names[name] = text
	return err
}

func (p *player) env(s step) error {
	p.environment = append(p.environment, s.text)
	return nil
}

func (p *player) serve(s step) error { return p.start(s, true) }

func (p *player) run(s step) error { return p.start(s, false) }

func (p *player) start(s step, talk bool) error {
	words := strings.Fields(s.text)
	if len(words) == 0 {
		return errors.New("it names no program")
	}
	started, err := start(p.t.Context(), p.environment, words, talk)
	if err != nil {
		return err
	}
	p.process = started
	if talk && p.name != "" {
		p.started++
		started.recording, err = newRecording(thisBuild.recordingName(p.name, p.started))
	}
	return err
}

func (p *player) send(s step) error {
	text, err := expand(s.text, p.names)
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
	text, err := expand(s.text, p.names)
	if err != nil {
		return err
	}
	line, err := p.process.receive()
	if err != nil {
		return err
	}
	named, same, err := match(text, line)
	switch {
	case err != nil || same:
		maps.Copy(p.names, named)
		return err
	case *update && s.text == unknown:
		s.text = abbreviated(line, p.names)
		p.changed = append(p.changed, s)
		return nil
	}
	return fmt.Errorf("\nwant %s\ngot  %s", shown(text), shown(line))
}

func (p *player) expectAny(s step) error {
	wanted := strings.Split(s.text, "\n")
	for i := range wanted {
		var err error
		if wanted[i], err = expand(wanted[i], p.names); err != nil {
			return err
		}
	}
	for len(wanted) > 0 {
		line, err := p.process.receive()
		if err != nil {
			return err
		}
		if wanted, err = p.without(wanted, line); err != nil {
			return err
		}
	}
	return nil
}

// without takes out of texts one that the line matches.
func (p *player) without(texts []string, line string) ([]string, error) {
	for i, text := range texts {
		named, same, err := match(text, line)
		if err != nil {
			return nil, err
		}
		if same {
			maps.Copy(p.names, named)
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
