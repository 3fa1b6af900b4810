package wire

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// give is what one read gives.
type give struct {
	data string
	err  error
}

// script is a source that gives what it is told, one item a read, and io.EOF
// at its end.
type script struct {
	gives []give
	reads int
}

func (s *script) Read(p []byte) (int, error) {
	s.reads++
	if len(s.gives) == 0 {
		return 0, io.EOF
	}
	next := &s.gives[0]
	n := copy(p, next.data)
	next.data = next.data[n:]
	if next.data != "" {
		return n, nil
	}
	err := next.err
	s.gives = s.gives[1:]
	return n, err
}

// pieces is a script that gives these texts.
func pieces(texts ...string) *script {
	s := new(script)
	for _, text := range texts {
		s.gives = append(s.gives, give{data: text})
	}
	return s
}

// bytewise is a script that gives text a byte at a time.
func bytewise(text string) *script { return pieces(strings.Split(text, "")...) }

// readAll gives all that Next gives up to the final error: lines, and
// "TOO LONG " with the prefix for lines that are refused.
func readAll(t *testing.T, r *Reader) (lines []string, final error) {
	t.Helper()
	for {
		line, err := r.Next()
		var tooLong *TooLongError
		switch {
		case err == nil:
			lines = append(lines, line)
		case errors.As(err, &tooLong):
			lines = append(lines, "TOO LONG "+tooLong.Prefix)
		default:
			if _, again := r.Next(); again != err {
				t.Errorf("Next after %v = %v, want the same again", err, again)
			}
			return lines, err
		}
	}
}

// readerTexts are inputs with their lines, for a limit of 20 bytes a line.
var readerTexts = []struct {
	text string
	want []string
}{
	{"", nil},
	{"a\n", []string{"a"}},
	{"a", []string{"a"}},
	{"a\nb\nc", []string{"a", "b", "c"}},
	{"a\r\nb\r\n", []string{"a", "b"}},
	{"a\r", []string{"a"}},
	{"a\r\r\n", []string{"a\r"}},
	{"a\rb\n", []string{"a\rb"}},
	{" a \n\tb\n", []string{" a ", "\tb"}},
	{"\n\n\r\n \t \n\t\r\n", nil},
	{"\n \na\n\n\r\nb\n  ", []string{"a", "b"}},
	{"\x00\n\xff\xfe\n", []string{"\x00", "\xff\xfe"}},
	{"\v\n\f\n", []string{"\v", "\f"}},
	{"\u00a0\n", []string{"\u00a0"}},
	// Byte order marks.
	{"\uFEFFa\n", []string{"a"}},
	{"a\n\uFEFFb\r\n\uFEFFc", []string{"a", "b", "c"}},
	{"\uFEFF\n\uFEFF \r\n\uFEFF", nil},
	{"\uFEFF\uFEFFa\n", []string{"\uFEFFa"}},
	{"\uFEFF\uFEFF\n", []string{"\uFEFF"}},
	{" \uFEFFa\na\uFEFF\n", []string{" \uFEFFa", "a\uFEFF"}},
	{"\xEF\n\xEF\xBB\n\xEF\xBBa\n\xEF\xBB", []string{"\xEF", "\xEF\xBB", "\xEF\xBBa", "\xEF\xBB"}},
	// Characters of several bytes.
	{"ä€𝄞\n𝄞€ä\n", []string{"ä€𝄞", "𝄞€ä"}},
	// Long lines.
	{"12345678901234567890\n", []string{"12345678901234567890"}},
	{"12345678901234567890", []string{"12345678901234567890"}},
	{"1234567890123456789\r\n", []string{"1234567890123456789"}},
	{"12345678901234567890\r\n", []string{"TOO LONG 12345678901234567890"}},
	{"123456789012345678901\nb\n", []string{"TOO LONG 12345678901234567890", "b"}},
	{"a\n123456789012345678901", []string{"a", "TOO LONG 12345678901234567890"}},
	{"1234567890123456789012345678901234567890123456789\n\nb\n", []string{"TOO LONG 12345678901234567890", "b"}},
	{"a\n123456789012345678901\n123456789012345678902\nb", []string{"a", "TOO LONG 12345678901234567890", "TOO LONG 12345678901234567890", "b"}},
	{"\uFEFF12345678901234567\n", []string{"12345678901234567"}},
	{"\uFEFF123456789012345678\n", []string{"TOO LONG 12345678901234567"}},
	{"                    \na\n", []string{"a"}},
	{"                     \na\n", []string{"TOO LONG                     ", "a"}},
	{"\n\n                     ", []string{"TOO LONG                     "}},
}

const readerTextsLimit = 20

func TestReaderLines(t *testing.T) {
	for _, test := range readerTexts {
		for how, source := range map[string]io.Reader{
			"in one read":    pieces(test.text),
			"byte by byte":   bytewise(test.text),
			"EOF with data":  &script{gives: []give{{data: test.text, err: io.EOF}}},
			"first byte off": pieces(test.text[:min(1, len(test.text))], test.text[min(1, len(test.text)):]),
		} {
			got, err := readAll(t, NewReader(source, readerTextsLimit))
			if !slices.Equal(got, test.want) || err != io.EOF {
				t.Errorf("lines of %q %s = %q, %v, want %q, EOF", test.text, how, got, err, test.want)
			}
		}
	}
}

