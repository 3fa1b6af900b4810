package bridge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// recording is the conversation with one process: a JSON object a line, which
// says who wrote what. A nil one records nothing.
type recording struct {
	mu   sync.Mutex
	file *os.File
	err  error // the first
}

type recordedLine struct {
	From string `json:"from"`
	Line string `json:"line"`
}

func newRecording(folder, name string) (*recording, error) {
	if folder == "" {
		return nil, nil
	}
	file, err := os.Create(filepath.Join(folder, name+".jsonl"))
	if err != nil {
		return nil, fmt.Errorf("recording a conversation: %w", err)
	}
	return &recording{file: file}, nil
}

func (r *recording) fromClient(line []byte) { r.add("client", line) }
func (r *recording) fromServer(line []byte) { r.add("server", line) }

func (r *recording) add(from string, line []byte) {
	if r == nil {
		return
	}
	entry, err := json.Marshal(recordedLine{from, string(line)})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.err == nil {
		_, err = r.file.Write(append(entry, '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

// close gives the first error that there was.
func (r *recording) close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.file.Close(); r.err == nil {
		r.err = err
	}
	if r.err != nil {
		return fmt.Errorf("recording a conversation: %w", r.err)
	}
	return nil
}
