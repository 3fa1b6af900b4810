package transport

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// streams are texts of event streams with what they say.
var streams = []struct {
	name, text string
	want       []event
	lastID     string
	retry      time.Duration
}{
	{name: "empty", retry: -1},
	{name: "one", text: "data: {}\n\n", want: []event{{"message", "{}"}}, retry: -1},
	{name: "no space", text: "data:{}\n\n", want: []event{{"message", "{}"}}, retry: -1},
	{name: "one space of two", text: "data:  x\n\n", want: []event{{"message", " x"}}, retry: -1},
	{name: "crlf", text: "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", want: []event{{"a", "x"}, {"message", "y"}}, retry: -1},
	{name: "cr", text: "data: x\r\rdata: y\r\r", want: []event{{"message", "x"}, {"message", "y"}}, retry: -1},
	{name: "several lines", text: "data: {\ndata: \"a\":1\ndata: }\n\n", want: []event{{"message", "{\n\"a\":1\n}"}}, retry: -1},
	{name: "comments", text: ": hello\n:\ndata: x\n: there\n\n:\n\n", want: []event{{"message", "x"}}, retry: -1},
	{name: "id without data", text: "id: 7\ndata:\n\n", lastID: "7", retry: -1},
	{name: "id alone", text: "id: 7\n\n", lastID: "7", retry: -1},
	{name: "id that is taken back", text: "id: 7\n\nid\n\n", retry: -1},
	{name: "id that was cut off", text: "id: 7\n\nid: 8\ndata: x\n", lastID: "7", retry: -1},
	{name: "id with NUL", text: "id: 7\n\nid: 8\x00\n\n", lastID: "7", retry: -1},
	{name: "retry", text: "retry: 1500\n\n", retry: 1500 * time.Millisecond},
	{name: "no number", text: "retry: 15s\nretry: -1\nretry:\n\n", retry: -1},
	{name: "long", text: "retry: 999999999999\n\n", retry: maxRetry},
	{name: "cut off", text: "data: x\n\ndata: y\n", want: []event{{"message", "x"}}, retry: -1},
	{name: "byte order mark", text: "\uFEFFdata: x\n\ndata: \uFEFFy\n\n", want: []event{{"message", "x"}, {"message", "\uFEFFy"}}, retry: -1},
	{name: "unknown field", text: "colour: red\ndata\ndata: x\n\n", want: []event{{"message", "\nx"}}, retry: -1},
	{name: "big", text: "data: " + strings.Repeat("x", 5<<20) + "\n\n", want: []event{{"message", strings.Repeat("x", 5<<20)}}, retry: -1},
}

func TestEventReader(t *testing.T) {
	for _, test := range streams {
		t.Run(test.name, func(t *testing.T) {
			sources := map[string]io.Reader{"whole": strings.NewReader(test.text)}
			if len(test.text) < 1<<20 {
				sources["byte by byte"] = iotest.OneByteReader(strings.NewReader(test.text))
			}
			for how, source := range sources {
				reader := newEventReader(source, 6<<20)
				for i, want := range test.want {
					if got, err := reader.next(); err != nil || got != want {
						t.Fatalf("%s: event %d of %.100q is %.100q, %v; want %.100q", how, i, test.text, got, err, want)
					}
				}
				if got, err := reader.next(); err != io.EOF {
					t.Errorf("%s: after the last event of %.100q comes %.100q, %v; want EOF", how, test.text, got, err)
				}
				if reader.lastID != test.lastID || reader.retry != test.retry {
					t.Errorf("%s: %.100q gives id %q and retry %v, want %q and %v", how, test.text, reader.lastID, reader.retry, test.lastID, test.retry)
				}
			}
		})
	}
}

func TestEventIsTooLarge(t *testing.T) {
	for name, text := range map[string]string{
		"line":  "data: " + strings.Repeat("x", 2000) + "\n\n",
		"lines": strings.Repeat("data: "+strings.Repeat("x", 90)+"\n", 20) + "\n",
	} {
		_, err := newEventReader(strings.NewReader(text), 1000).next()
		var tooLarge *tooLargeError
		if !errors.As(err, &tooLarge) || !strings.HasPrefix(tooLarge.beginning, "xxx") || len(tooLarge.beginning) > 1<<16 {
			t.Errorf("%s: the error is %v with %.50q, want a tooLargeError with the beginning of the data", name, err, tooLarge)
		}
	}
}

// FuzzEventReader: any text reads the same whole and byte by byte, within the
// limit.
func FuzzEventReader(f *testing.F) {
	for _, stream := range streams {
		if len(stream.text) < 1000 {
			f.Add(stream.text)
		}
	}
	const limit = 1000
	f.Fuzz(func(t *testing.T, text string) {
		whole := newEventReader(strings.NewReader(text), limit)
		pieces := newEventReader(iotest.OneByteReader(strings.NewReader(text)), limit)
		for {
			a, errA := whole.next()
			b, errB := pieces.next()
			if a != b || isTooLarge(errA) != isTooLarge(errB) || (errA == nil) != (errB == nil) {
				t.Fatalf("%q reads as %q, %v and byte by byte as %q, %v", text, a, errA, b, errB)
			}
			if len(a.data) > limit {
				t.Fatalf("%q gives %d bytes of data, over the limit", text, len(a.data))
			}
			if errA != nil {
				return
			}
		}
	})
}
