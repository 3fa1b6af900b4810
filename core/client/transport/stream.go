package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// defaultRetry is how long to wait before a stream is asked for again when
	// the server has not said.
	defaultRetry = time.Second
	// mostRetry is the longest wait between attempts that bring nothing.
	mostRetry = 30 * time.Second
	// maxResumes is how often in a row a stream of an answer is asked for again
	// without getting anything.
	maxResumes = 5
)

// stream takes an answer that is a stream of events, and resumes it in the
// legacy era if it breaks off. The request is over when the sender's context
// has ended, which is what an answer does.
func (l *streamable) stream(ctx, sender context.Context, message *Message, body io.ReadCloser) {
	events := newEventReader(body, l.peer.maxMessage)
	_, err := l.pump(events, message.ID)
	if sender.Err() != nil || l.context.Err() != nil {
		return
	}
	if !message.Modern && events.lastID != "" && !isTooLarge(err) {
		err = l.resume(ctx, sender, message, events)
		if sender.Err() != nil || l.context.Err() != nil {
			return
		}
	}
	l.receiver.Failed(message.ID, err)
}

// pump gives the receiver all messages of a stream, and reports whether there
// was one and why the stream ended.
func (l *streamable) pump(events *eventReader, during string) (any bool, reason error) {
	for {
		next, err := events.next()
		var tooLarge *tooLargeError
		switch {
		case errors.As(err, &tooLarge):
			l.receiver.Broken(tooLarge.beginning, during, err)
			return any, err
		case errors.Is(err, io.EOF):
			return any, ErrStreamBroken
		case err != nil:
			return any, fmt.Errorf("%w: %w", ErrStreamBroken, err)
		}
		any = true
		if next.kind == "message" {
			l.receiver.Receive(next.data, during)
		}
	}
}

func isTooLarge(err error) bool {
	var tooLarge *tooLargeError
	return errors.As(err, &tooLarge)
}

// resume asks for the rest of a stream until the request has been answered, or
// there is no hope. It gives the reason then.
func (l *streamable) resume(ctx, sender context.Context, message *Message, events *eventReader) error {
	lastID, retry := events.lastID, events.retry
	reason := error(ErrStreamBroken)
	for failures := 0; failures < maxResumes; failures++ {
		if !sleep(ctx, retryDelay(retry, failures)) {
			return reason
		}
		response, err := l.openEvents(ctx, lastID)
		if err != nil {
			var status *StatusError
			if errors.As(err, &status) && status.Status < 500 || errors.Is(err, ErrSessionLost) {
				return fmt.Errorf("%w, and could not be resumed: %w", ErrStreamBroken, err)
			}
			reason = fmt.Errorf("%w, and could not be resumed: %w", ErrStreamBroken, err)
			continue
		}
		events := newEventReader(response.Body, l.peer.maxMessage)
		events.lastID, events.retry = lastID, retry
		any, err := l.pump(events, message.ID)
		drop(response.Body)
		if sender.Err() != nil || isTooLarge(err) {
			return err
		}
		if any || events.lastID != lastID {
			failures = -1
		}
		reason, lastID, retry = err, events.lastID, events.retry
	}
	return reason
}

// retryDelay gives how long to wait before the next attempt: what the server
// has said, and longer after each attempt that brought nothing.
func retryDelay(said time.Duration, failures int) time.Duration {
	if said >= 0 && failures <= 1 {
		return said
	}
	return max(said, min(defaultRetry<<min(failures, 10), mostRetry))
}

// sleep waits, and reports whether the context lasted as long.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// openEvents asks for a stream by GET, resumed after that event if there is
// one.
func (l *streamable) openEvents(ctx context.Context, lastID string) (*http.Response, error) {
	l.mu.Lock()
	session, version := l.session, l.version
	l.mu.Unlock()
	response, err := l.peer.get(ctx, func(header http.Header) {
		if session != "" {
			header.Set(headerSession, session)
		}
		if version != "" {
			header.Set(headerVersion, version)
		}
		if lastID != "" {
			header.Set(headerEventID, lastID)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := succeeded(response); err != nil {
		drop(response.Body)
		var status *StatusError
		if errors.As(err, &status) && status.Status == http.StatusNotFound {
			err = l.checkSession(err, session)
		}
		return nil, err
	}
	if contentType(response) != "text/event-stream" {
		drop(response.Body)
		return nil, &StatusError{Status: response.StatusCode, Body: []byte("no stream of events")}
	}
	return response, nil
}

// listen reads the stream of messages that belong to no request, as long as the
// link lasts, if the server offers one. It calls opened when the server has said
// so for the first time.
func (l *streamable) listen(opened func()) {
	lastID, retry := "", time.Duration(-1)
	for failures := 0; ; failures++ {
		response, err := l.openEvents(l.context, lastID)
		opened()
		var status *StatusError
		switch {
		case errors.As(err, &status) && status.Status < 500, errors.Is(err, ErrSessionLost):
			return // it has none
		case err == nil:
			events := newEventReader(response.Body, l.peer.maxMessage)
			events.lastID, events.retry = lastID, retry
			any, _ := l.pump(events, "")
			_ = response.Body.Close()
			if any || events.lastID != lastID {
				failures = -1
			}
			lastID, retry = events.lastID, events.retry
		}
		if !sleep(l.context, retryDelay(retry, failures+1)) {
			return
		}
	}
}
