package toolserver

import (
	"encoding/json"
	"strings"
	"testing"

	"mcpserver/core"
	"mcpserver/core/internal/protocol"
)

// This file is inside the package, since what it is about shows outside in
// memory and time alone.

var texts = []string{
	"", "plain", "lines\nof\r\n\ttext", `"quoted" \ back`, "<b>a & b</b>", "\u2028\u2029\u2027\u202a", "ä€𝄞\ufffd", "\xe2\x80",
	"\x00\x01\b\f\x1f\x7f", "\xff", "a\xc3", "\xed\xa0\x80", "<\xff>",
}

// wantSame checks that a text is written as the result that is made of its
// parts is.
func wantSame(t *testing.T, text string) {
	t.Helper()
	for _, after := range [][]core.Block{nil, {core.TextBlock{Text: "a <note>"}, core.ImageBlock{Data: []byte("x"), MIMEType: "image/png"}}} {
		content := append([]core.Block{core.TextBlock{Text: text}}, after...)
		made := Outcome{Content: content, Structured: TextObject{Name: "the <name>", Text: text}}.toolResult()
		parts := &core.ToolResult{Content: content, Structured: map[string]string{"the <name>": text}}
		for revision := protocol.V20241105; revision <= protocol.V20260728; revision++ {
			got, err := made.AppendMembers([]byte("before "), revision)
			want, wantErr := parts.AppendMembers([]byte("before "), revision)
			if err != nil || wantErr != nil || string(got) != string(want) {
				t.Errorf("%q under %s became\n     %s, %v\nwant %s, %v", text, revision, got, err, want, wantErr)
			}
		}
	}
}

func TestTextObjectIsWrittenAsItsPartsAre(t *testing.T) {
	for _, text := range texts {
		wantSame(t, text)
	}
	for c := range 256 {
		wantSame(t, "a"+string([]byte{byte(c)})+"b")
	}
}

func FuzzTextObject(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(wantSame)
}

// What is not a text twice is written as any structured content is.
func TestTextObjectBesideOtherContent(t *testing.T) {
	object := TextObject{Name: "n", Text: "text"}
	priority := 1.0
	for name, outcome := range map[string]Outcome{
		"another text":       {Content: []core.Block{core.TextBlock{Text: "other"}}},
		"no text":            {Content: []core.Block{core.ImageBlock{MIMEType: "image/png"}, core.TextBlock{Text: "text"}}},
		"a text with a mark": {Content: []core.Block{core.TextBlock{Text: "text", Annotations: &core.Annotations{Priority: &priority}}}},
		"a text with _meta":  {Content: []core.Block{core.TextBlock{Text: "text", Meta: json.RawMessage(`{"a":1}`)}}},
		"no content":         {},
		"a result":           {Result: "other"},
		"a failure":          {Content: []core.Block{core.TextBlock{Text: "text"}}, IsError: true},
	} {
		outcome.Structured = object
		got, err := outcome.toolResult().AppendMembers(nil, protocol.V20251125)
		outcome.Structured = map[string]string{"n": "text"}
		want, wantErr := outcome.toolResult().AppendMembers(nil, protocol.V20251125)
		if err != nil || wantErr != nil || string(got) != string(want) {
			t.Errorf("%s became\n     %s, %v\nwant %s, %v", name, got, err, want, wantErr)
		}
	}
	if _, err := (Outcome{Content: []core.Block{core.TextBlock{Text: "text"}, nil}, Structured: object}).toolResult().AppendMembers(nil, protocol.V20251125); err == nil {
		t.Error("content that is nil was written")
	}
}

// A long text takes memory once, and that of the answer, no more.
func TestLongTextsAreCopiedOnce(t *testing.T) {
	text := strings.Repeat("a \"line\" <of> a\ttext \\ & more\r\n", 30_000)
	result := Outcome{Content: []core.Block{core.TextBlock{Text: text}}, Structured: TextObject{Name: "content", Text: text}}.toolResult()
	var written []byte
	allocations := testing.AllocsPerRun(10, func() {
		var err error
		if written, err = result.AppendMembers(nil, protocol.V20251125); err != nil {
			t.Fatal(err)
		}
	})
	if most := 5.0; allocations > most {
		t.Errorf("there were %v allocations, want at most %v", allocations, most)
	}
	if room := cap(written) - len(written); room > len(written)/8 {
		t.Errorf("of %d bytes, %d were not needed", cap(written), room)
	}
}
