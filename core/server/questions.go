package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/link"
	"mcpserver/core/internal/phrase"
	"mcpserver/core/internal/wire"
)

var (
	errInputEnded = errors.New("the client's input has ended, so it cannot answer")
	errNotReady   = errors.New("the client takes nothing outside of its requests: it has not sent notifications/initialized")
)

// questions are the server-to-client requests that are not answered.
type questions struct {
	most int

	mu     sync.Mutex // guards what follows
	last   int64      // the id given last
	open   map[int64]*question
	ready  bool               // the client takes requests
	held   map[*asking][]byte // lines that wait until it does
	closed error              // no answer can come any more
}

// question is one of them.
type question struct {
	key    string
	link   link.Question
	asking *asking
}

// asking is a set of questions that were asked together. It ends when all are
// answered, or one fails, once.
type asking struct {
	connection *connection
	// request is the parked call that asked; nil for Host.Ask, which waits for
	// done.
	request *request
	done    chan struct{}
	timer   *time.Timer

	// What follows is guarded by questions.mu, and fixed once ended.
	ids     []int64
	missing int
	answers map[string]string
	failure error
	ended   bool
}

func (s *questions) init(most int) {
	s.most = most
	s.open = make(map[int64]*question)
	s.held = make(map[*asking][]byte)
}

// Ask implements link.Host.
func (c *connection) Ask(ctx context.Context, asked map[string]link.Question) (map[string]string, error) {
	if !c.questions.isReady() {
		return nil, errNotReady
	}
	lines, err := c.form(asked, c.session.Load())
	if err != nil {
		return nil, err
	}
	a := &asking{connection: c, done: make(chan struct{})}
	if err := c.ask(a, asked, lines); err != nil {
		return nil, err
	}
	c.out.FlushSoon()
	select {
	case <-a.done:
		return a.answers, a.failure
	case <-ctx.Done():
		c.abandon(a, "the server no longer needs the answer")
		c.out.FlushSoon()
		return nil, ctx.Err()
	case <-c.context.Done():
		return nil, errEnded
	}
}

// form writes the questions' methods and params, by their keys, after checking
// that the client can be asked.
func (c *connection) form(asked map[string]link.Question, s *session) (map[string]string, error) {
	lines := make(map[string]string, len(asked))
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		question := asked[key]
		for _, capability := range question.Needs(s.revision) {
			if !core.Declares(s.capabilities, capability) {
				return nil, fmt.Errorf("the client does not support %s: it has not declared that capability", capability)
			}
		}
		line := append([]byte(`,"method":"`), question.Method()...)
		line, err := question.AppendParams(append(line, `","params":`...), s.revision)
		if err != nil {
			return nil, fmt.Errorf("the question %q cannot be asked: %w", key, err)
		}
		lines[key] = string(append(line, '}'))
	}
	return lines, nil
}

// ask sends the questions, or holds them until the client is ready.
func (c *connection) ask(a *asking, asked map[string]link.Question, lines map[string]string) error {
	s := &c.questions
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed != nil:
		return s.closed
	case len(s.open)+len(asked) > s.most:
		return fmt.Errorf("more than %d questions to the client are open; try again later", s.most)
	}
	a.answers = make(map[string]string, len(asked))
	a.missing = len(asked)
	c.trace.Infof("%s to the client", phrase.Counted(len(asked), "question"))
	var messages []byte
	for _, key := range slices.Sorted(maps.Keys(asked)) {
		s.last++
		s.open[s.last] = &question{key: key, link: asked[key], asking: a}
		a.ids = append(a.ids, s.last)
		messages = wire.AppendInt(append(messages, `{"jsonrpc":"2.0","id":`...), s.last)
		messages = append(append(messages, lines[key]...), '\n')
	}
	timeout := c.options.questionTimeout()
	a.timer = time.AfterFunc(timeout, func() {
		c.settleFailed(a, fmt.Errorf("the client did not answer within %v", timeout), "the server waited too long")
		c.out.FlushSoon()
	})
	if !s.ready {
		s.held[a] = messages
		return nil
	}
	c.sendLines(messages)
	return nil
}

// sendLines queues whole lines.
func (c *connection) sendLines(lines []byte) {
	for line := range strings.Lines(string(lines)) {
		message := []byte(strings.TrimSuffix(line, "\n"))
		if err := c.send(&message); err != nil {
			c.trace.Debugf("a message was not sent: %v", err)
		}
	}
}

func (s *questions) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// hold keeps questions back until the client is ready, after an initialize. It
// reports whether the client was ready before.
func (s *questions) hold() (ready bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ready, s.ready = s.ready, false
	return ready
}

