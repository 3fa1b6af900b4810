package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"mcpserver/core"
	"mcpserver/core/internal/link"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/trace"
	"mcpserver/core/internal/wire"
)

var (
	errAnswered     = errors.New("the request was answered or cancelled before")
	errShuttingDown = core.InternalError("the server is shutting down")
)

// request is one request of the client until it is answered. It implements
// link.Request, which is all that the aspect's code sees of it.
//
// A request that the reading goroutine serves inline, and comes back from in
// time, is never entered among the open requests: while it runs nobody reads,
// so nothing can refer to it.
type request struct {
	call       core.Call
	connection *connection
	session    *session
	id         string // as sent, quotes included
	method     string
	params     string    // as sent, or ""
	progressID string    // the progress token as sent, or ""
	block      *block    // what its strings stand in
	slab       *block    // what it stands in itself
	began      time.Time // when it was read, if that is traced
	batch      *batch
	row        *method // nil for methods that the core does not serve
	tool       *tool   // of tools/call, unless a hook may know better
	// serve is the aspect's part of the work.
	serve func(q *request) (core.Result, error)
	// queued says that it waits in the queue of a slot.
	queued bool
	// fixed says that it cannot be cancelled (initialize), and limited that its
	// time is.
	fixed, limited bool

	context callContext

	mu       sync.Mutex // guards what follows; taken before that of openRequests
	answered bool       // an answer was queued, or none will be
	entered  bool       // it stands among the open requests
	deferred bool
	progress float64
	reported bool // progress was reported before
	asking   *asking
	ended    func() // called when the request ends
	resumed  bool
	byHook   bool // the aspect's hook has the call now
	hookAsks bool // it was the hook that asked for input
	answers  map[string]string
	state    []byte
	asked    int // how often its handler has asked the client

	rounds rounds // of a modern request
}

// perform implements work.
func (q *request) perform(*connection) {
	q.leaveQueue()
	if q.done() {
		return
	}
	returned := false
	defer q.survive(&returned)
	result, err := q.run()
	q.finish(result, err)
	returned = true
}

// run runs the aspect's part of the work, unless the client has refused what it
// was asked.
func (q *request) run() (core.Result, error) {
	if err := q.rounds.refusal(); err != nil {
		return nil, err
	}
	return q.serve(q)
}

// survive is deferred around the aspect's code, its handlers and its encoding of
// results. A panic costs this request alone. So does ending the goroutine; that
// can only be answered from here, since nothing else of the goroutine runs.
func (q *request) survive(returned *bool) {
	if *returned {
		return
	}
	reason := recover()
	if reason == nil {
		reason = errGone
	}
	q.finish(nil, q.failed(reason))
}

// leaveQueue ends the account of a request that waited in a queue.
func (q *request) leaveQueue() {
	if q.queued {
		q.queued = false
		q.connection.requests.letGo(q)
	}
}

// finish settles what the aspect's code returned; nobody is there to be told
// when the request had ended before.
func (q *request) finish(result core.Result, err error) {
	if err := q.settle(result, err); err != nil {
		q.connection.trace.Debugf("%s %s: nothing was sent: %v", q.method, q.id, err)
	}
}

// discard implements work.
func (q *request) discard(*connection, context.Context) {
	q.leaveQueue()
	q.finish(nil, errShuttingDown)
}

// weight implements work: open requests are counted elsewhere.
func (q *request) weight() int { return 0 }

// awaitsPreparation implements work.
func (q *request) awaitsPreparation() bool {
	switch q.method {
	case "tools/call", "prompts/get", "resources/read", "completion/complete":
		return true
	}
	return false
}

func (q *request) done() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.answered
}

// failed traces what went wrong in the aspect's code and gives what the client
// is told of it: nothing of the inside.
func (q *request) failed(reason any) error {
	what := q.method
	if q.method == "tools/call" {
		what = "the tool " + q.call.Name()
	}
	q.connection.trace.Errorf("%s panicked: %v\n%s", what, reason, debug.Stack())
	return fmt.Errorf("%s failed unexpectedly; the server's trace has the details", what)
}

// settle acts on what the aspect's code returned.
func (q *request) settle(result core.Result, err error) error {
	switch result := result.(type) {
	case *core.InputRequired:
		if err == nil {
			if result == nil || len(result.Questions()) == 0 {
				return q.respond(nil, core.InternalError(q.method+" asked for input without a question"))
			}
			if !q.canRequireInput() {
				return q.respond(nil, core.InternalError(q.method+" cannot require input of the client"))
			}
			if err := q.countRound(); err != nil {
				return q.respond(nil, err)
			}
			return q.requireInput(result)
		}
	case nil:
		if err == nil {
			err = core.InternalError(q.method + " gave neither a result nor an error")
		}
	default:
		if err == nil && result == core.Result(core.Pending) && q.keepOpen() {
			return nil
		}
	}
	return q.respond(result, err)
}

// keepOpen enters a deferred request among the open ones.
func (q *request) keepOpen() (deferred bool) {
	q.mu.Lock()
	deferred = q.deferred
	q.mu.Unlock()
	if deferred {
		q.enter()
	}
	return deferred
}

// enter puts the request among the open ones, unless it was answered.
func (q *request) enter() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.answered || q.entered {
		return
	}
	q.entered = true
	q.connection.requests.add(q)
}

func (q *request) isEntered() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.entered
}

