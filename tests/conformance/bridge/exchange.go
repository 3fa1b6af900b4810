package bridge

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// era is what the revision that a process is spoken to in makes different.
type era interface {
	// left says that the client of a call is gone.
	left(*call)
	// status gives the HTTP status of an answer.
	status(answer message) int
}

// exchange writes to an HTTP response what the server says to a call: the answer
// as JSON if it is all, and otherwise an event stream. It reports whether the
// answer was a result.
func exchange(w http.ResponseWriter, r *http.Request, p *process, e era, c *call) (isResult bool) {
	out := &response{writer: w, era: e}
	var expired <-chan time.Time
	if !c.isSubscription() {
		timer := time.NewTimer(p.patience)
		defer timer.Stop()
		expired = timer.C
	}
	for {
		for _, d := range c.box.take() {
			switch {
			case d.err != nil:
				out.fail(http.StatusBadGateway, d.err)
				return false
			case d.message.text == nil:
				out.open()
				return false
			case d.isLast:
				out.finish(d.message)
				return d.message.get("result").Exists()
			}
			out.add(d.message)
		}
		select {
		case <-c.box.arrived:
		case <-r.Context().Done():
			e.left(c)
			return false
		case <-expired:
			p.findings.fault("%s: %s %s is not answered within %v", p.name, c.method, c.sentID, p.patience)
			p.cancel(c, "it took too long")
			out.fail(http.StatusGatewayTimeout, fmt.Errorf("the server has not answered within %v", p.patience))
			return false
		}
	}
}

// response is an HTTP response that becomes an event stream with the first
// message that is not the answer.
type response struct {
	writer      http.ResponseWriter
	era         era
	isStreaming bool
}

// open makes it an event stream.
func (o *response) open() {
	if o.isStreaming {
		return
	}
	o.isStreaming = true
	o.writer.Header().Set("Content-Type", "text/event-stream")
	o.writer.Header().Set("Cache-Control", "no-cache, no-transform")
	o.writer.WriteHeader(http.StatusOK)
	o.flush()
}

// add writes a message as an event. That the client is gone is noticed elsewhere.
func (o *response) add(m message) {
	o.open()
	_, _ = fmt.Fprintf(o.writer, "event: message\ndata: %s\n\n", m.text)
	o.flush()
}

// finish writes the answer.
func (o *response) finish(answer message) {
	if o.isStreaming {
		o.add(answer)
		return
	}
	o.writer.Header().Set("Content-Type", "application/json")
	o.writer.WriteHeader(o.era.status(answer))
	_, _ = o.writer.Write(answer.text)
}

// fail says that there will be no answer; a stream that has begun is cut.
func (o *response) fail(status int, err error) {
	if o.isStreaming {
		panic(http.ErrAbortHandler)
	}
	noAnswer(o.writer, status, err)
}

func (o *response) flush() {
	err := http.NewResponseController(o.writer).Flush()
	if errors.Is(err, http.ErrNotSupported) {
		panic("the response writer cannot flush") // that of net/http can
	}
}
