// Package trace writes a server's trace file: what it did, and at the highest
// level every message it received and sent.
//
// One record is one line:
//
//	2026-08-20T12:34:56.789Z INFO resource table: 3 entries
//
// A record never fails or stalls its caller. It is held in memory first
// (trace.go), goes from there to a file of bounded size (file.go) and can be
// read back while the server runs (read.go). What a record looks like, and how
// text from a hostile peer is kept from forging one, is in record.go.
package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Level says how much is recorded; each level includes those before it.
type Level uint8

// The levels, from the least to the most.
const (
	Errors   Level = iota // what went wrong
	Info                  // what the server did, in outline
	Debug                 // the same in detail
	Messages              // and every message in and out
)

const (
	memoryLimit = 256 << 10 // bytes of records held in memory
	flushSize   = 32 << 10  // held bytes that are written without waiting for the timer
	flushDelay  = 100 * time.Millisecond
	retryDelay  = time.Second // between attempts while the file cannot be written
	smallest    = 16 << 10    // a file takes at least the longest record
)

// Trace takes records from any goroutine and writes them to a file once Open
// has made one. A nil *Trace records nothing, and all its methods may be called.
type Trace struct {
	name  string
	level Level
	limit int64

	mu     sync.Mutex
	held   []byte // whole lines, oldest first, that are in no file yet
	lost   int64  // records lost altogether
	untold int64  // those of them that no record in the file tells of

	opening bool
	closed  bool
	file    *file       // nil until Open has made one
	failing bool        // the last flush failed
	timer   *time.Timer // the next flush; nil when none is due
}

// New returns a trace for the server of that name. It opens nothing: records
// are held in memory until Open, the newest 256 KiB of them. A file grows to
// limit bytes and is then set aside as the old one, so that the two together
// take at most twice that; a limit below 16 KiB counts as 16 KiB.
func New(name string, level Level, limit int64) *Trace {
	return &Trace{name: name, level: level, limit: max(limit, smallest)}
}

// Open creates <directory>/<name>_<process id>.log, readable by the current
// user alone, and writes what is held. It returns the file's absolute path.
//
// The file is always a new one. A regular file of the current user at that
// path, left by an earlier process of the same id, is removed; anything else
// there, a link above all, is an error that names the path. After an error the
// trace stays in memory, where Head and Tail find it, and Open may be called
// again.
func (t *Trace) Open(directory string) (path string, err error) {
	if t == nil {
		return "", nil
	}
	path, err = t.place(directory)
	if err != nil {
		return "", err
	}
	if err := t.startOpening(); err != nil {
		return "", err
	}
	created, err := newFile(path, t.limit)

	t.mu.Lock()
	defer t.mu.Unlock()
	t.opening = false
	if err != nil {
		return "", fmt.Errorf("creating trace file: %w", err)
	}
	if t.closed {
		return "", errors.Join(errors.New("trace is closed"), created.close())
	}
	t.file = created
	t.flushOrRetry()
	return path, nil
}

// place names the trace file of this process in a directory.
func (t *Trace) place(directory string) (string, error) {
	if t.name == "" || strings.ContainsAny(t.name, `/\:`) {
		return "", fmt.Errorf("trace name %q cannot be part of a file name", t.name)
	}
	path, err := filepath.Abs(filepath.Join(directory, fmt.Sprintf("%s_%d.log", t.name, os.Getpid())))
	if err != nil {
		return "", fmt.Errorf("placing trace file: %w", err)
	}
	return path, nil
}

// startOpening claims the right to create the file, so that creating it needs
// no lock and records go on meanwhile.
func (t *Trace) startOpening() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return errors.New("trace is closed")
	case t.opening || t.file != nil:
		return errors.New("trace is already open")
	}
	t.opening = true
	return nil
}

// Path gives the absolute path of the trace file, or "" while there is none.
func (t *Trace) Path() string {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == nil {
		return ""
	}
	return t.file.path
}

// On reports whether records of that level are kept. It costs next to nothing,
// so that a caller can save itself the work of making one.
func (t *Trace) On(level Level) bool {
	return t != nil && level <= t.level
}

