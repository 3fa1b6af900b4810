//go:build mcp20260728

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// maxWatched is the most resources that all streams together can be told of.
const maxWatched = 10 * maxSubscriptions

// streams are the subscriptions/listen requests that are open.
type streams struct {
	mu      sync.Mutex // guards what follows
	byList  [listKinds]map[*stream]struct{}
	byURI   map[string]map[*stream]struct{}
	open    map[*request]*stream
	watched int  // URIs of all streams, each as often as it is watched
	size    int  // of their URIs, in bytes
	ended   bool // no further stream can be opened
}

// stream is one of them, with what it asked for and is given.
type stream struct {
	request *request
	lists   [listKinds]bool
	uris    []string
	// acknowledged is guarded by the mutex of streams.
	acknowledged bool
}

func (s *streams) init() {
	for kind := range s.byList {
		s.byList[kind] = make(map[*stream]struct{})
	}
	s.byURI = make(map[string]map[*stream]struct{})
	s.open = make(map[*request]*stream)
}

// listen serves subscriptions/listen: the acknowledgement at once, the answer
// when the server ends the stream.
func (r *reading) listen(q *request, m *wire.Message) bool {
	c := r.connection
	if q.batch != nil {
		q.finish(nil, core.InvalidRequest("subscriptions/listen cannot be part of a batch"))
		return true
	}
	filter := m.Param("notifications")
	if filter.Kind == wire.Absent {
		q.finish(nil, core.InvalidParams("Missing parameter: notifications"))
		return true
	}
	if filter.Kind != wire.Object {
		q.finish(nil, core.InvalidParams("notifications is not an object"))
		return true
	}
	s, failure := c.readFilter(q, gjson.Parse(filter.Raw))
	if failure == nil && (c.requests.full() || c.modern.streams.full(s)) {
		failure = core.InternalError(errBusy.Error())
	}
	if failure != nil {
		q.finish(nil, failure)
		return true
	}
	if !q.context.lift() {
		return true
	}
	q.ended = func() { c.modern.streams.remove(s) }
	if err := c.modern.streams.add(s); err != nil {
		q.finish(nil, err)
		return true
	}
	q.enter()
	return true
}

// lift takes off the time limit of calls, which is not meant for a stream. It
// fails when the time is over.
func (c *callContext) lift() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer == nil {
		return true
	}
	c.hasExpiry = false
	return c.timer.Stop()
}

// readFilter reads what a stream asks for, as far as the server has it.
func (c *connection) readFilter(q *request, filter gjson.Result) (*stream, *core.Error) {
	s := &stream{request: q}
	var failure *core.Error
	flag := func(name string) bool {
		value := filter.Get(name)
		if value.Exists() && !value.IsBool() {
			failure = core.InvalidParams("notifications." + name + " is not true or false")
		}
		return value.Bool()
	}
	dynamic := [listKinds]bool{c.aspect.DynamicTools, c.aspect.DynamicPrompts, c.aspect.DynamicResources}
	for kind, name := range listFilters() {
		s.lists[kind] = flag(name) && dynamic[kind]
	}
	uris, wrong := readURIs(filter.Get("resourceSubscriptions"))
	if wrong != nil {
		failure = wrong
	}
	if c.hasSubscriptions() {
		s.uris = uris
	}
	return s, failure
}

// listFilters are the members of a filter that ask for changes of lists.
func listFilters() [listKinds]string {
	return [listKinds]string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"}
}

// readURIs reads resourceSubscriptions, each URI once.
func readURIs(array gjson.Result) (uris []string, failure *core.Error) {
	const name = "notifications.resourceSubscriptions"
	if !array.Exists() {
		return nil, nil
	}
	if !array.IsArray() {
		return nil, core.InvalidParams(name + " is not an array")
	}
	seen := make(map[string]struct{})
	members, size := 0, 0
	array.ForEach(func(_, uri gjson.Result) bool {
		members++
		switch _, twice := seen[uri.Str]; {
		case uri.Type != gjson.String:
			failure = core.InvalidParams(name + " has a member that is not a string")
		case members > maxSubscriptions:
			failure = core.InvalidParams(fmt.Sprintf("%s has more than %d members", name, maxSubscriptions))
		case size+len(uri.Str) > maxSubscribed:
			failure = core.InvalidParams(fmt.Sprintf("%s has more than %d bytes", name, maxSubscribed))
		case !twice:
			seen[uri.Str] = struct{}{}
			// A copy, since the URI is a part of the whole message.
			uris = append(uris, strings.Clone(uri.Str))
			size += len(uri.Str)
		}
		return failure == nil
	})
	return uris, failure
}

// send queues a notification of the stream, unless it has ended. It reports
// whether it had to drop it, since the client has left too much unread.
func (s *stream) send(method, more string) (dropped bool) {
	c := s.request.connection
	message := s.message(method, more)
	err := errUnread
	if !c.out.Full() {
		err = s.request.sendOpen(&message)
	}
	if err != nil && !errors.Is(err, errAnswered) {
		c.trace.Errorf("%s was dropped: %v", method, err)
	}
	return errors.Is(err, errUnread)
}

