package filesystem

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// chunk is how much of a file is read at once for head and tail, in bytes.
const chunk = 64 << 10

// head reads the first lines of a file of any size, without the line break at
// their end.
func (p place) head(ctx context.Context, lines, most int64) (string, error) {
	file, err := p.openFile(ctx)
	if err != nil {
		return "", err
	}
	defer file.Close()
	reader := bufio.NewReaderSize(file, chunk)
	if err := refuseBinary(reader); err != nil {
		return "", err
	}
	var text []byte
	for lines > 0 && ctx.Err() == nil {
		piece, err := reader.ReadSlice('\n')
		text = append(text, piece...)
		switch {
		case int64(len(text)) > most:
			return "", tooMany("first", most)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return validText(string(withoutBreak(text))), nil
		case err != nil:
			return "", err
		default:
			lines--
		}
	}
	return validText(string(withoutBreak(text))), context.Cause(ctx)
}

// tail reads the last lines of a file of any size, without the line break at
// their end.
func (p place) tail(ctx context.Context, lines, most int64) (string, error) {
	file, err := p.openFile(ctx)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if err := refuseBinary(bufio.NewReaderSize(io.NewSectionReader(file, 0, sniffed), sniffed)); err != nil {
		return "", err
	}
	if file.size == 0 {
		// Systems do not say how long what they make up is.
		content, err := io.ReadAll(io.LimitReader(file, most+1))
		if err != nil {
			return "", err
		}
		text, err := lastOf(ctx, bytes.NewReader(content), int64(len(content)), lines, most)
		return validText(string(text)), err
	}
	text, err := lastOf(ctx, file, file.size, lines, most)
	return validText(string(text)), err
}

// lastOf reads the last lines of what has that size, or had it just now.
func lastOf(ctx context.Context, file io.ReaderAt, size, lines, most int64) ([]byte, error) {
	var pieces [][]byte // from the last to the first
	length, end := int64(0), size
	breaks := int64(-1) // the one at the end of the last line does not count
	for end > 0 && breaks < lines {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := max(0, end-chunk)
		piece := make([]byte, end-start)
		read, err := file.ReadAt(piece, start)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if read < len(piece) {
			// The file has become shorter: what was read of its end is no more.
			pieces, length, breaks = nil, 0, -1
			piece, end = piece[:read], start
			if read == 0 {
				continue
			}
		}
		if pieces == nil && piece[len(piece)-1] != '\n' {
			breaks = 0
		}
		piece, breaks = lastLines(piece, lines, breaks)
		pieces, end = append(pieces, piece), start
		if length += int64(len(piece)); length > most {
			return nil, tooMany("last", most)
		}
	}
	slices.Reverse(pieces)
	return withoutBreak(bytes.Join(pieces, nil)), nil
}

// lastLines gives what of a piece belongs to the last lines of its file, in
// which so many breaks come behind it, and how many come behind its start.
func lastLines(piece []byte, lines, behind int64) (belonging []byte, breaks int64) {
	breaks = behind
	for end := len(piece); ; {
		at := bytes.LastIndexByte(piece[:end], '\n')
		if at < 0 {
			return piece, breaks
		}
		if breaks++; breaks >= lines {
			return piece[at+1:], breaks
		}
		end = at
	}
}

func refuseBinary(reader *bufio.Reader) error {
	begin, err := reader.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if isBinary(string(begin)) {
		return errBinary
	}
	return nil
}

// withoutBreak takes the line break off a text's end.
func withoutBreak(text []byte) []byte {
	text, found := bytes.CutSuffix(text, []byte{'\n'})
	if found {
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	return text
}

func tooMany(which string, most int64) error {
	return fmt.Errorf("has more than %d bytes in the %s lines that were asked for, which is what --max-read allows; ask for fewer", most, which)
}