// release sends what was held back. It reports whether that is news.
func (s *questions) release(c *connection) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news, s.ready = !s.ready, true
	for _, id := range slices.Sorted(maps.Keys(s.open)) {
		a := s.open[id].asking
		c.sendLines(s.held[a])
		delete(s.held, a)
	}
	return news
}

// serveResponse takes the client's answer to one of our questions. A response
// is never answered, whatever is wrong with it.
func (r *reading) serveResponse(m *wire.Message) (still bool) {
	c := r.connection
	a := c.takeAnswer(m)
	if a == nil {
		return true
	}
	if a.request == nil {
		close(a.done)
		return true
	}
	if a.failure != nil {
		a.request.finish(nil, a.failure)
		return true
	}
	a.request.resume(a.answers)
	return r.start(a.request)
}

// takeAnswer gives the asking that a response has ended, or nil.
func (c *connection) takeAnswer(m *wire.Message) *asking {
	s := &c.questions
	s.mu.Lock()
	defer s.mu.Unlock()
	id, _ := m.ID.Int()
	asked := s.open[id]
	if asked == nil {
		c.trace.Errorf("a response answers nothing that is open: %s", shorten(m.Root.Raw))
		return nil
	}
	a := asked.asking
	delete(s.open, id)
	answer, err := c.readAnswer(m, asked.link)
	if err != nil {
		c.endLocked(a, err, "another question of the same call has failed")
		return a
	}
	a.answers[asked.key] = answer
	a.missing--
	if a.missing > 0 {
		return nil
	}
	c.endLocked(a, nil, "")
	return a
}

// readAnswer gives the client's answer as the handler is to see it. The error
// tells in what words the client refused, or why its answer is none.
func (c *connection) readAnswer(m *wire.Message, asked link.Question) (string, error) {
	switch {
	case m.DuplicateIn == wire.InMessage:
		return "", fmt.Errorf("the client's answer to %s has the member %s twice", asked.Method(), shorten(m.DuplicateName))
	case m.Error.Kind != wire.Absent && asked.Kind() == link.Raw:
		return link.ErrorAnswer(m.Error.Raw), nil
	case m.Error.Kind != wire.Absent:
		message := gjson.Get(m.Error.Raw, "message").String()
		if message == "" {
			message = m.Error.Raw
		}
		return "", fmt.Errorf("the client answered %s with an error: %s", asked.Method(), message)
	case m.Result.Kind != wire.Object:
		return "", fmt.Errorf("the client's answer to %s is not an object", asked.Method())
	}
	return core.CheckAnswer(asked.Kind(), asked.Form(), m.Result.Raw, c.trace)
}

// endLocked ends an asking, once. What is still open of it is withdrawn with a
// notification that gives the reason.
func (c *connection) endLocked(a *asking, failure error, reason string) (first bool) {
	if a.ended {
		return false
	}
	s := &c.questions
	a.ended, a.failure = true, failure
	a.timer.Stop()
	_, unsent := s.held[a]
	delete(s.held, a)
	for _, id := range a.ids {
		if s.open[id] == nil {
			continue
		}
		delete(s.open, id)
		if !unsent && s.closed == nil {
			message := wire.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id)
			message = wire.AppendString(append(message, `,"reason":`...), reason)
			c.sendLines(append(message, `}}`...))
		}
	}
	return true
}

// abandon withdraws an asking whose answers nobody wants any more.
func (c *connection) abandon(a *asking, reason string) {
	c.questions.mu.Lock()
	defer c.questions.mu.Unlock()
	if a.timer != nil {
		c.endLocked(a, errEnded, reason)
	}
}

// settleFailed ends an asking without the client's answer, and answers the
// call that asked. It must be called without any lock.
func (c *connection) settleFailed(a *asking, failure error, reason string) {
	c.questions.mu.Lock()
	first := c.endLocked(a, failure, reason)
	c.questions.mu.Unlock()
	switch {
	case !first:
	case a.request != nil:
		a.request.finish(nil, failure)
	default:
		close(a.done)
	}
}

// failQuestion fails the asking that the response with that id belongs to: the
// client has answered, but the answer could not be read.
func (c *connection) failQuestion(id wire.Value, failure error) {
	number, ok := id.Int()
	c.questions.mu.Lock()
	asked := c.questions.open[number]
	delete(c.questions.open, number)
	c.questions.mu.Unlock()
	if ok && asked != nil {
		c.settleFailed(asked.asking, failure, "another question of the same call has failed")
	}
}

// closeQuestions fails all that is asked, and whatever will be.
func (c *connection) closeQuestions(failure error) {
	s := &c.questions
	s.mu.Lock()
	s.closed = failure
	var open []*asking
	for _, asked := range s.open {
		open = append(open, asked.asking)
	}
	s.mu.Unlock()
	for _, a := range open {
		c.settleFailed(a, failure, "")
	}
}