// Errorf records what went wrong, and sees to it that the record is in the file
// when it returns, if the file can be written.
func (t *Trace) Errorf(format string, args ...any) {
	if t.On(Errors) {
		t.record(wordError, fmt.Sprintf(format, args...))
	}
}

// Infof records a step of the server.
func (t *Trace) Infof(format string, args ...any) {
	if t.On(Info) {
		t.record(wordInfo, fmt.Sprintf(format, args...))
	}
}

// Debugf records a detail.
func (t *Trace) Debugf(format string, args ...any) {
	if t.On(Debug) {
		t.record(wordDebug, fmt.Sprintf(format, args...))
	}
}

// In records a message that was received.
func (t *Trace) In(line string) {
	if t.On(Messages) {
		t.record(wordIn, line)
	}
}

// Out records a message that is sent. It keeps no reference to line.
func (t *Trace) Out(line []byte) {
	if t.On(Messages) {
		line = bytes.TrimRight(line, lineBreaks)
		head := string(line[:min(len(line), visible)])
		t.add(wordOut, escapeHead(head, len(line)))
	}
}

// Dropped gives the number of records lost so far: pushed out of memory before
// there was a file or while it could not be written, or made after Close.
func (t *Trace) Dropped() int64 {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

// Close writes what is held and closes the file. Later records are dropped, and
// Head and Tail then find only what could not be written. Every call after the
// first does nothing.
func (t *Trace) Close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	t.closed = true
	if t.file == nil {
		return nil
	}
	err := t.flush()
	if err == nil {
		err = t.file.removeEmpty()
	}
	err = errors.Join(err, t.file.close())
	t.stopTimer()
	if err != nil {
		return fmt.Errorf("closing trace file: %w", err)
	}
	return nil
}

func (t *Trace) record(word, text string) {
	t.add(word, escape(strings.TrimRight(text, lineBreaks)))
}

// add takes a record whose text is escaped already.
func (t *Trace) add(word string, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		t.lost++
		return
	}
	t.hold(newRecord(word, text))
	if t.file == nil {
		return
	}
	due := word == wordError || len(t.held) >= flushSize
	if due && !t.failing {
		t.flushOrRetry()
		return
	}
	t.startTimer()
}

// hold adds a line to those in memory, in place of the oldest if need be. The
// caller holds mu, as it does for all that follow but flushDue.
func (t *Trace) hold(line []byte) {
	if excess := len(t.held) + len(line) - memoryLimit; excess > 0 {
		end := excess + bytes.IndexByte(t.held[excess-1:], '\n')
		count := int64(bytes.Count(t.held[:end], newline))
		t.lost += count
		t.untold += count
		t.held = t.held[end:]
	}
	t.held = append(t.held, line...)
}

// flush writes what is held to the file, after word of what was lost before it.
// What cannot be written stays in memory.
func (t *Trace) flush() error {
	t.failing = true
	if t.untold > 0 {
		note := fmt.Sprintf("%d earlier records were lost", t.untold)
		if _, err := t.file.write(newRecord(wordError, []byte(note))); err != nil {
			return err
		}
		t.untold = 0
	}
	for len(t.held) > 0 {
		written, err := t.file.write(t.file.fitting(t.held))
		t.held = slices.Delete(t.held, 0, written)
		if err != nil {
			return err
		}
	}
	t.failing = false
	return nil
}

// flushOrRetry flushes, and if that fails tries again later.
func (t *Trace) flushOrRetry() {
	t.stopTimer()
	if err := t.flush(); err != nil {
		// There is nobody to tell but the trace itself; it does so by the count
		// of lost records once it can be written again.
		t.startTimer()
	}
}

// startTimer sees to it that a flush is due. There is a timer only while
// something is held, so that an idle process has none.
func (t *Trace) startTimer() {
	if t.timer != nil {
		return
	}
	delay := flushDelay
	if t.failing {
		delay = retryDelay
	}
	t.timer = time.AfterFunc(delay, t.flushDue)
}

// flushDue is what the timer does. The timer may have gone off already when it
// is stopped, so this can come late.
func (t *Trace) flushDue() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.flushOrRetry()
	}
}

func (t *Trace) stopTimer() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}
