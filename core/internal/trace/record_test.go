package trace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextIsEscaped(t *testing.T) {
	tests := []struct{ text, want string }{
		{"plain", "plain"},
		{"", ""},
		{`{"path":"C:\\tmp","t":"a\nb"}`, `{"path":"C:\\tmp","t":"a\nb"}`},
		{"Grüße, 世界 👩‍👩‍👧", "Grüße, 世界 👩‍👩‍👧"},
		{"a\nb\rc\td", `a\nb\rc\td`},
		{"ends\r\n\n", "ends"},
		{"\x00\x1b[31m\x7f", `\u0000\u001b[31m\u007f`},
		{"next\u0085line", `next\u0085line`},
		{"line\u2028paragraph\u2029", `line\u2028paragraph\u2029`},
		{"right\u202eto left", `right\u202eto left`},
		{"\xff\xc3(\x80", `\xff\xc3(\x80`},
		{"genuine \ufffd", "genuine \ufffd"},
		{"x\n2026-08-20T12:00:00.000Z ERROR forged", `x\n2026-08-20T12:00:00.000Z ERROR forged`},
	}
	for _, test := range tests {
		trace := New("MCPServer_test", Messages, testLimit)
		trace.Errorf("%s", test.text)
		trace.Infof("%s", test.text)
		trace.Debugf("%s", test.text)
		trace.In(test.text)
		trace.Out([]byte(test.text))
		wantTexts(t, fmt.Sprintf("text %q", test.text), trace.Tail(10),
			"ERROR "+test.want, "INFO "+test.want, "DEBUG "+test.want, "IN "+test.want, "OUT "+test.want)
	}
}

func TestLongRecordsAreCut(t *testing.T) {
	tests := []struct {
		what, text, want string
	}{
		{"just fits", strings.Repeat("x", textLimit), strings.Repeat("x", textLimit)},
		{"one too many", strings.Repeat("x", textLimit+1), strings.Repeat("x", textLimit) + " … [1 bytes cut]"},
		{"rune at the edge", strings.Repeat("x", textLimit-1) + "世界", strings.Repeat("x", textLimit-1) + " … [6 bytes cut]"},
		{"rune that fits", strings.Repeat("x", textLimit-3) + "世界", strings.Repeat("x", textLimit-3) + "世 … [3 bytes cut]"},
		{"escape at the edge", strings.Repeat("x", textLimit-1) + "\nyz", strings.Repeat("x", textLimit-1) + " … [3 bytes cut]"},
		{"escapes count", strings.Repeat("\t", textLimit), strings.Repeat(`\t`, textLimit/2) + fmt.Sprintf(" … [%d bytes cut]", textLimit/2)},
		{"huge", strings.Repeat("é", 1<<20), strings.Repeat("é", textLimit/2) + fmt.Sprintf(" … [%d bytes cut]", 2<<20-textLimit)},
		{"huge and invalid", strings.Repeat("\xff", 1<<20), strings.Repeat(`\xff`, textLimit/4) + fmt.Sprintf(" … [%d bytes cut]", 1<<20-textLimit/4)},
		{"rune across the visible end", strings.Repeat("x", visible-1) + "世", strings.Repeat("x", textLimit) + fmt.Sprintf(" … [%d bytes cut]", visible-1+3-textLimit)},
	}
	for _, test := range tests {
		trace := New("MCPServer_test", Messages, testLimit)
		trace.Infof("%s", test.text)
		trace.In(test.text)
		trace.Out([]byte(test.text))
		for i, word := range []string{"INFO ", "IN ", "OUT "} {
			got := texts(trace.Head(3))[i]
			if got != word+test.want {
				t.Errorf("%s, %s: got …%q of %d bytes, want …%q of %d bytes", test.what, word,
					tail(got), len(got), tail(test.want), len(test.want)+len(word))
			}
			if !utf8.ValidString(got) {
				t.Errorf("%s, %s: the record is not valid UTF-8", test.what, word)
			}
		}
	}
}

func tail(text string) string {
	return text[max(0, len(text)-40):]
}

func TestOutKeepsNoReference(t *testing.T) {
	trace := New("MCPServer_test", Messages, testLimit)
	line := []byte("first")
	trace.Out(line)
	copy(line, "XXXXX")
	wantTexts(t, "after the caller used its buffer again", trace.Tail(1), "OUT first")
}

func TestNoLineIsLongerThanTheSmallestFile(t *testing.T) {
	line := newRecord(wordError, escape(strings.Repeat("x", 1<<20)))
	if len(line) > smallest {
		t.Errorf("a line of %d bytes does not go into a file of %d", len(line), smallest)
	}
	if got := bytes.Count(line, newline); got != 1 {
		t.Errorf("a record has %d lines", got)
	}
}
