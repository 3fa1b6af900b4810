package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"
	"github.com/tidwall/jsonc"
)

// Read gives what stands in the file at a path. The error is a sentence that
// names the file and says what to do; a *SyntaxError is in it when the file is
// no JSON, and it tells with errors.Is whether the file is missing
// (fs.ErrNotExist) or may not be read (fs.ErrPermission). Safe for concurrent
// use.
func Read(path string) (*File, error) {
	data, err := readRegular(path, maxFile)
	if err != nil {
		return nil, err
	}
	file, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file.Path = path
	return file, nil
}

// Parse gives what stands in the text of a file. The error is a *SyntaxError,
// or says that the text is too long. It does not keep data. Safe for concurrent
// use.
func Parse(data []byte) (*File, error) {
	if len(data) > maxFile {
		return nil, errors.New("the configuration is larger than 4 MiB; keep in it nothing but the servers and their inputs")
	}
	text := withoutMark(data)
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return nil, &SyntaxError{1, 1, "expected UTF-8, found UTF-16; save the file as UTF-8"}
	}
	where := newLocator(text)
	plain := jsonc.ToJSON(text)
	if fault := checkSyntax(plain); fault != nil {
		return nil, syntaxError(where, fault)
	}
	root := gjson.ParseBytes(plain)
	if !root.IsObject() {
		at := where.locate(root.Index)
		return nil, &SyntaxError{at.line, at.column, `expected an object such as {"servers": {...}}, found ` + kind(root)}
	}
	r := &reader{file: &File{}, where: where, servers: map[string]place{}, inputs: map[string]place{}}
	r.document(root)
	return r.file, nil
}

// withoutMark takes away the byte order mark that a text may begin with.
func withoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

func syntaxError(where *locator, f *fault) *SyntaxError {
	sentence := f.sentence
	if f.open != nil {
		opened := where.locate(f.open.at)
		sentence += fmt.Sprintf("; the %c at line %d, column %d is not closed", f.open.bracket, opened.line, opened.column)
	}
	at := where.locate(f.at)
	return &SyntaxError{at.line, at.column, sentence}
}

// fileError is a sentence about a file that could not be read, and its cause.
type fileError struct {
	sentence string
	cause    error
}

func (e *fileError) Error() string { return e.sentence }

func (e *fileError) Unwrap() error { return e.cause }

// readRegular gives what a regular file has, up to a limit. Other files are
// refused before they are opened: a pipe could keep us waiting for ever.
func readRegular(path string, limit int64) ([]byte, error) {
	if path == "" {
		return nil, errors.New("the path of the file is empty; name a file")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory; name a file in it", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a device, a pipe or a socket; name a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, cannotRead(path, err)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, cannotRead(path, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB; name another file, or shorten it", path, limit>>20)
	}
	return data, nil
}

func cannotRead(path string, err error) error {
	absolute := path
	if full, err := filepath.Abs(path); err == nil {
		absolute = full
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &fileError{fmt.Sprintf("there is no file %s; check the path, or create the file", absolute), err}
	case errors.Is(err, fs.ErrPermission):
		return &fileError{fmt.Sprintf("%s may not be read by this user; change its permissions, or those of the folders it is in", absolute), err}
	}
	return &fileError{fmt.Sprintf("%s cannot be read: %s", absolute, reason(err)), err}
}

// reason gives what the system says without the path, which the sentence has.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
