package server

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/stdio"
	"mcpserver/core/internal/trace"
	"mcpserver/core/internal/wire"
)

// connection serves one aspect to one client. What belongs together stands in
// types of its own: the reading (loop.go), the aspect's slots (slots.go), the
// open requests (openrequests.go), the questions to the client (questions.go),
// what is listed (table.go).
type connection struct {
	aspect  *core.Aspect
	options *Options
	trace   *trace.Trace
	notices *stdio.Notices

	reader        *wire.Reader // used by the reading goroutine alone
	out           *wire.Writer
	buffers       sync.Pool // of *[]byte, for messages under construction
	turn          turn
	slots         slots
	requests      openRequests
	questions     questions
	tables        tables
	sealing       sealing
	methods       map[string]*method
	log           clientLog
	subscriptions subscriptions
	watchers      watchers
	listing       chan struct{} // full while a list is answered that has waited for OnList
	completes     atomic.Bool   // something can be completed, or could be

	session atomic.Pointer[session]
	hinted  atomic.Bool // the hint about Content-Length was given
	heard   atomic.Bool // the client has sent a request of the legacy era
	met     atomic.Bool // the client has made a handshake, or sent a request that is no ping
	modern  modernLane

	handshake handshake

	// prepareError is set before slots.release, and read by what it releases.
	prepareError error

	// context is that of all handlers; end ends it.
	context context.Context
	end     context.CancelFunc
	// inputEnded is closed by the reading goroutine at the end of input.
	inputEnded chan struct{}
}

// session is what a request is served under: what an initialize request
// settled, or what a modern request says of itself. It never changes.
type session struct {
	revision protocol.Revision
	// opened says that there was an initialize request.
	opened bool
	// requested is the version that the client asked for.
	requested string
	// capabilities and clientInfo are JSON objects, or "".
	capabilities, clientInfo string
	// logs is the least level of log messages that a modern request wants to be
	// told, if logged is set.
	logs   protocol.LogLevel
	logged bool
}

func newConnection(ctx context.Context, aspect *core.Aspect, in io.Reader, out io.Writer, options *Options) *connection {
	c := &connection{
		aspect:     aspect,
		options:    options,
		reader:     wire.NewReader(in, options.maxMessage()),
		out:        wire.NewWriter(out, options.outputLimit()),
		methods:    methodTable(),
		listing:    make(chan struct{}, 1),
		inputEnded: make(chan struct{}),
	}
	c.context, c.end = context.WithCancel(ctx)
	c.turn.wake = make(chan struct{}, 1)
	c.slots.init(aspect, options)
	c.requests.init(options.queueLimit())
	c.questions.init(options.maxQuestions())
	c.tables.init(c)
	c.watchers.connection = c
	c.modern.init(c)
	c.session.Store(&session{revision: protocol.NewestLegacy})
	c.log.level.Store(uint32(protocol.Info))
	c.log.telling = make(chan struct{}, 1)
	return c
}

// keptMessage is the largest buffer, in bytes, that is kept for later messages.
const keptMessage = 64 << 10

func (c *connection) buffer() *[]byte {
	if buffer, ok := c.buffers.Get().(*[]byte); ok {
		return buffer
	}
	return new([]byte)
}

func (c *connection) recycle(buffer *[]byte) {
	if cap(*buffer) <= keptMessage {
		*buffer = (*buffer)[:0]
		c.buffers.Put(buffer)
	}
}

// send queues one message; it is the only way to the client. Somebody must
// flush.
func (c *connection) send(message *[]byte) error {
	if c.trace.On(trace.Messages) {
		c.trace.Out(*message)
	}
	return c.out.Append(message)
}
