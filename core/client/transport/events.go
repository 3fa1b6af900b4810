package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// event is one event of a text/event-stream.
type event struct {
	kind string // "message" when the stream names none
	data string
}

// tooLargeError says that an event is longer than the limit. The stream cannot
// be read on.
type tooLargeError struct {
	beginning string // of its data, up to 64 KiB
	limit     int
}

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("an event is longer than %d bytes", e.limit)
}

// eventReader reads a text/event-stream as the HTML standard has it.
type eventReader struct {
	source *bufio.Reader
	limit  int // of one event, in bytes
	begun  bool
	// afterCR says that the line before ended in a CR, to which a LF may belong.
	afterCR bool

	// lastID is the id of the latest event, with or without data, that had one;
	// it is what a stream is resumed after.
	lastID string
	// retry is how long the server wants to be left alone before the stream is
	// resumed; negative when it has not said.
	retry time.Duration
}

func newEventReader(source io.Reader, limit int) *eventReader {
	return &eventReader{source: bufio.NewReaderSize(source, 32<<10), limit: limit, retry: -1}
}

// maxRetry bounds what a server may say in retry.
const maxRetry = time.Hour

// next gives the next event that has data. The error is the source's, also
// when an event was begun, or a [*tooLargeError].
func (r *eventReader) next() (event, error) {
	kind, id, hasID := "", "", false
	var data strings.Builder
	for {
		line, err := r.line(data.Len())
		if err != nil {
			if tooLarge, ok := err.(*tooLargeError); ok && data.Len() > 0 {
				tooLarge.beginning = beginning(data.String())
			}
			return event{}, err
		}
		if line == "" {
			if hasID {
				r.lastID = id
			}
			if text := strings.TrimSuffix(data.String(), "\n"); text != "" {
				return event{kind: defaultTo(kind, "message"), data: text}, nil
			}
			kind, hasID = "", false
			data.Reset()
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "data":
			data.WriteString(value)
			data.WriteByte('\n')
		case "id":
			if !strings.Contains(value, "\x00") {
				id, hasID = value, true
			}
		case "retry":
			r.setRetry(value)
		}
	}
}

func (r *eventReader) setRetry(value string) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if milliseconds, err := strconv.Atoi(value); err == nil {
		r.retry = maxRetry
		if int64(milliseconds) < maxRetry.Milliseconds() {
			r.retry = time.Duration(milliseconds) * time.Millisecond
		}
	}
}

// line gives the next line without its ending, which is CR, LF or both. A line
// without one is not given. An event has so many bytes already.
func (r *eventReader) line(already int) (string, error) {
	var line []byte
	for {
		chunk, err := r.chunk()
		if err != nil {
			return "", err
		}
		if r.afterCR && chunk[0] == '\n' {
			r.afterCR = false
			r.discard(1)
			continue
		}
		r.afterCR = false
		end := bytes.IndexAny(chunk, "\r\n")
		if end >= 0 {
			r.afterCR = chunk[end] == '\r'
			line = append(line, chunk[:end]...)
			r.discard(end + 1)
		} else {
			line = append(line, chunk...)
			r.discard(len(chunk))
		}
		if already+len(line) > r.limit {
			return "", &tooLargeError{
				beginning: strings.TrimPrefix(strings.TrimPrefix(beginning(string(line)), "data:"), " "),
				limit:     r.limit,
			}
		}
		if end >= 0 {
			return r.withoutMark(string(line)), nil
		}
	}
}

// chunk gives what has been read and not been used, at least one byte.
func (r *eventReader) chunk() ([]byte, error) {
	if _, err := r.source.Peek(1); err != nil {
		return nil, err
	}
	return r.source.Peek(r.source.Buffered())
}

// discard uses up that many bytes, which are there.
func (r *eventReader) discard(n int) { _, _ = r.source.Discard(n) }

// withoutMark takes the byte order mark off the stream's first line.
func (r *eventReader) withoutMark(line string) string {
	if r.begun {
		return line
	}
	r.begun = true
	return strings.TrimPrefix(line, "\uFEFF")
}

// maxBeginning bounds what is kept of a message that could not be read whole.
const maxBeginning = 64 << 10

func beginning(text string) string { return strings.Clone(text[:min(len(text), maxBeginning)]) }

func defaultTo(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
