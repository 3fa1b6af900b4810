package server

import (
	"sort"
	"time"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
	"mcpserver/core/internal/wire"
)

// cursorLifetime is how long a client may take to ask for the next page.
const cursorLifetime = 24 * time.Hour

// The parts of a table, as cursors name them. They stay what they are, since a
// cursor may come back to a later process.
const (
	ownPart     = 'o'
	addedPart   = 'a'
	builtInPart = 'b'
)

var errBadCursor = core.InvalidParams("The cursor is not one that this list gave, or is too old")

// page is one page of a list: the members of the result, and the key of the
// last entry when there are more.
type page struct {
	members
	part byte
	last string
	more bool
}

// pageWithCursor is a page that another one follows.
type pageWithCursor struct {
	*page
	cursor string
}

// AppendMembers implements core.Result.
func (p pageWithCursor) AppendMembers(dst []byte, _ protocol.Revision) ([]byte, error) {
	dst = append(append(dst, p.members...), `,"nextCursor":"`...)
	return append(append(dst, p.cursor...), '"'), nil
}

// serveList answers with the page of a table that the request asks for, after
// the aspect's OnList.
func serveList[E listed](r *reading, q *request, m *wire.Message, t *table[E]) bool {
	cursor := m.Param("cursor")
	answer := func(q *request) (core.Result, error) { return listPage(q, cursor, t) }
	if r.connection.aspect.OnList == nil {
		result, err := answer(q)
		q.finish(result, err)
		return true
	}
	q.call = core.NewCall(q, "", "", nil)
	q.serve = answer
	r.startList(q)
	return true
}

// startList lets a list wait for the aspect's OnList beside all else: what the
// hook waits for may be long in coming, and takes no slot away from calls.
func (r *reading) startList(q *request) {
	c := r.connection
	err := error(errBusy)
	if !c.requests.full() {
		err = c.slots.step()
	}
	if err != nil {
		q.finish(nil, core.InternalError(err.Error()))
		return
	}
	q.limitTime(c.options.CallTimeout)
	q.enter()
	// Cancelled, it still takes its memory until the hook has returned.
	q.queued = true
	c.requests.hold(q)
	go func() {
		defer c.slots.stepBack()
		defer c.out.FlushSoon()
		q.performList()
	}()
}

// performList runs OnList, and then answers. Many lists may have waited for one
// and the same thing, so they take turns; whoever does not read gets no more to
// read.
func (q *request) performList() {
	c := q.connection
	defer q.leaveQueue()
	returned := false
	defer q.survive(&returned)
	c.aspect.OnList(&q.context, &q.call)
	select {
	case c.listing <- struct{}{}:
		defer func() { <-c.listing }()
		c.out.WaitRoom(q.context.Done())
		if !q.done() {
			q.finish(q.run())
		}
	case <-q.context.Done():
	}
	returned = true
}

// listPage gives the page that begins at a cursor.
func listPage[E listed](q *request, cursor wire.Value, t *table[E]) (core.Result, error) {
	s := t.state()
	start, failure := startOf(q, cursor, s)
	if failure != nil {
		return nil, failure
	}
	p, err := t.page(s, start, q.session.revision)
	if err != nil {
		return nil, err
	}
	if !p.more {
		return p, nil
	}
	next := q.connection.sealer().Seal(append([]byte{p.part}, p.last...), cursorLifetime, "cursor", q.method)
	return pageWithCursor{p, next}, nil
}

// page gives the page that begins with that entry.
func (t *table[E]) page(s *snapshot[E], start int, revision protocol.Revision) (*page, error) {
	end := min(start+t.pageSize, len(s.order))
	// Cursors of earlier states may point between pages; such are not kept.
	kept := start%t.pageSize == 0
	if kept {
		if known := s.pages[start/t.pageSize][revision].Load(); known != nil {
			return known, nil
		}
	}
	p := &page{members: append(append([]byte{'"'}, t.member...), `":[`...)}
	for i, entry := range s.order[start:end] {
		if i > 0 {
			p.members = append(p.members, ',')
		}
		extended, err := define(t.changes.connection, p.members, entry, revision)
		if err != nil {
			return nil, core.InternalError(t.what + " " + shorten(entry.key()) + ": " + err.Error())
		}
		p.members = extended
	}
	p.members = append(p.members, ']')
	if p.more = end < len(s.order); p.more {
		p.part, p.last = s.partOf(end-1), s.order[end-1].key()
	}
	if kept {
		s.pages[start/t.pageSize][revision].Store(p)
	}
	return p, nil
}

// partOf tells to which part of the table an entry belongs.
func (s *snapshot[E]) partOf(i int) byte {
	switch {
	case i < s.static:
		return ownPart
	case i < s.static+s.added:
		return addedPart
	}
	return builtInPart
}

// startOf gives the place in the list where the page of a cursor begins.
func startOf[E listed](q *request, cursor wire.Value, s *snapshot[E]) (int, *core.Error) {
	switch cursor.Kind {
	case wire.Absent, wire.Null:
		return 0, nil
	case wire.String:
	default:
		return 0, core.InvalidParams("cursor is not a string")
	}
	payload, err := q.connection.sealer().Open(cursor.Text(), "cursor", q.method)
	if err != nil || len(payload) == 0 {
		return 0, errBadCursor
	}
	start, known := s.after(payload[0], string(payload[1:]))
	if !known {
		return 0, errBadCursor
	}
	return start, nil
}

// after gives the place behind the entry of that key. The place of one that was
// added is known even when it has gone meanwhile.
func (s *snapshot[E]) after(part byte, key string) (place int, known bool) {
	from, to := 0, s.static
	switch part {
	case ownPart:
	case addedPart:
		added := s.order[s.static : s.static+s.added]
		return s.static + sort.Search(s.added, func(i int) bool { return added[i].key() > key }), true
	case builtInPart:
		from, to = s.static+s.added, len(s.order)
	default:
		return 0, false
	}
	for i := from; i < to; i++ {
		if s.order[i].key() == key {
			return i + 1, true
		}
	}
	return 0, false
}
