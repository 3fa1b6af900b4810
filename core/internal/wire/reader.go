package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// readSize is the most that one read takes, in bytes: what a pipe holds.
	readSize = 64 << 10
	// maxPrefix bounds TooLongError.Prefix, in bytes.
	maxPrefix = 64 << 10
	// maxEmptyReads is how often in a row a source may give nothing at all.
	maxEmptyReads = 100
)

// byteOrderMark is what some programs put before their text.
const byteOrderMark = "\uFEFF"

// TooLongError says that a line is longer than the limit.
type TooLongError struct {
	Prefix string // the first bytes of the line: up to the limit, and up to 64 KiB
	Limit  int    // in bytes
}

// Error gives one short sentence with the limit.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a line is longer than %d bytes", e.Limit)
}

// Reader gives the lines of an input. It is for one goroutine at a time.
//
// What a read brings is copied once: whole lines into a block, of which they
// are substrings, and the beginning of a line that goes on in the next read
// into a builder. So a short line keeps up to 64 KiB alive as long as anybody
// holds it. That is cheaper than an allocation a line, and no danger: what is
// held for long is bounded elsewhere, by the number of open requests.
type Reader struct {
	source  io.Reader
	maxLine int
	buffer  []byte // what a read fills

	// In the order of the input:
	joined  string          // a line that more than one read brought, without its LF; "" when there is none
	block   string          // whole lines, each with its LF
	partial strings.Builder // the beginning of a line whose LF has not been read
	err     error           // the source's, which ends the input

	skipping bool // the input stands in a line that has been refused
	dropped  int

	number    uint64 // of the memory that the latest line stands in
	size      int    // of that memory, in bytes
	blockSize int    // of the block as it was read, 0 once a line of it was given
}

// NewReader gives a reader of the lines of source. A line may have up to
// maxLine bytes, its LF not counted.
func NewReader(source io.Reader, maxLine int) *Reader {
	return &Reader{source: source, maxLine: maxLine, buffer: make([]byte, readSize)}
}

// Next gives the next line that is not blank, without a byte order mark at its
// beginning and without the LF or CR LF at its end. The last line needs no
// ending. Lines stay valid for ever.
//
// The error is a [*TooLongError], as soon as the limit is passed and without
// waiting for the line's end, after which the next call goes on with the line
// behind it; or io.EOF; or the source's error, after all whole lines before
// it. The last two are final.
func (r *Reader) Next() (string, error) {
	for {
		r.skipBlank()
		switch {
		case r.joined != "":
			line := r.joined
			r.joined = ""
			r.number, r.size = r.number+1, len(line)
			return r.checked(line)
		case r.block != "":
			if r.blockSize > 0 {
				r.number, r.size, r.blockSize = r.number+1, r.blockSize, 0
			}
			end := strings.IndexByte(r.block, '\n')
			line := r.block[:end]
			r.block = r.block[end+1:]
			return r.checked(line)
		case r.partial.Len() > r.maxLine:
			line := r.partial.String()
			r.partial.Reset()
			r.skipping = true
			return r.checked(line)
		case r.err == nil:
			r.read()
		case r.partial.Len() == 0:
			return "", r.err
		default:
			r.endPartial()
		}
	}
}

// Ready reports whether Next would return without reading from the source: a
// whole line or an error is at hand.
func (r *Reader) Ready() bool {
	r.skipBlank()
	return r.joined != "" || r.block != "" || r.partial.Len() > r.maxLine || r.err != nil
}

// Block tells what memory the line that Next gave last stands in: a number
// that lines in the same memory share, and its size in bytes. All of it is
// kept alive as long as one of the lines is.
func (r *Reader) Block() (number uint64, size int) { return r.number, r.size }

// Dropped gives the number of bytes of the unfinished line that was lost when
// the source failed.
func (r *Reader) Dropped() int { return r.dropped }

// skipBlank takes blank lines off the beginning of the block.
func (r *Reader) skipBlank() {
	if r.block != "" {
		length, _ := blankLines(r.block, r.maxLine)
		r.block = r.block[length:]
	}
}

// checked gives a line as Next has it.
func (r *Reader) checked(line string) (string, error) {
	tooLong := len(line) > r.maxLine
	if tooLong {
		// A copy, so that the error does not keep the rest alive.
		line = strings.Clone(line[:min(r.maxLine, maxPrefix)])
	}
	line = strings.TrimPrefix(line, byteOrderMark)
	if tooLong {
		return "", &TooLongError{Prefix: line, Limit: r.maxLine}
	}
	return strings.TrimSuffix(line, "\r"), nil
}

// read reads once and sorts what it gets.
func (r *Reader) read() {
	for range maxEmptyReads {
		n, err := r.source.Read(r.buffer)
		if n < 0 || n > len(r.buffer) {
			n, err = 0, errors.New("the source gave an impossible number of bytes")
		}
		r.err = err
		r.accept(r.buffer[:n])
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// accept sorts what a read gave: the rest of the line under way, whole lines,
// and the beginning of the next one.
func (r *Reader) accept(data []byte) {
	if r.skipping || r.partial.Len() > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			r.extend(data)
			return
		}
		r.extend(data[:end])
		r.skipping = false
		r.join()
		data = data[end+1:]
	}
	blank, _ := blankLines(data, r.maxLine)
	data = data[blank:]
	end := bytes.LastIndexByte(data, '\n') + 1
	r.block, r.blockSize = string(data[:end]), end
	r.extend(data[end:])
}

// extend adds to the line under way, unless it is being skipped.
func (r *Reader) extend(data []byte) {
	if !r.skipping {
		r.partial.Write(data)
	}
}

// join makes the partial line a whole one. Its memory goes with it.
func (r *Reader) join() {
	line := r.partial.String()
	if _, blank := blankLines(line, r.maxLine); !blank {
		r.joined = line
	}
	r.partial.Reset()
}

// endPartial deals with the line that the source's end or error has left
// without LF.
func (r *Reader) endPartial() {
	if r.err == io.EOF {
		r.join()
		return
	}
	r.dropped = r.partial.Len()
	r.partial.Reset()
}

// blankLines gives the length of the whole blank lines that text begins with,
// and whether what follows them is blank too. A blank line has nothing but
// spaces, tabs and CRs in it, perhaps behind a byte order mark, and not more
// than maxLine bytes.
func blankLines[T string | []byte](text T, maxLine int) (length int, blank bool) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			length = i + 1
		case i == length && string(text[i:min(i+len(byteOrderMark), len(text))]) == byteOrderMark:
			i += len(byteOrderMark) - 1
		case !isSpace(c):
			return length, false
		}
		if i >= length+maxLine {
			return length, false
		}
	}
	return length, true
}