// respond queues the answer, once.
func (q *request) respond(result core.Result, err error) error {
	c := q.connection
	if err == nil {
		result, err = q.shaped(result)
	}
	buffer := c.buffer()
	defer c.recycle(buffer)
	*buffer = q.appendResponse((*buffer)[:0], result, err)
	reason := context.Canceled
	if errors.Is(err, context.DeadlineExceeded) {
		reason = context.DeadlineExceeded
	}
	return q.close(reason, func() error {
		q.traceAnswer(*buffer)
		if q.batch != nil {
			q.batch.add(q.id, *buffer)
			return nil
		}
		return c.send(buffer)
	})
}

// traceAnswer traces what became of the request.
func (q *request) traceAnswer(answer []byte) {
	file := q.connection.trace
	if !file.On(trace.Info) {
		return
	}
	what := q.method
	if q.call.Name() != "" {
		what += " " + q.call.Name()
	}
	outcome := "answered"
	switch {
	case bytes.HasPrefix(answer[min(len(answer), len(`{"jsonrpc":"2.0","id":`)+len(q.id)):], []byte(`,"error"`)):
		outcome = "refused"
	case bytes.Contains(answer, []byte(`"isError":true`)):
		outcome = "failed"
	}
	file.Infof("%s %s: %s in %v, %d bytes", shorten(what), shorten(q.id), outcome, time.Since(q.began).Round(time.Microsecond), len(answer))
}

// timeoutError answers a request whose time is over.
type timeoutError struct {
	method string
	limit  time.Duration
}

// Error says what took how long.
func (e timeoutError) Error() string { return fmt.Sprintf("%s took longer than %v", e.method, e.limit) }

// Unwrap makes it a context.DeadlineExceeded.
func (e timeoutError) Unwrap() error { return context.DeadlineExceeded }

// limitTime answers the request with an error when it takes longer, once it
// has begun; 0 is no limit.
func (q *request) limitTime(limit time.Duration) {
	if limit <= 0 || q.limited {
		return
	}
	q.limited = true
	q.context.expire(limit, func() {
		q.finish(nil, timeoutError{q.method, limit})
		q.connection.out.FlushSoon()
	})
}

// cancel ends the request without an answer; it reports whether it was open.
func (q *request) cancel() bool {
	return !q.fixed && q.close(context.Canceled, func() error {
		if q.batch != nil {
			q.batch.drop()
		}
		return nil
	}) == nil
}

// close ends the request, once, and its context for that reason; finish queues
// what there is to send. It holds the lock meanwhile, so that nothing about the
// request follows its answer.
func (q *request) close(reason error, finish func() error) error {
	q.mu.Lock()
	if q.answered {
		q.mu.Unlock()
		return errAnswered
	}
	q.answered = true
	asking, ended := q.asking, q.ended
	err := finish()
	if q.entered {
		q.connection.requests.remove(q)
	}
	q.mu.Unlock()
	q.context.cancel(reason)
	if ended != nil {
		ended()
	}
	if asking != nil {
		q.connection.abandon(asking, "the request that asked has ended")
	}
	return err
}

func (q *request) appendResponse(dst []byte, result core.Result, err error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, q.id...)
	if err == nil {
		var whole []byte
		if whole, err = q.encodeResult(append(dst, `,"result":`...), result); err == nil {
			return append(whole, '}')
		}
	}
	return q.appendFailure(dst, err)
}

// appendFailure appends the result or error member that tells of err: a tool
// tells the client's model, unless the request itself was at fault.
func (q *request) appendFailure(dst []byte, err error) []byte {
	var failure *core.Error
	if !errors.As(err, &failure) || failure == nil {
		if q.method == "tools/call" {
			whole, encodeErr := q.encodeResult(append(dst, `,"result":`...), core.ToolError(err.Error()))
			if encodeErr == nil {
				return append(whole, '}')
			}
		}
		failure = core.InternalError(err.Error())
	}
	return append(appendError(dst, q.session.revision, failure), '}')
}

func appendError(dst []byte, revision protocol.Revision, failure *core.Error) []byte {
	code := failure.Code
	if code == protocol.CodeResourceNotFound && !revision.Legacy() {
		code = protocol.CodeInvalidParams
	}
	dst = wire.AppendInt(append(dst, `,"error":{"code":`...), int64(code))
	dst = wire.AppendString(append(dst, `,"message":`...), failure.Message)
	if len(failure.Data) > 0 {
		if extended, err := wire.AppendCompact(append(dst, `,"data":`...), string(failure.Data)); err == nil {
			dst = extended
		}
	}
	return append(dst, '}')
}

// Method implements link.Request.
func (q *request) Method() string { return q.method }

// Params implements link.Request.
func (q *request) Params() string { return q.params }

// Revision implements link.Request.
func (q *request) Revision() protocol.Revision { return q.session.revision }

// ClientCapabilities implements link.Request.
func (q *request) ClientCapabilities() string { return q.session.capabilities }

// ClientInfo implements link.Request.
func (q *request) ClientInfo() string { return q.session.clientInfo }

// Host implements link.Request.
func (q *request) Host() link.Host { return q.connection }

// Defer implements link.Request.
func (q *request) Defer() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.deferred = true
}

// Complete implements link.Request.
func (q *request) Complete(result any, err error) (failure error) {
	answer, ok := result.(core.Result)
	if result != nil && !ok {
		return fmt.Errorf("%T is no result", result)
	}
	if answer == core.Result(core.Pending) {
		return errors.New("a deferred request cannot be completed with Pending")
	}
	defer q.connection.out.FlushSoon()
	// Whoever does not read gets no more to read. A relay must not wait: who
	// completes for it reads from others.
	if !q.connection.aspect.Relays {
		q.connection.out.WaitRoom(q.connection.context.Done())
	}
	failure = errors.New("the result failed to be written; the trace has the details")
	returned := false
	defer q.survive(&returned)
	failure = q.settle(answer, err)
	returned = true
	return failure
}