// message is a notification of the stream. More is further members of the
// params, each with a comma before it.
func (s *stream) message(method, more string) []byte {
	message := append([]byte(`{"jsonrpc":"2.0","method":"`), method...)
	message = append(append(message, `","params":{"_meta":`...), s.meta()...)
	return append(append(message, more...), `}}`...)
}

// meta gives the object that says to which stream a message belongs.
func (s *stream) meta() string {
	return `{"` + protocol.MetaSubscriptionID + `":` + s.request.id + `}`
}

// size is that of its URIs, in bytes.
func (s *stream) size() (bytes int) {
	for _, uri := range s.uris {
		bytes += len(uri)
	}
	return bytes
}

func (s *stream) appendFilter(dst []byte) []byte {
	dst = append(dst, '{')
	separator := `"`
	for kind, name := range listFilters() {
		if s.lists[kind] {
			dst = append(append(append(dst, separator...), name...), `":true`...)
			separator = `,"`
		}
	}
	if len(s.uris) > 0 {
		separator += `resourceSubscriptions":[`
		for _, uri := range s.uris {
			dst = wire.AppendString(append(dst, separator...), uri)
			separator = ","
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// full reports whether another stream would be too much to keep.
func (s *streams) full(another *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watched+len(another.uris) > maxWatched || s.size+another.size() > 8*maxSubscribed
}

// add opens a stream. Its acknowledgement is queued when the aspect has been told
// of its subscriptions, before any other message of it. It fails when all
// streams have ended, or the aspect cannot be told.
func (s *streams) add(added *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errShuttingDown
	}
	known, err := added.request.connection.watchers.watch(added.uris, func() { s.acknowledge(added) })
	if err != nil {
		return err
	}
	s.open[added.request] = added
	for kind, wanted := range added.lists {
		if wanted {
			s.byList[kind][added] = struct{}{}
		}
	}
	s.watched += len(added.uris)
	s.size += added.size()
	for _, uri := range added.uris {
		if s.byURI[uri] == nil {
			s.byURI[uri] = make(map[*stream]struct{})
		}
		s.byURI[uri][added] = struct{}{}
	}
	if known {
		s.acknowledgeLocked(added)
	}
	return nil
}

func (s *streams) acknowledge(added *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acknowledgeLocked(added)
}

// acknowledgeLocked queues the acknowledgement however much is unread, since
// streams are bounded.
func (s *streams) acknowledgeLocked(added *stream) {
	added.acknowledged = true
	message := added.message("notifications/subscriptions/acknowledged", string(added.appendFilter([]byte(`,"notifications":`))))
	if err := added.request.sendOpen(&message); err != nil {
		added.request.connection.trace.Debugf("an acknowledgement was not sent: %v", err)
	}
}

func (s *streams) remove(ended *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[ended.request] == nil {
		return
	}
	delete(s.open, ended.request)
	for kind := range s.byList {
		delete(s.byList[kind], ended)
	}
	s.watched -= len(ended.uris)
	s.size -= ended.size()
	for _, uri := range ended.uris {
		delete(s.byURI[uri], ended)
		if len(s.byURI[uri]) == 0 {
			delete(s.byURI, uri)
		}
	}
	if !s.ended {
		ended.request.connection.watchers.unwatch(ended.uris)
	}
}

// tell queues a notification for each of the streams that selected gives. It
// reports whether any was dropped.
func (l *modernLane) tell(method, more string, selected func() map[*stream]struct{}) (dropped bool) {
	l.streams.mu.Lock()
	for s := range selected() {
		// What changes before the acknowledgement, a client reads after it.
		if s.acknowledged {
			dropped = s.send(method, more) || dropped
		}
	}
	l.streams.mu.Unlock()
	l.connection.out.FlushSoon()
	return dropped
}

func (l *modernLane) listChanged(kind listKind) (dropped bool) {
	return l.tell(kind.notification(), "", func() map[*stream]struct{} { return l.streams.byList[kind] })
}

// resourceUpdated tells the streams that watch a resource of a part of it, or of
// all of it if that has the same URI.
func (l *modernLane) resourceUpdated(uri, part string) {
	params := string(wire.AppendString([]byte(`,"uri":`), part))
	l.tell("notifications/resources/updated", params, func() map[*stream]struct{} { return l.streams.byURI[uri] })
}

// refuse lets no stream be opened any more.
func (l *modernLane) refuse() {
	l.streams.mu.Lock()
	defer l.streams.mu.Unlock()
	l.streams.ended = true
}

// end ends all streams gracefully, and lets none be opened any more. It does
// not wait for the client to read: the goroutine ends when all is written, or
// with the output.
func (l *modernLane) end() {
	l.streams.mu.Lock()
	l.streams.ended = true
	var open []*stream
	for _, s := range l.streams.open {
		open = append(open, s)
	}
	l.streams.mu.Unlock()
	if len(open) == 0 {
		return
	}
	for _, s := range open {
		s.request.finish(closing(s.meta()), nil)
	}
	l.connection.out.FlushSoon()
}

// closing is the result that ends a stream.
type closing json.RawMessage

// AppendMembers implements core.Result.
func (closing) AppendMembers(dst []byte, _ protocol.Revision) ([]byte, error) { return dst, nil }

// ResultMeta names the stream that has ended.
func (c closing) ResultMeta() json.RawMessage { return json.RawMessage(c) }
