package server

import (
	"errors"
	"io"
	"strings"

	"mcpserver/core"
	"mcpserver/core/internal/trace"
	"mcpserver/core/internal/wire"
)

// gathered is how many bytes of answers are held back at most while more input
// is at hand.
const gathered = 64 << 10

// reading is the goroutine that reads. A request's way through it:
//
//	run
//	  reader.Next              one line
//	  serveLine                scanned once: the message view
//	    serveBatch             its members, one by one
//	    serveMessage           request, notification or response
//	      method.serve         the row of the method table
//	        start              aspect's code: inline, if its slot is free
//
// It is one goroutine at a time, but not always the same one. When a handler
// that it runs inline (or a write to a client that does not read) takes long,
// the watchdog lets another goroutine go on reading. The displaced one finishes
// what it does, runs what has queued up behind it, and ends.
type reading struct {
	connection *connection
	scanner    *wire.Scanner
	message    wire.Message
	slab       []request
	slabBlock  *block
	// block is what the current line stands in, and blockNumber the reader's
	// number of it.
	block       *block
	blockNumber uint64
	// batching says that a batch is being served, and nothing runs inline: the
	// rest of it must not wait.
	batching bool
	// current is the request served inline; set before turn.enter.
	current *request
}

func (c *connection) newReading() *reading {
	return &reading{connection: c, scanner: wire.NewScanner(c.options.maxDepth())}
}

// startReading begins to read, watched over. Both goroutines end with the
// connection's context, except that one who is blocked in a read stays until
// that read returns.
func (c *connection) startReading() {
	active := c.newReading()
	go active.run()
	go c.turn.watch(c.context.Done(), func() {
		if active.current != nil {
			active.current.enter()
		}
		active = c.newReading()
		go active.run()
	})
}

// run reads until the input ends or another goroutine has taken over.
func (r *reading) run() {
	c := r.connection
	for c.context.Err() == nil {
		if (!c.reader.Ready() || c.out.Unwritten() > gathered) && !r.flush() {
			return
		}
		line, err := c.reader.Next()
		switch {
		case err == nil:
			r.noteBlock()
			if !r.serveLine(line) {
				return
			}
		case !c.serveReadError(err):
			c.out.FlushSoon()
			close(c.inputEnded)
			return
		}
	}
}

// noteBlock keeps account of the memory that the current line stands in.
func (r *reading) noteBlock() {
	number, size := r.connection.reader.Block()
	if r.block == nil || number != r.blockNumber {
		r.block, r.blockNumber = &block{size: size}, number
	}
}

// flush writes what is queued, and waits while too much is unread. It reports
// whether this is still the reading goroutine.
func (r *reading) flush() (still bool) {
	c := r.connection
	if c.out.Unwritten() == 0 {
		return true
	}
	r.current = nil
	epoch := c.turn.enter()
	c.out.Flush()
	if !c.turn.leave(epoch) {
		return false
	}
	c.out.WaitRoom(c.context.Done())
	return true
}

// serveReadError reports whether reading can go on after the error.
func (c *connection) serveReadError(err error) (on bool) {
	var long *wire.TooLongError
	if errors.As(err, &long) {
		c.refuseLimited(long.Prefix, core.InvalidRequest(err.Error()))
		return true
	}
	if !errors.Is(err, io.EOF) {
		c.trace.Errorf("reading the input: %v", err)
	}
	return false
}

// serveLine serves one line. It reports whether this is still the reading
// goroutine.
func (r *reading) serveLine(line string) (still bool) {
	c := r.connection
	if c.trace.On(trace.Messages) {
		c.trace.In(line)
	}
	err := r.scanner.Scan(line, &r.message)
	var deep *wire.DepthError
	switch {
	case errors.As(err, &deep):
		c.refuseLimited(line, core.ParseError(err.Error()))
	case err != nil:
		c.hintAtFraming(line)
		c.refuse("", core.ParseError(err.Error()))
	case r.message.Root.Kind == wire.Array:
		r.serveBatch(r.message.Root.Raw)
	case r.message.Root.Kind != wire.Object:
		c.refuse("", core.InvalidRequest("a message is a JSON object"))
	default:
		return r.serveMessage(&r.message, nil)
	}
	return true
}

// hintAtFraming tells a person, once, what is wrong when a client frames its
// messages with headers.
func (c *connection) hintAtFraming(line string) {
	if strings.HasPrefix(strings.ToLower(line), "content-length:") && c.hinted.CompareAndSwap(false, true) {
		c.notices.Post("The client sends Content-Length headers; this server takes one JSON message per line.")
	}
}

// start runs the aspect's part of a request: inline when its slot is free, or
// else queued. It reports whether this is still the reading goroutine.
func (r *reading) start(q *request) (still bool) {
	c := r.connection
	q.limitTime(c.options.CallTimeout)
	if c.requests.full() && !q.isEntered() {
		q.finish(nil, core.InternalError(errBusy.Error()))
		return true
	}
	if !c.aspect.Asynchronous && !r.batching && c.slots.tryStart(q) {
		return r.runInline(q)
	}
	q.enter()
	q.queued = true
	c.requests.hold(q)
	if err := c.submit(q); err != nil {
		q.leaveQueue()
		q.finish(nil, core.InternalError(err.Error()))
	}
	return true
}

func (r *reading) runInline(q *request) (still bool) {
	c := r.connection
	r.current = q
	epoch := c.turn.enter()
	returned := false
	defer func() {
		if !returned {
			go r.afterGoexit(epoch)
		}
	}()
	q.perform(c)
	returned = true
	return r.comeBack(epoch)
}

// comeBack ends an inline run. Work that has queued up behind it is drained by
// a goroutine of its own, or by this one if it was displaced.
func (r *reading) comeBack(epoch uint64) (still bool) {
	c := r.connection
	still = c.turn.leave(epoch)
	if !still {
		c.out.Flush()
	}
	waiting := c.slots.next()
	switch {
	case waiting == nil:
	case still:
		go c.drain(waiting)
	default:
		c.drain(waiting)
	}
	return still
}

// afterGoexit goes on in place of a goroutine that the aspect's code ended.
func (r *reading) afterGoexit(epoch uint64) {
	if r.comeBack(epoch) {
		r.run()
	}
}
