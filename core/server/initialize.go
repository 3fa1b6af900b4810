package server

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// initialize settles the session at once, so that whatever comes next is
// served under it, and then lets the aspect see the request.
func (r *reading) initialize(q *request, m *wire.Message) bool {
	c := r.connection
	asked, failure := readInitialize(m)
	if q.batch != nil {
		failure = core.InvalidRequest("initialize cannot be part of a batch")
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	q.fixed = true
	c.met.Store(true)
	restore := c.open(asked)
	c.trace.Infof("initialize from%s: asked for %s, gets %s", describeClient(asked.clientInfo), shorten(asked.requested), asked.revision)
	q.session = asked
	if c.aspect.OnInitialize == nil {
		q.finish(c.initializeResult(asked.revision), nil)
		return true
	}
	c.handshake.begin(c, q, restore)
	return r.start(q)
}

// handshake keeps notifications/initialized behind an initialize whose hook has
// not returned.
type handshake struct {
	mu      sync.Mutex // guards what follows
	pending *request   // that initialize
	ready   bool       // the notification has come meanwhile
}

// begin lets the aspect see an initialize request. When it is refused, or never
// runs, the session before holds again.
func (h *handshake) begin(c *connection, q *request, restore func()) {
	h.mu.Lock()
	h.pending, h.ready = q, false
	h.mu.Unlock()
	var welcome atomic.Bool
	q.serve = func(q *request) (core.Result, error) {
		result, err := q.runOnInitialize(restore)
		welcome.Store(err == nil)
		return result, err
	}
	q.ended = func() {
		if !welcome.Load() {
			restore()
		}
		if h.end(q) && welcome.Load() {
			c.clientIsReady()
			c.out.FlushSoon()
		}
	}
}

// end reports whether notifications/initialized has come meanwhile.
func (h *handshake) end(q *request) (ready bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pending != q {
		return false
	}
	ready, h.pending, h.ready = h.ready, nil, false
	return ready
}

// noteReady reports whether notifications/initialized must wait.
func (h *handshake) noteReady() (wait bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ready = h.pending != nil
	return h.ready
}

// readInitialize reads what the client says of itself.
func readInitialize(m *wire.Message) (*session, *core.Error) {
	version := m.Param("protocolVersion")
	capabilities, clientInfo := m.Param("capabilities"), m.Param("clientInfo")
	switch {
	case version.Kind == wire.Absent:
		return nil, core.InvalidParams("Missing parameter: protocolVersion")
	case version.Kind != wire.String:
		return nil, core.InvalidParams("protocolVersion is not a string")
	case !isObjectOrAbsent(capabilities):
		return nil, core.InvalidParams("capabilities is not an object")
	case !isObjectOrAbsent(clientInfo):
		return nil, core.InvalidParams("clientInfo is not an object")
	}
	return &session{
		revision:     protocol.Negotiate(version.Text()),
		opened:       true,
		requested:    version.Text(),
		capabilities: capabilities.Raw,
		clientInfo:   clientInfo.Raw,
	}, nil
}

func isObjectOrAbsent(v wire.Value) bool {
	return v.Kind == wire.Object || v.Kind == wire.Absent
}

// open begins a session. The function that it gives brings back the one
// before, as it was, unless yet another has begun.
func (c *connection) open(asked *session) (restore func()) {
	before := c.session.Swap(asked)
	level := c.log.level.Swap(uint32(protocol.Info))
	ready := c.questions.hold()
	c.tables.holdChanges()
	return func() {
		if !c.session.CompareAndSwap(asked, before) {
			return
		}
		c.log.level.Store(level)
		if ready {
			c.questions.release(c)
			c.tables.releaseChanges()
		}
	}
}

// runOnInitialize lets the aspect refuse the client.
func (q *request) runOnInitialize(restore func()) (core.Result, error) {
	c := q.connection
	welcome := false
	defer func() {
		if !welcome {
			restore()
		}
	}()
	err := c.aspect.OnInitialize(&q.context, &core.Initialize{
		Requested:  q.session.requested,
		Negotiated: q.session.revision.String(),
		Params:     gjson.Parse(q.params),
	})
	if err != nil {
		return nil, err
	}
	welcome = true
	return c.initializeResult(q.session.revision), nil
}

// initialized serves notifications/initialized.
func (c *connection) initialized() {
	if !c.session.Load().opened {
		c.trace.Errorf("notifications/initialized came before initialize and was dropped")
		return
	}
	if !c.handshake.noteReady() {
		c.clientIsReady()
	}
}

// clientIsReady lets questions to the client go out from now on. Once is
// enough for a session.
func (c *connection) clientIsReady() {
	if !c.questions.release(c) {
		return
	}
	c.tables.releaseChanges()
	if c.aspect.OnInitialized == nil {
		return
	}
	err := c.submit(&action{
		what: "OnInitialized",
		run:  func() { c.aspect.OnInitialized(c.context) },
	})
	if err != nil {
		c.trace.Errorf("OnInitialized did not run: %v", err)
	}
}

// members are the members of a result object that the core itself encoded.
type members []byte

// AppendMembers implements core.Result.
func (m members) AppendMembers(dst []byte, _ protocol.Revision) ([]byte, error) {
	return append(dst, m...), nil
}

func (c *connection) initializeResult(revision protocol.Revision) core.Result {
	dst := append([]byte(`"protocolVersion":"`), revision.String()...)
	dst = append(dst, `","capabilities":`...)
	dst = c.appendCapabilities(dst, revision)
	dst = append(dst, `,"serverInfo":`...)
	dst = c.appendServerInfo(dst, revision)
	if c.aspect.Instructions != "" {
		dst = wire.AppendString(append(dst, `,"instructions":`...), c.aspect.Instructions)
	}
	return members(dst)
}

// appendCapabilities declares what is there, neither more nor less.
func (c *connection) appendCapabilities(dst []byte, revision protocol.Revision) []byte {
	a := c.aspect
	dst = appendFlags(append(dst, `{"tools":`...), flagged{"listChanged", a.DynamicTools})
	if c.hasPrompts() {
		dst = appendFlags(append(dst, `,"prompts":`...), flagged{"listChanged", a.DynamicPrompts})
	}
	if c.hasResources() {
		dst = appendFlags(append(dst, `,"resources":`...),
			flagged{"listChanged", a.DynamicResources}, flagged{"subscribe", c.hasSubscriptions()})
	}
	if c.hasCompletions() && revision >= protocol.V20250326 {
		dst = append(dst, `,"completions":{}`...)
	}
	if c.aspect.Logging {
		dst = append(dst, `,"logging":{}`...)
	}
	if len(c.aspect.Experimental) > 0 {
		dst = append(dst, `,"experimental":`...)
		dst = appendObject(dst, c.aspect.Experimental)
	}
	if len(c.aspect.Extensions) > 0 && !revision.Legacy() {
		dst = append(dst, `,"extensions":`...)
		dst = appendObject(dst, c.aspect.Extensions)
	}
	return append(dst, '}')
}

// flagged is a member of a capability that is there when it is on.
type flagged struct {
	name string
	on   bool
}

func appendFlags(dst []byte, flags ...flagged) []byte {
	dst = append(dst, '{')
	separator := `"`
	for _, f := range flags {
		if f.on {
			dst = append(append(append(dst, separator...), f.name...), `":true`...)
			separator = `,"`
		}
	}
	return append(dst, '}')
}

// appendObject appends an object whose values were checked at start.
func appendObject(dst []byte, object map[string]json.RawMessage) []byte {
	separator := byte('{')
	for _, name := range slices.Sorted(maps.Keys(object)) {
		dst = append(wire.AppendString(append(dst, separator), name), ':')
		if extended, err := wire.AppendCompact(dst, string(object[name])); err == nil {
			dst = extended
		}
		separator = ','
	}
	return append(dst, '}')
}

// appendIdentity appends the least that an Implementation object has.
func (c *connection) appendIdentity(dst []byte) []byte {
	dst = wire.AppendString(append(dst, `{"name":`...), c.aspect.Name)
	return append(wire.AppendString(append(dst, `,"version":`...), c.aspect.Version), '}')
}

func (c *connection) appendServerInfo(dst []byte, revision protocol.Revision) []byte {
	a := c.aspect
	dst = c.appendIdentity(dst)
	dst = dst[:len(dst)-1]
	if a.Title != "" && revision >= protocol.V20250618 {
		dst = wire.AppendString(append(dst, `,"title":`...), a.Title)
	}
	if revision >= protocol.V20251125 {
		if a.Description != "" {
			dst = wire.AppendString(append(dst, `,"description":`...), a.Description)
		}
		if a.WebsiteURL != "" {
			dst = wire.AppendString(append(dst, `,"websiteUrl":`...), a.WebsiteURL)
		}
		dst = core.AppendIcons(dst, a.Icons)
	}
	return append(dst, '}')
}

// ping is answered whatever else goes on.
func (r *reading) ping(q *request, _ *wire.Message) bool {
	q.finish(members(nil), nil)
	return true
}

// prepare runs the aspect's slow set-up beside the loop.
func (c *connection) prepare(ctx context.Context) {
	defer func() {
		for _, w := range c.slots.release() {
			go c.drain(w)
		}
	}()
	c.prepareError = errPrepareGone
	var err error
	if failed := c.protect("Prepare", func() { err = c.aspect.Prepare(ctx) }); failed != nil {
		c.trace.Errorf("%v", failed)
		return
	}
	if err != nil {
		c.trace.Errorf("Prepare: %v", err)
	}
	c.prepareError = err
}
