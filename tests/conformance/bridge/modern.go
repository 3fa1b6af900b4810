package bridge

import (
	"net/http"
	"strconv"
)

// Error codes that have an HTTP status of their own in the modern era.
const (
	codeParseError         = -32700
	codeInvalidRequest     = -32600
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

// modernServer is the process that serves all requests of the modern era.
type modernServer struct{ *process }

// modernServer gives the process of the modern era. If the one before has ended,
// which is a fault, it starts another, so that the rest can still be judged.
func (b *Bridge) modernServer() (*modernServer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosed
	}
	if b.modern != nil && !b.modern.hasEnded() {
		return b.modern, nil
	}
	p, err := b.start("modern-" + strconv.Itoa(len(b.processes)))
	if err != nil {
		return nil, err
	}
	b.modern = &modernServer{p}
	p.deliver = b.modern.deliver
	p.answered = b.parameters.learn
	b.add(p)
	return b.modern, nil
}

// postModern serves the POST of a request or notification of the modern era.
func (b *Bridge) postModern(w http.ResponseWriter, r *http.Request, m message) {
	if m.method == "" {
		refuse(w, http.StatusBadRequest, m, codeInvalidRequest, "clients send no responses in this revision")
		return
	}
	if m.isRequest() {
		err := checkHeaders(r.Header, m)
		if err == nil && m.method == "tools/call" {
			err = b.parameters.check(r.Header, m)
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, m, codeHeaderMismatch, "Header mismatch: "+err.Error())
			return
		}
	}
	s, err := b.modernServer()
	if err != nil {
		noAnswer(w, http.StatusBadGateway, err)
		return
	}
	if m.isNotification() {
		s.write(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	c := newCall(m)
	if err := s.send(c, m, true); err != nil {
		refuse(w, http.StatusBadRequest, m, codeInvalidRequest, err.Error())
		return
	}
	exchange(w, r, s.process, s, c)
}

// left: closing its stream is how an HTTP client cancels.
func (s *modernServer) left(c *call) { s.cancel(c, "the client has closed the stream") }

func (s *modernServer) status(answer message) int {
	switch answer.get(pathErrorCode).Int() {
	case codeMethodNotFound:
		return http.StatusNotFound
	case codeParseError, codeInvalidRequest, codeInvalidParams,
		codeHeaderMismatch, codeMissingCapability, codeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// deliver finds the stream that a message belongs to. Where it belongs to none,
// it goes to those that may tell the suite of it.
func (s *modernServer) deliver(m message) {
	if m.isRequest() {
		s.findings.fault("%s: a request to the client: %s", s.name, m)
		s.toCall(s.calls.newest(anyCall), m)
		return
	}
	if id := m.get(pathSubscription); id.Exists() {
		s.toSubscription(id.Raw, m)
		return
	}
	switch m.method {
	case "notifications/cancelled":
		s.withdraw(m)
	case "notifications/progress":
		c := s.calls.newest(hasToken(sameValue(m.get("params.progressToken").Raw)))
		if c == nil {
			s.findings.note("%s: progress of no open request: %s", s.name, m)
			c = s.calls.newest(anyCall)
		}
		s.toCall(c, m)
	case "notifications/message":
		c := s.calls.newest(wantsLog)
		if c == nil {
			c = s.calls.newest(anyCall)
		}
		s.toCall(c, m)
	default:
		s.toAllSubscriptions(m)
	}
}

func (s *modernServer) toCall(c *call, m message) {
	if c == nil {
		s.findings.note("%s: a message while no request is open: %s", s.name, m)
		return
	}
	c.box.put(delivery{message: m})
}

func (s *modernServer) toSubscription(id string, m message) {
	c, ended := s.calls.get(id)
	if c == nil {
		if ended != cancelled {
			s.findings.fault("%s: a notification of no open subscription: %s", s.name, m)
		}
		return
	}
	c.box.put(delivery{message: m.with(pathSubscription, s.restore(c, id))})
}

// withdraw ends the subscription that the server has ended by itself.
func (s *modernServer) withdraw(m message) {
	c, _ := s.calls.get(m.get("params.requestId").Raw)
	if c == nil || !s.calls.end(c, cancelled) {
		s.findings.fault("%s: a cancellation of no open request: %s", s.name, m)
		return
	}
	c.box.put(delivery{isLast: true})
}

func (s *modernServer) toAllSubscriptions(m message) {
	subscriptions := s.calls.subscriptions()
	if len(subscriptions) == 0 {
		s.findings.note("%s: a notification without any subscription: %s", s.name, m)
	}
	for _, c := range subscriptions {
		c.box.put(delivery{message: m})
	}
}
