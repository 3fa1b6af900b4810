package bridge

import (
	"crypto/rand"
	"net/http"
	"strconv"
)

const sessionHeader = "Mcp-Session-Id"

// session is a legacy session: a process, and the stream for what belongs to no
// request.
type session struct {
	*process
	standalone *mailbox
}

// postLegacy serves the POST of a message of the legacy era.
func (b *Bridge) postLegacy(w http.ResponseWriter, r *http.Request, m message) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		if m.method == "initialize" && m.isRequest() {
			b.openSession(w, r, m)
			return
		}
		refuse(w, http.StatusBadRequest, m, codeInvalidRequest, "it is of no session, and of no revision that has none")
		return
	}
	s := b.session(id)
	if s == nil {
		refuse(w, http.StatusNotFound, m, codeInvalidRequest, "there is no such session")
		return
	}
	if !m.isRequest() {
		s.write(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	c := newCall(m)
	if err := s.send(c, m, false); err != nil {
		refuse(w, http.StatusBadRequest, m, codeInvalidRequest, err.Error())
		return
	}
	exchange(w, r, s.process, s, c)
}

// openSession starts a process for a session. The session ends at once if the
// server refuses it.
func (b *Bridge) openSession(w http.ResponseWriter, r *http.Request, initialize message) {
	id := rand.Text()
	s, err := b.newSession(id)
	if err != nil {
		noAnswer(w, http.StatusBadGateway, err)
		return
	}
	c := newCall(initialize)
	if err := s.send(c, initialize, false); err != nil {
		noAnswer(w, http.StatusBadGateway, err) // not for an id: it is the first
		return
	}
	w.Header().Set(sessionHeader, id)
	if !exchange(w, r, s.process, s, c) {
		b.removeSession(id)
	}
}

func (b *Bridge) newSession(id string) (*session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosed
	}
	p, err := b.start("session-" + strconv.Itoa(len(b.processes)))
	if err != nil {
		return nil, err
	}
	s := &session{p, newMailbox()}
	p.deliver = s.deliver
	b.sessions[id] = s
	b.add(p)
	return s, nil
}

func (b *Bridge) session(id string) *session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions[id]
}

// removeSession has a session's process end and reports whether there was such a
// session. It does not wait for that.
func (b *Bridge) removeSession(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sessions[id]
	if s == nil || b.closed {
		return false
	}
	delete(b.sessions, id)
	b.ending.Go(s.end)
	return true
}

// endSession serves DELETE.
func (b *Bridge) endSession(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		notAllowed(w, "POST")
		return
	}
	if !b.removeSession(id) {
		refuse(w, http.StatusNotFound, message{}, codeInvalidRequest, "there is no such session")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// openStandaloneStream serves GET, which only legacy sessions have.
func (b *Bridge) openStandaloneStream(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" || !mayBeLegacy(r.Header.Get(versionHeader)) {
		notAllowed(w, "POST")
		return
	}
	s := b.session(id)
	if s == nil {
		refuse(w, http.StatusNotFound, message{}, codeInvalidRequest, "there is no such session")
		return
	}
	out := &response{writer: w, era: s}
	out.open()
	for {
		for _, d := range s.standalone.take() {
			out.add(d.message)
		}
		select {
		case <-s.standalone.arrived:
		case <-s.ended:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// left: in this era a client that is gone has not cancelled.
func (s *session) left(c *call) { s.calls.abandon(c) }

func (s *session) status(message) int { return http.StatusOK }

// deliver finds the stream for a message. What the server asks of the client
// comes from the handler of a request, most likely the newest.
func (s *session) deliver(m message) {
	var c *call
	switch {
	case m.isRequest(), m.method == "notifications/message", m.method == "notifications/cancelled":
		c = s.calls.newest(anyCall)
	case m.method == "notifications/progress":
		c = s.calls.newest(hasToken(sameValue(m.get("params.progressToken").Raw)))
		if c == nil {
			s.findings.note("%s: progress of no open request: %s", s.name, m)
		}
	}
	box := s.standalone
	if c != nil {
		box = c.box
	}
	box.put(delivery{message: m})
}
