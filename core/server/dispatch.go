package server

import (
	"errors"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/trace"
	"mcpserver/core/internal/wire"
)

// serveMessage serves one message, alone or of a batch. It reports whether
// this is still the reading goroutine.
func (r *reading) serveMessage(m *wire.Message, b *batch) (still bool) {
	c := r.connection
	switch {
	case m.ID.Kind == wire.Absent && m.Method.Kind != wire.Absent:
		return r.serveNotification(m)
	case m.Method.Kind == wire.Absent && (m.Result.Kind != wire.Absent || m.Error.Kind != wire.Absent):
		return r.serveResponse(m)
	}
	if failure := checkRequest(m); failure != nil {
		c.refuseInBatch(b, readableID(m), failure)
		return true
	}
	if c.requests.find(m.ID.Raw) != nil {
		c.refuseInBatch(b, m.ID.Raw, core.InvalidRequest("a request with this id is still open"))
		return true
	}
	failure := checkParams(m)
	served := c.session.Load()
	if failure == nil {
		served, failure = c.sessionOf(m)
	}
	if failure == nil && b != nil && !served.revision.Legacy() {
		failure = core.InvalidRequest("protocol version " + served.revision.String() + " has no batches")
	}
	q := r.newRequest(m, b, served)
	if failure == nil {
		failure = q.readProgressToken(m)
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	if served.revision.Legacy() && !c.heard.Load() {
		c.heard.Store(true)
	}
	return r.route(q, m)
}

// slabLength is how many requests are made at once.
const slabLength = 16

// newRequest takes memory for requests a slab at a time: each is used once, so
// that whoever still holds an old one cannot touch a later one.
func (r *reading) newRequest(m *wire.Message, b *batch, served *session) *request {
	if len(r.slab) == 0 {
		r.slab = make([]request, slabLength)
		r.slabBlock = &block{size: slabLength * int(reflect.TypeFor[request]().Size())}
	}
	q := &r.slab[0]
	r.slab = r.slab[1:]
	q.slab = r.slabBlock
	c := r.connection
	q.connection, q.session, q.batch, q.block = c, served, b, r.block
	q.id, q.method = m.ID.Raw, m.Method.Text()
	q.context.parent = c.context
	if m.Params.Kind == wire.Object {
		q.params = m.Params.Raw
	}
	if c.trace.On(trace.Info) {
		q.began = time.Now()
	}
	if b != nil {
		b.expect()
	}
	return q
}

// route finds who serves the method.
func (r *reading) route(q *request, m *wire.Message) (still bool) {
	c := r.connection
	row := c.methods[q.method]
	exists := row == nil || row.exists(q.session.revision)
	switch {
	case row != nil && exists && (row.needs == nil || row.needs(c)):
		q.row = row
		c.meet(q)
		return row.serve(r, q, m)
	case !exists || c.aspect.OnMethod == nil:
		q.finish(nil, core.MethodNotFound(shorten(q.method)))
		return true
	}
	c.meet(q)
	q.call = core.NewCall(q, "", "", nil)
	q.serve = serveOtherMethod
	return r.start(q)
}

// meet lets the aspect see the first request of a client that has made no
// handshake. An initialize is one, unless it is refused as malformed.
func (c *connection) meet(q *request) {
	if c.aspect.OnFirstRequest == nil || q.method == "ping" || q.method == "initialize" || !c.met.CompareAndSwap(false, true) {
		return
	}
	call := core.NewCall(q, "", "", nil)
	c.aside("OnFirstRequest", func() { c.aspect.OnFirstRequest(c.context, &call) })
}

// serveOtherMethod asks the aspect's OnMethod, which declines with nil.
func serveOtherMethod(q *request) (core.Result, error) {
	result, err := q.connection.aspect.OnMethod(&q.context, &q.call)
	if result == nil && err == nil {
		err = core.MethodNotFound(shorten(q.method))
	}
	return result, err
}

// checkRequest tells why a message with an id is no request.
func checkRequest(m *wire.Message) *core.Error {
	switch {
	case m.DuplicateIn == wire.InMessage:
		return core.InvalidRequest("the member " + shorten(m.DuplicateName) + " occurs twice")
	case m.ID.Kind == wire.Absent:
		return core.InvalidRequest("neither request, notification nor response")
	case m.ID.Kind != wire.String && !m.ID.IsInteger():
		return core.InvalidRequest("the id is neither a string nor an integer")
	case m.JSONRPC.Text() != "2.0":
		return core.InvalidRequest(`jsonrpc is not "2.0"`)
	case m.Method.Kind == wire.Absent:
		return core.InvalidRequest("the method is missing")
	case m.Method.Text() == "":
		return core.InvalidRequest("the method is not a name")
	}
	switch m.Params.Kind {
	case wire.String, wire.Number, wire.True, wire.False:
		return core.InvalidRequest("params is not an object")
	}
	return nil
}

// checkParams tells what is wrong with the params of any request.
func checkParams(m *wire.Message) *core.Error {
	if m.Params.Kind == wire.Array {
		return core.InvalidParams("params is not an object")
	}
	where := ""
	switch m.DuplicateIn {
	case wire.InParams:
		where = "params"
	case wire.InMeta:
		where = "_meta"
	case wire.InArguments:
		where = "arguments"
	default:
		return nil
	}
	return core.InvalidParams("the member " + shorten(m.DuplicateName) + " occurs twice in " + where)
}

func (q *request) readProgressToken(m *wire.Message) *core.Error {
	for i := range m.Meta {
		if m.Meta[i].Name != protocol.MetaProgressToken {
			continue
		}
		switch token := m.Meta[i].Value; {
		case token.Kind == wire.String || token.IsInteger():
			q.progressID = token.Raw
		case token.Kind != wire.Null:
			return core.InvalidParams("progressToken is neither a string nor an integer")
		}
	}
	return nil
}

// readableID gives the id to answer a faulty message with, or "".
func readableID(m *wire.Message) string {
	ambiguous := m.DuplicateIn == wire.InMessage && m.DuplicateName == "id"
	if !ambiguous && (m.ID.Kind == wire.String || m.ID.IsInteger()) {
		return m.ID.Raw
	}
	return ""
}

// refuse answers a message that is no request. The id is left out when it
// could not be read.
func (c *connection) refuse(id string, failure *core.Error) {
	c.trace.Errorf("a message was refused: %s", failure.Message)
	buffer := c.buffer()
	defer c.recycle(buffer)
	*buffer = appendRefusal((*buffer)[:0], id, failure)
	if err := c.send(buffer); err != nil {
		c.trace.Debugf("the refusal was not sent: %v", err)
	}
}

func (c *connection) refuseInBatch(b *batch, id string, failure *core.Error) {
	if b == nil {
		c.refuse(id, failure)
		return
	}
	b.expect()
	b.add(id, appendRefusal(nil, id, failure))
}

func appendRefusal(dst []byte, id string, failure *core.Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if id != "" {
		dst = append(append(dst, `,"id":`...), id...)
	}
	return append(appendError(dst, protocol.NewestLegacy, failure), '}')
}

// refuseLimited refuses a message that is over a limit. As much of it was read
// as there is; if that shows a request's id, the answer carries it, and if it
// shows a notification or a response, there is no answer.
func (c *connection) refuseLimited(start string, failure *core.Error) {
	var m wire.Message
	err := wire.NewScanner(c.options.maxDepth()).Scan(start, &m)
	isMethod := m.Method.Kind != wire.Absent
	hasOutcome := m.Result.Kind != wire.Absent || m.Error.Kind != wire.Absent ||
		m.Unfinished == "result" || m.Unfinished == "error"
	switch {
	case !isMethod && hasOutcome:
		c.trace.Errorf("a response was dropped: %s (%v)", failure.Message, err)
		c.failQuestion(m.ID, errors.New("the client's answer is over a limit of the server"))
	case strings.HasPrefix(m.Method.Text(), "notifications/"):
		c.trace.Errorf("a notification was dropped: %s (%v)", failure.Message, err)
	case isMethod && m.ID.Kind != wire.Absent && m.DuplicateIn != wire.InMessage:
		c.refuse(readableID(&m), failure)
	default:
		c.refuse("", failure)
	}
}

// shorten makes a name of the client's fit to be quoted in a message.
func shorten(name string) string {
	most := 80
	if len(name) <= most {
		return name
	}
	for most > 0 && !utf8.RuneStart(name[most]) {
		most--
	}
	return name[:most] + "…"
}
