package wire

import (
	"strings"
	"testing"
)

// wantAllocs checks how often f allocates on average. The race detector
// allocates on its own account, so under it only the fact that f runs counts.
func wantAllocs(t *testing.T, what string, want float64, f func()) {
	t.Helper()
	if got := testing.AllocsPerRun(100, f); got > want && !raceEnabled {
		t.Errorf("%s: %v allocations, want at most %v", what, got, want)
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	s := NewScanner(64)
	var m Message
	for what, line := range map[string]string{
		"tools/call":   toolCall,
		"with _meta":   `{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"_meta":{"progressToken":1},"name":"n","arguments":{"a":[1,{"b":null}]}}}`,
		"no arguments": `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"an answer":    `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a\nb"}]}}`,
		"an array":     `[` + toolCall + `]`,
		"depth":        strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		// A chunk of arguments now and then rounds down to none.
		wantAllocs(t, "Scan of "+what, 0, func() {
			if err := s.Scan(line, &m); err != nil {
				t.Fatalf("Scan(%q) = %v", line, err)
			}
		})
	}
}

func TestValuesDoNotAllocate(t *testing.T) {
	text := scan(t, `"plain ä"`).Root
	number := scan(t, `-1234567.50e3`).Root
	wantAllocs(t, "Text, Int, IsInteger, Float", 0, func() {
		if text.Text() != "plain ä" {
			t.Fatal("Text is wrong")
		}
		if n, ok := number.Int(); n != -1234567500 || !ok || !number.IsInteger() {
			t.Fatalf("Int = %d, %t", n, ok)
		}
		if _, ok := number.Float(); !ok {
			t.Fatal("Float is wrong")
		}
	})
}

func TestEncodingIntoRoomDoesNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 4096)
	raw := `{ "a" : [ 1, 2, {"b": "c\n"} ] }`
	wantAllocs(t, "Append functions", 0, func() {
		out := AppendString(dst, "text ä \n \" \xff")
		out = AppendInt(out, 12345)
		out = AppendFloat(out, 1.5e-9)
		if _, err := AppendCompact(out, raw); err != nil {
			t.Fatal(err)
		}
	})
}

// loop is a source that gives its texts over and over, one a read.
type loop struct {
	texts []string
	next  int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.texts[l.next%len(l.texts)])
	l.next++
	return n, nil
}

func TestReaderAllocatesOnceARead(t *testing.T) {
	const lines = 500
	r := NewReader(&loop{texts: []string{strings.Repeat(toolCall+"\n", lines)}}, 1<<20)
	wantAllocs(t, "a read of many lines", 1, func() {
		for range lines {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			r.Ready()
		}
	})
}

func TestBlankLinesDoNotAllocate(t *testing.T) {
	blank := strings.Repeat("\n \t\r\n\r\n\uFEFF\n", readSize/12)
	r := NewReader(&loop{texts: []string{blank, blank, blank, blank, "a line\n"}}, 1<<20)
	wantAllocs(t, "four reads of blank lines and one line", 1, func() {
		if line, err := r.Next(); line != "a line" || err != nil {
			t.Fatalf("Next = %q, %v", line, err)
		}
	})
}

func TestSkippingDoesNotAllocate(t *testing.T) {
	long := strings.Repeat("x", readSize)
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = long
	}
	texts = append(texts, "\n", "a line\n")
	r := NewReader(&loop{texts: texts}, 100)
	// For the refusal: the builder, the prefix, and the error. For the line: one.
	wantAllocs(t, "skipping 6 MB", 5, func() {
		if _, err := r.Next(); err == nil {
			t.Fatal("Next = nil, want a TooLongError")
		}
		if line, err := r.Next(); line != "a line" || err != nil {
			t.Fatalf("Next = %q, %v", line, err)
		}
	})
}