// All the texts in one stream, cut anywhere, give the same lines.
func TestReaderCutAnywhere(t *testing.T) {
	var text strings.Builder
	var want []string
	for _, test := range readerTexts {
		text.WriteString(test.text + "\n")
		want = append(want, test.want...)
	}
	long := strings.Repeat(text.String(), 50)
	want = slices.Repeat(want, 50)
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		source := new(script)
		for rest := long; rest != ""; {
			n := min(random.IntN(1<<(1+seed%12)), len(rest))
			source.gives = append(source.gives, give{data: rest[:n]})
			rest = rest[n:]
		}
		got, err := readAll(t, NewReader(source, readerTextsLimit))
		if !slices.Equal(got, want) || err != io.EOF {
			t.Errorf("seed %d: lines and final error differ (%v):\n%q, want\n%q", seed, err, got, want)
		}
	}
}

func TestReaderLineOverManyReads(t *testing.T) {
	for _, size := range []int{readSize - 1, readSize, readSize + 1, 3*readSize + 17, 5 << 20} {
		long := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		got, err := readAll(t, NewReader(pieces("a\nb\n"+long+"\nc\n"+long), size))
		if want := []string{"a", "b", long, "c", long}; !slices.Equal(got, want) || err != io.EOF {
			t.Errorf("a line of %d bytes comes out changed, or %v", size, err)
		}
	}
}

func TestReaderLinesStayAsTheyAre(t *testing.T) {
	var want []string
	for i := range 50_000 {
		want = append(want, "line "+string(AppendInt(nil, int64(i))))
	}
	got, _ := readAll(t, NewReader(pieces(strings.Join(want, "\n")), 100))
	if !slices.Equal(got, want) {
		t.Error("lines changed while later ones were read")
	}
}

// endless is a source of one line without end.
type endless struct{ given int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.given += len(p)
	return len(p), nil
}

func TestEndlessLineIsRefusedAtTheLimit(t *testing.T) {
	const limit = 1 << 20
	source := new(endless)
	_, err := NewReader(source, limit).Next()
	var tooLong *TooLongError
	if !errors.As(err, &tooLong) || tooLong.Limit != limit {
		t.Fatalf("Next = %v, want a TooLongError with limit %d", err, limit)
	}
	if source.given > limit+readSize {
		t.Errorf("%d bytes were read before the refusal, want at most one read above %d", source.given, limit)
	}
	if want := strings.Repeat("x", maxPrefix); tooLong.Prefix != want {
		t.Errorf("prefix of %d bytes, want the first %d", len(tooLong.Prefix), maxPrefix)
	}
	if got, want := tooLong.Error(), "a line is longer than 1048576 bytes"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestRefusalDoesNotWaitForTheLinesEnd(t *testing.T) {
	source := pieces("123", "45", "67\nok\n")
	r := NewReader(source, 4)
	_, err := r.Next()
	var tooLong *TooLongError
	if !errors.As(err, &tooLong) || source.reads != 2 {
		t.Errorf("Next = %v after %d reads, want a TooLongError after 2", err, source.reads)
	}
	if line, err := r.Next(); line != "ok" || err != nil {
		t.Errorf("Next = %q, %v, want the line behind the one refused", line, err)
	}
}

func TestReaderErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		what    string
		gives   []give
		want    []string
		err     error
		dropped int
	}{
		{"error alone", []give{{"", broken}}, nil, broken, 0},
		{"error with data", []give{{"a\nb\n", broken}}, []string{"a", "b"}, broken, 0},
		{"error in a line", []give{{"a\nbcd", broken}}, []string{"a"}, broken, 3},
		{"error after a cut line", []give{{"a\nbcd", nil}, {"ef", broken}}, []string{"a"}, broken, 5},
		{"error at a line's end", []give{{"ab", nil}, {"c\n", broken}}, []string{"abc"}, broken, 0},
		{"error in a refused line", []give{{"a\n12345678901", nil}, {"2", broken}}, []string{"a", "TOO LONG 1234567890"}, broken, 0},
		{"error with a too long line", []give{{"12345678901", broken}}, []string{"TOO LONG 1234567890"}, broken, 0},
		{"EOF in a line", []give{{"a\nbcd", io.EOF}}, []string{"a", "bcd"}, io.EOF, 0},
		{"EOF in a refused line", []give{{"12345678901", nil}, {"2", io.EOF}}, []string{"TOO LONG 1234567890"}, io.EOF, 0},
		{"unexpected EOF", []give{{"a\nbcd", io.ErrUnexpectedEOF}}, []string{"a"}, io.ErrUnexpectedEOF, 3},
		{"99 empty reads", append(make([]give, 99), give{"a\n", nil}), []string{"a"}, io.EOF, 0},
		{"99 empty reads in a line", slices.Concat([]give{{"a", nil}}, make([]give, 99), []give{{"b\n", nil}}), []string{"ab"}, io.EOF, 0},
		{"100 empty reads", append(make([]give, 100), give{"a\n", nil}), nil, io.ErrNoProgress, 0},
		{"100 empty reads in a line", append([]give{{"a\nb", nil}}, make([]give, 100)...), []string{"a"}, io.ErrNoProgress, 1},
	} {
		r := NewReader(&script{gives: test.gives}, 10)
		got, err := readAll(t, r)
		if !slices.Equal(got, test.want) || err != test.err || r.Dropped() != test.dropped {
			t.Errorf("%s: %q, %v, %d bytes dropped, want %q, %v, %d",
				test.what, got, err, r.Dropped(), test.want, test.err, test.dropped)
		}
	}
}

