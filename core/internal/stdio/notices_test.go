package stdio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

func TestNoticesAreWrittenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text strings.Builder
		notices := NewNotices(&text)
		notices.Post("one")
		notices.Post("two\n")
		notices.Close(time.Second)
		if got, want := text.String(), "one\ntwo\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		notices.Close(time.Second)
		notices.Post("too late")
		if got := notices.Dropped(); got != 1 {
			t.Errorf("Dropped: got %d, want 1", got)
		}
	})
}

func TestNoticesWithoutAny(t *testing.T) {
	NewNotices(io.Discard).Close(time.Hour)
	var notices *Notices
	notices.Post("to nobody")
	notices.Close(time.Hour)
	if got := notices.Dropped(); got != 0 {
		t.Errorf("nil: Dropped is %d", got)
	}
}

func TestNoticesArePrintable(t *testing.T) {
	tests := []struct{ line, want string }{
		{"plain", "plain"},
		{"", ""},
		{"Grüße, 世界", "Grüße, 世界"},
		{"a\nb\tc\r\n", "a b c"},
		{"\x1b[2Jgone\r", "�[2Jgone"},
		{"\u009bdone\u202e", "�done�"},
		{"\xff", "�"},
		{strings.Repeat("x", noticeLimit), strings.Repeat("x", noticeLimit)},
		{strings.Repeat("x", noticeLimit+1), strings.Repeat("x", noticeLimit) + "…"},
		{strings.Repeat("x", noticeLimit-1) + "世", strings.Repeat("x", noticeLimit-1) + "…"},
		{strings.Repeat("世", noticeLimit), strings.Repeat("世", noticeLimit/3) + "…"},
	}
	for _, test := range tests {
		got := printable(test.line)
		if got != test.want || !utf8.ValidString(got) {
			t.Errorf("%.40q of %d bytes: got %.40q of %d, want %.40q of %d",
				test.line, len(test.line), got, len(got), test.want, len(test.want))
		}
	}
}

// collect reads lines until there are no more.
func collect(reader io.Reader) (lines []string) {
	scanner := bufio.NewScanner(reader)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines
}

func TestUnreadNoticesAreDroppedAndTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		notices := NewNotices(writer)
		var want []string
		post := func(line string) {
			notices.Post(line)
			want = append(want, line)
		}
		post("stuck in Write")
		synctest.Wait()
		for i := range noticeQueue {
			post(fmt.Sprintf("queued %d", i))
		}
		for range 5 {
			notices.Post("dropped")
		}
		if got := notices.Dropped(); got != 5 {
			t.Errorf("Dropped: got %d, want 5", got)
		}

		var got []string
		var reading sync.WaitGroup
		reading.Go(func() { got = collect(reader) })
		synctest.Wait()
		notices.Post("next")
		post("and next")
		want = slices.Insert(want, noticeQueue+1, "next (5 lines before this one were lost)")
		notices.Close(time.Second)
		if err := writer.Close(); err != nil {
			t.Error(err)
		}
		reading.Wait()
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestCloseTellsOfTheLastThatWereDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		notices := NewNotices(writer)
		notices.Post("stuck in Write")
		synctest.Wait()
		for range noticeQueue + 3 {
			notices.Post("queued or dropped")
		}
		var got []string
		var reading sync.WaitGroup
		reading.Go(func() { got = collect(reader) })
		notices.Close(time.Second)
		if err := writer.Close(); err != nil {
			t.Error(err)
		}
		reading.Wait()
		if len(got) != noticeQueue+2 || got[len(got)-1] != "(3 lines were lost)" {
			t.Errorf("got %d lines, the last %q, want %d and one that tells of 3", len(got), got[len(got)-1], noticeQueue+2)
		}
	})
}

func TestCloseGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		notices := NewNotices(writer)
		notices.Post("never read")
		start := time.Now()
		notices.Close(3 * time.Second)
		if got := time.Since(start); got != 3*time.Second {
			t.Errorf("Close took %v, want 3s", got)
		}
		// The goroutine that is left behind has to end before the test can.
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := notices.Dropped(); got != 1 {
			t.Errorf("Dropped: got %d, want 1", got)
		}
	})
}

// A pipe is the case that matters; unlike a pipe in memory it takes some lines
// before it blocks.
func TestUnreadPipeDoesNotBlockPost(t *testing.T) {
	reader, writer := pipe(t)
	notices := NewNotices(writer)
	line := strings.Repeat("x", noticeLimit)
	for notices.Dropped() == 0 {
		notices.Post(line)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	notices.Close(time.Minute)
}

// flaky fails every write but the last of those it is told to expect.
type flaky struct {
	failing int
	text    strings.Builder
}

func (f *flaky) Write(text []byte) (int, error) {
	if f.failing > 0 {
		f.failing--
		return 0, errors.New("broken")
	}
	return f.text.Write(text)
}

func TestFailedNoticesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		writer := &flaky{failing: 2}
		notices := NewNotices(writer)
		for _, line := range []string{"one", "two", "three"} {
			notices.Post(line)
			synctest.Wait()
		}
		notices.Close(time.Second)
		if got, want := writer.text.String(), "three (2 lines before this one were lost)\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := notices.Dropped(); got != 2 {
			t.Errorf("Dropped: got %d, want 2", got)
		}
	})
}

func TestNoticesFromManyGoroutines(t *testing.T) {
	var text strings.Builder
	notices := NewNotices(&text)
	const goroutines, each = 8, 50
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for range each {
				notices.Post("line")
			}
		})
	}
	group.Go(func() { notices.Dropped() })
	group.Wait()
	notices.Close(time.Minute)
	written := strings.Count(text.String(), "line\n") + strings.Count(text.String(), "line (")
	if got := int64(written) + notices.Dropped(); got != goroutines*each {
		t.Errorf("%d lines are written and %d dropped, want %d together", written, notices.Dropped(), goroutines*each)
	}
}
