package filesystem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mcpserver/core/toolserver"
)

// mostPaths is how many files one call may name.
const mostPaths = 1000

// sniffed is how much of a file's beginning tells whether it is a text, in
// bytes.
const sniffed = 8 << 10

var errBinary = errors.New("is a binary file and no text; read_media_file reads it")

// readText runs read_text_file and read_file.
func (s *Server) readText(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	given, err := arguments.RequireString("path")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	head, err := lineCount(arguments, "head")
	if err != nil {
		return toolserver.Outcome{}, err
	}
	tail, err := lineCount(arguments, "tail")
	switch {
	case err != nil:
		return toolserver.Outcome{}, err
	case head > 0 && tail > 0:
		return toolserver.Outcome{}, errors.New("head and tail cannot be given together")
	}
	a := s.begin(ctx)
	defer a.close()
	found, err := a.locate(wanted{given: given, verb: "read"})
	if err != nil {
		return toolserver.Outcome{}, err
	}
	if err := a.hold(found.size(a.settings.MaxRead)); err != nil {
		return toolserver.Outcome{}, err
	}
	var text string
	switch {
	case head > 0:
		text, err = found.head(ctx, head, a.settings.MaxRead)
	case tail > 0:
		text, err = found.tail(ctx, tail, a.settings.MaxRead)
	default:
		text, err = found.wholeText(ctx, a.settings.MaxRead)
	}
	if err != nil {
		return toolserver.Outcome{}, about(given, err)
	}
	return answer(text), nil
}

// lineCount reads head or tail; 0 is as if it were not given.
func lineCount(arguments toolserver.Arguments, name string) (int64, error) {
	count, err := arguments.Int(name, 0)
	if err == nil && count < 0 {
		err = fmt.Errorf("%s: must not be negative", name)
	}
	return count, err
}

// wholeText reads a file that is a text.
func (p place) wholeText(ctx context.Context, most int64) (string, error) {
	var text strings.Builder
	if err := p.readInto(ctx, &text, most); err != nil {
		return "", err
	}
	if isBinary(text.String()) {
		return "", errBinary
	}
	return validText(text.String()), nil
}

// content is what a file is read into.
type content interface {
	io.Writer
	Len() int
	Grow(size int)
}

// readInto reads a file that has no more bytes than that.
func (p place) readInto(ctx context.Context, read content, most int64) error {
	file, err := p.openFile(ctx)
	if err != nil {
		return err
	}
	defer file.Close()
	if file.size > most {
		return tooLong(file.size, most)
	}
	// A file may be longer than it says, or grow.
	size := int(file.size) + bytes.MinRead
	read.Grow(size)
	if _, err := io.CopyBuffer(read, io.LimitReader(file, most+1), make([]byte, min(size, chunk))); err != nil {
		return err
	}
	if int64(read.Len()) > most {
		return tooLong(0, most)
	}
	return nil
}

// size is how many bytes are read of what is there, at most.
func (p place) size(most int64) int64 {
	if p.info == nil || !p.info.Mode().IsRegular() {
		return 0
	}
	return min(p.info.Size(), most)
}

// tooLong tells the size, if it is known.
func tooLong(size, most int64) error {
	has := fmt.Sprintf("more than %d", most)
	if size > 0 {
		has = fmt.Sprint(size)
	}
	return fmt.Errorf("has %s bytes, and --max-read lets %d be read as a whole; of a text, head and tail of read_text_file read a part", has, most)
}

// isBinary reports whether a file that begins so is no text: it has a NUL.
func isBinary(content string) bool {
	return strings.IndexByte(content[:min(len(content), sniffed)], 0) >= 0
}

// validText gives a text with U+FFFD for what is not UTF-8.
func validText(content string) string { return strings.ToValidUTF8(content, "\ufffd") }

// readMultiple runs read_multiple_files. What is wrong with one file stands in
// its place.
func (s *Server) readMultiple(ctx context.Context, arguments toolserver.Arguments) (toolserver.Outcome, error) {
	var parsed struct {
		Paths []string `json:"paths"`
	}
	if err := arguments.Decode(&parsed); err != nil {
		return toolserver.Outcome{}, err
	}
	switch {
	case len(parsed.Paths) == 0:
		return toolserver.Outcome{}, errors.New("paths: at least one path is needed")
	case len(parsed.Paths) > mostPaths:
		return toolserver.Outcome{}, fmt.Errorf("paths: there are %d, more than the %d that are taken", len(parsed.Paths), mostPaths)
	}
	a := s.begin(ctx)
	defer a.close()
	wants := make([]wanted, len(parsed.Paths))
	for i, given := range parsed.Paths {
		wants[i] = wanted{given: given, verb: "read"}
	}
	found, err := a.locateAll(wants...)
	if err != nil {
		return toolserver.Outcome{}, err
	}
	var size int64
	for _, file := range found {
		size += file.size(a.settings.MaxRead)
	}
	if err := a.hold(min(size, a.settings.MaxRead)); err != nil {
		return toolserver.Outcome{}, err
	}
	var text strings.Builder
	left := a.settings.MaxRead
	for i, file := range found {
		if err := ctx.Err(); err != nil {
			return toolserver.Outcome{}, err
		}
		if i > 0 {
			text.WriteString("\n---\n")
		}
		content, err := file.text(ctx, left)
		if err != nil {
			fmt.Fprintf(&text, "%s: Error - %v", entryName(file.given), about(file.given, err))
			continue
		}
		left -= int64(len(content))
		text.WriteString(entryName(file.given) + ":\n" + content + "\n")
	}
	return answer(text.String()), nil
}

// text reads the file, with what is left to this answer.
func (l located) text(ctx context.Context, left int64) (string, error) {
	if l.err != nil {
		return "", l.err
	}
	return l.wholeText(ctx, left)
}
