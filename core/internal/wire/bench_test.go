package wire

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

const toolCall = `{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello, world","count":3}}}`

// longTexts have 1 MiB each.
var longTexts = []struct{ name, text string }{
	{"ASCII", strings.Repeat("the quick brown fox ", 1<<20/20)},
	{"Lines", strings.Repeat("the quick brown fox jumps over the lazy dog, 60 bytes long\n", 1<<20/59)},
	{"German", strings.Repeat("Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich ", 1<<20/69)},
	{"Chinese", strings.Repeat("敏捷的棕色狐狸跳過懶狗", 1<<20/33)},
}

func BenchmarkScanToolCall(b *testing.B) {
	s := NewScanner(64)
	var m Message
	b.SetBytes(int64(len(toolCall)))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Scan(toolCall, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScanLongString(b *testing.B) {
	for _, long := range longTexts {
		text := string(AppendString(nil, long.text))
		b.Run(long.name, func(b *testing.B) {
			line := `{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"echo","arguments":{"text":` + text + `}}}`
			s := NewScanner(64)
			var m Message
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Scan(line, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkScanNested(b *testing.B) {
	line := `{"jsonrpc":"2.0","id":12,"result":{"content":[` + strings.Repeat(`{"type":"text","n":[1,2.5,-3e7,true,null],"o":{"a":{},"b":[]}},`, 1000) + `{}]}}`
	s := NewScanner(64)
	var m Message
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Scan(line, &m); err != nil {
			b.Fatal(err)
		}
	}
}

// repeater gives the same lines over and over, as a pipe gives them: up to
// 64 KiB a read, cut anywhere.
type repeater struct {
	text string
	at   int
}

func (r *repeater) Read(p []byte) (int, error) {
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

func BenchmarkReaderPipelined(b *testing.B) {
	r := NewReader(&repeater{text: strings.Repeat(toolCall+"\n", 10_007)}, 1<<20)
	b.SetBytes(int64(len(toolCall) + 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReaderOneLineARead(b *testing.B) {
	r := NewReader(&repeater{text: toolCall + "\n"}, 1<<20)
	b.SetBytes(int64(len(toolCall) + 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReaderLongLine(b *testing.B) {
	text := append(bytes.Repeat([]byte("x"), 16<<20), '\n')
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewReader(bytes.NewReader(text), 32<<20).Next(); err != nil && err != io.EOF {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendStringLong(b *testing.B) {
	for _, long := range longTexts {
		text := long.text
		b.Run(long.name, func(b *testing.B) {
			var dst []byte
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst = AppendString(dst[:0], text)
			}
		})
	}
}

func BenchmarkAppendStringShort(b *testing.B) {
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendString(dst[:0], "hello, world")
	}
}

func BenchmarkAppendCompact(b *testing.B) {
	raw := `{"content": [` + strings.Repeat(`{"type": "text", "n": [1, 2.5, -3e7, true, null], "o": {"a":{}, "b": []}},`, 1000) + `{}]}`
	var dst []byte
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = AppendCompact(dst[:0], raw)
	}
}