// liar is a source that breaks the rules of io.Reader.
type liar int

func (n liar) Read([]byte) (int, error) { return int(n), nil }

func TestReaderSurvivesImpossibleCounts(t *testing.T) {
	for _, n := range []int{-1, readSize + 1} {
		if line, err := NewReader(liar(n), 100).Next(); err == nil {
			t.Errorf("Next on a source that gives %d bytes = %q, nil, want an error", n, line)
		}
	}
}

func TestReady(t *testing.T) {
	type step struct {
		ready bool
		want  string // of Next
	}
	for _, test := range []struct {
		what  string
		gives []give
		steps []step
	}{
		{"two lines in a read", []give{{"a\nb\n", nil}}, []step{{false, "a"}, {true, "b"}, {false, "EOF"}, {true, "EOF"}}},
		{"half a line", []give{{"a\nb", nil}, {"c\n", nil}}, []step{{false, "a"}, {false, "bc"}, {false, "EOF"}}},
		{"blank lines behind", []give{{"a\n\n \r\n\t\n", nil}, {"b\n", nil}}, []step{{false, "a"}, {false, "b"}, {false, "EOF"}}},
		{"byte order mark behind", []give{{"a\n\uFEFF\n", nil}, {"b\n", nil}}, []step{{false, "a"}, {false, "b"}, {false, "EOF"}}},
		{"blank lines between", []give{{"a\n\n\nb\n", nil}}, []step{{false, "a"}, {true, "b"}, {false, "EOF"}}},
		{"a cut line and another", []give{{"a", nil}, {"b\nc\n", nil}}, []step{{false, "ab"}, {true, "c"}, {false, "EOF"}}},
		{"EOF with data", []give{{"a\n", io.EOF}}, []step{{false, "a"}, {true, "EOF"}}},
		{"EOF in a line", []give{{"a\nb", io.EOF}}, []step{{false, "a"}, {true, "b"}, {true, "EOF"}}},
		{"too long behind", []give{{"a\n123456", nil}, {"7\nb\n", nil}}, []step{{false, "a"}, {true, "TOO LONG"}, {false, "b"}}},
		{"blank and too long", []give{{"a\n\n      \nb\n", nil}}, []step{{false, "a"}, {true, "TOO LONG"}, {true, "b"}}},
	} {
		source := &script{gives: test.gives}
		r := NewReader(source, 5)
		for i, step := range test.steps {
			reads := source.reads
			ready := r.Ready()
			if source.reads != reads {
				t.Errorf("%s, step %d: Ready has read", test.what, i)
			}
			got, err := r.Next()
			var tooLong *TooLongError
			switch {
			case errors.As(err, &tooLong):
				got = "TOO LONG"
			case err != nil:
				got = err.Error()
			}
			if ready != step.ready || got != step.want {
				t.Errorf("%s, step %d: Ready %t, Next %q, want %t, %q", test.what, i, ready, got, step.ready, step.want)
			}
			if read := source.reads != reads; read == ready {
				t.Errorf("%s, step %d: Ready was %t, but Next has read: %t", test.what, i, ready, read)
			}
		}
	}
}

func TestReaderGivesUpItsMemory(t *testing.T) {
	r := NewReader(pieces(strings.Repeat("x", 1<<20)+"\na\n"), 2<<20)
	for range 2 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.partial.Cap(); got != 0 {
		t.Errorf("the reader still has a buffer of %d bytes after a long line", got)
	}
	if cap(r.buffer) != readSize {
		t.Errorf("the read buffer has grown to %d bytes", cap(r.buffer))
	}
}

func TestBlockTellsWhichLinesShareMemory(t *testing.T) {
	r := NewReader(pieces("a\n\nbb\nc", "d\ne\n", "f\n"), 100)
	for _, want := range []struct {
		line   string
		number uint64
		size   int
	}{
		{"a", 1, 6}, {"bb", 1, 6}, {"cd", 2, 2}, {"e", 3, 2}, {"f", 4, 2},
	} {
		line, err := r.Next()
		number, size := r.Block()
		if line != want.line || err != nil || number != want.number || size != want.size {
			t.Errorf("Next = %q, %v, Block = %d, %d, want %q, nil, %d, %d", line, err, number, size, want.line, want.number, want.size)
		}
	}
}
